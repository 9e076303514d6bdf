"""The counts of a step in the legend, and what a click on them does."""

from __future__ import annotations

from helpers.driving import settle
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from xlaviz.graph.overlay import Mark
from xlaviz.session.shown import mark_counts
from xlaviz.ui.main_window import MainWindow


def filters(window: MainWindow) -> list[Mark | None]:
    painters = (pane.canvas.painter for pane in window.panes.values())
    return [painter.overlay.only for painter in painters if painter is not None]


def test_a_click_on_a_count_makes_the_rest_pale(opened: MainWindow, qtbot: QtBot) -> None:
    sequence = opened.session.sequence
    assert sequence is not None
    opened.session.go_to(next(s.index for s in sequence.snapshots if s.pass_name == "fusion"))
    settle(opened, qtbot)
    opened.legend.grab()
    counts = mark_counts(opened.session.diff)
    assert counts["added"] > 0
    place = opened.legend.place_of("added").center().toPoint()
    before = opened.panes["right"].canvas.grab().toImage()
    qtbot.mouseClick(opened.legend, Qt.MouseButton.LeftButton, pos=place)
    assert filters(opened) == ["added", "added"]
    assert opened.panes["right"].canvas.grab().toImage() != before
    qtbot.mouseClick(opened.legend, Qt.MouseButton.LeftButton, pos=place)
    assert filters(opened) == [None, None]
    qtbot.mouseClick(opened.legend, Qt.MouseButton.LeftButton, pos=place)
    opened.session.show_compare()
    settle(opened, qtbot)
    assert filters(opened) == [None, None]
    opened.legend.grab()
    assert opened.legend.place_of("added").isEmpty()
