"""The chart at the top of the report: every call's time, with XLA and without, on one axis."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QColor, QFont
from PySide6.QtWidgets import QVBoxLayout, QWidget

from xlaviz.base.units import time_text
from xlaviz.scene.palette import LIGHT, Theme
from xlaviz.timing.report import CallTimes

HEIGHT_PX = 178
_ROOM = 0.3  # half of a strip's height, strips being 1 apart
_FAR = 1.5  # of the larger p90: slower calls are drawn at the edge, or they press all others together
_GOLDEN_RATIO = 0.618033988749895
_UNITS = ((1e3, 1.0, "µs"), (1e6, 1e3, "ms"), (float("inf"), 1e6, "s"))


@dataclass(frozen=True, slots=True)
class Strip:
    """The calls of one side; `place` is its height on the axis. Times are microseconds."""

    name: str
    place: int
    times_us: np.ndarray[tuple[int], np.dtype[np.float64]]

    @property
    def percentiles_us(self) -> tuple[float, float, float]:
        """p10, the median and p90."""
        low, middle, high = np.percentile(self.times_us, (10, 50, 90))
        return float(low), float(middle), float(high)


class CallTimesChart(QWidget):
    """A strip of dots for each side that was measured, its median as a bar and its p10 to p90 as a band."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = LIGHT
        self.strips: tuple[Strip, ...] = ()
        self.limit_us = 1.0
        self.words: list[pg.TextItem] = []
        self.setFixedHeight(HEIGHT_PX)
        self.plot = pg.PlotWidget()
        self.plot.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)  # the wheel scrolls the page
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self.plot)
        item = self.plot.getPlotItem()
        item.setMenuEnabled(False)
        item.hideButtons()
        item.setMouseEnabled(x=False, y=False)
        item.setContentsMargins(0, 4, 12, 0)
        font = QFont()
        font.setPixelSize(11)
        for side in ("left", "bottom"):
            item.getAxis(side).setTickFont(font)
        item.getAxis("left").setStyle(tickLength=0)
        item.getAxis("left").setWidth(72)
        item.getAxis("bottom").enableAutoSIPrefix(False)
        self._font = font
        item.getViewBox().sigResized.connect(self._place_words)

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        self.plot.setBackground(theme.window)
        for side in ("left", "bottom"):
            self.plot.getPlotItem().getAxis(side).setPen(theme.line)
            self.plot.getPlotItem().getAxis(side).setTextPen(theme.muted)
        self._draw()

    def show_calls(self, calls: CallTimes) -> None:
        sides = (("with XLA", calls.xla_us), ("without XLA", calls.no_xla_us))
        known = [(name, np.array(times, np.float64)) for name, times in sides if times]
        places = range(len(known) - 1, -1, -1)
        self.strips = tuple(Strip(name, place, times) for place, (name, times) in zip(places, known, strict=True))
        self.setVisible(bool(self.strips))
        self._draw()

    @property
    def beyond(self) -> int:
        """Calls that are slower than the axis is long."""
        return sum(int((strip.times_us > self.limit_us).sum()) for strip in self.strips)

    # Drawing

    def _draw(self) -> None:
        item = self.plot.getPlotItem()
        item.clear()
        self.words = []
        if not self.strips:
            return
        slowest = max(float(strip.times_us.max()) for strip in self.strips)
        self.limit_us = min(slowest * 1.03, max(strip.percentiles_us[2] for strip in self.strips) * _FAR)
        scale, unit = next((scale, unit) for limit, scale, unit in _UNITS if self.limit_us < limit)
        for strip in self.strips:
            self._draw_strip(strip, scale)
        count = self.beyond
        more = f"  ·  {count} slower call{'s' * (count > 1)} at the edge, up to {time_text(slowest)}" if count else ""
        item.getAxis("bottom").setLabel(
            f"time of one call, {unit}{more}", color=self._theme.muted, **{"font-size": "11px"}
        )
        item.getAxis("left").setTicks([[(strip.place, strip.name) for strip in self.strips]])
        item.setXRange(0, self.limit_us / scale, padding=0)
        item.setYRange(-0.55, len(self.strips) - 0.35, padding=0)
        self._place_words()

    def _draw_strip(self, strip: Strip, scale: float) -> None:
        colour = QColor(self._theme.accent if strip.name == "with XLA" else self._theme.heat)
        low, median, high = (value / scale for value in strip.percentiles_us)
        band = QColor(colour)
        band.setAlphaF(0.2)
        size = {"y0": [strip.place - _ROOM], "height": [2 * _ROOM]}
        self._add(pg.BarGraphItem(x0=[low], width=[max(high - low, 0.0)], brush=band, pen=pg.mkPen(None), **size))
        dots = QColor(colour)
        dots.setAlphaF(0.75)
        is_beyond = strip.times_us > self.limit_us
        # Spread evenly over the strip's height, so that equal times do not hide one another.
        heights = strip.place + (np.arange(len(strip.times_us)) * _GOLDEN_RATIO % 1 - 0.5) * 1.7 * _ROOM
        x = np.minimum(strip.times_us, self.limit_us * 0.994) / scale
        for chosen, symbol, pixels in ((~is_beyond, "o", 5), (is_beyond, "t2", 9)):
            self._add(pg.ScatterPlotItem(x[chosen], heights[chosen], symbol=symbol, size=pixels, brush=dots, pen=None))
        self._add(
            pg.PlotDataItem([median, median], [strip.place - _ROOM, strip.place + _ROOM], pen=pg.mkPen(colour, width=3))
        )
        text = pg.TextItem(f"median {time_text(median * scale)}", self._theme.text, anchor=(0.5, 1))
        text.setFont(self._font)
        text.setPos(QPointF(median, strip.place + _ROOM))
        self.words.append(text)
        self._add(text)

    def _place_words(self) -> None:
        """Over the middles of their bars, or as near as the ends of the plot let them."""
        box = self.plot.getPlotItem().getViewBox()
        (left, right), _ = box.viewRange()
        for text in self.words:
            width_px = text.textItem.boundingRect().width()
            at_px = (text.pos().x() - left) / (right - left) * box.width()
            first_px = min(max(at_px - width_px / 2, 0.0), max(box.width() - width_px, 0.0))
            text.setAnchor(((at_px - first_px) / width_px, 1))

    def _add(self, item: object) -> None:
        self.plot.getPlotItem().addItem(item, ignoreBounds=True)
