"""From an instruction in the inspector to the line of the user's that made it."""

from __future__ import annotations

from helpers.driving import PATIENCE_MS
from PySide6.QtCore import QUrl
from pytestqt.qtbot import QtBot

from xlaviz.ui.main_window import MainWindow


def test_the_line_of_an_instruction_opens_the_source_at_it(opened: MainWindow, qtbot: QtBot) -> None:
    assert "matmul.py:11" in opened.inspector.toPlainText()
    detail = opened.session.detail
    assert detail is not None
    source = opened.timing.source
    opened.inspector.anchorClicked.emit(QUrl(f"line:{detail.place}"))
    assert opened.bottom.currentWidget() is source
    qtbot.waitUntil(lambda: source.line is not None and source.line.line == 11, timeout=PATIENCE_MS)


def test_what_nobody_wrote_has_no_line(opened: MainWindow, qtbot: QtBot) -> None:
    session = opened.session
    assert session.sides["left"] is not None
    argument = next(node.instruction for node in session.sides["left"].graph.nodes if node.family == "parameter")
    session.select("left", argument)
    qtbot.waitUntil(lambda: session.detail is not None and session.detail.name == argument, timeout=PATIENCE_MS)
    assert "matmul.py" not in opened.inspector.toPlainText()
