"""The text of both sides in the real window, in step with the selection."""

from __future__ import annotations

import pytest
from helpers.driving import settle
from PySide6.QtCore import Qt
from PySide6.QtGui import QTextCursor
from pytestqt.qtbot import QtBot

from xlaviz.ui.main_window import MainWindow
from xlaviz.ui.text_panel import TextPanel

FUSION = "broadcast_maximum_fusion"


@pytest.fixture
def panel(opened: MainWindow, qtbot: QtBot) -> TextPanel:
    """The text at the fusion pass."""
    assert opened.session.sequence is not None
    opened.session.go_to(next(s.index for s in opened.session.sequence.snapshots if s.pass_name == "fusion"))
    opened.bottom.setCurrentWidget(opened.story_panels.text)
    settle(opened, qtbot)
    return opened.story_panels.text


def marked(panel: TextPanel) -> set[str]:
    marks = panel.text.extraSelections()
    return {panel.lines[mark.cursor.blockNumber()].name for mark in marks}


def test_the_text_of_a_step_is_its_diff(opened: MainWindow, panel: TextPanel) -> None:
    assert opened.session.diff is not None
    removed = {line.name for line in panel.lines if line.sign == "-" and line.name}
    assert removed >= opened.session.diff.removed
    assert "After fusion" in panel.title.text()
    assert panel.text.toPlainText().count("\n") == len(panel.lines) - 1


def test_the_selection_is_marked_and_seen(opened: MainWindow, panel: TextPanel, qtbot: QtBot) -> None:
    opened.session.select("right", FUSION)
    settle(opened, qtbot)
    assert FUSION in marked(panel)
    assert marked(panel) <= opened.session.selection.left | opened.session.selection.right
    place = next(place for place, line in enumerate(panel.lines) if line.name in marked(panel))
    cursor = QTextCursor(panel.text.document().findBlockByNumber(place))
    assert panel.text.viewport().rect().intersects(panel.text.cursorRect(cursor))


def test_a_click_on_a_line_selects_its_instruction(opened: MainWindow, panel: TextPanel, qtbot: QtBot) -> None:
    place = next(place for place, line in enumerate(panel.lines) if line.sign == "-" and line.name)
    cursor = QTextCursor(panel.text.document().findBlockByNumber(place))
    panel.text.setTextCursor(cursor)
    at = panel.text.cursorRect(cursor).center()
    qtbot.mouseClick(panel.text.viewport(), Qt.MouseButton.LeftButton, pos=at)
    settle(opened, qtbot)
    assert (opened.session.selection.pane, opened.session.selection.name) == ("left", panel.lines[place].name)


def test_metadata_and_unchanged_lines_come_when_asked_for(opened: MainWindow, panel: TextPanel, qtbot: QtBot) -> None:
    count = len(panel.lines)
    assert "metadata=" not in panel.text.toPlainText()
    panel.metadata.setChecked(True)
    settle(opened, qtbot)
    assert "metadata=" in panel.text.toPlainText()
    panel.unchanged.setChecked(True)
    settle(opened, qtbot)
    assert len(panel.lines) > count
    assert not any(line.sign == "…" for line in panel.lines)


def test_another_step_has_another_text(opened: MainWindow, panel: TextPanel, qtbot: QtBot) -> None:
    before = panel.lines
    opened.session.show_compare()
    settle(opened, qtbot)
    assert panel.lines != before
    assert "After optimizations" in panel.title.text()
