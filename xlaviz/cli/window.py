"""Starts the window; on a machine without a display, says so."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from xlaviz.base.errors import WorkFailedError
from xlaviz.dumps.files import is_folder

if TYPE_CHECKING:
    from PySide6.QtWidgets import QApplication


# What the offscreen platform says of every window, and what a sentence of ours follows.
_NOISE = ("propagateSizeHints", "QPainter::begin", "QSvgPaintEngine::begin", "QPdf")


def has_display() -> bool:
    """Whether a window can be seen, or the user chose a Qt platform himself."""
    if sys.platform in ("win32", "darwin") or os.environ.get("QT_QPA_PLATFORM"):
        return True
    return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))


def open_window(paths: Sequence[Path]) -> int:
    """Open one window for each path, or an empty one, and stay until the last is closed."""
    for path in paths:
        is_folder(path)  # a mistyped command or path is told where it was typed
    if not has_display():
        raise WorkFailedError(
            "There is no display to open a window on.",
            hint="xlaviz export, info and kernels work without one; so does xlaviz demo --out FOLDER.",
        )
    application = make_application()
    from xlaviz.ui.main_window import MainWindow

    windows = [MainWindow() for _ in paths or [Path()]]
    for window in windows:
        window.show()
    for window, path in zip(windows, paths, strict=False):
        window.open_path(path)
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    return application.exec()


def make_application(*, is_seen: bool = True) -> QApplication:
    """The one QApplication. For pictures (not `is_seen`) no display is asked for: a stale DISPLAY would end Qt."""
    if not has_display() or not (is_seen or os.environ.get("QT_QPA_PLATFORM")):
        os.environ["QT_QPA_PLATFORM"] = "offscreen"
    try:
        from PySide6.QtCore import qInstallMessageHandler
        from PySide6.QtWidgets import QApplication
    except ImportError as error:
        raise WorkFailedError(
            f"Qt cannot be loaded ({error}).",
            hint="On Debian and Ubuntu: apt-get install libegl1 libxkbcommon0 libdbus-1-3 libfontconfig1 libgl1.",
        ) from error
    existing = QApplication.instance()
    if isinstance(existing, QApplication):
        return existing
    qInstallMessageHandler(_on_message)
    application = QApplication(["xlaviz"])
    application.setApplicationName("xlaviz")
    return application


def _on_message(kind: object, context: object, message: str) -> None:
    """Qt's words to the error stream. Where it has no way to the display it would abort: then a sentence instead."""
    if "no Qt platform plugin could be initialized" in message:
        error = WorkFailedError(
            "Qt cannot open a window on this display.",
            hint="Is DISPLAY right, and libxcb-cursor0 installed? xlaviz export, info and kernels need neither.",
        )
        print(f"xlaviz: {error}", file=sys.stderr, flush=True)
        os._exit(error.exit_status)
    if not any(words in message for words in _NOISE):
        print(message, file=sys.stderr)
