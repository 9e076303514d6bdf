"""The kernel table: units, sorting, filter, groups, totals, copying and CSV."""

from __future__ import annotations

import csv
import io
from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from pytestqt.qtbot import QtBot

from xlaviz.base.units import bytes_text, flops_rate_text, flops_text, intensity_text, signed_time_text
from xlaviz.plots.kernel_columns import COLUMNS, number_of, ops_text
from xlaviz.plots.kernel_model import MARKS_ROLE
from xlaviz.plots.kernel_table import KernelTableView
from xlaviz.profile.kernel_csv import kernel_csv
from xlaviz.profile.kernels import Kernel, KernelTable
from xlaviz.profile.peaks import Peaks
from xlaviz.scene.palette import DARK, LIGHT
from xlaviz.timing.groups import KernelGroup

ASCENDING, DESCENDING = Qt.SortOrder.AscendingOrder, Qt.SortOrder.DescendingOrder

PEAKS = Peaks(1e11, 1e10, "typed in")


def kernel(name: str, us: float, opcode: str = "fusion", ops: tuple[str, ...] = (), **more: object) -> Kernel:
    fields: dict[str, object] = {
        "runs": 10,
        "median_us": us,
        "p10_us": us * 0.9,
        "p90_us": us * 1.1,
        "min_us": us * 0.8,
    }
    fields |= {"self_us": us, "share": us / 1000, "exact": True, "near_floor": us < 5, "op_names": ops}
    fields |= {"self_per_run_us": us, "total_per_run_us": us}
    return Kernel(name, opcode, **(fields | more))  # type: ignore[arg-type]


def table(*kernels: Kernel, run_us: float = 1000.0) -> KernelTable:
    rest_us = run_us - sum(kernel.self_per_run_us for kernel in kernels)
    return KernelTable(1, 10, run_us, 0.9, (0.9,), 0, (), 0, kernels, unattributed_us=rest_us, peaks=PEAKS)


KERNELS = (
    kernel("dot.4", 500, "dot", ("step/dense/MatMul",), flops=4e7, bytes=8e5),
    kernel("add_fusion", 250, ops=("step/dense/BiasAdd", "step/dense/Relu", "step/Sum"), flops=1e3, bytes=8e4),
    kernel("copy.1", 20, "copy", flops=0.0, bytes=4096.0, exact=False),
    kernel("tiny", 2, "copy", p90_us=9.0),
)


@pytest.fixture
def shown(qtbot: QtBot) -> KernelTableView:
    shown = KernelTableView()
    qtbot.addWidget(shown)
    shown.resize(900, 240)
    shown.set_theme(LIGHT)
    with qtbot.waitExposed(shown):
        shown.show()
    shown.show_table(table(*KERNELS))
    return shown


def cells(shown: KernelTableView, title: str = "kernel") -> list[str]:
    return [shown.model.index(row, number_of(title)).data() for row in range(shown.model.rowCount())]


def totals(shown: KernelTableView, title: str) -> list[str]:
    return [row[number_of(title)] for row in shown.totals.rows]


def percent(text: str) -> float:
    return float(text.rstrip("%").replace("−", "-"))


def test_figures_have_units_for_people() -> None:
    assert signed_time_text(-1500) == "−1.5 ms"
    assert [flops_text(value) for value in (0, 999, 8200, 3.1e9)] == ["0 FLOP", "999 FLOP", "8.2 KFLOP", "3.1 GFLOP"]
    assert [bytes_text(value) for value in (12, 2048, 3 << 20)] == ["12 B", "2.0 KiB", "3.0 MiB"]
    assert flops_rate_text(66.8e9) == "66.8 GFLOP/s"
    assert [intensity_text(value) for value in (0, 0.0123, 1.234, 45.67, 1234)] == [
        "0",
        "0.012",
        "1.23",
        "45.7",
        "1234",
    ]
    assert ops_text(("a/b/MatMul", "Relu", "x/Sum", "y")) == "MatMul, Relu +2"


def test_a_row_says_all_of_a_kernel(shown: KernelTableView) -> None:
    row = {column.title: shown.model.index(0, number).data() for number, column in enumerate(COLUMNS)}
    assert row["kernel"] == "dot.4"
    assert row["median"] == "500.0 µs"
    assert row["share"] == "50.0%"
    assert row["FLOPs"] == "40.0 MFLOP"
    assert row["bytes"] == "781.2 KiB"
    assert row["FLOP/s"] == "80.0 GFLOP/s"
    assert row["bandwidth"] == "1.6 GB/s"
    assert row["FLOP/B"] == "50.0"
    assert row["bound by"] == "compute"
    assert cells(shown, "bound by") == ["compute", "memory", "memory", ""]


def test_marks_have_words(shown: KernelTableView) -> None:
    inferred, tiny = shown.model.index_of("copy.1"), shown.model.index_of("tiny")
    assert inferred.data(MARKS_ROLE) == "≤"
    assert "upper bound" in inferred.data(Qt.ItemDataRole.ToolTipRole)
    assert inferred.siblingAtColumn(number_of("median")).data() == "≤ 20.0 µs"
    assert tiny.data(MARKS_ROLE) == "↓ ↔"
    assert "measurement floor" in tiny.data(Qt.ItemDataRole.ToolTipRole)
    assert "Spread too wide" in tiny.data(Qt.ItemDataRole.ToolTipRole)
    assert tiny.data(Qt.ItemDataRole.ForegroundRole).name() == LIGHT.muted
    assert tiny.siblingAtColumn(number_of("p90")).data(Qt.ItemDataRole.ForegroundRole).name() == LIGHT.changed
    assert "step/Sum" in shown.model.index_of("add_fusion").data(Qt.ItemDataRole.ToolTipRole)


def test_sorting_goes_by_numbers_and_leaves_what_is_missing_last(shown: KernelTableView) -> None:
    assert cells(shown) == ["dot.4", "add_fusion", "copy.1", "tiny"]
    shown.view.sortByColumn(number_of("bytes"), ASCENDING)
    assert cells(shown) == ["copy.1", "add_fusion", "dot.4", "tiny"]
    shown.view.sortByColumn(number_of("bytes"), DESCENDING)
    assert cells(shown) == ["dot.4", "add_fusion", "copy.1", "tiny"]
    shown.view.sortByColumn(number_of("bound by"), ASCENDING)
    assert cells(shown)[0] == "dot.4"
    assert cells(shown)[-1] == "tiny"


def test_sorting_keeps_the_row_that_is_chosen(shown: KernelTableView, qtbot: QtBot) -> None:
    shown.select("copy.1")
    with qtbot.assertNotEmitted(shown.kernel_selected):
        shown.view.sortByColumn(number_of("kernel"), ASCENDING)
    assert [row.data() for row in shown.view.selectionModel().selectedRows()] == ["copy.1"]
    assert shown.selected == "copy.1"


def test_totals_add_up_to_the_run(shown: KernelTableView) -> None:
    assert totals(shown, "kernel") == ["unattributed", "run"]
    assert totals(shown, "self/run") == ["228.0 µs", "1.0 ms"]
    assert sum(map(percent, cells(shown, "share"))) + percent(totals(shown, "share")[0]) == pytest.approx(100)


def test_what_runs_at_once_is_called_overlapping(shown: KernelTableView) -> None:
    shown.show_table(table(kernel("a", 800), kernel("b", 700)))
    assert totals(shown, "kernel") == ["overlapping", "run"]
    assert totals(shown, "self/run")[0] == "−500.0 µs"
    assert totals(shown, "share")[0] == "−50.0%"


def test_the_filter_takes_words_of_names_opcodes_and_ops(shown: KernelTableView, qtbot: QtBot) -> None:
    with qtbot.waitSignal(shown.rows_changed):
        shown.set_filter("BIAS sum")
    assert cells(shown) == ["add_fusion"]
    assert totals(shown, "kernel") == ["filtered out", "unattributed", "run"]
    shares = [*cells(shown, "share"), *totals(shown, "share")[:-1]]
    assert sum(map(percent, shares)) == pytest.approx(100)
    shown.set_filter("copy")
    assert cells(shown) == ["copy.1", "tiny"]
    shown.set_filter("nothing of the kind")
    assert cells(shown) == []
    shown.set_filter("")
    assert len(cells(shown)) == 4


GROUPS = (
    KernelGroup("copy", 22, 0.022, ("copy.1", "tiny"), None, None),
    KernelGroup("dense", 750, 0.75, ("dot.4", "add_fusion"), 4e7, 8e5),
)


def test_groups_hold_their_kernels(shown: KernelTableView, qtbot: QtBot) -> None:
    shown.select("tiny")
    shown.show_groups(GROUPS)
    assert cells(shown) == ["dense", "copy"]
    assert cells(shown, "FLOP/s") == ["53.3 GFLOP/s", ""]
    assert totals(shown, "self/run")[0] == "228.0 µs"
    assert shown.selected == "tiny"
    group = shown.model.index(1, 0)
    assert [shown.model.index(row, 0, group).data() for row in range(2)] == ["copy.1", "tiny"]
    place = shown.view.visualRect(shown.model.index(0, 0, group)).center()
    with qtbot.waitSignal(shown.kernel_selected) as selected:
        qtbot.mouseClick(shown.view.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert selected.args == ["copy.1"]
    with qtbot.assertNotEmitted(shown.kernel_selected):
        shown.view.sortByColumn(number_of("self/run"), ASCENDING)
    assert cells(shown) == ["copy", "dense"]
    assert shown.selected == "copy.1"
    shown.set_filter("relu")
    assert cells(shown) == ["dense"]
    shown.show_groups(())
    assert cells(shown) == ["add_fusion"]


def test_a_groups_label_runs_over_the_empty_columns(shown: KernelTableView) -> None:
    label = "StatefulPartitionedCall/sequential_1/a_layer_with_a_long_name/MatMul"
    shown.show_groups((KernelGroup(label, 750, 0.75, ("dot.4",), None, None),))
    empty = shown.view.visualRect(shown.model.index(0, number_of("median")))
    picture = shown.view.viewport().grab(empty).toImage()
    inks = {picture.pixelColor(x, y).lightness() < 128 for x in range(picture.width()) for y in range(picture.height())}
    assert inks == {True, False}


def test_a_key_on_a_group_selects_no_kernel(shown: KernelTableView, qtbot: QtBot) -> None:
    shown.show_groups(GROUPS)
    place = shown.view.visualRect(shown.model.index(0, 0)).center()
    with qtbot.assertNotEmitted(shown.kernel_selected):
        qtbot.mouseClick(shown.view.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert shown.selected == ""


def copied() -> list[str]:
    """The first cells of what is on the clipboard."""
    return [line.split("\t")[0] for line in QGuiApplication.clipboard().text().splitlines()]


def test_the_keys_copy_the_chosen_rows_or_all(shown: KernelTableView, qtbot: QtBot) -> None:
    qtbot.keyClick(shown.view, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    lines = QGuiApplication.clipboard().text().splitlines()
    assert len(lines) == 5
    assert lines[0].split("\t")[:3] == ["kernel", "opcode", "median"]
    assert lines[3].split("\t")[:3] == ["copy.1", "copy", "≤ 20.0 µs"]
    shown.select("tiny")
    qtbot.keyClick(shown.view, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    assert copied() == ["kernel", "tiny"]


def test_the_button_copies_what_is_shown_whatever_is_chosen(shown: KernelTableView, qtbot: QtBot) -> None:
    shown.select("tiny")
    shown.copy()
    assert copied() == ["kernel", "dot.4", "add_fusion", "copy.1", "tiny"]
    shown.set_filter("copy")
    shown.copy()
    assert copied() == ["kernel", "copy.1", "tiny"]
    shown.set_filter("")
    shown.select("")
    shown.show_groups(GROUPS)
    shown.copy()
    assert copied() == ["kernel", "dense", "copy"]
    shown.select("tiny")
    shown.copy()
    assert copied() == ["kernel", "dense", "copy"]
    qtbot.keyClick(shown.view, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    assert copied() == ["kernel", "tiny"]


def test_a_group_with_an_inferred_end_has_an_upper_bound(shown: KernelTableView) -> None:
    shown.show_groups((replace(GROUPS[0], exact=False), GROUPS[1]))
    assert cells(shown, "self/run") == ["750.0 µs", "≤ 22.0 µs"]
    tips = [str(shown.model.index(row, 0).data(Qt.ItemDataRole.ToolTipRole)) for row in range(2)]
    assert ["≤" in tip for tip in tips] == [False, True]


def test_a_tiny_share_is_not_called_nothing(shown: KernelTableView) -> None:
    shown.show_table(table(kernel("tiny", 0.4)))
    assert cells(shown, "share") == ["< 0.1%"]


def test_columns_are_hidden_and_shown_by_the_headers_menu(shown: KernelTableView) -> None:
    assert shown.view.header().length() <= 900
    assert shown.view.isColumnHidden(number_of("FLOPs"))
    action = next(action for action in shown.view.column_menu().actions() if action.text() == "FLOPs")
    action.trigger()
    assert not shown.view.isColumnHidden(number_of("FLOPs"))
    next(action for action in shown.view.column_menu().actions() if action.text() == "opcode").trigger()
    assert shown.view.isColumnHidden(number_of("opcode"))
    next(action for action in shown.view.column_menu().actions() if action.text() == "Usual columns").trigger()
    assert shown.view.isColumnHidden(number_of("FLOPs"))
    assert not shown.view.isColumnHidden(number_of("opcode"))


def test_the_totals_stand_under_their_columns(shown: KernelTableView) -> None:
    before = shown.totals.grab().toImage()
    shown.view.header().moveSection(number_of("share"), 1)
    assert shown.totals.grab().toImage() != before
    shown.set_theme(DARK)
    assert shown.totals.grab().toImage().pixelColor(880, 10).name() == DARK.panel


def test_csv_has_raw_numbers_and_the_rest() -> None:
    rows = list(csv.DictReader(io.StringIO(kernel_csv(table(*KERNELS)))))
    assert [row["name"] for row in rows] == ["dot.4", "add_fusion", "copy.1", "tiny", "unattributed"]
    assert float(rows[0]["flops_per_s"]) == pytest.approx(8e10)
    assert rows[0]["bound_by"] == "compute"
    assert rows[1]["op_names"] == "step/dense/BiasAdd;step/dense/Relu;step/Sum"
    assert (rows[2]["exact"], rows[3]["wide_spread"], rows[3]["flops"]) == ("false", "true", "")
    assert sum(float(row["self_per_run_us"]) for row in rows) == pytest.approx(1000)
    assert sum(float(row["share"]) for row in rows) == pytest.approx(1)
