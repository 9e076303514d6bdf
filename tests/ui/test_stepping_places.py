"""Stepping through a real capture: what a pass left alone stays where it is on the screen."""

from __future__ import annotations

from pathlib import Path

import pytest
from helpers.driving import open_in, press, settle
from PySide6.QtCore import QPointF, Qt
from pytestqt.qtbot import QtBot

from xlaviz.session.shown import PANES, Pane
from xlaviz.ui.main_window import MainWindow


def on_screen(window: MainWindow, pane: Pane) -> dict[str, QPointF]:
    """Where each box that stands for an instruction alone is, in pixels of its canvas."""
    canvas = window.panes[pane].canvas
    assert canvas.painter is not None
    graph = canvas.painter.graph
    alone = {name: places[0] for name, places in graph.nodes_of.items() if len(places) == 1}
    return {
        name: canvas.to_widget(canvas.painter.box(index).topLeft())
        for name, index in alone.items()
        if graph.nodes[index].kind == "instruction"
    }


@pytest.mark.tensorflow
def test_an_unchanged_box_does_not_move(window: MainWindow, train_step_bundle: Path, qtbot: QtBot) -> None:
    for pane in PANES:
        window.panes[pane].canvas.is_animated = False
    open_in(window, train_step_bundle, qtbot)
    window.session.go_to(0)
    settle(window, qtbot)
    shared = 0
    for _ in range(6):
        kept = window.session.selection.name
        before = on_screen(window, "right").get(kept)
        press(window, qtbot, Qt.Key.Key_Right)
        left, right = (on_screen(window, pane) for pane in PANES)
        if window.session.is_shared:
            shared += 1
            common = left.keys() & right.keys()
            assert len(common) > 100
            for name in common:
                assert (left[name] - right[name]).manhattanLength() < 0.01, name
        if before is not None and kept in right:
            assert (right[kept] - before).manhattanLength() < 1, "what is selected stays under the eye"
    assert shared >= 4
