"""Many boxes at once, without words: what is painted where there is no room to read."""

from __future__ import annotations

from functools import cached_property

import numpy as np
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen

from xlaviz.graph.model import DrawnGraph, DrawnNode
from xlaviz.graph.overlay import Overlay
from xlaviz.scene.detail import has_hull
from xlaviz.scene.geometry import Geometry
from xlaviz.scene.heat import heat_look
from xlaviz.scene.palette import Theme, fusion_colours
from xlaviz.scene.primitives import draw_lines, draw_rects

MAX_LINES = 2500
"""Lines drawn at most in one go: beyond that they are a grey mush that takes long to draw."""

_OUTLINE_FROM_PX = 3.0
_HULL_PX = 9.0
_Indices = np.ndarray[tuple[int], np.dtype[np.intp]]


class Coarse:
    """Paints rectangles of one colour with one call each. Made anew for each graph, theme and overlay."""

    def __init__(self, graph: DrawnGraph, geometry: Geometry, theme: Theme, overlay: Overlay) -> None:
        self._graph = graph
        self._geometry = geometry
        self._theme = theme
        self._overlay = overlay

    @cached_property
    def _looks(self) -> tuple[list[tuple[QColor, QColor]], _Indices]:
        """The distinct (fill, line) there are, and which of them each box has."""
        known: dict[tuple[int, int], int] = {}
        looks: list[tuple[QColor, QColor]] = []
        codes = np.zeros(len(self._graph.nodes), np.intp)
        for index, node in enumerate(self._graph.nodes):
            fill, line = self._colours(node)
            key = (fill.rgba(), line.rgba())
            if key not in known:
                known[key] = len(looks)
                looks.append((fill, line))
            codes[index] = known[key]
        return looks, codes

    def _colours(self, node: DrawnNode) -> tuple[QColor, QColor]:
        fill, line = map(QColor, self._theme.families[node.family])
        hues = self._overlay.hues_of(node.instruction)
        heat = heat_look(self._graph, node, self._overlay, self._theme)
        if heat is not None:
            line = heat.fill if heat.is_hot else heat.line
            fill = QColor(self._theme.canvas) if node.kind == "open" else heat.fill
        elif hues and node.kind in ("open", "closed"):
            colours = fusion_colours(hues[0], self._theme.name)
            fill, line = (colours.tint if node.kind == "open" else colours.title), colours.line
        elif node.kind == "open":
            fill.setAlphaF(0.35)
        mark = self._overlay.marks.get(node.instruction)
        if mark is not None and node.kind != "port":
            line = QColor(getattr(self._theme, mark))
            if node.kind != "open" and heat is None:
                fill = line
        if self._overlay.is_pale(node.instruction):
            fill.setAlphaF(fill.alphaF() * 0.3)
            line.setAlphaF(0.3)
        return fill, line

    @cached_property
    def _hulls(self) -> dict[int, _Indices]:
        """Boxes by the number of the fusion their hull stands for."""
        found: dict[int, list[int]] = {}
        for index, node in enumerate(self._graph.nodes):
            hues = self._overlay.hues_of(node.instruction)
            if hues and has_hull(self._graph, node):
                found.setdefault(hues[0], []).append(index)
        return {hue: np.array(indices, np.intp) for hue, indices in found.items()}

    @cached_property
    def _is_frame(self) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
        return np.array([node.kind == "open" for node in self._graph.nodes], np.bool_)

    def paint(self, painter: QPainter, view: QRectF, zoom: float) -> None:
        """Draw what reaches into `view`, frames under edges under boxes."""
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        nodes = self._geometry.nodes_in(view)
        frames = self._is_frame[nodes]
        self._paint_boxes(painter, nodes[frames], zoom)
        self._paint_hulls(painter, nodes[~frames])
        self._paint_lines(painter, view)
        self._paint_boxes(painter, nodes[~frames], zoom)

    def _paint_boxes(self, painter: QPainter, indices: _Indices, zoom: float) -> None:
        looks, codes = self._looks
        of_these = codes[indices]
        boxes = self._geometry.boxes[indices]
        outlined = boxes[:, 3] * zoom >= _OUTLINE_FROM_PX
        for code in np.unique(of_these):
            fill, line = looks[code]
            chosen = of_these == code
            painter.setBrush(fill)
            painter.setPen(_cosmetic(line, 1.0))
            draw_rects(painter, boxes[chosen & outlined])
            # Too small for an outline: the line's colour alone is seen better than the pale fill.
            painter.setBrush(line)
            painter.setPen(Qt.PenStyle.NoPen)
            draw_rects(painter, boxes[chosen & ~outlined])

    def _paint_hulls(self, painter: QPainter, indices: _Indices) -> None:
        shown = np.zeros(len(self._graph.nodes), np.bool_)
        shown[indices] = True
        painter.setPen(Qt.PenStyle.NoPen)
        for hue, members in self._hulls.items():
            boxes = self._geometry.boxes[members[shown[members]]]
            if len(boxes):
                fill = QColor(fusion_colours(hue, self._theme.name).line)
                fill.setAlphaF(0.5)
                painter.setBrush(fill)
                draw_rects(painter, boxes + np.array([-_HULL_PX, -_HULL_PX, 2 * _HULL_PX, 2 * _HULL_PX], np.float32))

    def _paint_lines(self, painter: QPainter, view: QRectF) -> None:
        lines = self._geometry.lines_in(view)
        step = -(-len(lines) // MAX_LINES)
        colour = QColor(self._theme.edge)
        colour.setAlphaF(0.55)
        painter.setPen(_cosmetic(colour, 1.0))
        draw_lines(painter, lines[:: max(step, 1)])


def _cosmetic(colour: QColor, width: float) -> QPen:
    """A pen that is as wide at every zoom."""
    pen = QPen(colour, width)
    pen.setCosmetic(True)
    return pen
