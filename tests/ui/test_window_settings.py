"""The window comes back as it was left, or as at first where what was saved is damaged."""

from __future__ import annotations

from pathlib import Path

import pytest
from helpers.driving import PATIENCE_MS, open_in, settle
from pytestqt.qtbot import QtBot

from xlaviz.base.settings import Settings
from xlaviz.ui.main_window import MainWindow


def test_docks_come_back_as_they_were_left(
    opened: MainWindow, windows: object, matmul_bundle: Path, qtbot: QtBot
) -> None:
    opened._docks[1].close()
    opened.close()
    second: MainWindow = windows()  # type: ignore[operator]
    assert str(matmul_bundle) in second.welcome.recent.text()
    with qtbot.waitSignal(second.document_shown, timeout=PATIENCE_MS):
        second.welcome.recent.linkActivated.emit(str(matmul_bundle))
    settle(second, qtbot)
    assert [dock.isVisible() for dock in second._docks] == [True, False, True]


@pytest.mark.parametrize("damaged", ["", "no base64 §", "AAAA"])
def test_damaged_settings_leave_the_defaults(windows: object, matmul_bundle: Path, qtbot: QtBot, damaged: str) -> None:
    window: MainWindow = windows(Settings(theme="pink", geometry=damaged, layout=damaged))  # type: ignore[operator]
    open_in(window, matmul_bundle, qtbot)
    assert all(dock.isVisible() for dock in window._docks)
