"""Ctrl+F: what is found is listed, lit in both graphs, and gone through."""

from __future__ import annotations

from pathlib import Path

import pytest
from helpers.driving import open_in, settle
from helpers.layers import write_layers
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from xlaviz.session.shown import PANES, Pane
from xlaviz.ui.main_window import MainWindow

ATTENTION = "scope:model/layer_3/attention"


@pytest.fixture
def layers(window: MainWindow, tmp_path: Path, qtbot: QtBot) -> MainWindow:
    return open_in(window, write_layers(tmp_path / "layers"), qtbot)


def search(window: MainWindow, qtbot: QtBot, text: str) -> None:
    qtbot.keyClick(window, Qt.Key.Key_F, Qt.KeyboardModifier.ControlModifier)
    window.search.field.clear()
    qtbot.keyClicks(window.search.field, text)
    window.search.search_now()
    settle(window, qtbot)


def lit(window: MainWindow, pane: Pane) -> set[str]:
    painter = window.panes[pane].canvas.painter
    assert painter is not None
    return {painter.graph.nodes[box].instruction for box in painter._found_boxes}


def test_hits_are_listed_and_lit_through_closed_clusters(layers: MainWindow, qtbot: QtBot) -> None:
    search(layers, qtbot, "opcode:fusion")
    assert "12 found" in layers.search.summary.text()
    item = layers.search.list.topLevelItem(3)
    assert [item.text(column) for column in range(4)] == ["layer_3.5", "fusion", "f32[64]", "right"]
    assert ATTENTION in lit(layers, "right")
    assert not lit(layers, "left")
    assert layers.search.box.isVisible()


def test_enter_goes_through_the_hits_and_esc_ends_it(layers: MainWindow, qtbot: QtBot) -> None:
    search(layers, qtbot, "name:layer_3.")
    field, selection = layers.search.field, layers.session
    qtbot.keyClick(field, Qt.Key.Key_Return)
    assert (selection.selection.pane, selection.selection.name) == ("left", "layer_3.0")
    qtbot.keyClick(field, Qt.Key.Key_Return)
    assert selection.selection.name == "layer_3.1"
    qtbot.keyClick(field, Qt.Key.Key_Return, Qt.KeyboardModifier.ShiftModifier)
    qtbot.keyClick(field, Qt.Key.Key_Return, Qt.KeyboardModifier.ShiftModifier)
    assert selection.selection.pane == "right", "round to the last one"
    assert "80 of 80 found" in layers.search.summary.text()
    settle(layers, qtbot)
    qtbot.keyClick(field, Qt.Key.Key_Escape)
    assert layers.search.box.isHidden()
    assert not any(lit(layers, pane) for pane in PANES)
    assert selection.selection.name, "the selection stays"


def test_enter_right_after_typing_goes_to_the_first_hit(layers: MainWindow, qtbot: QtBot) -> None:
    layers.search.open_search()
    qtbot.keyClicks(layers.search.field, "cosine")
    qtbot.keyClick(layers.search.field, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: layers.session.selection.name == "step")
    settle(layers, qtbot)


def test_a_hit_that_is_clicked_is_selected(layers: MainWindow, qtbot: QtBot) -> None:
    search(layers, qtbot, "opcode:fusion")
    tree = layers.search.list
    rect = tree.visualItemRect(tree.topLevelItem(2))
    qtbot.mouseClick(tree.viewport(), Qt.MouseButton.LeftButton, pos=rect.center())
    assert layers.session.selection.name == "layer_2.5"
    settle(layers, qtbot)


@pytest.mark.parametrize(
    ("query", "words"), [("/(/", "regular expression"), ("time>5%", "No times"), ("zzz", "Nothing")]
)
def test_what_cannot_be_found_is_one_sentence(layers: MainWindow, qtbot: QtBot, query: str, words: str) -> None:
    search(layers, qtbot, query)
    assert words in layers.search.summary.text()
    assert layers.search.list.isHidden()


def test_times_are_searched_where_they_are_known(opened: MainWindow, qtbot: QtBot) -> None:
    assert opened.session.kernels is not None
    search(opened, qtbot, "time>0")
    assert opened.search.found.names["right"] == {kernel.name for kernel in opened.session.kernels.kernels}


def test_another_step_is_searched_anew(layers: MainWindow, qtbot: QtBot) -> None:
    search(layers, qtbot, "extra")
    assert set(layers.search.found.names["right"]) == {"extra"}
    layers.session.go_to(1)
    settle(layers, qtbot)
    assert not layers.search.found.count
