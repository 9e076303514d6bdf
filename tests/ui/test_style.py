"""The look of the whole application."""

from __future__ import annotations

import gc

from PySide6.QtCore import QEvent
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from xlaviz.scene.palette import DARK, LIGHT
from xlaviz.ui.style import apply_theme


class Listener(QWidget):
    def __init__(self) -> None:
        super().__init__()
        self.heard: list[bool] = []

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        self.heard.append(gc.isenabled())


def test_no_widget_is_collected_while_qt_goes_through_them(qtbot: QtBot) -> None:
    """It crashes where it meets one that is gone."""
    apply_theme(LIGHT)
    listener = Listener()
    qtbot.addWidget(listener)
    apply_theme(DARK)
    assert listener.heard
    assert not any(listener.heard)
    assert gc.isenabled()
