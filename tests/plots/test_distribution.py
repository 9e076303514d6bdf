"""The distribution over the runs of one kernel."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from xlaviz.plots.distribution import MAX_DOTS, DistributionPanel
from xlaviz.profile.timeline import Executions
from xlaviz.scene.palette import DARK, LIGHT


def executions(times_us: np.ndarray, *, inferred: int = 0) -> Executions:
    exact = np.ones(len(times_us), bool)
    exact[:inferred] = False
    return Executions("dot.4", np.arange(len(times_us), dtype=np.int32), times_us.astype(float), exact)


@pytest.fixture
def panel(qtbot: QtBot) -> DistributionPanel:
    panel = DistributionPanel()
    qtbot.addWidget(panel)
    panel.resize(800, 260)
    panel.set_theme(LIGHT)
    with qtbot.waitExposed(panel):
        panel.show()
    return panel


def test_every_execution_is_a_dot_at_its_run(panel: DistributionPanel) -> None:
    panel.show_executions(executions(np.arange(100, 130), inferred=4))
    assert len(panel.exact_dots.data) == 26
    assert list(panel.inferred_dots.data["x"]) == [1, 2, 3, 4]
    assert list(panel.inferred_dots.data["y"]) == [100, 101, 102, 103]
    assert panel.exact_dots.opts["brush"].style() == Qt.BrushStyle.SolidPattern
    assert panel.inferred_dots.opts["brush"].style() == Qt.BrushStyle.NoBrush
    assert "4 with an inferred end (hollow)" in panel.summary.text()


def test_lines_stand_at_the_median_and_the_tenths(panel: DistributionPanel) -> None:
    panel.show_executions(executions(np.arange(0, 101)))
    assert [line.value() for lines in panel.lines.values() for line in lines] == [10, 10, 50, 50, 90, 90]


def test_words_that_would_lie_over_each_other_are_left_out(panel: DistributionPanel) -> None:
    panel.show_executions(executions(np.array([100.0, 100.1, 100.2, 150.0])))
    shown = {name: lines[1].label.isVisible() for name, lines in panel.lines.items()}
    assert shown == {"p10": False, "median": True, "p90": True}


def test_the_histogram_counts_what_is_in_view_on_the_same_axis(panel: DistributionPanel) -> None:
    panel.show_executions(executions(np.linspace(100, 140, 60)))
    assert sum(panel.bars.opts["width"]) == 60
    assert panel.histogram.getViewBox().viewRange()[1] == panel.dots.getViewBox().viewRange()[1]


def test_a_long_tail_is_told_and_shown_on_a_double_click(panel: DistributionPanel, qtbot: QtBot) -> None:
    panel.show_executions(executions(np.append(np.linspace(100, 140, 60), [5000, 9000])))
    assert panel.dots.getViewBox().viewRange()[1][1] < 300
    assert "2 above the view" in panel.summary.text()
    assert "9.0 ms in all" in panel.summary.text()
    middle = panel.view.mapFromScene(panel.dots.getViewBox().sceneBoundingRect().center())
    for press in (qtbot.mouseClick, qtbot.mouseDClick, qtbot.mouseRelease):
        press(panel.view.viewport(), Qt.MouseButton.LeftButton, pos=middle)
    assert panel.dots.getViewBox().viewRange()[1][1] >= 9000


def test_many_executions_are_drawn_by_a_choice_and_counted_by_all(panel: DistributionPanel) -> None:
    panel.show_executions(executions(np.full(50_000, 7.0)))
    assert len(panel.exact_dots.data) == MAX_DOTS
    assert "50000 executions" in panel.summary.text()
    assert sum(panel.bars.opts["width"]) == 50_000


def test_without_executions_a_sentence_says_why(panel: DistributionPanel) -> None:
    panel.show_executions(None, "Choose a kernel.")
    assert panel.summary.text() == "Choose a kernel."
    assert not panel.view.isVisible()
    panel.show_executions(executions(np.array([])))
    assert panel.summary.text() == "dot.4 left no executions."
    panel.set_theme(DARK)
    panel.show_executions(executions(np.array([5.0])))
    assert panel.view.isVisible()
    panel.grab()
