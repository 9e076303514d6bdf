"""The biography in the inspector of the real window, and the way it leads through the steps."""

from __future__ import annotations

from urllib.parse import quote

import pytest
from helpers.driving import settle
from PySide6.QtCore import QUrl
from pytestqt.qtbot import QtBot

from xlaviz.ui.main_window import MainWindow

FUSION = "broadcast_maximum_fusion"


@pytest.fixture
def selected(opened: MainWindow, qtbot: QtBot) -> MainWindow:
    """The window with an instruction selected that was fused."""
    opened.session.select("left", min(opened.session.origins_of(FUSION)))
    settle(opened, qtbot)
    return opened


def follow_link(window: MainWindow, qtbot: QtBot, link: str) -> None:
    window.inspector.anchorClicked.emit(QUrl(link))
    settle(window, qtbot)


def test_the_inspector_tells_every_chapter(selected: MainWindow) -> None:
    chapters = selected.session.biographer.chapters
    text = selected.inspector.toPlainText()
    assert "BIOGRAPHY" in text
    assert "as given" in text
    assert {"given", "fused"} <= {chapter.kind for chapter in chapters}
    assert selected.session.sequence is not None
    for chapter in chapters:
        assert selected.session.sequence.snapshots[chapter.index].label in text


def test_a_chapter_leads_to_its_step_with_the_instruction_selected(selected: MainWindow, qtbot: QtBot) -> None:
    session = selected.session
    fused = next(chapter for chapter in session.biographer.chapters if chapter.kind == "fused")
    before = session.biographer.chapters
    follow_link(selected, qtbot, f"step:{fused.index}")
    assert (session.mode, session.index) == ("step", fused.index)
    assert set(fused.after) <= session.selection.right
    assert set(fused.before) <= session.selection.left
    assert session.biographer.chapters == before
    assert "BIOGRAPHY" in selected.inspector.toPlainText()


def test_another_instruction_has_another_biography(selected: MainWindow, qtbot: QtBot) -> None:
    before = selected.session.biographer.chapters
    follow_link(selected, qtbot, f"right:{quote(FUSION)}")
    assert selected.session.biographer.chapters != before
    assert any(chapter.kind == "created" for chapter in selected.session.biographer.chapters)


def test_where_an_instruction_is_gone_its_biography_still_stands(selected: MainWindow, qtbot: QtBot) -> None:
    session = selected.session
    side = session.sides["left"]
    assert side is not None
    assert session.lineage is not None
    gone = next(name for name in side.graph.nodes_of if not session.lineage.where(name))
    session.select("left", gone)
    settle(selected, qtbot)
    session.go_to_last()
    settle(selected, qtbot)
    assert not session.selection.right
    assert "BIOGRAPHY" in selected.inspector.toPlainText()
    assert session.biographer.chapters[-1].kind in ("removed", "merged", "rewritten")


def test_nothing_selected_has_no_biography(selected: MainWindow, qtbot: QtBot) -> None:
    selected.session.select("left", "")
    settle(selected, qtbot)
    assert selected.session.biographer.chapters == ()
    assert "BIOGRAPHY" not in selected.inspector.toPlainText()


def test_in_a_step_the_inspector_lists_what_stands_on_the_other_side(selected: MainWindow, qtbot: QtBot) -> None:
    session = selected.session
    fused = next(chapter for chapter in session.biographer.chapters if chapter.kind == "fused")
    session.go_to(fused.index)
    settle(selected, qtbot)
    session.select("right", FUSION)
    settle(selected, qtbot)
    assert f"BEFORE THIS PASS ({len(session.selection.left)})" in selected.inspector.toPlainText()
    session.select("left", fused.before[0])
    settle(selected, qtbot)
    assert "AFTER THIS PASS" in selected.inspector.toPlainText()


def test_where_several_stand_for_what_was_picked_they_are_listed(selected: MainWindow, qtbot: QtBot) -> None:
    session = selected.session
    fused = next(chapter for chapter in session.biographer.chapters if chapter.kind == "fused")
    session.select("right", FUSION)
    settle(selected, qtbot)
    session.go_to(fused.index - 1)
    settle(selected, qtbot)
    assert f"SELECTED TOGETHER ({len(session.selection.right)})" in selected.inspector.toPlainText()
