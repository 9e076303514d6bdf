"""A line of words, some of them bold, that never asks for more room than there is."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from PySide6.QtCore import QRect, Qt
from PySide6.QtGui import QFontMetrics, QPainter, QPaintEvent
from PySide6.QtWidgets import QLabel, QSizePolicy, QWidget

_LEFT = int(Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft)


class OneLine(QLabel):
    """What does not fit ends in …; the tooltip has the whole. `text()` is HTML. It stands at the left, or the right
    where that is its alignment."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._parts: tuple[tuple[str, bool], ...] = ()
        self.setTextFormat(Qt.TextFormat.RichText)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)  # or it widens the window

    def show_parts(self, parts: Sequence[tuple[str, bool]]) -> None:
        """Texts one after the other, each with whether it is bold."""
        self._parts = tuple(parts)
        self.setText("".join(f"<b>{escape(text)}</b>" if is_bold else escape(text) for text, is_bold in parts))
        self.setToolTip(escape("".join(text for text, _ in parts)))

    @property
    def shown(self) -> tuple[str, ...]:
        """The texts as they are painted, as far as there is room."""
        room, found = self.contentsRect().width(), []
        for text, is_bold in self._parts:
            metrics = self._metrics(is_bold=is_bold)
            found.append(metrics.elidedText(text, Qt.TextElideMode.ElideRight, room))
            room -= metrics.horizontalAdvance(text)
            if room <= 0:
                break
        return tuple(found)

    def _metrics(self, *, is_bold: bool) -> QFontMetrics:
        font = self.font()
        font.setBold(is_bold)
        return QFontMetrics(font)

    def paintEvent(self, event: QPaintEvent) -> None:
        with QPainter(self) as painter:
            self.drawFrame(painter)
            painter.setPen(self.palette().color(self.foregroundRole()))
            place = QRect(self.contentsRect())
            if self.alignment() & Qt.AlignmentFlag.AlignRight:
                place.setLeft(max(place.left(), place.right() - self.sizeHint().width()))
            for text, (_, is_bold) in zip(self.shown, self._parts, strict=False):
                font = self.font()
                font.setBold(is_bold)
                painter.setFont(font)
                painter.drawText(place, _LEFT, text)
                place.setLeft(place.left() + painter.fontMetrics().horizontalAdvance(text))
