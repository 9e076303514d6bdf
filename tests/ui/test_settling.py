"""A better layout takes the place of the first one, and boxes move there before the eyes."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from helpers.driving import double_click, open_in
from helpers.layers import write_layers
from pytestqt.qtbot import QtBot

from xlaviz.ui.main_window import MainWindow

ATTENTION = "scope:model/layer_3/attention"
WORKER = """
import xlaviz.session.worker as worker
from xlaviz.layout.model import Places
from xlaviz.layout.place import place_graph

def refine_view(report, graph):
    places = place_graph(graph)
    return Places(places.boxes + places.boxes[:, 1:2] * [[0.5, 0, 0, 0]], places.routes)

worker.CALLS["refine_view"] = refine_view
worker.main()
"""


@pytest.fixture
def layers(window: MainWindow, tmp_path: Path, qtbot: QtBot) -> MainWindow:
    return open_in(window, write_layers(tmp_path / "layers"), qtbot)


def test_boxes_move_when_a_cluster_opens(layers: MainWindow, qtbot: QtBot) -> None:
    canvas = layers.panes["right"].canvas
    with qtbot.waitSignal(canvas.motion_ended):
        double_click(layers, qtbot, "right", ATTENTION)
        assert canvas.is_moving
    assert not canvas.is_moving


def test_nothing_moves_where_the_user_does_not_want_it(layers: MainWindow, qtbot: QtBot) -> None:
    layers.actions_by_name["animate"].trigger()
    assert layers.settings.motion == "off"
    double_click(layers, qtbot, "right", ATTENTION)
    assert not layers.panes["right"].canvas.is_moving


def test_a_better_layout_settles_once(window: MainWindow, tmp_path: Path, qtbot: QtBot) -> None:
    settling = window.session.settling
    settling.runner._worker = ["-P", "-c", WORKER]
    settling.is_on = True
    settled: list[str] = []
    settling.settled.connect(settled.append)
    open_in(window, write_layers(tmp_path / "layers"), qtbot)
    qtbot.waitUntil(lambda: sorted(settled) == ["left", "right"], timeout=60_000)
    side, canvas = window.session.sides["right"], window.panes["right"].canvas
    assert side is not None
    assert canvas.painter is not None
    assert np.array_equal(canvas.painter.places.boxes, side.places.boxes)
    qtbot.waitUntil(lambda: not window.session.is_busy)
    double_click(window, qtbot, "right", ATTENTION)
    assert not settling.runner.is_busy, "what keeps to the layout before it is not refined"
    qtbot.waitUntil(lambda: not canvas.is_moving)
