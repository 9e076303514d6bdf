"""Everything the window shows of a bundle, as files: for machines without a display."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from PySide6.QtCore import QCoreApplication, QEventLoop, QTimer

from xlaviz.base.errors import WorkFailedError, XlavizError
from xlaviz.base.settings import Settings
from xlaviz.cli.export import view_of, write_panes
from xlaviz.cli.window import make_application
from xlaviz.export.views import ExportView
from xlaviz.session import documents
from xlaviz.session.work import SideOptions
from xlaviz.ui.main_window import MainWindow

_WAIT_MS = 180_000


def write_gallery(bundle: Path, folder: Path) -> Iterator[Path]:
    """Write the bundle's window and graphs into `folder`; yields each path as it is written, the bundle's first."""
    make_application(is_seen=False)
    yield bundle
    yield write_window_picture(bundle, folder / f"{bundle.stem}-window.png")
    path = bundle.absolute()
    try:
        sequence = documents.open_info(documents.silent, path).sequence()
        for kind in ("before", "after", "side-by-side"):
            shown, panes = view_of(path, sequence, ExportView(kind), SideOptions())
            for ending in ("svg", "pdf") if kind == "side-by-side" else ("svg",):
                out = folder / f"{bundle.stem}-{kind}.{ending}"
                write_panes(shown, panes, ending, out, theme_name="light")
                yield out
    finally:
        documents.close_all()


def write_window_picture(
    bundle: Path, out: Path, *, theme: str = "light", size: tuple[int, int] = (1600, 1000)
) -> Path:
    """Open the bundle in a real window, wait until all of it is there, and write its picture."""
    window = MainWindow(Settings(theme=theme, motion="off"))
    window.resize(*size)
    window.show()
    try:
        _open_and_wait(window, bundle)
        while not all(pane.canvas.is_complete for pane in window.panes.values() if pane.isVisible()):
            QCoreApplication.processEvents()
        if not window.grab().save(str(out)):
            raise WorkFailedError(f"{out} cannot be written.")
    finally:
        window.close()
    return out


def _open_and_wait(window: MainWindow, bundle: Path) -> None:
    loop = QEventLoop()
    errors: list[XlavizError] = []
    shown: list[Path] = []

    def on_failed(error: XlavizError) -> None:
        errors.append(error)
        loop.quit()

    def on_shown() -> None:
        shown.append(bundle)
        on_idled()

    def on_idled() -> None:
        """Nothing is left to do; between two jobs of the opening that is no end yet."""
        if shown and not window.session.is_busy:
            loop.quit()

    window.session.failed.connect(on_failed)
    window.document_shown.connect(on_shown)
    for runner in window.session.runners:
        runner.idled.connect(on_idled)
    limit = QTimer()
    limit.setSingleShot(True)
    limit.timeout.connect(loop.quit)
    limit.start(_WAIT_MS)
    window.open_path(bundle)
    loop.exec()
    if errors:
        raise errors[0]
    if not limit.isActive():
        raise WorkFailedError(f"{bundle} was not drawn within {_WAIT_MS // 1000} s.")
