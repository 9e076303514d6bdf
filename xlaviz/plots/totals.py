"""The rows that stay below a table: what its columns add up to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from PySide6.QtCore import QEvent, QRect, QSize
from PySide6.QtGui import QColor, QHelpEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QHeaderView, QToolTip, QTreeView, QWidget

from xlaviz.plots.kernel_model import alignment
from xlaviz.scene.palette import LIGHT, Theme

_ROW_PX = 20
_PADDING_PX = 3


class Totals(QWidget):
    """Rows of texts by column, drawn under the sections of the view's header wherever they are moved or scrolled.

    The last row is the sum and stands out. A tip belongs to each row.
    """

    def __init__(self, view: QTreeView) -> None:
        super().__init__()
        self._view = view
        self._theme = LIGHT
        self.rows: tuple[Mapping[int, str], ...] = ()
        self._tips: tuple[str, ...] = ()
        header = view.header()
        for moved in (header.sectionResized, header.sectionMoved, header.sectionCountChanged, header.geometriesChanged):
            moved.connect(self.update)
        view.horizontalScrollBar().valueChanged.connect(self.update)

    def show_rows(self, rows: Sequence[Mapping[int, str]], tips: Sequence[str]) -> None:
        self.rows, self._tips = tuple(rows), tuple(tips)
        self.setFixedHeight(self.sizeHint().height())
        self.update()

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(100, len(self.rows) * _ROW_PX + (2 if self.rows else 0))

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.fillRect(self.rect(), QColor(self._theme.panel))
        painter.fillRect(0, 0, self.width(), 1, QColor(self._theme.line))
        painter.setClipRect(0, 0, self._view.viewport().width(), self.height())
        header = self._view.header()
        for number, row in enumerate(self.rows):
            is_sum = number == len(self.rows) - 1
            font = self.font()
            font.setBold(is_sum)
            painter.setFont(font)
            painter.setPen(QColor(self._theme.text if is_sum else self._theme.muted))
            for column, text in row.items():
                self._paint_cell(painter, header, column, 1 + number * _ROW_PX, text)

    def _paint_cell(self, painter: QPainter, header: QHeaderView, column: int, top: int, text: str) -> None:
        if header.isSectionHidden(column):
            return
        place = QRect(header.sectionViewportPosition(column), top, header.sectionSize(column), _ROW_PX)
        painter.drawText(place.adjusted(_PADDING_PX, 0, -_PADDING_PX, 0), alignment(column), text)

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            row = event.pos().y() // _ROW_PX
            QToolTip.showText(event.globalPos(), self._tips[row] if row < len(self._tips) else "", self)
            return True
        return super().event(event)
