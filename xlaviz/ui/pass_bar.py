"""The bar over the panes: a column for each snapshot, as high as what its pass changed. It is a slider."""

from __future__ import annotations

import math

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QHelpEvent, QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSlider, QToolTip, QWidget

from xlaviz.dumps.sequence import PassSequence
from xlaviz.scene.palette import LIGHT, Theme
from xlaviz.session.stories import SnapshotSummary

_SIDE_PX = 12
_TEXT_PX = 16
_GAP_MARK = "?"


class PassBar(QSlider):
    """Its value is the index of the shown snapshot; a click or a drag goes to the column under the pointer."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(Qt.Orientation.Horizontal, parent)
        self._sequence: PassSequence | None = None
        self._summaries: tuple[SnapshotSummary, ...] = ()
        self._theme = LIGHT
        self._is_compare = True
        self.setRange(0, 0)
        self.setTracking(True)
        self.setFixedHeight(62)
        self.setMouseTracking(True)
        self.setAccessibleName("Passes")

    def set_sequence(self, sequence: PassSequence | None) -> None:
        self._sequence, self._summaries = sequence, ()
        self.blockSignals(True)
        self.setRange(0, sequence.last_index if sequence is not None else 0)
        self.blockSignals(False)
        self.update()

    def set_summaries(self, summaries: tuple[SnapshotSummary, ...]) -> None:
        self._summaries = summaries
        self.update()

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        self.update()

    def set_position(self, index: int, *, is_compare: bool) -> None:
        """Show a position without telling anyone."""
        self._is_compare = is_compare
        self.blockSignals(True)
        self.setValue(index)
        self.blockSignals(False)
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(600, 62)

    def column(self, index: int) -> QRectF:
        """The whole column of a snapshot."""
        count = max(self.maximum() + 1, 1)
        width = (self.width() - 2 * _SIDE_PX) / count
        return QRectF(_SIDE_PX + index * width, 0, width, self.height() - _TEXT_PX)

    def paintEvent(self, event: QPaintEvent) -> None:
        with QPainter(self) as painter:
            painter.fillRect(self.rect(), QColor(self._theme.window))
            if self._sequence is not None:
                self._paint(painter, self._sequence)

    def _paint(self, painter: QPainter, sequence: PassSequence) -> None:
        for index in range(self.maximum() + 1):
            self._paint_column(painter, index)
        for gap in sequence.gaps:
            self._paint_gap(painter, gap.before_index)
        self._paint_words(painter)

    def _paint_column(self, painter: QPainter, index: int) -> None:
        column = self.column(index).adjusted(1, 4, -1, 0)
        summary = self._summaries[index] if index < len(self._summaries) else None
        change = summary.added + summary.removed + summary.changed if summary else 0
        most = max((s.added + s.removed + s.changed for s in self._summaries), default=0)
        share = math.log1p(change) / math.log1p(most) if most else 0
        height = 5 + share * (column.height() - 5)
        bar = QRectF(column.left(), column.bottom() - height, column.width(), height)
        is_shown = not self._is_compare and index == self.value()
        ends = self._is_compare and index in (0, self.maximum())
        colour = QColor(self._theme.accent)
        if not (is_shown or ends):
            colour.setAlphaF(0.38 if change else 0.16)
        painter.fillRect(bar, colour)
        if is_shown:
            painter.setPen(QPen(QColor(self._theme.accent), 1))
            painter.drawLine(QPointF(bar.center().x(), 2), bar.topLeft() + QPointF(bar.width() / 2, 0))

    def _paint_gap(self, painter: QPainter, before: int) -> None:
        """A dashed line and a question mark where snapshots are missing."""
        assert self._sequence is not None
        x = self.column(min(before, self.maximum())).left() if before <= self.maximum() else self.width() - _SIDE_PX
        painter.setPen(QPen(QColor(self._theme.removed), 1.5, Qt.PenStyle.DashLine))
        painter.drawLine(QPointF(x, 12), QPointF(x, self.height() - _TEXT_PX))
        painter.drawText(QRectF(x - 8, 0, 16, 12), Qt.AlignmentFlag.AlignCenter, _GAP_MARK)

    def _paint_words(self, painter: QPainter) -> None:
        assert self._sequence is not None
        row = QRectF(_SIDE_PX, self.height() - _TEXT_PX, self.width() - 2 * _SIDE_PX, _TEXT_PX)
        painter.setPen(QColor(self._theme.muted))
        middle = Qt.AlignmentFlag.AlignVCenter
        metrics = painter.fontMetrics()
        left, right = "◂ before optimizations", "after optimizations ▸"
        painter.drawText(row, middle | Qt.AlignmentFlag.AlignLeft, left)
        painter.drawText(row, middle | Qt.AlignmentFlag.AlignRight, right)
        if self._is_compare or self.value() in (0, self.maximum()):
            return
        font = painter.font()
        font.setBold(True)
        painter.setFont(font)
        painter.setPen(QColor(self._theme.accent))
        label = self._sequence.snapshots[self.value()].label
        width = painter.fontMetrics().horizontalAdvance(label) + 8
        centre = self.column(self.value()).center().x()
        least = row.left() + metrics.horizontalAdvance(left) + 12
        most = row.right() - metrics.horizontalAdvance(right) - 12 - width
        place = QRectF(min(max(centre - width / 2, least), max(most, least)), row.top(), width, row.height())
        painter.drawText(place, Qt.AlignmentFlag.AlignCenter, label)

    def _index_at(self, x: float) -> int:
        width = max(self.column(0).width(), 0.001)
        return min(max(int((x - _SIDE_PX) / width), 0), self.maximum())

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton and self._sequence is not None:
            self._go(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if event.buttons() & Qt.MouseButton.LeftButton and self._sequence is not None:
            self._go(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        event.accept()

    def _go(self, event: QMouseEvent) -> None:
        """From before/after, a click on the column of the value that is set already is a choice as well."""
        index = self._index_at(event.position().x())
        if index == self.value():
            self.valueChanged.emit(index)
        else:
            self.setValue(index)

    def event(self, event: QEvent) -> bool:
        if isinstance(event, QHelpEvent) and event.type() == QEvent.Type.ToolTip and self._sequence is not None:
            QToolTip.showText(event.globalPos(), self.tip(self._index_at(event.pos().x())), self)
            return True
        return super().event(event)

    def tip(self, index: int) -> str:
        """What the column of a snapshot stands for."""
        assert self._sequence is not None
        snapshot = self._sequence.snapshots[index]
        lines = [snapshot.label]
        if snapshot.pipeline:
            lines.append(f"in {snapshot.pipeline}")
        if index < len(self._summaries):
            summary = self._summaries[index]
            lines.append(f"{summary.instructions} instructions in {summary.computations} computations")
            if index:
                rewrites = f"{summary.rewrites} rewrite{'' if summary.rewrites == 1 else 's'}"
                lines.append(f"+{summary.added} −{summary.removed} ~{summary.changed}, {rewrites}")
        lines.extend(gap.text for gap in self._sequence.gaps if gap.before_index == index)
        return "\n".join(lines)
