"""The first page of a large module, its clusters, and what is hidden in them."""

from __future__ import annotations

from pathlib import Path

import pytest
from helpers.driving import click, double_click, kinds, open_in, press, settle
from helpers.layers import LAYERS, write_layers
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from xlaviz.graph.model import DrawnGraph
from xlaviz.session.shown import PANES, Pane
from xlaviz.ui.main_window import MainWindow

ATTENTION = "scope:model/layer_3/attention"


@pytest.fixture
def layers(window: MainWindow, tmp_path: Path, qtbot: QtBot) -> MainWindow:
    return open_in(window, write_layers(tmp_path / "layers"), qtbot)


def graph(window: MainWindow, pane: Pane = "right") -> DrawnGraph:
    found = window.panes[pane].canvas.graph
    assert found is not None
    return found


def lit(window: MainWindow, pane: Pane) -> set[str]:
    """The boxes that the selection lights."""
    painter = window.panes[pane].canvas.painter
    assert painter is not None
    boxes = (box for name in painter.selected for box in painter.graph.boxes_of(name))
    return {painter.graph.nodes[box].instruction for box in boxes}


def test_both_sides_open_as_a_page_of_named_boxes(layers: MainWindow) -> None:
    for pane in PANES:
        assert 10 <= graph(layers, pane).box_count <= 60
        assert kinds(layers, pane, "scope:model/layer_0") == {"open"}
        assert kinds(layers, pane, ATTENTION) == {"closed"}
        canvas = layers.panes[pane].canvas
        assert canvas.painter is not None
        assert canvas.to_widget(canvas.painter.bounds.topLeft()).y() >= 0, "it starts at the top"
    assert layers.actions_by_name["clusters_scopes"].isChecked()


def test_a_double_click_opens_and_closes_a_scope_in_place(layers: MainWindow, qtbot: QtBot) -> None:
    click(layers, qtbot, "right", ATTENTION)
    double_click(layers, qtbot, "right", ATTENTION)
    assert kinds(layers, "right", ATTENTION) == {"open"}
    assert kinds(layers, "right", "layer_3.5") == {"closed"}
    assert kinds(layers, "left", ATTENTION) == {"closed"}
    press(layers, qtbot, Qt.Key.Key_Return)
    assert kinds(layers, "right", ATTENTION) == {"closed"}


def test_the_inspector_says_what_a_scope_is(layers: MainWindow, qtbot: QtBot) -> None:
    click(layers, qtbot, "right", ATTENTION)
    settle(layers, qtbot)
    text = layers.inspector.toPlainText()
    assert "name scope" in text
    assert "20 instructions" in text
    assert "tanh" in text
    assert "layer_3.0" in text


def test_a_selection_in_a_closed_scope_lights_the_scope_on_both_sides(layers: MainWindow, qtbot: QtBot) -> None:
    layers.commands.select_and_centre("right", "inner_3")
    settle(layers, qtbot)
    assert lit(layers, "right") == {ATTENTION}
    assert lit(layers, "left") == {ATTENTION}
    layers.commands.select_and_centre("left", "layer_7.39")
    settle(layers, qtbot)
    assert lit(layers, "right") == {"scope:model/layer_7/dense"}


def test_a_closed_scope_stands_for_the_same_one_on_the_other_side(layers: MainWindow, qtbot: QtBot) -> None:
    click(layers, qtbot, "left", ATTENTION)
    assert lit(layers, "right") == {ATTENTION}


def test_a_closed_scope_in_which_something_changed_says_so(layers: MainWindow, qtbot: QtBot) -> None:
    layers.session.go_to(3)
    settle(layers, qtbot)
    painter = layers.panes["right"].canvas.painter
    assert painter is not None
    assert painter.overlay.marks[ATTENTION] == "changed"


def test_what_is_opened_in_a_step_is_open_in_the_next(layers: MainWindow, qtbot: QtBot) -> None:
    press(layers, qtbot, Qt.Key.Key_Right)
    double_click(layers, qtbot, "right", ATTENTION)
    assert kinds(layers, "left", ATTENTION) == {"open"}, "a step's sides go together"
    press(layers, qtbot, Qt.Key.Key_Right)
    assert kinds(layers, "right", ATTENTION) == {"open"}


# Clusters by choice


def test_clusters_are_chosen_and_remembered(layers: MainWindow, qtbot: QtBot) -> None:
    layers.actions_by_name["clusters_calls"].trigger()
    settle(layers, qtbot)
    assert not kinds(layers, "right", ATTENTION)
    assert kinds(layers, "right", "layer_3.5") == {"closed"}
    press(layers, qtbot, Qt.Key.Key_Right)
    assert kinds(layers, "right", "layer_3.5") == {"instruction"}
    layers.actions_by_name["first_page"].trigger()
    settle(layers, qtbot)
    assert kinds(layers, "right", ATTENTION) == {"closed"}


def test_without_clusters_nothing_is_open(layers: MainWindow, qtbot: QtBot) -> None:
    layers.actions_by_name["clusters_none"].trigger()
    settle(layers, qtbot)
    assert all(node.kind != "open" for node in graph(layers).nodes)
    assert graph(layers).box_count > LAYERS * 40
    assert layers.actions_by_name["clusters_none"].isChecked()


def test_all_scopes_are_opened_and_closed(layers: MainWindow, qtbot: QtBot) -> None:
    layers.actions_by_name["open_all"].trigger()
    settle(layers, qtbot)
    assert kinds(layers, "right", ATTENTION) == {"open"}
    assert kinds(layers, "right", "inner_3") == {"instruction"}
    layers.actions_by_name["close_all"].trigger()
    settle(layers, qtbot)
    assert all(node.kind != "open" for node in graph(layers).nodes)
    assert graph(layers).box_count <= LAYERS + 3


def test_repeated_blocks_are_folded(layers: MainWindow, qtbot: QtBot) -> None:
    layers.session.set_open(frozenset())
    settle(layers, qtbot)
    before = graph(layers, "left").box_count
    layers.actions_by_name["fold_repeats"].trigger()
    settle(layers, qtbot)
    repeats = [node.instruction for node in graph(layers, "left").nodes if node.cluster == "repeat"]
    assert repeats
    assert graph(layers, "left").box_count <= before
    click(layers, qtbot, "left", repeats[0])
    settle(layers, qtbot)
    assert "repeated block" in layers.inspector.toPlainText()
