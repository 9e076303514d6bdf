"""What stands beside the lines of a file: columns left of them, and the titles of these above."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QPoint, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFont, QFontMetrics, QHelpEvent, QMouseEvent, QPainter, QPaintEvent, QWheelEvent
from PySide6.QtWidgets import QApplication, QToolTip, QWidget

if TYPE_CHECKING:
    from xlaviz.ui.source_view import SourceView

HEAD_PX = 24
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
_MARK_PX = 3
_PAD_PX = 8


@dataclass(frozen=True, slots=True)
class LineCells:
    """What stands beside a line. `heat` is its time over the hottest line's, 0 to 1; `note` is put at its end."""

    share: str = ""
    xla: str = ""
    no_xla: str = ""
    heat: float = 0.0
    note: str = ""
    tip: str = ""


@dataclass(frozen=True, slots=True)
class Column:
    """`field` is that of LineCells, or `number`; `sample` is the widest text to be expected."""

    field: str
    title: str
    tip: str
    sample: str


NO_CELLS = LineCells()


def small_font() -> QFont:
    """That of titles and notes: the application's, for the view's is that of code."""
    font = QFont(QApplication.font())
    font.setPixelSize(11)
    return font


class Gutter(QWidget):
    """The columns left of the text."""

    def __init__(self, view: SourceView) -> None:
        super().__init__(view)
        self._view = view

    def column_places(self) -> Iterator[tuple[Column, int, int]]:
        """Each column with its left edge and its width."""
        left = _MARK_PX
        metrics, head_metrics = self._view.fontMetrics(), QFontMetrics(small_font())
        for column in self._view.columns:
            room = max(metrics.horizontalAdvance(column.sample), head_metrics.horizontalAdvance(column.title))
            yield column, left, room + 2 * _PAD_PX
            left += room + 2 * _PAD_PX

    def sizeHint(self) -> QSize:
        return QSize(self.width(), 0)

    def paintEvent(self, event: QPaintEvent) -> None:
        view, theme = self._view, self._view.theme
        with QPainter(self) as painter:
            painter.fillRect(event.rect(), QColor(theme.panel))
            painter.setFont(view.font())
            for number, top, height in view.visible_lines():
                row = QRectF(0, top, self.width(), height)
                if row.bottom() >= event.rect().top() and row.top() <= event.rect().bottom():
                    self._paint_row(painter, number, row)

    def _paint_row(self, painter: QPainter, number: int, row: QRectF) -> None:
        view, theme = self._view, self._view.theme
        cells = view.cells.get(number, NO_CELLS)
        if number == view.current:
            painter.fillRect(row, QColor(theme.selection))
        if number in view.marked:
            painter.fillRect(QRectF(0, row.top(), _MARK_PX, row.height()), QColor(theme.accent))
        for column, left, width in self.column_places():
            place = QRectF(left, row.top(), width, row.height())
            if column.field == "share" and cells.heat > 0:
                fill = QColor(theme.heat)
                fill.setAlphaF(0.25 + 0.35 * cells.heat)
                long = max((width - 4) * cells.heat, 1.5)
                painter.fillRect(QRectF(left + 2, row.top() + 1, long, row.height() - 2), fill)
            is_weak = column.field == "number" and number not in view.marked and number != view.current
            painter.setPen(QColor(theme.muted if is_weak else theme.text))
            text = str(number) if column.field == "number" else getattr(cells, column.field)
            painter.drawText(place.adjusted(_PAD_PX, 0, -_PAD_PX, 0), _RIGHT, text)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        self._view.press_at(int(event.position().y()))

    def wheelEvent(self, event: QWheelEvent) -> None:
        self._view.wheelEvent(event)

    def event(self, event: QEvent) -> bool:
        if isinstance(event, QHelpEvent):
            tip = self._view.cells.get(self._view.number_at(event.pos().y()), NO_CELLS).tip
            QToolTip.showText(event.globalPos(), tip, self)
            return True
        return super().event(event)


class Head(QWidget):
    """The titles of the columns; hovered, what the numbers are."""

    def __init__(self, view: SourceView, gutter: Gutter) -> None:
        super().__init__(view)
        self._view, self._gutter = view, gutter

    def paintEvent(self, event: QPaintEvent) -> None:
        with QPainter(self) as painter:
            theme = self._view.theme
            painter.fillRect(self.rect(), QColor(theme.window))
            painter.setFont(small_font())
            painter.setPen(QColor(theme.line))
            painter.drawLine(0, self.height() - 1, self.width(), self.height() - 1)
            painter.setPen(QColor(theme.muted))
            for column, left, width in self._gutter.column_places():
                place = QRect(left + _PAD_PX, 0, width - 2 * _PAD_PX, self.height())
                painter.drawText(place, _RIGHT, column.title)

    def tip_at(self, point: QPoint) -> str:
        return next(
            (column.tip for column, left, width in self._gutter.column_places() if left <= point.x() < left + width), ""
        )

    def event(self, event: QEvent) -> bool:
        if isinstance(event, QHelpEvent):
            QToolTip.showText(event.globalPos(), self.tip_at(event.pos()), self)
            return True
        return super().event(event)
