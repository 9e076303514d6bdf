"""The kernel panel: bars, table, and one selection over both."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtCore import QPoint, QSortFilterProxyModel, Qt
from pytestqt.qtbot import QtBot

from xlaviz.plots.kernels import MAX_BARS, KernelPanel
from xlaviz.profile.kernels import Kernel, KernelTable
from xlaviz.scene.palette import DARK, LIGHT


def kernel(name: str, us: float, *, runs: int = 10, exact: bool = True, share: float | None = None) -> Kernel:
    share = us / 1000 if share is None else share
    return Kernel(name, "dot", runs, us, us * 0.9, us * 1.1, us * 0.8, us, share, exact, us < 5)


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
    proxy = panel.view.model()
    return [proxy.index(row, column).data() for row in range(proxy.rowCount())]


def test_bars_are_sorted_by_time(panel: KernelPanel) -> None:
    assert [kernel.name for kernel in panel.shown_kernels] == ["a", "d", "b", "c"]


def test_a_kernel_that_runs_often_in_a_run_counts_with_all_of_it(panel: KernelPanel) -> None:
    panel.show_kernels(table(kernel("once", 50), kernel("in a loop", 20, runs=100, share=0.2)))
    assert [kernel.name for kernel in panel.shown_kernels] == ["in a loop", "once"]


def test_the_longest_bars_alone_are_drawn(panel: KernelPanel) -> None:
    panel.show_kernels(table(*(kernel(f"k{i}", i + 1) for i in range(MAX_BARS + 40))))
    assert len(panel.shown_kernels) == MAX_BARS
    assert panel.shown_kernels[-1].name == "k40"
    assert panel.model.rowCount() == MAX_BARS + 40


def test_the_table_starts_with_the_largest_share_and_sorts_by_number(panel: KernelPanel) -> None:
    assert rows(panel) == ["a", "d", "b", "c"]
    panel.view.sortByColumn(3, Qt.SortOrder.AscendingOrder)
    assert rows(panel) == ["c", "b", "d", "a"]
    assert rows(panel, 3) == ["≤ 9.0", "90.0", "100.0", "300.0"]
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
    assert isinstance(panel.view.model(), QSortFilterProxyModel)
    assert panel.view.model().rowCount() == 0
    panel.grab()
