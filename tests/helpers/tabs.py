"""The tabs about time, as a user handles them."""

from __future__ import annotations

from helpers.driving import settle
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from xlaviz.ui.main_window import MainWindow


def look_at(window: MainWindow, panel: QWidget, qtbot: QtBot) -> None:
    window.bottom.setCurrentWidget(panel)
    settle(window, qtbot)


def selected(window: MainWindow) -> tuple[str, str, str, str]:
    """What is selected in the session, in the kernel table, in the bars and in the timeline."""
    panel = window.kernel_panel
    return window.session.selection.name, panel.table.selected, panel.bars._selected, window.timing.timeline._selected


def choose_row(window: MainWindow, qtbot: QtBot, name: str) -> None:
    view = window.kernel_panel.view
    index = window.kernel_panel.model.index_of(name)
    view.scrollTo(index)
    qtbot.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=view.visualRect(index).center())
    settle(window, qtbot)


def press_line(window: MainWindow, qtbot: QtBot, number: int) -> None:
    view = window.timing.source.view
    view.scroll_to([number])
    top = next(top for at, top, _ in view.visible_lines() if at == number)
    qtbot.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=QPoint(30, int(top) + 4))
    settle(window, qtbot)


def group_by(window: MainWindow, key: str) -> None:
    grouping = window.kernel_panel.head.grouping
    grouping.setCurrentIndex(grouping.findData(key))
    grouping.activated.emit(grouping.currentIndex())
