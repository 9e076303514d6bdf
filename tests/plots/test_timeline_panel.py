"""The timeline: rows, what is drawn at which scale, mouse, keys and runs."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QColor, QImage, QWheelEvent
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from xlaviz.plots.timeline import MEDIAN_RUN, TimelinePanel
from xlaviz.plots.timeline_rows import density, rows_of
from xlaviz.profile.timeline import Timeline
from xlaviz.scene.palette import DARK, LIGHT

NAMES = ("while.1", "dot.2", "fusion.3", "copy.4")
OPCODES = ("while", "dot", "fusion", "copy")


def timeline(*spans: tuple[int, int, int, float, float], duration_us: float = 100.0, inferred: int = -1) -> Timeline:
    """Of spans given as code, lane, depth, start and end."""
    ordered = sorted(spans, key=lambda span: span[3])
    code, lane, depth, start_us, end_us = (np.array(part) for part in zip(*ordered, strict=True))
    return Timeline(
        run=2,
        runs=8,
        duration_us=duration_us,
        coverage=0.8,
        lanes=("main", "stream 7"),
        names=NAMES,
        opcodes=OPCODES,
        medians_us=np.array([50.0, 20.0, 7.0, 5.0]),
        code=code.astype(np.int32),
        lane=lane.astype(np.int32),
        depth=depth.astype(np.int32),
        start_us=start_us.astype(float),
        end_us=end_us.astype(float),
        exact=np.arange(len(ordered)) != inferred,
    )


RUN = timeline((0, 0, 0, 0, 50), (1, 0, 1, 5, 25), (2, 0, 1, 30, 45), (3, 1, 0, 60, 90), inferred=3)


@pytest.fixture
def panel(qtbot: QtBot) -> TimelinePanel:
    panel = TimelinePanel()
    qtbot.addWidget(panel)
    panel.resize(900, 240)
    panel.set_theme(LIGHT)
    with qtbot.waitExposed(panel):
        panel.show()
    panel.show_timeline(RUN)
    return panel


def point(panel: TimelinePanel, span: int) -> QPoint:
    return panel.plot.mapFromScene(panel.span_point(span))


def colour(panel: TimelinePanel, time_us: float, row: float) -> QColor:
    """What is painted a little below the top of a row, where no words are."""
    box = panel.plot.getPlotItem().getViewBox()
    picture: QImage = panel.plot.grab().toImage()
    return picture.pixelColor(panel.plot.mapFromScene(box.mapViewToScene(QPointF(time_us, row + 0.12))))


def is_ground(panel: TimelinePanel, time_us: float, row: float) -> bool:
    return colour(panel, time_us, row).lightness() > 240  # lines of the grid are faint


def view_us(panel: TimelinePanel) -> tuple[float, float]:
    left, right = panel.plot.getPlotItem().getViewBox().viewRange()[0]
    return left, right


def test_a_row_for_each_lane_and_depth() -> None:
    rows = rows_of(RUN)
    assert [(row.lane, row.spans.tolist()) for row in rows] == [(0, [0]), (0, [1, 2]), (1, [3])]
    assert rows[1].at(10, 0) == 1
    assert rows[1].at(27, 0) is None
    assert rows[1].at(27, 3) == 2
    assert rows[2].within(0, 59) == slice(0, 0)


def test_a_span_that_outlasts_the_next_is_still_found() -> None:
    (row, *_) = rows_of(timeline((1, 0, 0, 0, 90), (2, 0, 0, 10, 20), (2, 0, 0, 30, 40)))
    assert row.within(60, 70) == slice(0, 3)
    assert row.at(65, 0) == 0
    assert row.at(15, 0) == 1


def test_narrow_spans_become_the_density_of_their_pixels() -> None:
    dense = density(np.array([0.1, 0.4, 7.9]), np.array([0.2, 0.5, 0.3]), np.array([2, 1, 0]), 3)
    assert dense.column.tolist() == [0, 7]
    assert dense.family.tolist() == [1, 0]
    assert dense.filled.tolist() == pytest.approx([0.7, 0.3])
    assert not len(density(np.zeros(0), np.zeros(0), np.zeros(0, int), 3).column)


def test_spans_and_gaps_are_seen(panel: TimelinePanel) -> None:
    assert not is_ground(panel, 26, 0)
    assert not is_ground(panel, 8, 1)
    assert is_ground(panel, 27.5, 1)
    assert is_ground(panel, 55, 0)
    assert colour(panel, 8, 1) != colour(panel, 32, 1)
    assert colour(panel, 62, 2) != colour(panel, 84, 2), "an inferred end is faded"


def test_a_click_selects_and_outlines(panel: TimelinePanel, qtbot: QtBot) -> None:
    before = panel.plot.grab().toImage()
    with qtbot.waitSignal(panel.kernel_selected) as selected:
        qtbot.mouseClick(panel.plot.viewport(), Qt.MouseButton.LeftButton, pos=point(panel, 2))
    assert selected.args == ["fusion.3"]
    assert panel.plot.grab().toImage() != before
    gap = panel.plot.mapFromScene(panel.plot.getPlotItem().getViewBox().mapViewToScene(QPointF(55, 0.5)))
    with qtbot.assertNotEmitted(panel.kernel_selected):
        qtbot.mouseClick(panel.plot.viewport(), Qt.MouseButton.LeftButton, pos=gap)
        panel.select("dot.2")


def test_the_tip_says_what_is_known_of_a_span(panel: TimelinePanel) -> None:
    assert panel.span_at(panel.span_point(3)) == 3
    text = panel.span_text(3)
    for words in (
        "copy.4",
        "copy on stream 7",
        "≤ 30.0 µs",
        "inferred",
        "starts 60.0 µs",
        "median over all runs 5.0 µs",
    ):
        assert words in text
    assert "recorded" in panel.span_text(1)


def test_the_wheel_zooms_and_all_is_shown_again(panel: TimelinePanel, qtbot: QtBot) -> None:
    at = QPointF(point(panel, 1))
    spot = panel.plot.viewport().mapToGlobal(at)
    keys, buttons, phase = Qt.KeyboardModifier.NoModifier, Qt.MouseButton.NoButton, Qt.ScrollPhase.NoScrollPhase
    whole = view_us(panel)
    QApplication.sendEvent(
        panel.plot.viewport(), QWheelEvent(at, spot, QPoint(), QPoint(0, 480), buttons, keys, phase, False)
    )
    left, right = view_us(panel)
    assert right - left < (whole[1] - whole[0]) * 0.8
    assert left < 15 < right
    qtbot.keyClick(panel.plot, Qt.Key.Key_F)
    assert view_us(panel) == pytest.approx(whole)
    qtbot.keyClick(panel.plot, Qt.Key.Key_Plus)
    assert view_us(panel)[1] - view_us(panel)[0] == pytest.approx(0.6 * (whole[1] - whole[0]))
    qtbot.keyClick(panel.plot, Qt.Key.Key_Right)
    assert view_us(panel)[0] > 20
    for press in (qtbot.mouseClick, qtbot.mouseDClick, qtbot.mouseRelease):
        press(panel.plot.viewport(), Qt.MouseButton.LeftButton, pos=QPoint(500, 150))
    assert view_us(panel) == pytest.approx(whole)


def test_dragging_moves(panel: TimelinePanel, qtbot: QtBot) -> None:
    panel.plot.setXRange(40, 60, padding=0)
    start = QPoint(500, 100)
    viewport = panel.plot.viewport()
    qtbot.mousePress(viewport, Qt.MouseButton.LeftButton, pos=start)
    for step in range(1, 11):
        qtbot.mouseMove(viewport, start + QPoint(10 * step, 0))
    qtbot.mouseRelease(viewport, Qt.MouseButton.LeftButton, pos=start + QPoint(100, 0))
    assert view_us(panel)[0] < 40
    assert view_us(panel)[1] - view_us(panel)[0] == pytest.approx(20)


def test_a_selection_out_of_sight_comes_into_it(panel: TimelinePanel) -> None:
    panel.plot.setXRange(0, 20, padding=0)
    panel.select("copy.4")
    left, right = view_us(panel)
    assert left < 60 < right
    assert right - left == pytest.approx(20)


def test_runs_are_chosen(panel: TimelinePanel, qtbot: QtBot) -> None:
    assert (panel.run_box.value(), panel.run_box.text()) == (3, "run 3 of 8")
    with qtbot.waitSignal(panel.run_wanted) as wanted:
        qtbot.keyClick(panel.run_box, Qt.Key.Key_Up)
    assert wanted.args == [3]
    assert panel.run_slider.value() == 4
    with qtbot.waitSignal(panel.run_wanted) as wanted:
        qtbot.keyClick(panel.run_slider, Qt.Key.Key_Home)
    assert wanted.args == [0]
    with qtbot.waitSignal(panel.run_wanted) as wanted:
        qtbot.mouseClick(panel.median_run, Qt.MouseButton.LeftButton)
    assert wanted.args == [MEDIAN_RUN]
    with qtbot.assertNotEmitted(panel.run_wanted):
        panel.show_timeline(RUN)
        panel.show_timeline(replace(RUN, run=0, runs=1))
    assert not panel.run_box.isEnabled()


def test_a_row_without_wide_spans_is_painted(panel: TimelinePanel) -> None:
    panel.show_timeline(timeline((1, 0, 0, 0, 0.001), (2, 1, 0, 50, 50), (3, 1, 2, 50, 50)))
    assert len(panel.spans.rows) == 4
    panel.select("dot.2")
    panel.grab()


def test_many_spans_are_drawn_by_what_can_be_seen(panel: TimelinePanel) -> None:
    count = 200_000
    starts = np.arange(count) * 1.0
    lane = np.arange(count) % 2
    spans = zip(np.arange(count) % 4, lane, np.zeros(count, int), starts, starts + 0.9, strict=True)
    panel.show_timeline(timeline(*spans, duration_us=float(count)))
    assert not is_ground(panel, count / 2, 0)
    panel.plot.setXRange(1000, 1010, padding=0)
    assert not is_ground(panel, 1004.4, 0)
    assert is_ground(panel, 1005.4, 0)
    span = panel.span_at(panel.span_point(1004))
    assert span == 1004


def test_rows_that_do_not_fit_are_scrolled_to(panel: TimelinePanel) -> None:
    deep = [(0, 0, depth, float(depth), 90.0 - depth) for depth in range(30)]
    panel.show_timeline(timeline(*deep))
    assert panel._scroll_bar.isVisible()
    assert panel.span_at(panel.span_point(29)) is None
    panel._scroll_bar.setValue(panel._scroll_bar.maximum())
    assert panel.span_at(panel.span_point(29)) == 29
    panel.show_timeline(RUN)
    assert not panel._scroll_bar.isVisible()


def test_without_a_timeline_a_sentence_says_why(panel: TimelinePanel) -> None:
    panel.show_timeline(None, "No run was recorded.")
    assert panel.summary.text() == "No run was recorded."
    assert not panel.plot.isVisible()
    assert not panel.run_box.isVisible()
    panel.set_theme(DARK)
    panel.grab()
    panel.show_timeline(RUN)
    assert panel.plot.isVisible()
    panel.grab()
