"""The roof of the roofline: what the device can do at most, in decimal logarithms."""

from __future__ import annotations

import math
from collections.abc import Sequence

import pyqtgraph as pg
from PySide6.QtCore import QPointF, QRectF

from xlaviz.base.units import bytes_rate_text, flops_rate_text
from xlaviz.plots.parts import chart_font
from xlaviz.profile.peaks import NO_PEAKS, Peaks
from xlaviz.scene.palette import Theme

_ANCHORS = ((1.0, 1.0), (0.0, 0.0))
"""The parts of words that can be on the roof: their right end from above, or their left end from below."""


def rect_beside(at: QPointF, anchor: tuple[float, float], label: pg.TextItem) -> QRectF:
    """Where the label's words lie when this part of them, 0 to 1 each way, is at a point. All in pixels."""
    size = label.textItem.boundingRect().size()
    return QRectF(at - QPointF(anchor[0] * size.width(), anchor[1] * size.height()), size)


class Roof:
    """The slope of the bandwidth up to the ridge and the ceiling from there, with their values; half of it where one
    peak is not known, nothing where none is.
    """

    def __init__(self, plot: pg.PlotItem) -> None:
        self._view = plot.getViewBox()
        self.peaks: Peaks = NO_PEAKS
        self.curve = pg.PlotCurveItem()
        self._labels = [pg.TextItem(anchor=(1, 1)) for _ in range(2)]
        plot.addItem(self.curve, ignoreBounds=True)
        for label in self._labels:
            label.setFont(chart_font())
            plot.addItem(label, ignoreBounds=True)

    def set_theme(self, theme: Theme) -> None:
        self.curve.setPen(pg.mkPen(theme.muted, width=1.5))
        for label in self._labels:
            label.setColor(theme.muted)

    @property
    def places(self) -> list[tuple[float, float]]:
        """What of it must be in view: its ridge, or the ceiling anywhere."""
        if not self.peaks.flops_per_s:
            return []
        return [(math.log10(self.peaks.ridge or 1.0), math.log10(self.peaks.flops_per_s))]

    def draw(self, dots: Sequence[QRectF]) -> list[QRectF]:
        """Draw it over all that is in view, its words clear of dots; returns the words' places in pixels."""
        peaks = self.peaks
        (left, right), (low, high) = self._view.viewRange()
        for label in self._labels:
            label.hide()
        x: list[float] = []
        y: list[float] = []
        words: list[QRectF] = []
        ridge = math.log10(peaks.ridge) if peaks.ridge else None
        if peaks.bytes_per_s:
            bandwidth = math.log10(peaks.bytes_per_s)
            foot, end = min(left, low - bandwidth), right if ridge is None else ridge
            x, y = [foot, end], [foot + bandwidth, end + bandwidth]
            seen = max(left, low - bandwidth), min(end, right, high - bandwidth)
            places = [(at, at + bandwidth) for at in _between(*seen)]
            words += self._show_label(0, f"{bytes_rate_text(peaks.bytes_per_s)} bandwidth", places, dots)
        if peaks.flops_per_s:
            ceiling, start = math.log10(peaks.flops_per_s), left if ridge is None else ridge
            x += [start, max(right, start)]
            y += [ceiling, ceiling]
            places = [(at, ceiling) for at in (right, *_between(max(start, left), right))]
            words += self._show_label(1, f"{flops_rate_text(peaks.flops_per_s)} peak", places, dots)
        self.curve.setData(x, y)
        return words

    def _show_label(
        self, number: int, text: str, places: Sequence[tuple[float, float]], dots: Sequence[QRectF]
    ) -> list[QRectF]:
        """Words with an end on the roof, above or below it, at the first place where they are whole and clear of
        dots, else where they are whole; not shown where they would be cut everywhere."""
        label, seen = self._labels[number], self._view.sceneBoundingRect()
        label.setText(text)
        tries = [(anchor, place) for anchor in _ANCHORS for place in places]
        rects = [rect_beside(self._view.mapViewToScene(QPointF(*place)), anchor, label) for anchor, place in tries]
        whole = [n for n, rect in enumerate(rects) if seen.contains(rect)]
        if not whole:
            return []
        chosen = next((n for n in whole if not any(rects[n].intersects(dot) for dot in dots)), whole[0])
        anchor, place = tries[chosen]
        label.setAnchor(anchor)
        label.setPos(*place)
        label.show()
        return [rects[chosen]]


def _between(left: float, right: float) -> list[float]:
    """Places to try along a part of the roof, the middle first."""
    return [left + part * (right - left) for part in (0.5, 0.62, 0.74, 0.38, 0.86)]
