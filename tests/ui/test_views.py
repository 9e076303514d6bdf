"""Neighbourhoods, paths, computations alone, back and forward, walking, both panes together."""

from __future__ import annotations

from pathlib import Path

import pytest
from helpers.driving import click, kinds, open_in, place, press, settle
from helpers.layers import write_layers
from PySide6.QtCore import QPoint, QPointF, Qt
from pytestqt.qtbot import QtBot

from xlaviz.session.shown import PANES, Pane
from xlaviz.ui.main_window import MainWindow

ATTENTION = "scope:model/layer_3/attention"


@pytest.fixture
def layers(window: MainWindow, tmp_path: Path, qtbot: QtBot) -> MainWindow:
    return open_in(window, write_layers(tmp_path / "layers"), qtbot)


def names(window: MainWindow, pane: Pane = "right") -> set[str]:
    graph = window.panes[pane].canvas.graph
    assert graph is not None
    return {node.instruction for node in graph.nodes}


def trigger(window: MainWindow, qtbot: QtBot, *actions: str) -> None:
    for action in actions:
        window.actions_by_name[action].trigger()
        settle(window, qtbot)


# Neighbourhoods


def test_brackets_widen_and_narrow_a_neighbourhood(layers: MainWindow, qtbot: QtBot) -> None:
    layers.commands.select_and_centre("right", "layer_3.10")
    press(layers, qtbot, Qt.Key.Key_N)
    assert names(layers) == {f"layer_3.{number}" for number in range(7, 14)}, "the instruction, not its closed scope"
    press(layers, qtbot, Qt.Key.Key_BracketLeft)
    assert names(layers) == {f"layer_3.{number}" for number in range(8, 13)}
    press(layers, qtbot, Qt.Key.Key_BracketRight, times=2)
    assert len(names(layers)) == 9
    trigger(layers, qtbot, "near_operands")
    assert names(layers) == {f"layer_3.{number}" for number in range(6, 11)}
    assert "of operands" in layers.panes["right"].strip.text()
    trigger(layers, qtbot, "near_users")
    assert names(layers) == {f"layer_3.{number}" for number in range(10, 15)}
    press(layers, qtbot, Qt.Key.Key_Escape)
    assert ATTENTION in names(layers)


def test_the_paths_between_two_that_were_clicked(layers: MainWindow, qtbot: QtBot) -> None:
    trigger(layers, qtbot, "clusters_none")
    click(layers, qtbot, "right", "layer_0.3")
    canvas = layers.panes["right"].canvas
    at = place(layers, "right", "layer_0.6")
    qtbot.mouseClick(canvas, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.ControlModifier, at)
    assert layers.session.selection.second == "layer_0.6"
    assert canvas.painter is not None
    assert {"layer_0.3", "layer_0.6"} <= canvas.painter.selected
    settle(layers, qtbot)
    press(layers, qtbot, Qt.Key.Key_P)
    assert names(layers) == {"layer_0.3", "layer_0.4", "layer_0.5", "layer_0.6"}
    assert "Paths between" in layers.panes["right"].strip.text()
    press(layers, qtbot, Qt.Key.Key_Escape)
    assert "layer_5.0" in names(layers)


# Back and forward


def test_back_and_forward_through_views(layers: MainWindow, qtbot: QtBot) -> None:
    first = names(layers)
    trigger(layers, qtbot, "clusters_none")
    flat = names(layers)
    trigger(layers, qtbot, "next")
    assert layers.session.mode == "step"
    trigger(layers, qtbot, "back")
    assert (layers.session.mode, names(layers)) == ("compare", flat)
    trigger(layers, qtbot, "back")
    assert names(layers) == first
    trigger(layers, qtbot, "back")
    assert names(layers) == first, "there is nothing before it"
    trigger(layers, qtbot, "forward", "forward", "forward")
    assert layers.session.mode == "step"


def test_a_new_view_after_going_back_ends_the_way_forward(layers: MainWindow, qtbot: QtBot) -> None:
    trigger(layers, qtbot, "clusters_none", "back", "close_all", "forward")
    assert len(names(layers)) < 20


# A computation alone


def test_a_computation_is_entered_and_left_by_its_crumb(layers: MainWindow, qtbot: QtBot) -> None:
    pane = layers.panes["right"]
    trigger(layers, qtbot, "clusters_calls")
    assert pane.breadcrumb.isHidden()
    click(layers, qtbot, "right", "loop")
    settle(layers, qtbot)
    trigger(layers, qtbot, "enter")
    assert names(layers) == {"b", "step", "next"}
    assert pane.breadcrumb.isVisible()
    assert "loop body" in pane.breadcrumb.text()
    assert "layer_3.10" in names(layers, "left"), "the other side stays"
    pane.breadcrumb.linkActivated.emit("0")
    settle(layers, qtbot)
    assert "layer_3.10" in names(layers)
    assert pane.breadcrumb.isHidden()
    trigger(layers, qtbot, "enter", "leave")
    assert "layer_3.10" in names(layers)


def test_a_fusion_in_an_open_scope_is_entered(layers: MainWindow, qtbot: QtBot) -> None:
    trigger(layers, qtbot, "open_all")
    click(layers, qtbot, "right", "layer_3.5")
    settle(layers, qtbot)
    trigger(layers, qtbot, "enter")
    assert names(layers) == {"p_3", "inner_3", "out_3"}
    press(layers, qtbot, Qt.Key.Key_Escape)
    assert "layer_3.5" in names(layers)


def test_a_link_to_what_is_left_out_shows_everything(layers: MainWindow, qtbot: QtBot) -> None:
    layers.commands.select_and_centre("right", "loop")
    trigger(layers, qtbot, "enter")
    assert names(layers) == {"b", "step", "next"}, "hidden in a closed scope as it is"
    layers.commands.select_and_centre("right", "layer_3.10")
    settle(layers, qtbot)
    assert ATTENTION in names(layers)


# Walking


def test_arrows_walk_along_edges_and_keep_the_box_in_view(layers: MainWindow, qtbot: QtBot) -> None:
    trigger(layers, qtbot, "clusters_none")
    click(layers, qtbot, "right", "layer_0.3")
    settle(layers, qtbot)
    canvas = layers.panes["right"].canvas
    canvas.setFocus()
    for _ in range(30):
        qtbot.keyClick(canvas, Qt.Key.Key_Down)
    assert layers.session.selection.name == "layer_0.33"
    assert canvas.rect().contains(place(layers, "right", "layer_0.33"))
    qtbot.keyClick(canvas, Qt.Key.Key_Up)
    assert layers.session.selection.name == "layer_0.32"
    settle(layers, qtbot)
    assert layers.session.mode == "compare"


def test_arrows_in_a_list_are_the_lists(opened: MainWindow, qtbot: QtBot) -> None:
    name = opened.session.selection.name
    opened.pass_list.passes.setFocus()
    qtbot.keyClick(opened.pass_list.passes, Qt.Key.Key_Down)
    assert opened.session.selection.name == name
    settle(opened, qtbot)


# The card beside the mouse


def test_the_card_has_the_line_of_hlo(opened: MainWindow, qtbot: QtBot) -> None:
    card = opened.cards["right"]
    name = opened.session.selection.name
    card.hover(name, QPoint(300, 300))
    qtbot.waitUntil(lambda: "operand" in card.text)
    assert f"{name} = " in card.text.replace("%", "")
    assert "dot(" in card.text
    card.hover("", QPoint(300, 300))
    assert not card.text


# Both panes together


def test_panes_scroll_together_by_lineage(layers: MainWindow, qtbot: QtBot) -> None:
    action = layers.actions_by_name["scroll_together"]
    assert not action.isChecked()
    left, right = (layers.panes[pane].canvas for pane in PANES)
    far = QPointF(left.origin)

    def drag(by: int) -> None:
        qtbot.mousePress(right, Qt.MouseButton.LeftButton, pos=QPoint(60, 300))
        qtbot.mouseMove(right, QPoint(60, 300 + by // 2))
        qtbot.mouseMove(right, QPoint(60, 300 + by))
        qtbot.mouseRelease(right, Qt.MouseButton.LeftButton, pos=QPoint(60, 300 + by))

    drag(-200)
    assert left.origin == far
    action.trigger()
    drag(-240)
    assert left.origin != far
    index = right.middle_boxes()[0]
    assert right.painter is not None
    assert left.painter is not None
    name = right.painter.graph.nodes[index].instruction
    (box,) = left.painter.graph.boxes_of(name)
    where = left.to_widget(left.painter.box(box).center())
    assert (where - right.to_widget(right.painter.box(index).center())).manhattanLength() < 2


def test_panes_of_a_step_can_be_scrolled_alone(layers: MainWindow, qtbot: QtBot) -> None:
    press(layers, qtbot, Qt.Key.Key_Right)
    left, right = (layers.panes[pane].canvas for pane in PANES)
    assert layers.actions_by_name["scroll_together"].isChecked()
    right.zoom_by(1.5)
    assert (left.origin, left.zoom) == (right.origin, right.zoom)
    press(layers, qtbot, Qt.Key.Key_S)
    right.zoom_by(1.5)
    assert left.zoom != right.zoom


def test_the_scope_a_walk_ends_in_can_be_opened(layers: MainWindow, qtbot: QtBot) -> None:
    click(layers, qtbot, "right", ATTENTION)
    canvas = layers.panes["right"].canvas
    canvas.setFocus()
    qtbot.keyClick(canvas, Qt.Key.Key_Down)
    assert layers.session.selection.name == "scope:model/layer_3/dense"
    press(layers, qtbot, Qt.Key.Key_Return)
    assert kinds(layers, "right", "scope:model/layer_3/dense") == {"open"}
