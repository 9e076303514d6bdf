"""Starts the window; on a machine without a display, says so."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from xlaviz.base.errors import WorkFailedError

if TYPE_CHECKING:
    from PySide6.QtWidgets import QApplication


def has_display() -> bool:
    """Whether a window can be seen, or the user chose a Qt platform himself."""
    if sys.platform in ("win32", "darwin") or os.environ.get("QT_QPA_PLATFORM"):
        return True
    return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))


def open_window(paths: Sequence[Path]) -> int:
    """Open one window for each path, or an empty one, and stay until the last is closed."""
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


def make_application() -> QApplication:
    """The one QApplication, also for pictures without a display."""
    if not has_display():
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
    if os.environ.get("QT_QPA_PLATFORM") == "offscreen":
        qInstallMessageHandler(_without_platform_noise)
    application = QApplication(["xlaviz"])
    application.setApplicationName("xlaviz")
    return application


def _without_platform_noise(kind: object, context: object, message: str) -> None:
    """The offscreen platform complains of what nobody asked it for."""
    if "propagateSizeHints" not in message:
        print(message, file=sys.stderr)
