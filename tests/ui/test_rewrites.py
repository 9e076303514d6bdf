"""The table of rewrites in the real window, and stepping from change to change."""

from __future__ import annotations

import pytest
from helpers.driving import press, settle
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QTreeWidgetItem
from pytestqt.qtbot import QtBot

from xlaviz.session.stepping import next_changed
from xlaviz.session.stories import SnapshotSummary
from xlaviz.ui.main_window import MainWindow
from xlaviz.ui.rewrites_panel import RewritesPanel


def fusion_index(window: MainWindow) -> int:
    assert window.session.sequence is not None
    return next(s.index for s in window.session.sequence.snapshots if s.pass_name == "fusion")


@pytest.fixture
def panel(opened: MainWindow, qtbot: QtBot) -> RewritesPanel:
    """The table at the fusion pass."""
    opened.session.go_to(fusion_index(opened))
    opened.bottom.setCurrentWidget(opened.story_panels.rewrites)
    settle(opened, qtbot)
    return opened.story_panels.rewrites


def rows(panel: RewritesPanel) -> dict[str, QTreeWidgetItem]:
    items = [panel.tree.topLevelItem(number) for number in range(panel.tree.topLevelItemCount())]
    return {item.text(1): item for item in items if item is not None}


def test_a_step_lists_its_rewrites_with_counts(opened: MainWindow, panel: RewritesPanel) -> None:
    found = rows(panel)
    assert any(text.startswith("fused into") for text in found)
    assert not any("`" in text for text in found)
    assert "fusion" in panel.summary.text()
    assert panel.tree.isVisible()


def test_a_row_lists_its_places_when_it_is_opened(panel: RewritesPanel) -> None:
    row = next(item for text, item in rows(panel).items() if text.startswith("fused into"))
    assert row.childCount() == 0
    row.setExpanded(True)
    assert row.childCount() == int(row.text(0))
    row.setExpanded(False)
    row.setExpanded(True)
    assert row.childCount() == int(row.text(0))


def test_a_place_is_selected_and_seen_on_both_sides(opened: MainWindow, panel: RewritesPanel, qtbot: QtBot) -> None:
    row = next(item for text, item in rows(panel).items() if text.startswith("fused into"))
    row.setExpanded(True)
    panel.tree.scrollToItem(row.child(0))
    rect = panel.tree.visualItemRect(row.child(0))
    qtbot.mouseClick(panel.tree.viewport(), Qt.MouseButton.LeftButton, pos=rect.center())
    settle(opened, qtbot)
    selection = opened.session.selection
    assert len(selection.left) > 1
    assert selection.right
    assert ", ".join(sorted(selection.right)) == row.child(0).text(3)
    assert opened.session.detail is not None


def test_another_step_has_another_table(opened: MainWindow, panel: RewritesPanel, qtbot: QtBot) -> None:
    before = set(rows(panel))
    press(opened, qtbot, Qt.Key.Key_Left)
    assert set(rows(panel)) != before


def test_before_and_after_all_passes_the_table_is_of_all_together(
    opened: MainWindow, panel: RewritesPanel, qtbot: QtBot
) -> None:
    step = set(rows(panel))
    opened.session.show_compare()
    settle(opened, qtbot)
    assert "All passes" in panel.summary.text()
    assert len(rows(panel)) > len(step)


def test_the_filter_leaves_what_has_the_words(panel: RewritesPanel) -> None:
    count = len(rows(panel))
    panel.filter.setText("fused loop")
    assert 0 < len(rows(panel)) <= count
    assert all("loop" in text for text in rows(panel))
    panel.filter.setText("no such thing")
    assert not rows(panel)
    panel.filter.clear()
    assert len(rows(panel)) == count


def test_a_step_that_changed_nothing_says_so(opened: MainWindow, panel: RewritesPanel, qtbot: QtBot) -> None:
    idle = next(s.index for s in opened.session.summaries[1:] if not s.changes and not s.rewrites)
    opened.session.go_to(idle)
    settle(opened, qtbot)
    assert "nothing was rewritten" in panel.summary.text()
    assert not panel.tree.isVisible()


def test_the_arrows_stop_where_something_changed(opened: MainWindow, qtbot: QtBot) -> None:
    press(opened, qtbot, Qt.Key.Key_Home)
    assert opened.session.sequence is not None
    seen = []
    while opened.session.index < opened.session.sequence.last_index:
        press(opened, qtbot, Qt.Key.Key_Right)
        seen.append(opened.session.index)
    changed = [s.index for s in opened.session.summaries[1:] if s.changes]
    assert [index for index in seen if index in changed] == changed
    assert set(seen) - set(changed) <= {opened.session.sequence.last_index}


def test_with_shift_they_stop_at_every_snapshot(opened: MainWindow, qtbot: QtBot) -> None:
    press(opened, qtbot, Qt.Key.Key_Home)
    qtbot.keyClick(opened, Qt.Key.Key_Right, Qt.KeyboardModifier.ShiftModifier)
    qtbot.keyClick(opened, Qt.Key.Key_Right, Qt.KeyboardModifier.ShiftModifier)
    qtbot.keyClick(opened, Qt.Key.Key_Left, Qt.KeyboardModifier.ShiftModifier)
    settle(opened, qtbot)
    assert opened.session.index == 1


def test_the_next_change_is_found_either_way() -> None:
    summaries = [SnapshotSummary(index, 1, 1, added=added) for index, added in enumerate((0, 0, 3, 0, 1, 0))]
    assert next_changed(summaries, 0, 1, 5) == 2
    assert next_changed(summaries, 2, 1, 5) == 4
    assert next_changed(summaries, 4, 1, 5) == 5
    assert next_changed(summaries, 4, -1, 5) == 2
    assert next_changed(summaries, 2, -1, 5) == 0
    assert next_changed(summaries, 6, -1, 5) == 5
    assert next_changed((), 0, 1, 5) == 1, "what is not known yet is not skipped"
