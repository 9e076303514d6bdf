"""The tabs about time in the real window: what they show, and one selection over graphs, charts, tables and source."""

from __future__ import annotations

import pytest
from helpers.driving import PATIENCE_MS, click, double_click, kinds, press, settle
from helpers.tabs import choose_row, group_by, look_at, press_line, selected
from PySide6.QtCore import QPoint, QPointF, Qt, QTimer
from PySide6.QtWidgets import QApplication, QDialogButtonBox, QPushButton
from pytestqt.qtbot import QtBot

from xlaviz.plots.kernel_head import GROUPINGS
from xlaviz.profile.peaks import Peaks
from xlaviz.session.shown import Pane
from xlaviz.ui.main_window import MainWindow
from xlaviz.ui.peaks_dialog import PeaksDialog

DOT, FUSION, SUM = "MatMul.2", "broadcast_maximum_fusion", "ynn_fusion"
DOT_LINE, RELU_LINE, SUM_LINE = 11, 12, 13


def is_centred(window: MainWindow, pane: Pane) -> bool:
    """Whether what is selected is in the middle of a pane."""
    canvas = window.panes[pane].canvas
    assert canvas.painter is not None
    graph = canvas.painter.graph
    boxes = [canvas.painter.box(box) for name in canvas.painter.selected for box in graph.boxes_of(name)]
    united = boxes[0]
    for box in boxes[1:]:
        united = united.united(box)
    return (canvas.to_widget(united.center()) - QPointF(canvas.rect().center())).manhattanLength() < 4


# Timeline


def test_the_timeline_shows_the_median_run_and_others_on_request(opened: MainWindow, qtbot: QtBot) -> None:
    panel = opened.timing.timeline
    assert panel.spans.timeline is None, "nobody has looked yet"
    look_at(opened, panel, qtbot)
    assert panel.spans.timeline is not None
    median = panel.spans.timeline.run
    assert panel.run_box.value() == median + 1
    panel.run_box.setValue(panel.run_box.maximum() if median == 0 else 1)
    settle(opened, qtbot)
    assert panel.spans.timeline.run == panel.run_box.value() - 1 != median
    qtbot.mouseClick(panel.median_run, Qt.MouseButton.LeftButton)
    settle(opened, qtbot)
    assert panel.spans.timeline.run == median


def test_a_span_selects_in_graph_and_table(opened: MainWindow, qtbot: QtBot) -> None:
    panel = opened.timing.timeline
    look_at(opened, panel, qtbot)
    timeline = panel.spans.timeline
    assert timeline is not None
    assert selected(opened) == (DOT,) * 4
    span = timeline.code.tolist().index(timeline.names.index(FUSION))
    for _ in range(8):  # it takes a hundredth of the run: one has to zoom in
        middle = float(timeline.start_us[span] + timeline.end_us[span]) / 2
        (left, right), _rows = panel.plot.getPlotItem().getViewBox().viewRange()
        panel.plot.setXRange(middle - (right - left) / 4, middle + (right - left) / 4, padding=0)
    at = panel.plot.mapFromScene(panel.span_point(span))
    qtbot.mouseClick(panel.plot.viewport(), Qt.MouseButton.LeftButton, pos=at)
    settle(opened, qtbot)
    assert selected(opened) == (FUSION,) * 4
    painter = opened.panes["right"].canvas.painter
    assert painter is not None
    assert painter.selected == {FUSION}


# Kernels


def test_a_row_selects_in_graph_bars_and_timeline(opened: MainWindow, qtbot: QtBot) -> None:
    for name in (SUM, FUSION, DOT):
        choose_row(opened, qtbot, name)
        assert selected(opened) == (name,) * 4
        painter = opened.panes["right"].canvas.painter
        assert painter is not None
        assert painter.selected == {name}


def test_what_is_selected_left_or_inside_marks_its_kernel(opened: MainWindow, qtbot: QtBot) -> None:
    session, panel = opened.session, opened.kernel_panel
    origin = min(name for name in session.origins_of(FUSION) if session.descendants_of(name) - {DOT, SUM})
    session.select("left", origin)
    assert panel.table.selected == FUSION
    inside = next(name for name in session.times.members[FUSION] if kinds(opened, "right", name))
    session.select("right", DOT)
    click(opened, qtbot, "right", inside)
    assert session.selection.name == inside
    assert panel.table.selected == FUSION
    double_click(opened, qtbot, "right", FUSION)
    session.select("left", origin)
    assert panel.table.selected == FUSION
    session.select("right", "")
    assert panel.table.selected == ""


def test_a_kernel_chosen_in_a_step_is_centred_in_what_ran(opened: MainWindow, qtbot: QtBot) -> None:
    press(opened, qtbot, Qt.Key.Key_Home)
    choose_row(opened, qtbot, SUM)
    assert opened.session.mode == "compare"
    qtbot.waitUntil(lambda: is_centred(opened, "right"), timeout=PATIENCE_MS)


@pytest.mark.parametrize("by", [key for key in GROUPINGS if key != "none"])
def test_groups_add_up_to_the_kernels(opened: MainWindow, qtbot: QtBot, by: str) -> None:
    table = opened.session.kernels
    assert table is not None
    group_by(opened, by)
    settle(opened, qtbot)
    groups = opened.kernel_panel.model.groups
    assert groups
    whole_us = sum(kernel.self_per_run_us for kernel in table.kernels)
    assert sum(group.self_us for group in groups) == pytest.approx(whole_us)
    assert {name for group in groups for name in group.kernels} == {kernel.name for kernel in table.kernels}
    group_by(opened, "none")
    assert not opened.kernel_panel.model.groups


def test_groups_that_come_after_the_user_went_back_are_dropped(opened: MainWindow, qtbot: QtBot) -> None:
    group_by(opened, "op")
    group_by(opened, "none")
    settle(opened, qtbot)
    assert not opened.kernel_panel.model.groups


def test_the_distribution_is_of_the_selected_kernel(opened: MainWindow, qtbot: QtBot) -> None:
    panel, table = opened.kernel_panel, opened.session.kernels
    assert table is not None
    qtbot.mouseClick(panel.head.charts.button(1), Qt.MouseButton.LeftButton)
    for name in (DOT, SUM):
        opened.commands.select_kernel(name)
        settle(opened, qtbot)
        executions = panel.distribution.executions
        assert executions is not None
        assert executions.name == name
        kernel = next(kernel for kernel in table.kernels if kernel.name == name)
        assert len(executions.duration_us) == kernel.runs


# Roofline


def test_the_roof_is_the_captures_until_another_is_typed_in(opened: MainWindow, qtbot: QtBot) -> None:
    roofline, table = opened.kernel_panel.roofline, opened.session.kernels
    opened.kernel_panel.show_chart(2)
    assert table is not None
    recorded = table.peaks
    assert recorded.ridge is not None
    assert roofline.roof.peaks == recorded
    shown: list[tuple[float, float]] = []

    def fill(flops: float | None, moved: float | None, button: QDialogButtonBox.StandardButton) -> None:
        dialog = QApplication.activeModalWidget()
        assert isinstance(dialog, PeaksDialog)
        shown.append((dialog.flops.value(), dialog.bytes.value()))
        for field, value in ((dialog.flops, flops), (dialog.bytes, moved)):
            if value is not None:
                field.setValue(value)
        buttons = dialog.findChild(QDialogButtonBox)
        assert isinstance(buttons, QDialogButtonBox)
        wanted = buttons.button(button)
        assert isinstance(wanted, QPushButton)
        wanted.click()

    ok, cancel = QDialogButtonBox.StandardButton.Ok, QDialogButtonBox.StandardButton.Cancel
    typed = Peaks(2e12, 1e11, "typed in")
    for flops, moved, button, roof in (
        (None, None, ok, recorded),
        (7.0, 7.0, cancel, recorded),
        (2000.0, 100.0, ok, typed),
        (None, None, ok, typed),
        (0.0, 0.0, ok, recorded),
    ):
        QTimer.singleShot(0, opened, lambda f=flops, m=moved, b=button: fill(f, m, b))  # type: ignore[misc]
        qtbot.mouseClick(roofline.type_in, Qt.MouseButton.LeftButton)
        assert roofline.roof.peaks == roof
        assert ("typed in" in roofline.peaks_words.text()) == (roof == typed)
    assert shown[0] == pytest.approx((recorded.flops_per_s / 1e9, recorded.bytes_per_s / 1e9), abs=0.1)  # type: ignore[operator]
    assert shown[3] == (2000.0, 100.0)


def test_measuring_raises_a_roof(opened: MainWindow, qtbot: QtBot) -> None:
    roofline = opened.kernel_panel.roofline
    choose_row(opened, qtbot, FUSION)
    roofline.measure_wanted.emit()
    assert opened.session.is_busy
    settle(opened, qtbot)
    assert roofline.roof.peaks == opened.session.times.peaks
    assert roofline.roof.peaks.ridge is not None
    assert opened.notifications.isHidden()
    assert selected(opened) == (FUSION,) * 4


# Source


@pytest.fixture
def source(opened: MainWindow, qtbot: QtBot) -> MainWindow:
    look_at(opened, opened.timing.source, qtbot)
    return opened


def test_the_users_own_file_is_shown_with_its_times(source: MainWindow) -> None:
    panel = source.timing.source
    assert panel.file is not None
    assert panel.file.path.endswith("matmul.py")
    assert "tf.matmul(a, b)" in panel.view.toPlainText()
    assert {DOT_LINE, RELU_LINE, SUM_LINE} <= set(panel.view.cells)
    assert panel.view.cells[DOT_LINE].heat == 1.0


def test_a_line_selects_what_it_became_on_both_sides(source: MainWindow, qtbot: QtBot) -> None:
    for number, kernel in ((RELU_LINE, FUSION), (DOT_LINE, DOT), (SUM_LINE, SUM)):
        press_line(source, qtbot, number)
        line = source.timing.source.line
        assert line is not None
        assert source.session.selection.right == set(line.kernels)
        assert source.session.selection.left == set(line.before)
        assert selected(source) == (kernel,) * 4
        assert number in source.timing.source.view.marked
        assert is_centred(source, "left")
        assert is_centred(source, "right")
    before = source.session.selection
    press_line(source, qtbot, 5)
    assert source.session.selection == before, "nothing is behind that line"


def test_what_is_selected_in_the_graph_marks_its_line(source: MainWindow, qtbot: QtBot) -> None:
    view = source.timing.source.view
    click(source, qtbot, "right", SUM)
    assert SUM_LINE in view.marked
    assert DOT_LINE not in view.marked
    click(source, qtbot, "left", min(source.session.origins_of(DOT)))
    assert view.marked == {DOT_LINE}
    qtbot.mouseClick(source.panes["right"].canvas, Qt.MouseButton.LeftButton, pos=QPoint(2, 2))
    assert not view.marked


def test_what_was_selected_elsewhere_is_marked_when_one_looks(source: MainWindow, qtbot: QtBot) -> None:
    look_at(source, source.kernel_panel, qtbot)
    choose_row(source, qtbot, FUSION)
    look_at(source, source.timing.source, qtbot)
    assert RELU_LINE in source.timing.source.view.marked
    assert DOT_LINE not in source.timing.source.view.marked


def test_a_line_chosen_in_a_step_leads_back_to_before_and_after(source: MainWindow, qtbot: QtBot) -> None:
    source.session.go_to(5)
    settle(source, qtbot)
    reached = []
    source.session.selection_changed.connect(lambda: reached.append(source.timing.source.view.current))
    press_line(source, qtbot, RELU_LINE)
    assert set(reached) == {RELU_LINE}, "the line of what was selected before does not come between"
    assert source.session.mode == "compare"
    assert source.session.selection.right == {FUSION}
    qtbot.waitUntil(lambda: is_centred(source, "left") and is_centred(source, "right"), timeout=PATIENCE_MS)


def test_a_line_outside_a_neighbourhood_shows_everything(source: MainWindow, qtbot: QtBot) -> None:
    source.session.select("left", min(source.session.origins_of(DOT)))
    source.session.show_neighbourhood("left", source.session.selection.name, 1)
    settle(source, qtbot)
    assert not any(kinds(source, "left", name) for name in source.session.origins_of(SUM))
    press_line(source, qtbot, SUM_LINE)
    assert any(kinds(source, "left", name) for name in source.session.selection.left)
    assert source.session.options("left").is_whole
    qtbot.waitUntil(lambda: is_centred(source, "left"), timeout=PATIENCE_MS)
