"""The real window, with settings of its own, and a watch over what a test leaves behind."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from helpers.driving import open_in
from PySide6.QtCore import QCoreApplication, QEvent, QThread
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from xlaviz.base.settings import Settings
from xlaviz.ui.main_window import MainWindow

Windows = Callable[..., MainWindow]


@pytest.fixture(autouse=True)
def no_leaked_widgets(qapp: QApplication) -> Iterator[None]:
    """A test leaves no window behind and no thread running."""
    before = set(map(id, QApplication.topLevelWidgets()))
    yield
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    left = [widget for widget in QApplication.topLevelWidgets() if id(widget) not in before and widget.isVisible()]
    assert not left, f"windows left open: {left}"
    threads = [thread for thread in qapp.findChildren(QThread) if thread.isRunning()]
    assert not threads, f"threads left running: {threads}"


@pytest.fixture
def windows(qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Windows]:
    """Makes windows that are closed at the end; without an argument one has the settings that were saved last."""
    monkeypatch.setenv("XLAVIZ_SETTINGS", str(tmp_path / "settings.json"))
    made: list[MainWindow] = []

    def make(settings: Settings | None = None) -> MainWindow:
        window = MainWindow(settings)
        window.session.settling.is_on = False  # it takes seconds; a test that is about it turns it on
        made.append(window)
        with qtbot.waitExposed(window):
            window.show()
        return window

    yield make
    for window in made:
        window.close()
        window.deleteLater()


@pytest.fixture
def window(windows: Windows) -> MainWindow:
    return windows()


@pytest.fixture
def opened(window: MainWindow, matmul_bundle: Path, qtbot: QtBot) -> MainWindow:
    """The window with the small bundle, everything drawn and known."""
    return open_in(window, matmul_bundle, qtbot)
