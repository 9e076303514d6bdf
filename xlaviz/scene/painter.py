"""Paints a placed graph from its arrays: on the canvas, and into every exported picture."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetrics, QPainter, QPainterPath, QPen, QPolygonF

from xlaviz.graph.labels import HEADER_PX
from xlaviz.graph.metrics import TEXT_PX, TITLE_PX
from xlaviz.graph.model import DrawnGraph, DrawnNode
from xlaviz.graph.overlay import NO_OVERLAY, SIGNS, Mark, Overlay
from xlaviz.layout.model import Places
from xlaviz.scene.curves import curve, edge_bounds
from xlaviz.scene.palette import Theme, fusion_colours
from xlaviz.session.words import NOTE_SEPARATOR

TEXT_FROM_ZOOM = 0.38
_CURVES_FROM_ZOOM = 0.2
_CORNER_PX = 5.0
_AROUND_PX = 20.0  # hulls and marks stand out of their boxes
_TITLE_ROOM_PX = 120.0
_HULL_PX = 6.0
_MARGIN_PX = 24.0


class GraphPainter:
    """A graph, its places and how to draw them. Holds no view: the caller sets the painter's transform."""

    def __init__(self, graph: DrawnGraph, places: Places, theme: Theme, overlay: Overlay = NO_OVERLAY) -> None:
        self.graph = graph
        self.places = places
        self.theme = theme
        self.overlay = overlay
        self.selected: frozenset[str] = frozenset()
        self._curves: list[tuple[QPainterPath, QPolygonF] | None] = [None] * len(graph.edges)
        self._edge_bounds = edge_bounds(places)
        self._ordered_targets = _targets_with_order(graph)
        self._title_font = _font(TITLE_PX, bold=True)
        self._text_font = _font(TEXT_PX)

    @property
    def bounds(self) -> QRectF:
        """The whole drawing with a margin."""
        width, height = self.places.size_px
        return QRectF(-_MARGIN_PX, -_MARGIN_PX, width + 2 * _MARGIN_PX, height + 2 * _MARGIN_PX)

    def box(self, index: int) -> QRectF:
        return QRectF(*map(float, self.places.boxes[index]))

    def middle_of_top(self, height: float) -> float | None:
        """Where most of the boxes in the topmost `height` pixels are, across."""
        boxes = self.places.boxes
        top = boxes[boxes[:, 1] < height]
        return float(np.sort(top[:, 0] + top[:, 2] / 2)[len(top) // 2]) if len(top) else None

    def node_at(self, point: QPointF) -> int | None:
        """The innermost box under a point; a frame counts only by its title bar and its border."""
        boxes = self.places.boxes
        if not len(boxes):
            return None
        x, y = point.x(), point.y()
        inside = (boxes[:, 0] <= x) & (x <= boxes[:, 0] + boxes[:, 2]) & (boxes[:, 1] <= y)
        hits = np.flatnonzero(inside & (y <= boxes[:, 1] + boxes[:, 3]))
        return int(hits[-1]) if len(hits) else None

    def paint(self, painter: QPainter, visible: QRectF, zoom: float) -> None:
        """Draw what lies in `visible` (drawing coordinates). Below TEXT_FROM_ZOOM boxes stay without words, and
        far below it edges are straight and without arrows."""
        around = visible.adjusted(-_AROUND_PX, -_AROUND_PX, _AROUND_PX, _AROUND_PX)
        nodes = self.visible_nodes(around)
        edges = self.visible_edges(around)
        with_text = zoom >= TEXT_FROM_ZOOM
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, len(edges) < 4000)
        painter.setRenderHint(QPainter.RenderHint.TextAntialiasing, True)
        frames = [index for index in nodes if self.graph.nodes[index].kind == "open"]
        boxes = [index for index in nodes if self.graph.nodes[index].kind != "open"]
        for index in frames:
            self._paint_frame(painter, index)
        for index in boxes:
            self._paint_hulls(painter, index)
        self._paint_edges(painter, edges, zoom)
        for index in frames:
            self._paint_frame_title(painter, index, visible, with_text)
        for index in boxes:
            self._paint_box(painter, index, with_text)
        for index in nodes:
            self._paint_mark(painter, index)

    def visible_nodes(self, visible: QRectF) -> list[int]:
        boxes = self.places.boxes
        keep = (boxes[:, 0] <= visible.right()) & (boxes[:, 0] + boxes[:, 2] >= visible.left())
        keep &= (boxes[:, 1] <= visible.bottom()) & (boxes[:, 1] + boxes[:, 3] >= visible.top())
        return [int(index) for index in np.flatnonzero(keep)]

    def visible_edges(self, visible: QRectF) -> list[int]:
        bounds = self._edge_bounds
        keep = (bounds[:, 0] <= visible.right()) & (bounds[:, 2] >= visible.left())
        keep &= (bounds[:, 1] <= visible.bottom()) & (bounds[:, 3] >= visible.top())
        return [int(index) for index in np.flatnonzero(keep)]

    def _hues(self, node: DrawnNode) -> tuple[int, ...]:
        return self.overlay.hues.get(node.instruction, ())

    def _paint_frame(self, painter: QPainter, index: int) -> None:
        node = self.graph.nodes[index]
        hues = self._hues(node)
        box = self.box(index)
        if hues:
            colours = fusion_colours(hues[0], self.theme.name)
            fill, line = colours.tint, colours.line
        else:
            fill, line = QColor(self.theme.families[node.family][0]), QColor(self.theme.families[node.family][1])
            fill.setAlphaF(0.35)
        painter.setBrush(fill)
        painter.setPen(self._pen(node, line))
        painter.drawRoundedRect(box, _CORNER_PX, _CORNER_PX)

    def _paint_frame_title(self, painter: QPainter, index: int, visible: QRectF, with_text: bool) -> None:
        """Of a frame wider than the view the words stand in the part that is seen."""
        node = self.graph.nodes[index]
        box = self.box(index)
        bar = QRectF(box.left(), box.top(), box.width(), HEADER_PX)
        left, right = max(bar.left(), visible.left()), min(bar.right(), visible.right())
        has_room = right - left >= _TITLE_ROOM_PX
        words = QRectF(left, bar.top(), right - left, bar.height()) if has_room else bar
        self._paint_title_bar(painter, node, bar, words, with_text)

    def _paint_title_bar(self, painter: QPainter, node: DrawnNode, bar: QRectF, words: QRectF, with_text: bool) -> None:
        hues = self._hues(node)
        if hues:
            colours = fusion_colours(hues[0], self.theme.name)
            back, ink = QColor(self.theme.canvas), colours.title_text
            title = colours.title
        else:
            back = QColor(self.theme.canvas)
            title, ink = QColor(self.theme.families[node.family][1]), QColor(self.theme.canvas)
        path = QPainterPath()
        path.addRoundedRect(bar, _CORNER_PX, _CORNER_PX)
        painter.fillPath(path, back)  # the bar is not quite opaque, and edges must not run through its words
        painter.fillPath(path, title)
        if not with_text:
            return
        painter.setPen(ink)
        painter.setFont(self._title_font)
        inner = words.adjusted(8, 0, -8, 0)
        note = self.overlay.notes.get(node.instruction, "")
        metrics = painter.fontMetrics()
        note = _fitting(note, inner.width() - metrics.horizontalAdvance(node.title) - 10, metrics)
        room = inner.width() - (metrics.horizontalAdvance(note) + 10 if note else 0)
        text = metrics.elidedText(node.title, Qt.TextElideMode.ElideMiddle, int(room))
        left = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft
        painter.drawText(inner, left, text)
        if note:
            painter.setFont(self._text_font)
            painter.drawText(inner, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight, note)

    def _paint_hulls(self, painter: QPainter, index: int) -> None:
        """The tinted hull of what belongs to a fusion but is not drawn inside it: the left side's instructions."""
        node = self.graph.nodes[index]
        if node.parent >= 0 or node.kind == "closed":
            return
        for ring, hue in reversed(list(enumerate(self._hues(node)[:3]))):
            colours = fusion_colours(hue, self.theme.name)
            grow = _HULL_PX + 3.0 * ring
            fill = QColor(colours.line)
            fill.setAlphaF(0.32)
            painter.setPen(QPen(colours.line, 1.0))
            painter.setBrush(fill)
            painter.drawRoundedRect(self.box(index).adjusted(-grow, -grow, grow, grow), 8, 8)

    def _paint_box(self, painter: QPainter, index: int, with_text: bool) -> None:
        node = self.graph.nodes[index]
        box = self.box(index)
        fill, line = (QColor(colour) for colour in self.theme.families[node.family])
        hues = self._hues(node)
        if node.kind == "closed" and hues:
            colours = fusion_colours(hues[0], self.theme.name)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor(self.theme.canvas))
            painter.drawRoundedRect(box, _CORNER_PX, _CORNER_PX)
            fill, line = colours.tint, colours.line
        painter.setBrush(fill)
        painter.setPen(self._pen(node, line))
        radius = box.height() / 2 if node.kind == "port" else _CORNER_PX
        painter.drawRoundedRect(box, radius, radius)
        if node.kind == "closed":
            bar = QRectF(box.left(), box.top(), box.width(), HEADER_PX)
            self._paint_title_bar(painter, node, bar, bar, with_text)
        if with_text:
            self._paint_words(painter, node, box)

    def _paint_words(self, painter: QPainter, node: DrawnNode, box: QRectF) -> None:
        centred = Qt.AlignmentFlag.AlignCenter
        left = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft
        right = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight
        if node.kind == "port":
            painter.setFont(self._text_font)
            painter.setPen(QColor(self.theme.muted))
            painter.drawText(box, centred, node.title)
            return
        row = QRectF(box.left() + 8, box.top() + 3, box.width() - 16, 18)
        painter.setFont(self._title_font)
        if node.kind != "closed":
            painter.setPen(QColor(self.theme.text))
            title = painter.fontMetrics().elidedText(node.title, Qt.TextElideMode.ElideRight, int(row.width()))
            painter.drawText(row, left, title)
            room = row.width() - painter.fontMetrics().horizontalAdvance(title) - 8
            painter.setFont(self._text_font)
            painter.setPen(QColor(self.theme.muted))
            tag = painter.fontMetrics().elidedText(node.tag, Qt.TextElideMode.ElideMiddle, int(max(room, 0)))
            painter.drawText(row, right, tag)
        painter.setFont(self._text_font)
        painter.setPen(QColor(self.theme.text if node.kind == "closed" else self.theme.muted))
        for number, line in enumerate(node.lines):
            place = QRectF(row.left(), row.bottom() + 1 + 14.0 * number, row.width(), 14)
            text = painter.fontMetrics().elidedText(line, Qt.TextElideMode.ElideRight, int(place.width()))
            painter.drawText(place, left, text)
        if node.kind == "instruction":
            first_line = QRectF(row.left(), row.bottom() + 1, row.width(), 14)
            self._paint_note(painter, node, first_line, box)
        self._paint_hidden_counts(painter, node, box)

    def _paint_note(self, painter: QPainter, node: DrawnNode, line: QRectF, box: QRectF) -> None:
        """At the end of the first line, as much of it as there is room for, or on a label below the box."""
        note = self.overlay.notes.get(node.instruction, "")
        if not note:
            return
        metrics = painter.fontMetrics()
        room = line.width() - metrics.horizontalAdvance(node.lines[0] if node.lines else "") - 6
        note = _fitting(note, room, metrics)
        painter.setPen(QColor(self.theme.heat))
        if metrics.horizontalAdvance(note) > room:
            width = metrics.horizontalAdvance(note) + 4.0
            line = QRectF(line.right() - width, box.bottom() + 2, width, line.height())
            painter.fillRect(line, QColor(self.theme.canvas))
        painter.drawText(line, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight, note)

    def _paint_hidden_counts(self, painter: QPainter, node: DrawnNode, box: QRectF) -> None:
        """Stubs for the edges that are left out."""
        painter.setPen(QColor(self.theme.muted))
        centred = Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignVCenter
        if node.hidden_users:
            place = QRectF(box.left(), box.bottom(), box.width(), 13)
            painter.drawText(place, centred, f"↓ {node.hidden_users} more user{'s' * (node.hidden_users > 1)}")
        if node.hidden_operands:
            place = QRectF(box.left(), box.top() - 13, box.width(), 13)
            painter.drawText(place, centred, f"↓ {node.hidden_operands} more operand{'s' * (node.hidden_operands > 1)}")

    def _paint_edges(self, painter: QPainter, edges: list[int], zoom: float) -> None:
        plain = QPen(QColor(self.theme.edge), 1.1)
        strong = QPen(QColor(self.theme.accent), 2.0)
        dotted = QPen(QColor(self.theme.edge), 1.0, Qt.PenStyle.DotLine)
        chosen = {index for name in self.selected for index in self.graph.nodes_of.get(name, ())}
        last = []
        for index in edges:
            edge = self.graph.edges[index]
            if edge.source in chosen or edge.target in chosen:
                last.append(index)
                continue
            self._paint_edge(painter, index, dotted if edge.operand < 0 else plain, zoom)
        for index in last:
            self._paint_edge(painter, index, strong, zoom)

    def _paint_edge(self, painter: QPainter, index: int, pen: QPen, zoom: float) -> None:
        route = self.places.routes[index]
        if len(route) < 4:
            return
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(pen)
        if zoom < _CURVES_FROM_ZOOM:
            painter.drawPolyline([QPointF(x, y) for x, y in route[::3].tolist()])
            return
        edge = self.graph.edges[index]
        shape = self._curves[index]
        if shape is None:
            shape = self._curves[index] = curve(route)
        path, arrow = shape
        painter.drawPath(path)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(pen.color())
        painter.drawPolygon(arrow)
        if zoom < TEXT_FROM_ZOOM:
            return
        painter.setFont(self._text_font)
        painter.setPen(QColor(self.theme.muted))
        end = route[-1]
        if edge.target in self._ordered_targets and edge.operand >= 0:
            place = QRectF(float(end[0]) + 4, float(end[1]) - 15, 20, 12)
            painter.drawText(place, Qt.AlignmentFlag.AlignLeft, str(edge.operand))
        if edge.label:
            start = route[0]
            painter.drawText(
                QRectF(float(start[0]) + 3, float(start[1]) + 1, 60, 12), Qt.AlignmentFlag.AlignLeft, edge.label
            )

    def _pen(self, node: DrawnNode, line: QColor) -> QPen:
        if node.instruction in self.selected and node.kind != "port":
            return QPen(QColor(self.theme.accent), 3.0)
        mark = self.overlay.marks.get(node.instruction)
        if mark is not None and node.kind != "port":
            return QPen(self._mark_colour(mark), 2.2)
        return QPen(line, 1.2)

    def _mark_colour(self, mark: Mark) -> QColor:
        return QColor({"added": self.theme.added, "removed": self.theme.removed, "changed": self.theme.changed}[mark])

    def _paint_mark(self, painter: QPainter, index: int) -> None:
        node = self.graph.nodes[index]
        mark = self.overlay.marks.get(node.instruction)
        if mark is None or node.kind == "port":
            return
        box = self.box(index)
        disc = QRectF(box.right() - 9, box.top() - 8, 16, 16)
        painter.setPen(QPen(QColor(self.theme.canvas), 1.2))
        painter.setBrush(self._mark_colour(mark))
        painter.drawEllipse(disc)
        painter.setPen(QColor(self.theme.canvas))
        painter.setFont(self._title_font)
        painter.drawText(disc, Qt.AlignmentFlag.AlignCenter, SIGNS[mark])


def _font(size_px: int, *, bold: bool = False) -> QFont:
    font = QFont()
    font.setPixelSize(size_px)
    font.setBold(bold)
    return font


def _fitting(note: str, room: float, metrics: QFontMetrics) -> str:
    """The note, or its first part alone where the whole needs more than `room`."""
    return note if metrics.horizontalAdvance(note) <= room else note.partition(NOTE_SEPARATOR)[0]


def _targets_with_order(graph: DrawnGraph) -> set[int]:
    """Boxes whose operands are numbered: those with more than one."""
    counts: dict[int, int] = {}
    for edge in graph.edges:
        if edge.operand >= 0 and graph.nodes[edge.target].kind != "port":
            counts[edge.target] = counts.get(edge.target, 0) + 1
    return {target for target, count in counts.items() if count > 1}
