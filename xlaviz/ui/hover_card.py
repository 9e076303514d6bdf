"""The card beside the mouse: the instruction's line of HLO, its operands and users, its time."""

from __future__ import annotations

from html import escape

from PySide6.QtCore import QObject, QPoint, QTimer
from PySide6.QtWidgets import QToolTip

from xlaviz.scene.canvas import GraphCanvas
from xlaviz.session.card import Card
from xlaviz.session.session import Session
from xlaviz.session.shown import Pane
from xlaviz.session.viewing import CLUSTER

_REST_MS = 350


class HoverCard(QObject):
    """Shows itself when the mouse rests on a box. One question is asked at a time: a newer one would have the worker
    thrown away that is at the older."""

    def __init__(self, session: Session, pane: Pane, canvas: GraphCanvas) -> None:
        super().__init__(canvas)
        self._session, self._pane, self._canvas = session, pane, canvas
        self._name = ""
        self._at = QPoint()
        self._is_asking = False
        self.text = ""
        self._rest = QTimer(self)
        self._rest.setSingleShot(True)
        self._rest.setInterval(_REST_MS)
        self._rest.timeout.connect(self._on_rest)
        canvas.hovered.connect(self.hover)

    def hover(self, name: str, at: QPoint) -> None:
        """The mouse is over a box now, or over none."""
        self._at = at
        if name == self._name:
            return
        self._name, self.text = name, ""
        QToolTip.hideText()
        if name:
            self._rest.start()
        else:
            self._rest.stop()

    def _on_rest(self) -> None:
        graph = self._canvas.graph
        boxes = graph.nodes_of.get(self._name, ()) if graph is not None else ()
        if graph is None or not boxes:
            return
        node = graph.nodes[boxes[0]]
        self._show(f"<b>{escape(self._name.removeprefix(CLUSTER))}</b><br>{'<br>'.join(map(escape, node.lines))}")
        session = self._session
        if self._is_asking or node.cluster is not None or session.info is None or session.sequence is None:
            return
        self._is_asking = True
        name, index = self._name, session.shown.snapshot_index(self._pane)
        arguments = (session.info.path, session.sequence, index, name)

        def done(card: Card | None) -> None:
            self._is_asking = False
            if card is not None and name == self._name:
                self._show(self._words(card))
            elif name != self._name and self._name:
                self._rest.start()

        def failed(_: object) -> None:
            self._is_asking = False

        slot = f"card {self._pane}"
        session.views.submit(slot, "reading an instruction", "instruction_card", arguments, done, failed)

    def _words(self, card: Card) -> str:
        counts = f"{card.operands} operand{'s' * (card.operands != 1)} · {card.users} user{'s' * (card.users != 1)}"
        painter = self._canvas.painter
        note = painter.overlay.notes.get(card.name, "") if painter is not None else ""
        return f"<code>{escape(card.line)}</code><br>{counts}{f' · {escape(note)}' if note else ''}"

    def _show(self, text: str) -> None:
        self.text = text
        if self._canvas.isVisible():
            QToolTip.showText(self._at, f"<div style='max-width: 600px'>{text}</div>", self._canvas)
