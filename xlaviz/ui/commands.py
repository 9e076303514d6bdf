"""What the actions of the window do."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QDialog, QFileDialog, QMessageBox

from xlaviz import __version__
from xlaviz.base.errors import XlavizError
from xlaviz.base.resources import asset
from xlaviz.capture.request import CaptureRequest
from xlaviz.export.dot import write_dot
from xlaviz.export.picture import Panel, write_picture
from xlaviz.export.views import parse_format
from xlaviz.scene.canvas import GraphCanvas
from xlaviz.scene.palette import THEMES
from xlaviz.session.heat import heading
from xlaviz.session.shown import PANES, Pane
from xlaviz.ui.actions import ACTIONS
from xlaviz.ui.capture_dialog import CaptureDialog
from xlaviz.ui.command_palette import CommandPalette
from xlaviz.ui.export_dialog import ExportDialog
from xlaviz.ui.story_commands import StoryCommands
from xlaviz.ui.view_commands import ViewCommands

if TYPE_CHECKING:
    from xlaviz.ui.main_window import MainWindow

_ZOOM_STEP = 1.25


class Commands:
    """The slots of the action table."""

    def __init__(self, window: MainWindow) -> None:
        self._window = window
        self._capture: CaptureDialog | None = None
        self.view = ViewCommands(window)
        self.story = StoryCommands(window)

    def slots(self) -> dict[str, Callable[[], object]]:
        """One callable for each action of the table."""
        window, session = self._window, self._window.session
        own: dict[str, Callable[[], object]] = {
            "quit": window.close,
            "compare": session.show_compare,
            "left_only": lambda: self._show_pane("left"),
            "right_only": lambda: self._show_pane("right"),
            "zoom_in": lambda: self._canvas().zoom_by(_ZOOM_STEP),
            "zoom_out": lambda: self._canvas().zoom_by(1 / _ZOOM_STEP),
        }
        own |= self.view.slots() | self.story.slots() | window.search.slots()
        return {spec.name: own.get(spec.name) or getattr(self, spec.name) for spec in ACTIONS}

    def close(self) -> None:
        """The window closes: stop a capture that runs."""
        if self._capture is not None:
            self._capture.close()
        self.story.close()

    # Documents

    def open(self) -> None:
        window = self._window
        kinds = "Bundles and HLO (*.xlaviz *.pb *.hlo *.txt *.gz);;All files (*)"
        name, _ = QFileDialog.getOpenFileName(window, "Open", window.settings.last_folder, kinds)
        if name:
            window.open_path(Path(name))

    def open_folder(self) -> None:
        window = self._window
        name = QFileDialog.getExistingDirectory(window, "Open dump folder", window.settings.last_folder)
        if name:
            window.open_path(Path(name))

    def capture(self) -> None:
        self._capture_dialog().show()

    def demo(self) -> None:
        """Capture the example that comes with xlaviz, and open it."""
        try:
            file = asset("examples/train_step.py")
        except XlavizError as error:
            self._window.show_error(error)
            return
        folder = Path(tempfile.mkdtemp(prefix="xlaviz-demo-"))
        dialog = self._capture_dialog()
        dialog.file.setText(str(file))
        dialog.target.setText("train_step")
        dialog.show()
        python = self._window.settings.python or None
        dialog.run(CaptureRequest(file=file, target="train_step", out=folder / "train_step.xlaviz", python=python))

    def _capture_dialog(self) -> CaptureDialog:
        """The one capture dialog; a capture that runs keeps it."""
        if self._capture is None:
            settings = self._window.settings
            self._capture = CaptureDialog(folder=settings.last_folder, python=settings.python, parent=self._window)
            self._capture.captured.connect(self._on_captured)
        return self._capture

    def _on_captured(self, bundle: Path) -> None:
        if self._capture is not None:
            self._window.settings = replace(self._window.settings, python=self._capture.python.text().strip())
        self._window.open_path(bundle)

    def export(self) -> None:
        window = self._window
        if window.session.info is None:
            return
        stem = f"{window.session.info.path.stem}-{window.session.index}"
        if window.session.mode == "compare":
            stem = window.session.info.path.stem
        folder = window.settings.last_folder or str(Path.cwd())
        dialog = ExportDialog(folder=folder, stem=stem, parent=window)
        if dialog.exec() == QDialog.DialogCode.Accepted:
            self.export_to(dialog.file, dialog.what)
        dialog.deleteLater()

    def export_to(self, path: Path, what: str) -> None:
        """Write what is shown: `left`, `right` or `side-by-side`."""
        window = self._window
        shown, heat = window.session.shown, window.legend.heat
        wanted = PANES if what == "side-by-side" else (what,)
        if not shown.sequence.last_index:
            wanted = ("right",)
        painters = [(p, window.panes[p].canvas.painter) for p in PANES if p in wanted]
        panels = []
        for pane, painter in painters:
            if painter is not None:
                hottest = heat.hottest if heat is not None and painter.overlay.heat is not None else ""
                panels.append(Panel(heading(shown, pane, is_heated=bool(hottest)), painter, hottest))
        try:
            kind = parse_format(path)
            if not panels:
                raise XlavizError("There is no graph to export in this view.")
            if kind == "dot":
                write_dot(panels, path)
            else:
                write_picture(panels, path, kind)
        except XlavizError as error:
            window.show_error(error)
            return
        window.status.showMessage(f"Wrote {path}", 6000)

    # View

    def _canvas(self) -> GraphCanvas:
        return self._window.panes[self._window.active_pane].canvas

    def _show_pane(self, pane: Pane) -> None:
        """Show or hide a pane; one of the two always stays."""
        window = self._window
        other: Pane = "right" if pane == "left" else "left"
        window.panes[pane].setVisible(window.actions_by_name[f"{pane}_only"].isChecked())
        if window.panes[pane].isHidden() and window.panes[other].isHidden():
            window.actions_by_name[f"{other}_only"].setChecked(True)
            window.panes[other].show()

    def fit(self) -> None:
        for pane in PANES:
            self._window.panes[pane].canvas.fit()

    def centre(self) -> None:
        self._centre()

    def _centre(self, *, only_if_hidden: bool = False) -> None:
        selection = self._window.session.selection
        for pane in PANES:
            self._window.panes[pane].canvas.centre(selection.names(pane), only_if_hidden=only_if_hidden)

    def select_and_centre(self, pane: str, name: str) -> None:
        """Select an instruction as a link asks, and bring it into view on both sides."""
        side: Pane = "left" if pane == "left" else "right"
        self._window.session.reveal(side, name)
        self._window.session.select(side, name)
        self.centre()

    def select_kernel(self, name: str) -> None:
        """A kernel ran as the last snapshot has it: show that one, if it is not shown."""
        session = self._window.session
        shown = session.shown
        if shown.snapshot_index("right") != shown.sequence.last_index:
            session.show_compare()
        session.reveal("right", name)
        session.select_kernel(name)
        self._centre(only_if_hidden=True)

    def dark(self) -> None:
        is_dark = self._window.actions_by_name["dark"].isChecked()
        self._window.set_theme(THEMES["dark" if is_dark else "light"])

    # Help

    def palette(self) -> None:
        dialog = CommandPalette(self._window.actions_by_name.values(), self._window)
        dialog.exec()
        if dialog.action is not None:
            dialog.action.trigger()
        dialog.deleteLater()

    def shortcuts(self) -> None:
        rows = "".join(
            f"<tr><td>{spec.text.replace('&', '')} &nbsp;</td><td><b>{' or '.join(spec.shortcuts)}</b></td></tr>"
            for spec in ACTIONS
            if spec.shortcuts
        )
        mouse = (
            "<p>Wheel zooms, drag pans, double click opens or closes a cluster, Ctrl+click selects a second one.</p>"
        )
        QMessageBox.information(self._window, "Keys", f"<table>{rows}</table>{mouse}")

    def about(self) -> None:
        text = f"<b>xlaviz {__version__}</b><p>Shows what XLA did to a tf.function.</p><p>Apache-2.0</p>"
        QMessageBox.about(self._window, "About xlaviz", text)
