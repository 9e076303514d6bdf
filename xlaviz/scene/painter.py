"""Paints a placed graph from its arrays: on the canvas, and into every exported picture."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen

from xlaviz.graph.model import DrawnGraph
from xlaviz.graph.overlay import NO_OVERLAY, Overlay
from xlaviz.layout.model import Places
from xlaviz.scene.coarse import Coarse
from xlaviz.scene.detail import Detail
from xlaviz.scene.geometry import Geometry
from xlaviz.scene.palette import Theme
from xlaviz.scene.primitives import draw_rects

TEXT_FROM_ZOOM = 0.5
"""Below it boxes have no words."""

COARSE_BELOW_ZOOM = 0.25
"""Below it boxes are plain rectangles and edges straight lines."""

MAX_DETAILED = 1500
"""Boxes painted one by one at most, whatever the zoom."""

MAX_REPAINTED = 120
"""Boxes painted anew in each frame at most."""

_AROUND_PX = 24.0  # hulls, marks and counts stand out of their boxes


class GraphPainter:
    """A graph, its places and how to draw them. Holds no view: the caller sets the painter's transform."""

    def __init__(self, graph: DrawnGraph, places: Places, theme: Theme, overlay: Overlay = NO_OVERLAY) -> None:
        self.graph = graph
        self.places = places
        self.geometry = Geometry(places)
        self.selected: frozenset[str] = frozenset()
        self._found: frozenset[str] = frozenset()
        self._found_boxes = np.zeros(0, np.intp)
        self._dress(theme, overlay)

    def _dress(self, theme: Theme, overlay: Overlay) -> None:
        self._theme, self._overlay = theme, overlay
        self._detail = Detail(self.graph, self.geometry, theme, overlay)
        self._coarse = Coarse(self.graph, self.geometry, theme, overlay)

    @property
    def theme(self) -> Theme:
        return self._theme

    @theme.setter
    def theme(self, theme: Theme) -> None:
        self._dress(theme, self._overlay)

    @property
    def overlay(self) -> Overlay:
        return self._overlay

    @overlay.setter
    def overlay(self, overlay: Overlay) -> None:
        self._dress(self._theme, overlay)

    @property
    def found(self) -> frozenset[str]:
        """What a search found; lit, through closed clusters."""
        return self._found

    @found.setter
    def found(self, names: frozenset[str]) -> None:
        self._found = names
        boxes = {box for name in names for box in self.graph.boxes_of(name)}
        self._found_boxes = np.array(sorted(boxes), np.intp)

    @property
    def bounds(self) -> QRectF:
        """The whole drawing with a margin."""
        return self.geometry.bounds

    def box(self, index: int) -> QRectF:
        return self.geometry.box(index)

    def node_at(self, point: QPointF) -> int | None:
        """The innermost box under a point."""
        return self.geometry.node_at(point)

    def paint(self, painter: QPainter, view: QRectF, zoom: float) -> None:
        """Draw all that lies in `view` (drawing coordinates)."""
        self.paint_ground(painter, view, zoom)
        self.paint_live(painter, view, zoom)

    def paint_ground(self, painter: QPainter, view: QRectF, zoom: float) -> None:
        """Draw what stays the same whatever is selected and wherever the view is: this may be kept as tiles."""
        around = view.adjusted(-_AROUND_PX, -_AROUND_PX, _AROUND_PX, _AROUND_PX)
        nodes = self.geometry.nodes_in(around) if zoom >= COARSE_BELOW_ZOOM else ()
        if zoom < COARSE_BELOW_ZOOM or len(nodes) > MAX_DETAILED:
            self._coarse.paint(painter, around, zoom)
            return
        self._paint_detailed(painter, list(map(int, nodes)), around, zoom)

    def _paint_detailed(self, painter: QPainter, nodes: list[int], view: QRectF, zoom: float) -> None:
        detail, with_text = self._detail, zoom >= TEXT_FROM_ZOOM
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, True)
        frames = [index for index in nodes if self.graph.nodes[index].kind == "open"]
        boxes = [index for index in nodes if self.graph.nodes[index].kind != "open"]
        for index in frames:
            detail.frame(painter, index)
        for index in boxes:
            detail.hulls(painter, index)
        plain = QPen(QColor(self._theme.edge), 1.1)
        dotted = QPen(QColor(self._theme.edge), 1.0, Qt.PenStyle.DotLine)
        for index in map(int, self.geometry.edges_in(view)):
            pen = dotted if self.graph.edges[index].operand < 0 else plain
            detail.edge(painter, index, pen, with_text=with_text)
        for index in frames:
            detail.title_bar(painter, index)
        for index in boxes:
            detail.box(painter, index, with_text=with_text)
        for index in nodes:
            detail.mark(painter, index)

    def paint_live(self, painter: QPainter, view: QRectF, zoom: float) -> None:
        """Draw what goes with the selection and with the view: chosen boxes and their edges, titles of frames."""
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, True)
        chosen = {index for name in self.selected for index in self.graph.boxes_of(name)}
        if len(self._found_boxes):
            self._paint_found(painter, view, zoom)
        if chosen:
            self._paint_chosen(painter, chosen, view, zoom)
        if zoom >= TEXT_FROM_ZOOM:
            for index in map(int, self.geometry.nodes_in(view)):
                if self.graph.nodes[index].kind == "open":
                    self._detail.title_words(painter, index, view)

    def _repaint_boxes(self, painter: QPainter, view: QRectF, zoom: float) -> None:
        """Over the edges of what is chosen, as over all edges; too many boxes would take too long for a frame."""
        nodes = self.geometry.nodes_in(view) if zoom >= COARSE_BELOW_ZOOM else ()
        if len(nodes) <= MAX_REPAINTED:
            for index in map(int, nodes):
                if self.graph.nodes[index].kind != "open":
                    self._detail.box(painter, index, with_text=zoom >= TEXT_FROM_ZOOM)
                    self._detail.mark(painter, index)

    def _paint_found(self, painter: QPainter, view: QRectF, zoom: float) -> None:
        """A band round each box, which fills one that is too small for that to be seen."""
        width = max(4.0, 3.0 / zoom)
        seen = np.intersect1d(self._found_boxes, self.geometry.nodes_in(view), assume_unique=True)
        grow = np.array((-width / 2, -width / 2, width, width), np.float32)
        painter.setPen(QPen(QColor(self._theme.changed), width, j=Qt.PenJoinStyle.RoundJoin))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        draw_rects(painter, self.geometry.boxes[seen] + grow)

    def _paint_chosen(self, painter: QPainter, chosen: set[int], view: QRectF, zoom: float) -> None:
        width = max(3.0, 1.5 / zoom)
        strong = QPen(QColor(self._theme.accent), max(2.0, 1.0 / zoom))
        for index in map(int, self.geometry.edges_in(view)):
            edge = self.graph.edges[index]
            if edge.source in chosen or edge.target in chosen:
                self._detail.edge(painter, index, strong, with_text=False)
        self._repaint_boxes(painter, view, zoom)
        painter.setPen(QPen(QColor(self._theme.accent), width))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        for index in chosen:
            if self.graph.nodes[index].kind != "port":
                painter.drawRoundedRect(self.box(index), 5, 5)
