"""The counts of a step in the legend, and what a click on them does."""

from __future__ import annotations

import pytest
from helpers.driving import settle
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor
from pytestqt.qtbot import QtBot

from xlaviz.graph.overlay import Mark
from xlaviz.scene.palette import DARK, LIGHT, Theme, heat_colour
from xlaviz.session.shown import mark_counts
from xlaviz.ui.legend import HeatLegend, Legend
from xlaviz.ui.main_window import MainWindow


def filters(window: MainWindow) -> list[Mark | None]:
    painters = (pane.canvas.painter for pane in window.panes.values())
    return [painter.overlay.only for painter in painters if painter is not None]


def _is_near(one: QColor, other: QColor) -> bool:
    pairs = ((one.red(), other.red()), (one.green(), other.green()), (one.blue(), other.blue()))
    return all(abs(a - b) <= 6 for a, b in pairs)


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


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=lambda theme: theme.name)
def test_the_heat_takes_the_place_of_the_families(theme: Theme, qtbot: QtBot) -> None:
    legend = Legend()
    qtbot.addWidget(legend)
    legend.resize(700, 22)
    legend.set_theme(theme)
    legend.set_families(frozenset({"dot", "reduction"}))
    families = legend.grab().toImage()
    legend.set_heat(HeatLegend("attributed to origins", "time per kernel", "96.2 µs"))
    image = legend.grab().toImage()
    colours = [image.pixelColor(x, 11) for x in range(700)]
    for share in (0.03, 0.5, 0.97):
        assert any(_is_near(colour, heat_colour(share, theme)) for colour in colours)
    assert QColor(theme.families["dot"][0]) not in colours
    legend.set_heat(None)
    assert legend.grab().toImage() == families


def test_the_words_of_the_heat_end_where_the_legend_ends(qtbot: QtBot) -> None:
    legend = Legend()
    qtbot.addWidget(legend)
    pictures = []
    for right_text in ("time per kernel", "time per kernel, and more"):
        legend.set_heat(HeatLegend("attributed to origins", right_text, "96.2 µs"))
        legend.resize(300, 22)
        pictures.append(legend.grab().toImage())
    assert pictures[0] == pictures[1]
    legend.resize(900, 22)
    assert legend.grab().toImage().copy(0, 0, 300, 22) != pictures[1]
