"""A small window: nothing forces it wider, and what is cut says so."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest
from helpers.driving import settle
from helpers.tabs import look_at
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QDockWidget, QToolButton
from pytestqt.qtbot import QtBot

from xlaviz.session.shown import PANES
from xlaviz.ui.main_window import MainWindow
from xlaviz.ui.one_line import OneLine

SIZES = [(1000, 650), (1100, 700)]
LEAST_DOCK_PX = 180


def docks(window: MainWindow) -> list[QDockWidget]:
    return [dock for dock in window.findChildren(QDockWidget) if dock.objectName() != "bottom_dock"]


@pytest.mark.parametrize("size", SIZES)
def test_the_window_can_be_small_whatever_is_shown(
    window: MainWindow, train_step_bundle: Path, qtbot: QtBot, size: tuple[int, int]
) -> None:
    window.resize(*size)
    with qtbot.waitSignal(window.document_shown, timeout=120_000):
        window.open_path(train_step_bundle)
    settle(window, qtbot)
    timing = window.timing
    for panel in (timing.kernels, timing.timeline, timing.source, timing.report):
        look_at(window, panel, qtbot)
        for chart in range(3 if panel is timing.kernels else 0):
            timing.kernels.show_chart(chart)
        QApplication.processEvents()
        assert (window.width(), window.height()) == size
        assert all(dock.width() >= LEAST_DOCK_PX for dock in docks(window))
    window.session.go_to(window.session.sequence.last_index // 2)  # type: ignore[union-attr]
    settle(window, qtbot)
    assert (window.width(), window.height()) == size


def test_what_runs_does_not_widen_the_window(opened: MainWindow, qtbot: QtBot) -> None:
    opened.resize(1000, 650)
    status, width = opened.status, opened.minimumSizeHint().width()
    opened.session.background.progressed.emit(1, 0.5, "following instructions through " + "a-long-pass-name " * 20)
    status._show_job()
    QApplication.processEvents()
    assert status.job.isVisible()
    assert status.job.shown[0].endswith("…")
    assert opened.minimumSizeHint().width() == width
    assert opened.width() == 1000
    assert status.minimumSizeHint().width() < 400
    opened.session.background.ended.emit(1)
    qtbot.waitUntil(lambda: not status.job.isVisible())


def test_titles_of_the_panes_end_in_dots_where_there_is_no_room(opened: MainWindow, qtbot: QtBot) -> None:
    for pane in PANES:
        title = opened.panes[pane].title
        assert title.toolTip()
        assert "".join(title.shown) == title.toolTip()
    opened.resize(1000, 650)
    qtbot.waitUntil(lambda: opened.panes["left"].width() < 300)
    for pane in PANES:
        title = opened.panes[pane].title
        assert "".join(title.shown).endswith("…")
        assert title.shown[0].startswith(("Before", "After"))
        assert title.grab().toImage() != plain(title)


def plain(title: OneLine) -> object:
    """How it looks without its words."""
    empty = OneLine(title.parentWidget())
    empty.setObjectName(title.objectName())
    empty.resize(title.size())
    image = empty.grab().toImage()
    empty.deleteLater()
    return image


@pytest.mark.parametrize("width", [1000, 1300, 1600])
def test_menus_tools_and_search_share_the_row(opened: MainWindow, qtbot: QtBot, width: int) -> None:
    opened.resize(width, 700)
    row, bar = opened.tool_row, opened.menuBar()
    qtbot.waitUntil(lambda: row.geometry().right() <= opened.width())
    last = bar.actionGeometry(bar.actions()[-1])
    assert not last.isEmpty(), "Help is not hidden"
    assert last.right() <= row.x()
    assert opened.search.field.width() >= 150
    buttons = [b for b in row.tools.findChildren(QToolButton) if b.defaultAction() is not None]
    more = row.tools.findChild(QToolButton, "qt_toolbar_ext_button")
    assert isinstance(more, QToolButton)
    assert all(button.isVisible() for button in buttons) == more.isHidden()
    if width == 1600:
        assert more.isHidden()
        assert opened.search.field.width() == 300


def test_the_kernels_tools_go_below_their_charts(opened: MainWindow, qtbot: QtBot) -> None:
    look_at(opened, opened.kernel_panel, qtbot)
    head = opened.kernel_panel.head
    assert head.filter.y() < head.charts.button(0).geometry().bottom()
    opened.resize(1000, 650)
    qtbot.waitUntil(lambda: head.filter.y() > head.charts.button(0).geometry().bottom())
    places = [tool.geometry() for tool in (head.grouping, head.filter, head.copy, head.csv)]
    assert all(one.right() < other.left() for one, other in pairwise(places))
    assert places[-1].right() <= head.width()


def test_tab_leaves_the_inspector_at_once(opened: MainWindow, qtbot: QtBot) -> None:
    opened.activateWindow()
    assert "href" in opened.inspector.toHtml()
    opened.inspector.setFocus()
    qtbot.keyClick(opened.inspector, Qt.Key.Key_Tab)
    assert QApplication.focusWidget() is not opened.inspector


def test_one_snapshot_has_no_way_to_go_and_no_before_and_after(
    window: MainWindow, opened: MainWindow, tmp_path: Path, qtbot: QtBot
) -> None:
    assert opened.pass_bar.isVisible()
    assert "before and after optimizations" in opened.status.place.text()
    file = tmp_path / "one.hlo"
    file.write_text("HloModule one\n\nENTRY main {\n  x = f32[4] parameter(0)\n  ROOT y = f32[4] negate(x)\n}\n")
    with qtbot.waitSignal(window.document_shown, timeout=120_000):
        window.open_path(file)
    settle(window, qtbot)
    sequence = window.session.sequence
    assert sequence is not None
    assert not window.pass_bar.isVisible()
    assert "optimizations" not in window.status.place.text()
    assert sequence.snapshots[0].label in window.status.place.text()
