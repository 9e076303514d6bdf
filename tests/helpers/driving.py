"""Drives the real window as a user would."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QPoint, QPointF, Qt
from pytestqt.qtbot import QtBot

from xlaviz.session.shown import Pane
from xlaviz.ui.main_window import MainWindow

PATIENCE_MS = 120_000
"""A healthy run needs a second; a machine that others keep busy starves what works in the background."""


def open_in(window: MainWindow, path: Path, qtbot: QtBot) -> MainWindow:
    """Open a document and wait until everything is drawn and known."""
    with qtbot.waitSignal(window.document_shown, timeout=PATIENCE_MS):
        window.open_path(path)
    settle(window, qtbot)
    return window


def settle(window: MainWindow, qtbot: QtBot) -> None:
    """Wait until nothing runs."""
    qtbot.waitUntil(lambda: not window.session.is_busy, timeout=PATIENCE_MS)


def press(
    window: MainWindow,
    qtbot: QtBot,
    key: Qt.Key,
    times: int = 1,
    *,
    modifier: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier,
) -> None:
    for _ in range(times):
        qtbot.keyClick(window, key, modifier)
    settle(window, qtbot)


def place(window: MainWindow, pane: Pane, name: str) -> QPoint:
    """Where an instruction is on its canvas; of an open cluster, its title bar."""
    canvas = window.panes[pane].canvas
    assert canvas.painter is not None
    index = canvas.painter.graph.nodes_of[name][0]
    box = canvas.painter.box(index)
    is_open = canvas.painter.graph.nodes[index].kind == "open"
    return canvas.to_widget(QPointF(box.left() + 12, box.top() + 8) if is_open else box.center()).toPoint()


def click(window: MainWindow, qtbot: QtBot, pane: Pane, name: str) -> None:
    """Click an instruction, brought into view first as a user would have to."""
    canvas = window.panes[pane].canvas
    if not canvas.rect().contains(place(window, pane, name)):
        canvas.centre(frozenset({name}))
    qtbot.mouseClick(canvas, Qt.MouseButton.LeftButton, pos=place(window, pane, name))


def double_click(window: MainWindow, qtbot: QtBot, pane: Pane, name: str) -> None:
    qtbot.mouseDClick(window.panes[pane].canvas, Qt.MouseButton.LeftButton, pos=place(window, pane, name))
    settle(window, qtbot)


def kinds(window: MainWindow, pane: Pane, name: str) -> set[str]:
    """How an instruction is drawn: instruction, open, closed; empty where it is not."""
    graph = window.panes[pane].canvas.graph
    assert graph is not None
    return {graph.nodes[index].kind for index in graph.nodes_of.get(name, ())}
