"""What the charts have in common: how a plot looks, colours on its ground, axes with units, labels that are cut."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import pyqtgraph as pg
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QFont, QPainter, QPaintEvent
from PySide6.QtWidgets import QLabel, QSizePolicy, QWidget

from xlaviz.base.units import share_text
from xlaviz.graph.families import family_of
from xlaviz.scene.palette import Theme

ARROW_ABOVE = """
    QHeaderView::up-arrow, QHeaderView::down-arrow { subcontrol-position: top center; width: 8px; height: 6px; }
"""
"""Keeps the arrow of a sorted column off its words."""

_CHART_FONT_PX = 11
_SMALLEST_SHARE = 0.0005  # what is smaller is rounded to 0.0%


def chart_font() -> QFont:
    font = QFont()
    font.setPixelSize(_CHART_FONT_PX)
    return font


def calm(plot: pg.PlotItem) -> None:
    """No menu, no buttons, small ticks."""
    plot.setMenuEnabled(False)
    plot.hideButtons()
    for side in ("left", "bottom"):
        axis = plot.getAxis(side)
        axis.setTickFont(chart_font())
        axis.enableAutoSIPrefix(False)


def colour_axes(plot: pg.PlotItem, theme: Theme) -> None:
    for side in ("left", "bottom"):
        plot.getAxis(side).setPen(theme.line)
        plot.getAxis(side).setTextPen(theme.muted)


def opcode_colour(opcode: str, theme: Theme, alpha: float = 1.0) -> QColor:
    """The strong colour of the opcode's family."""
    colour = QColor(theme.families[family_of(opcode)][1])
    colour.setAlphaF(alpha)
    return colour


def on_ground(colour: QColor, ground: QColor, share: float) -> QColor:
    """A colour as it looks on a ground with this opacity."""
    pairs = ((one.redF(), one.greenF(), one.blueF()) for one in (colour, ground))
    return QColor.fromRgbF(*(share * over + (1 - share) * under for over, under in zip(*pairs, strict=True)))


class UnitAxis(pg.AxisItem):  # type: ignore[misc]
    """An axis whose ticks are put into words, all of them with the unit that suits the largest."""

    def __init__(self, orientation: str, units: Sequence[tuple[float, str]]) -> None:
        """`units` are factors and their words, the smallest first: `((1, "µs"), (1e3, "ms"))`."""
        super().__init__(orientation)
        self._units = units

    def tickStrings(self, values: Sequence[float], scale: float, spacing: float) -> list[str]:
        largest = max((abs(end) for end in self.range), default=0.0)
        factor, unit = next((one for one in reversed(self._units) if largest >= one[0]), self._units[0])
        digits = max(math.ceil(-math.log10(spacing / factor) - 1e-9), 0)
        return [f"{value / factor:.{digits}f} {unit}" for value in values]


TIME_UNITS = ((1.0, "µs"), (1e3, "ms"), (1e6, "s"))


class DecadeAxis(pg.AxisItem):  # type: ignore[misc]
    """An axis over decimal logarithms: a tick at each power of ten, in words."""

    def __init__(self, orientation: str, text: Callable[[float], str]) -> None:
        super().__init__(orientation)
        self._text = text

    def tickValues(self, minimum: float, maximum: float, size: float) -> list[tuple[float, list[float]]]:
        room = max(int(size / (70 if self.orientation == "bottom" else 24)), 1)
        step = max(-(-int(maximum - minimum) // room), 1)
        first = int(minimum // 1) + 1 if minimum % 1 else int(minimum)
        return [(step, [float(power) for power in range(first, int(maximum // 1) + 1, step)])]

    def tickStrings(self, values: Sequence[float], scale: float, spacing: float) -> list[str]:
        return [self._text(10.0**value) for value in values]


class CountAxis(pg.AxisItem):  # type: ignore[misc]
    """An axis of whole numbers: nothing stands between them."""

    def tickStrings(self, values: Sequence[float], scale: float, spacing: float) -> list[str]:
        return [f"{value:.0f}" if float(value).is_integer() else "" for value in values]


def counted(count: int, noun: str) -> str:
    return f"{count} {noun}{'s' * (count != 1)}"


def small_share_text(share: float) -> str:
    """A share that is not nothing, however small, is not called 0.0%."""
    return "< 0.1%" if 0 < share < _SMALLEST_SHARE else share_text(share)


class ElidedLabel(QLabel):
    """One muted line of plain text that ends in … where there is no room; the tooltip has the whole."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("muted")
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)  # or it widens the window

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setPen(self.palette().color(self.foregroundRole()))
        place = self.contentsRect()
        text = self.fontMetrics().elidedText(self.text(), Qt.TextElideMode.ElideRight, place.width())
        painter.drawText(place, int(Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft), text)
