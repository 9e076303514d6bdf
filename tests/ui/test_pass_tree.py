"""The passes in the left dock: compile times, passes that changed nothing, filter and orders."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtWidgets import QTreeWidgetItem

from xlaviz.ui.main_window import MainWindow
from xlaviz.ui.pass_tree import PassTree


@pytest.fixture
def passes(opened: MainWindow) -> PassTree:
    return opened.pass_list.passes


def visible(item: QTreeWidgetItem) -> Iterator[QTreeWidgetItem]:
    for number in range(item.childCount()):
        child = item.child(number)
        if not child.isHidden():
            yield child
            yield from visible(child)


def texts(passes: PassTree, column: int = 0) -> list[str]:
    return [item.text(column) for item in visible(passes.tree.invisibleRootItem())]


def test_only_what_changed_something_is_listed_at_first(opened: MainWindow, passes: PassTree) -> None:
    last = opened.session.summaries[-1].index
    for summary in opened.session.summaries:
        hidden = passes.items[summary.index].isHidden()
        assert hidden == (not summary.changes and summary.index not in (0, last))
    assert "batchnorm_expander" not in texts(passes)


def test_passes_that_left_no_snapshot_come_from_the_profile(passes: PassTree) -> None:
    before = len(texts(passes))
    passes.no_ops.setChecked(True)
    assert len(texts(passes)) > 2 * before
    assert "batchnorm_expander" in texts(passes)
    passes.no_ops.setChecked(False)
    assert len(texts(passes)) == before


def test_a_pass_has_its_compile_time(opened: MainWindow, passes: PassTree) -> None:
    times = opened.session.compile_times
    assert times is not None
    assert times.of_snapshots
    for index, time_ms in times.of_snapshots.items():
        assert passes.items[index].text(4).split()[1] in ("ms", "s")
        assert passes.items[index].toolTip(4) == f"{time_ms:.3f} ms to compile"
    assert not passes.tree.isColumnHidden(4)


def test_the_filter_leaves_what_has_the_words(passes: PassTree) -> None:
    passes.no_ops.setChecked(True)
    passes.filter.setText("float-normal bf16")
    leaves = [item.text(0) for item in visible(passes.tree.invisibleRootItem()) if not item.childCount()]
    assert leaves == ["float-normalization-bf16"]
    passes.filter.setText("HLO passes after")
    assert "fusion" in texts(passes), "a pipeline's name finds its passes"


def test_what_is_shown_is_never_left_out(opened: MainWindow, passes: PassTree) -> None:
    idle = next(s.index for s in opened.session.summaries[1:] if not s.changes)
    passes.filter.setText("no such pass")
    opened.session.go_to(idle)
    assert not passes.items[idle].isHidden()
    assert passes.tree.currentItem() is passes.items[idle]


def test_sorted_by_time_or_change_there_are_no_pipelines(opened: MainWindow, passes: PassTree) -> None:
    passes.no_ops.setChecked(True)
    passes.order.setCurrentIndex(1)
    units = {"ms": 1, "s": 1000}
    words = [text.split() for text in texts(passes, 4)]
    times = [float(word[0]) * units[word[1]] if word else 0.0 for word in words]
    assert times == sorted(times, reverse=True)
    passes.order.setCurrentIndex(2)
    first = next(visible(passes.tree.invisibleRootItem()))
    most = max(opened.session.summaries, key=lambda summary: summary.changes)
    assert first is passes.items[most.index]
    passes.order.setCurrentIndex(0)
    assert any(item.childCount() for item in visible(passes.tree.invisibleRootItem()))


def test_a_pass_tells_how_many_rewrites_it_made(opened: MainWindow, passes: PassTree) -> None:
    rewriting = [summary for summary in opened.session.summaries if summary.rewrites]
    assert rewriting
    for summary in rewriting:
        assert passes.items[summary.index].toolTip(0).endswith(f"\nrewrites: {summary.rewrites}")
        assert f", {summary.rewrites} rewrite" in opened.pass_bar.tip(summary.index)
