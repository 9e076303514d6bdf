"""One line that says what the colours mean."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QLinearGradient, QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QWidget

from xlaviz.graph.families import FAMILIES, Family
from xlaviz.graph.overlay import SIGNS, Mark
from xlaviz.scene.palette import LIGHT, Theme, fusion_colours, heat_colour
from xlaviz.session.heat import Heat, heat_words
from xlaviz.session.shown import PANES, Shown

_SWATCH_PX = 11
_GRADIENT_PX = 132
_GRADIENT_STEPS = 24


@dataclass(frozen=True, slots=True)
class HeatLegend:
    """`hottest` is the time of the hottest box; the words say what the colours mean on each side, of one pane alone
    those of the right."""

    left_text: str
    right_text: str
    hottest: str
    has_two_panes: bool = True


class Legend(QWidget):
    """The opcode families that are drawn, or the heat in their stead, and in a step how much was added, removed,
    changed and moved.

    Signal: `filtered` with the mark that alone is to be seen, or None; a click on a count sets it, and takes it back.
    """

    filtered = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = LIGHT
        self._counts: Mapping[Mark, int] = {}
        self._only: Mark | None = None
        self._places: dict[Mark, QRectF] = {}
        self._families: frozenset[Family] = frozenset()
        self._heat: HeatLegend | None = None
        self.setFixedHeight(22)

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        self.update()

    def set_counts(self, counts: Mapping[Mark, int]) -> None:
        """The marks of the step that is shown; none where before and after are compared. Takes a filter back."""
        self._counts, self._only, self._places = counts, None, {}
        self.update()

    def place_of(self, mark: Mark) -> QRectF:
        """Where a count stands, once it has been painted."""
        return self._places.get(mark, QRectF())

    def mousePressEvent(self, event: QMouseEvent) -> None:
        mark = next((mark for mark, place in self._places.items() if place.contains(event.position())), None)
        if mark is not None:
            self._only = None if mark == self._only else mark
            self.filtered.emit(self._only)
            self.update()

    def set_families(self, families: frozenset[Family]) -> None:
        """List these alone."""
        self._families = families
        self.update()

    @property
    def heat(self) -> HeatLegend | None:
        """What is told of times."""
        return self._heat

    def set_heat(self, heat: HeatLegend | None) -> None:
        """Tell of times in place of the families; None takes it back."""
        self._heat = heat
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(700, 22)

    def paintEvent(self, event: QPaintEvent) -> None:
        with QPainter(self) as painter:
            self._paint(painter)

    def _paint(self, painter: QPainter) -> None:
        painter.fillRect(self.rect(), QColor(self._theme.window))
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        x = 10.0
        for mark, count in self._counts.items():
            colour, start = QColor(getattr(self._theme, mark)), x
            painter.setOpacity(1.0 if self._only in (None, mark) else 0.35)
            x = self._paint_entry(painter, x, f"{count} {mark}", colour, colour, SIGNS[mark])
            self._places[mark] = QRectF(start, 0, x - start - 7, self.height())
        painter.setOpacity(1.0)
        if self._heat is not None:
            self._paint_heat(painter, x, self._heat)
            return
        for family, text in FAMILIES.items():
            if family not in self._families:
                continue
            fill, line = (QColor(colour) for colour in self._theme.families[family])
            if family == "fusion":
                fill, line = fusion_colours(0, self._theme.name).tint, fusion_colours(0, self._theme.name).line
            x = self._paint_entry(painter, x, text, fill, line, "")

    def _paint_heat(self, painter: QPainter, x: float, heat: HeatLegend) -> None:
        """The gradient between its ends, then the words."""
        text, muted = QColor(self._theme.text), QColor(self._theme.muted)
        x = self._paint_words(painter, x, "0", muted) + 6
        bar = QRectF(x, (self.height() - _SWATCH_PX) / 2, _GRADIENT_PX, _SWATCH_PX)
        gradient = QLinearGradient(bar.topLeft(), bar.topRight())
        for step in range(_GRADIENT_STEPS + 1):
            gradient.setColorAt(step / _GRADIENT_STEPS, heat_colour(step / _GRADIENT_STEPS, self._theme))
        painter.setPen(QPen(QColor(self._theme.edge), 1.0))
        painter.setBrush(gradient)
        painter.drawRoundedRect(bar, 2.5, 2.5)
        x = self._paint_words(painter, bar.right() + 6, heat.hottest, text) + 18
        for side, words in (("left", heat.left_text), ("right", heat.right_text)):
            if words and heat.has_two_panes:
                x = self._paint_words(painter, x, f"{side}:", muted) + 5
            if words:
                x = self._paint_words(painter, x, words, text) + 16

    def _paint_words(self, painter: QPainter, x: float, text: str, colour: QColor) -> float:
        """Paint words, cut where the legend ends; returns where they end."""
        room = max(int(self.width() - x - 6), 0)
        text = painter.fontMetrics().elidedText(text, Qt.TextElideMode.ElideRight, room)
        width = painter.fontMetrics().horizontalAdvance(text)
        painter.setPen(colour)
        place = QRectF(x, 0, width + 2, self.height())
        painter.drawText(place, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, text)
        return x + width

    def _paint_entry(self, painter: QPainter, x: float, text: str, fill: QColor, line: QColor, sign: str) -> float:
        """Paint one swatch and its words; returns where the next one starts."""
        width = painter.fontMetrics().horizontalAdvance(text)
        if x + _SWATCH_PX + 5 + width > self.width():
            return float(self.width())
        swatch = QRectF(x, (self.height() - _SWATCH_PX) / 2, _SWATCH_PX, _SWATCH_PX)
        painter.setPen(QPen(line, 1.2))
        painter.setBrush(fill)
        painter.drawRoundedRect(swatch, 2.5, 2.5)
        if sign:
            painter.setPen(QColor(self._theme.canvas))
            painter.drawText(swatch, Qt.AlignmentFlag.AlignCenter, sign)
        painter.setPen(QColor(self._theme.muted))
        place = QRectF(swatch.right() + 5, 0, width + 2, self.height())
        painter.drawText(place, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, text)
        return place.right() + 14


def heat_legend(shown: Shown, heat: Heat) -> HeatLegend:
    """What the colours of a heat mean: on the side that shows what ran the kernels' times, on the other what of them
    is put down to it."""
    words = {pane: heat_words(shown, pane) if heat.times_us[pane] is not None else "" for pane in PANES}
    if not shown.sequence.last_index:
        return HeatLegend("", words["right"], heat.scale_end, has_two_panes=False)
    return HeatLegend(words["left"], words["right"], heat.scale_end)


def families_of(shown: Shown) -> frozenset[Family]:
    """What is drawn on either side."""
    return frozenset(node.family for side in (shown.left, shown.right) if side is not None for node in side.graph.nodes)
