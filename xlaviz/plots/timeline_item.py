"""Paints the spans of a timeline: only what is in view, each for itself where it is wide enough."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyqtgraph as pg
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QBrush, QColor, QFontMetricsF, QPainter, QPen, QTransform
from PySide6.QtWidgets import QGraphicsObject, QStyleOptionGraphicsItem, QWidget

from xlaviz.base.units import time_text
from xlaviz.graph.families import FAMILIES, family_of
from xlaviz.plots.parts import chart_font, on_ground
from xlaviz.plots.timeline_rows import WIDE_PX, Density, SpanRow, density, rows_of
from xlaviz.profile.timeline import Timeline
from xlaviz.scene.palette import LIGHT, Theme

_LABEL_PX = 36  # from this width on a span has its name in it
_FADED_PART = 0.4  # of a span with an inferred end, at its right
_HATCHED_PX = 5
_SHADES = 5  # of density
_FAMILY_NUMBER = {family: number for number, family in enumerate(FAMILIES)}

_Float = npt.NDArray[np.float64]
_Rows = npt.NDArray[np.int64]


class TimelineItem(QGraphicsObject):
    """One item for all spans. Its x is the time in microseconds from the run's start, its y the row."""

    def __init__(self, view: pg.ViewBox) -> None:
        super().__init__()
        self._view = view
        self._theme = LIGHT
        self._fills: list[QColor] = []
        self.timeline: Timeline | None = None
        self.rows: tuple[SpanRow, ...] = ()
        self._families: _Rows = np.zeros(0, np.int64)
        self._selected = -1
        self._metrics = QFontMetricsF(chart_font())

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        ground = QColor(theme.window)
        self._fills = [on_ground(QColor(theme.families[family][1]), ground, 0.5) for family in FAMILIES]
        self.update()

    def set_timeline(self, timeline: Timeline | None) -> None:
        self.prepareGeometryChange()
        self.timeline = timeline
        self.rows = rows_of(timeline) if timeline is not None else ()
        opcodes = timeline.opcodes if timeline is not None else ()
        self._families = np.array([_FAMILY_NUMBER[family_of(opcode)] for opcode in opcodes], np.int64)
        self._selected = -1
        self.update()

    def select(self, code: int) -> None:
        """Outline the spans of this name, -1 for none."""
        self._selected = code
        self.update()

    def boundingRect(self) -> QRectF:
        return QRectF(0, 0, self.timeline.duration_us if self.timeline is not None else 1.0, max(len(self.rows), 1))

    # Painting, in pixels: the transform is taken apart, so that hatches, outlines and words keep their size

    def paint(self, painter: QPainter, option: QStyleOptionGraphicsItem, widget: QWidget | None = None) -> None:
        if self.timeline is None:
            return
        (left_us, right_us), (top, bottom) = self._view.viewRange()
        scale = painter.worldTransform()
        painter.save()
        painter.resetTransform()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        painter.setFont(chart_font())
        for number in range(max(int(top), 0), min(int(bottom) + 1, len(self.rows))):
            row = self.rows[number]
            band = _Band(scale, number, left_us, right_us)
            if number and self.rows[number - 1].lane != row.lane:
                painter.setPen(QColor(self._theme.line))
                painter.drawLine(QPointF(band.left_px, band.top - 1), QPointF(band.right_px, band.top - 1))
            self._paint_row(painter, self.timeline, row, band)
        painter.restore()

    def _paint_row(self, painter: QPainter, timeline: Timeline, row: SpanRow, band: _Band) -> None:
        own = row.within(band.left_us, band.right_us)
        spans, left, right = row.spans[own], band.px(row.start_us[own]), band.px(row.end_us[own])
        family = self._families[timeline.code[spans]]
        is_wide = right - left >= WIDE_PX
        painter.setPen(Qt.PenStyle.NoPen)
        self._paint_dense(
            painter, density(left[~is_wide], (right - left)[~is_wide], family[~is_wide], len(FAMILIES)), band
        )
        rects = band.rects(left[is_wide], right[is_wide])
        is_faded = ~timeline.exact[spans[is_wide]]
        for number in np.unique(family[is_wide]).tolist():
            is_own = family[is_wide] == number
            painter.setBrush(self._fills[number])
            painter.drawRects([rects[index] for index in np.flatnonzero(is_own & ~is_faded)])
            self._paint_faded(painter, [rects[index] for index in np.flatnonzero(is_own & is_faded)], number)
        self._paint_labels(painter, timeline, spans[is_wide], rects)
        is_selected = timeline.code[spans] == self._selected
        self._outline(painter, band.rects(left[is_selected], right[is_selected]))

    def _paint_dense(self, painter: QPainter, dense: Density, band: _Band) -> None:
        """A pixel column for each; the fuller, the stronger."""
        shade = np.ceil(dense.filled * _SHADES).astype(np.int64).clip(1)
        for number, step in sorted(set(zip(dense.family.tolist(), shade.tolist(), strict=True))):
            fill = QColor(self._fills[number])
            fill.setAlphaF(0.25 + 0.75 * step / _SHADES)
            painter.setBrush(fill)
            columns = dense.column[(dense.family == number) & (shade == step)]
            painter.drawRects([QRectF(x, band.top, 1, band.height) for x in columns.tolist()])

    def _paint_faded(self, painter: QPainter, rects: Iterable[QRectF], family: int) -> None:
        """Spans with an inferred end: nobody knows where in their right part they ended."""
        solid = self._fills[family]
        faded = QColor(solid)
        faded.setAlphaF(0.35)
        for rect in rects:
            known = QRectF(rect)
            known.setWidth(rect.width() * (1 - _FADED_PART))
            rest = QRectF(rect)
            rest.setLeft(known.right())
            painter.fillRect(known, solid)
            painter.fillRect(rest, faded)
            if rect.width() >= _HATCHED_PX:
                painter.fillRect(rest, QBrush(solid, Qt.BrushStyle.BDiagPattern))

    def _paint_labels(self, painter: QPainter, timeline: Timeline, spans: _Rows, rects: list[QRectF]) -> None:
        """Names up to where the next span lies over theirs, and times where there is room for both."""
        painter.setPen(QColor(self._theme.text))
        for number, span in enumerate(spans.tolist()):
            rect = QRectF(rects[number])
            if number + 1 < len(rects):
                rect.setRight(min(rect.right(), rects[number + 1].left()))
            if rect.width() < _LABEL_PX or rect.height() < self._metrics.height() - 2:
                continue
            name = timeline.names[timeline.code[span]]
            time = f"  {time_text(float(timeline.end_us[span] - timeline.start_us[span]))}"
            room = rect.width() - 6
            if self._metrics.horizontalAdvance(name + time) <= room:
                name += time
            text = self._metrics.elidedText(name, Qt.TextElideMode.ElideMiddle, room)
            painter.drawText(rect.adjusted(3, 0, -3, 0), int(Qt.AlignmentFlag.AlignVCenter), text)

    def _outline(self, painter: QPainter, rects: list[QRectF]) -> None:
        painter.setPen(QPen(QColor(self._theme.accent), 2))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRects(rects)


@dataclass(frozen=True, slots=True)
class _Band:
    """Where a row lies in pixels, and how a time becomes one."""

    scale: QTransform
    row: int
    left_us: float
    right_us: float

    def px(self, time_us: _Float) -> _Float:
        return time_us * self.scale.m11() + self.scale.dx()

    @property
    def left_px(self) -> float:
        return self.left_us * self.scale.m11() + self.scale.dx()

    @property
    def right_px(self) -> float:
        return self.right_us * self.scale.m11() + self.scale.dx()

    @property
    def top(self) -> float:
        return round(self.scale.m22() * self.row + self.scale.dy()) + 1

    @property
    def height(self) -> float:
        return max(round(self.scale.m22()) - 2, 1)

    def rects(self, left: _Float, right: _Float) -> list[QRectF]:
        """From pixel to pixel, cut off just outside of the view, with a gap between neighbours that are wide enough."""
        left = left.clip(self.left_px - 3, self.right_px + 3)
        right = right.clip(self.left_px - 3, self.right_px + 3)
        width = np.maximum(right - left - (right - left > 3), 1.0)
        return [QRectF(x, self.top, wide, self.height) for x, wide in zip(left.tolist(), width.tolist(), strict=True)]
