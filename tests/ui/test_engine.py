"""Graphviz as the user's choice for small views."""

from __future__ import annotations

import shutil

import numpy as np
import pytest
from helpers.driving import settle
from pytestqt.qtbot import QtBot

from xlaviz.layout.model import Floats
from xlaviz.ui.main_window import MainWindow


def boxes(window: MainWindow) -> Floats:
    side = window.session.sides["right"]
    assert side is not None
    return side.places.boxes


@pytest.mark.skipif(shutil.which("dot") is None, reason="Graphviz is not installed: apt-get install graphviz")
def test_graphviz_lays_out_and_can_be_left_again(opened: MainWindow, qtbot: QtBot) -> None:
    own = boxes(opened)
    action = opened.actions_by_name["graphviz"]
    action.trigger()
    settle(opened, qtbot)
    assert action.isChecked()
    assert not np.array_equal(boxes(opened), own)
    # A step is laid out by our own engine all the same: what did not change stays where it is.
    opened.session.step(-1)
    settle(opened, qtbot)
    assert opened.session.is_shared
    opened.session.show_compare()
    settle(opened, qtbot)
    action.trigger()
    settle(opened, qtbot)
    assert np.array_equal(boxes(opened), own)
