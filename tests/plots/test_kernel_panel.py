"""The kernel panel: bars, table, and one selection over both."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QGuiApplication
from pytestqt.qtbot import QtBot

from xlaviz.plots.kernel_bars import MAX_BARS
from xlaviz.plots.kernel_columns import number_of
from xlaviz.plots.kernels import KernelPanel
from xlaviz.profile.kernels import Kernel, KernelTable, OtherKernel
from xlaviz.profile.timeline import Executions
from xlaviz.scene.palette import DARK, LIGHT
from xlaviz.timing.groups import KernelGroup


def kernel(name: str, us: float, *, per_run_us: float | None = None, exact: bool = True) -> Kernel:
    per_run_us = us if per_run_us is None else per_run_us
    fields = (name, "dot", 10, us, us * 0.9, us * 1.1, us * 0.8, us, per_run_us / 1000, exact, us < 5)
    return Kernel(*fields, self_per_run_us=per_run_us, total_per_run_us=per_run_us, flops=us * 1e4, bytes=us * 1e3)


def table(*kernels: Kernel) -> KernelTable:
    return KernelTable(1, 10, 1000.0, 0.9, (0.9,), 0, (), 0, kernels)


@pytest.fixture
def panel(qtbot: QtBot) -> KernelPanel:
    panel = KernelPanel()
    qtbot.addWidget(panel)
    panel.resize(1000, 300)
    panel.set_theme(LIGHT)
    with qtbot.waitExposed(panel):
        panel.show()
    panel.show_kernels(table(kernel("b", 90), kernel("a", 300), kernel("c", 9, exact=False), kernel("d", 100)))
    return panel


def rows(panel: KernelPanel, column: int = 0) -> list[str]:
    return [panel.model.index(row, column).data() for row in range(panel.model.rowCount())]


def click_button(panel: KernelPanel, qtbot: QtBot, chart: int) -> None:
    qtbot.mouseClick(panel.head.charts.button(chart), Qt.MouseButton.LeftButton)


def executions(name: str) -> Executions:
    return Executions(name, np.arange(3, dtype=np.int32), np.array([1.0, 2.0, 3.0]), np.ones(3, bool))


def test_bars_are_sorted_by_time(panel: KernelPanel) -> None:
    assert [kernel.name for kernel in panel.shown_kernels] == ["a", "d", "b", "c"]


def test_a_kernel_that_runs_often_in_a_run_counts_with_all_of_it(panel: KernelPanel) -> None:
    panel.show_kernels(table(kernel("once", 50), kernel("in a loop", 20, per_run_us=200)))
    assert [kernel.name for kernel in panel.shown_kernels] == ["in a loop", "once"]


def test_the_longest_bars_alone_are_drawn(panel: KernelPanel) -> None:
    panel.show_kernels(table(*(kernel(f"k{i}", i + 1) for i in range(MAX_BARS + 40))))
    assert len(panel.shown_kernels) == MAX_BARS
    assert panel.shown_kernels[-1].name == "k40"
    assert panel.model.rowCount() == MAX_BARS + 40


def test_the_table_starts_with_the_largest_share_and_sorts_by_number(panel: KernelPanel) -> None:
    assert rows(panel) == ["a", "d", "b", "c"]
    panel.view.sortByColumn(number_of("median"), Qt.SortOrder.AscendingOrder)
    assert rows(panel) == ["c", "b", "d", "a"]
    assert rows(panel, number_of("median")) == ["≤ 9.0 µs", "90.0 µs", "100.0 µs", "300.0 µs"]
    panel.view.sortByColumn(0, Qt.SortOrder.AscendingOrder)
    assert rows(panel) == ["a", "b", "c", "d"]


def test_a_row_selects(panel: KernelPanel, qtbot: QtBot) -> None:
    row = panel.view.visualRect(panel.view.model().index(2, 0)).center()
    with qtbot.waitSignal(panel.kernel_selected) as selected:
        qtbot.mouseClick(panel.view.viewport(), Qt.MouseButton.LeftButton, pos=row)
    assert selected.args == ["b"]
    with qtbot.waitSignal(panel.kernel_selected) as selected:
        qtbot.keyClick(panel.view, Qt.Key.Key_Up)
    assert selected.args == ["d"]


@pytest.mark.parametrize("name", ["a", "d"])
def test_a_bar_selects_and_marks_its_row(panel: KernelPanel, qtbot: QtBot, name: str) -> None:
    point: QPoint = panel.plot.mapFromScene(panel.bar_point(name))
    with qtbot.waitSignal(panel.kernel_selected) as selected:
        qtbot.mouseClick(panel.plot.viewport(), Qt.MouseButton.LeftButton, pos=point)
    assert selected.args == [name]
    (row,) = panel.view.selectionModel().selectedRows()
    assert row.data() == name


def test_a_selection_from_outside_is_not_sent_back(panel: KernelPanel, qtbot: QtBot) -> None:
    panel.view.sortByColumn(0, Qt.SortOrder.AscendingOrder)
    with qtbot.assertNotEmitted(panel.kernel_selected):
        panel.select("d")
    (row,) = panel.view.selectionModel().selectedRows()
    assert row.data() == "d"
    with qtbot.assertNotEmitted(panel.kernel_selected):
        panel.select("no kernel")
    assert not panel.view.selectionModel().selectedRows()


def test_the_same_row_can_be_chosen_again_after_the_selection_went_elsewhere(panel: KernelPanel, qtbot: QtBot) -> None:
    place = panel.view.visualRect(panel.view.model().index(1, 0)).center()
    for _ in range(2):
        with qtbot.waitSignal(panel.kernel_selected) as selected:
            qtbot.mouseClick(panel.view.viewport(), Qt.MouseButton.LeftButton, pos=place)
        assert selected.args == ["d"]
        panel.select("")


def test_without_a_table_a_sentence_says_why(panel: KernelPanel) -> None:
    panel.show_kernels(None, "No profile in <b>this</b> file.")
    assert panel.summary.text() == "No profile in <b>this</b> file."
    assert panel.summary.textFormat() == Qt.TextFormat.PlainText
    assert panel.shown_kernels == ()
    assert panel.model.rowCount() == 0
    panel.set_theme(DARK)
    panel.grab()


def test_the_summary_counts_what_is_uncertain(panel: KernelPanel) -> None:
    panel.show_kernels(replace(table(kernel("a", 5, exact=False)), unmatched=3))
    assert "1 with an inferred end" in panel.summary.text()
    assert "3 events without an instruction" in panel.summary.text()


def test_a_table_without_kernels_is_empty(panel: KernelPanel) -> None:
    panel.show_kernels(table())
    assert panel.view.model().rowCount() == 0
    panel.grab()


def test_one_choice_marks_everywhere_and_is_told_once(panel: KernelPanel, qtbot: QtBot) -> None:
    told: list[str] = []
    panel.kernel_selected.connect(told.append)
    click_button(panel, qtbot, 2)
    dot = panel.roofline.plot.mapFromScene(panel.roofline.kernel_point("c"))
    qtbot.mouseClick(panel.roofline.plot.viewport(), Qt.MouseButton.LeftButton, pos=dot)
    assert len(told) == 1
    (row,) = panel.view.selectionModel().selectedRows()
    assert row.data() == told[0]
    place = panel.view.visualRect(panel.model.index(0, 0)).center()
    qtbot.mouseClick(panel.view.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert told[1:] == ["a"]


def test_executions_are_asked_for_where_they_can_be_seen(panel: KernelPanel, qtbot: QtBot) -> None:
    wanted: list[str] = []
    panel.executions_wanted.connect(wanted.append)
    panel.select("a")
    assert wanted == []
    click_button(panel, qtbot, 1)
    assert wanted == ["a"]
    assert "Reading the executions of a" in panel.distribution.summary.text()
    panel.show_executions(executions("a"))
    assert panel.distribution.view.isVisible()
    panel.select("d")
    assert wanted == ["a", "d"]
    assert not panel.distribution.view.isVisible()
    panel.show_executions(executions("a"))
    assert not panel.distribution.view.isVisible()
    panel.hide()
    panel.select("b")
    assert wanted == ["a", "d"]
    panel.show()
    assert wanted == ["a", "d", "b"]
    panel.select("no kernel")
    assert wanted == ["a", "d", "b"]
    assert "Choose a kernel" in panel.distribution.summary.text()


def test_groups_are_asked_for_and_shown(panel: KernelPanel, qtbot: QtBot) -> None:
    with qtbot.waitSignal(panel.grouping_wanted) as wanted:
        qtbot.keyClick(panel.head.grouping, Qt.Key.Key_Down)
    assert wanted.args == ["opcode"]
    panel.show_groups((KernelGroup("dot", 499, 0.499, ("a", "b", "c", "d"), None, None),))
    assert rows(panel) == ["dot"]
    with qtbot.waitSignal(panel.grouping_wanted) as wanted:
        panel.show_kernels(table(kernel("e", 7)))
    assert wanted.args == ["opcode"]
    qtbot.keyClick(panel.head.grouping, Qt.Key.Key_Home)
    assert rows(panel) == ["e"]
    with qtbot.assertNotEmitted(panel.grouping_wanted):
        panel.show_kernels(table(kernel("e", 7)))


def test_the_filter_says_what_it_leaves(panel: KernelPanel, qtbot: QtBot) -> None:
    assert not panel.head.count.isVisible()
    qtbot.keyClicks(panel.head.filter, "a")
    assert rows(panel) == ["a"]
    assert panel.head.count.text() == "1 of 4 · 30.0% of the run"
    assert panel.head.count.isVisible()
    panel.show_kernels(table(kernel("a", 100), kernel("x", 100)))
    assert panel.head.count.text() == "1 of 2 · 10.0% of the run"
    panel.head.filter.clear()
    assert not panel.head.count.isVisible()


def test_a_device_can_be_chosen_where_there_are_several(panel: KernelPanel, qtbot: QtBot) -> None:
    assert not panel.head.device.isVisible()
    panel.show_kernels(replace(table(kernel("a", 5)), device="GPU:1", devices=("GPU:0", "GPU:1")))
    assert panel.head.device.isVisible()
    assert panel.head.device.currentText() == "GPU:1"
    with qtbot.waitSignal(panel.device_wanted) as wanted:
        qtbot.keyClick(panel.head.device, Qt.Key.Key_Up)
    assert wanted.args == ["GPU:0"]


def test_what_is_not_in_hlo_is_listed_apart(panel: KernelPanel, qtbot: QtBot) -> None:
    assert not panel.head.others.isVisible()
    others = (OtherKernel("memcpy", "GPU:0", 9, 2.0, 18.0), OtherKernel("nccl", "GPU:0", 3, 9.0, 27.0))
    panel.show_kernels(replace(table(kernel("a", 5)), others=others))
    assert panel.head.others.text() == "Not in HLO (2)"
    qtbot.mouseClick(panel.head.others, Qt.MouseButton.LeftButton)
    assert panel.others.isVisible()
    assert not panel.view.isVisible()
    names = [panel.others.view.topLevelItem(row).text(0) for row in range(2)]
    assert names == ["nccl", "memcpy"]
    panel.others.view.sortByColumn(2, Qt.SortOrder.DescendingOrder)
    assert panel.others.view.topLevelItem(0).text(0) == "memcpy"
    panel.show_kernels(table(kernel("a", 5)))
    assert panel.view.isVisible()


OTHERS = (OtherKernel("memcpy HtoD", "GPU:0", 9, 2.0, 18.0), OtherKernel("nccl", "GPU:1", 3, 9.0, 27.0))


def copied() -> list[list[str]]:
    return [line.split("\t") for line in QGuiApplication.clipboard().text().splitlines()]


def test_where_there_are_no_kernels_the_others_are_filtered_copied_and_saved(panel: KernelPanel, qtbot: QtBot) -> None:
    panel.show_kernels(replace(table(), others=OTHERS))
    head = panel.head
    assert panel.others.isVisible()
    assert not any(part.isVisible() for part in (panel.charts, panel.view, head.grouping, head.others))
    assert not any(button.isVisible() for button in head.charts.buttons())
    qtbot.keyClicks(head.filter, "gpu:0 mem")
    assert (head.count.text(), head.count.isVisible()) == ("1 of 2", True)
    qtbot.mouseClick(head.copy, Qt.MouseButton.LeftButton)
    assert copied() == [
        ["name", "device", "times", "median", "total"],
        ["memcpy HtoD", "GPU:0", "9", "2.0 µs", "18.0 µs"],
    ]
    head.filter.clear()
    assert not head.count.isVisible()
    panel.others.view.topLevelItem(0).setSelected(True)
    qtbot.keyClick(panel.others.view, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    assert [line[0] for line in copied()] == ["name", "nccl"]
    qtbot.mouseClick(head.copy, Qt.MouseButton.LeftButton)
    assert [line[0] for line in copied()] == ["name", "nccl", "memcpy HtoD"]
    assert panel.as_csv().splitlines() == [
        "name,device,times,median_us,total_us",
        "memcpy HtoD,GPU:0,9,2,18",
        "nccl,GPU:1,3,9,27",
    ]


def test_the_tools_work_on_the_table_in_view(panel: KernelPanel, qtbot: QtBot) -> None:
    panel.show_kernels(replace(table(kernel("mem", 100), kernel("x", 100)), others=OTHERS))
    panel.select("x")
    panel.head.filter.setText("mem")
    assert panel.head.count.text() == "1 of 2 · 10.0% of the run"
    qtbot.mouseClick(panel.head.copy, Qt.MouseButton.LeftButton)
    assert [line[0] for line in copied()] == ["kernel", "mem"]
    assert panel.as_csv().startswith("name,opcode,")
    qtbot.mouseClick(panel.head.others, Qt.MouseButton.LeftButton)
    assert panel.head.count.text() == "1 of 2"
    qtbot.mouseClick(panel.head.copy, Qt.MouseButton.LeftButton)
    assert [line[0] for line in copied()] == ["name", "memcpy HtoD"]
    assert panel.as_csv().startswith("name,device,")
    qtbot.mouseClick(panel.head.others, Qt.MouseButton.LeftButton)
    assert panel.head.count.text() == "1 of 2 · 10.0% of the run"


def test_without_anything_that_ran_there_are_words_alone(panel: KernelPanel) -> None:
    panel.show_kernels(replace(table(), notes=("nothing of XLA ran",)))
    assert panel.head.summary.text() == "nothing of XLA ran"
    shown = (panel.table, panel.others, panel.charts, panel.head.filter, panel.head.copy, panel.head.csv)
    assert not any(part.isVisible() for part in shown)
    panel.show_kernels(table(kernel("a", 5)))
    assert all(part.isVisible() for part in (panel.view, panel.charts, panel.head.copy, panel.head.grouping))


def test_the_panel_does_not_widen_its_window(panel: KernelPanel) -> None:
    panel.show_kernels(
        replace(table(kernel("a" * 200, 5)), devices=("/device:GPU:0", "/device:GPU:1"), notes=("x" * 400,))
    )
    panel.head.filter.setText("a")
    for chart in range(3):
        panel.show_chart(chart)
        assert panel.minimumSizeHint().width() < 600


def test_buttons_copy_and_ask_for_a_file(panel: KernelPanel, qtbot: QtBot) -> None:
    qtbot.mouseClick(panel.head.copy, Qt.MouseButton.LeftButton)
    assert len(QGuiApplication.clipboard().text().splitlines()) == 5
    with qtbot.waitSignal(panel.csv_wanted):
        qtbot.mouseClick(panel.head.csv, Qt.MouseButton.LeftButton)


def test_notes_are_told(panel: KernelPanel) -> None:
    panel.show_kernels(replace(table(kernel("a", 5)), notes=("3 of 90 runs were read",)))
    assert "3 of 90 runs were read" in panel.summary.text()
    assert "3 of 90 runs were read" in panel.summary.toolTip()


def test_a_large_table_is_shown_whole(panel: KernelPanel) -> None:
    panel.show_kernels(table(*(kernel(f"k{i}", 1 + i / 100) for i in range(2700))))
    panel.select("k1234")
    (row,) = panel.view.selectionModel().selectedRows()
    assert row.data() == "k1234"
    assert panel.view.viewport().rect().contains(panel.view.visualRect(row).center())
