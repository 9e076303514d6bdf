"""Boxes, frames and edges one by one, with words: what is painted where there is room to read."""

from __future__ import annotations

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetrics, QPainter, QPainterPath, QPen, QPolygonF

from xlaviz.graph.labels import HEADER_PX
from xlaviz.graph.metrics import TEXT_PX, TITLE_PX
from xlaviz.graph.model import DrawnGraph, DrawnNode
from xlaviz.graph.overlay import SIGNS, Mark, Overlay
from xlaviz.scene.curves import curve
from xlaviz.scene.geometry import Geometry
from xlaviz.scene.heat import HeatLook, heat_look, tells_time
from xlaviz.scene.palette import Theme, fusion_colours
from xlaviz.session.words import NOTE_SEPARATOR

_CORNER_PX = 5.0
_HULL_PX = 6.0
_TITLE_ROOM_PX = 120.0
_PALE = 0.22


class Detail:
    """Paints single things of one graph in one look."""

    def __init__(self, graph: DrawnGraph, geometry: Geometry, theme: Theme, overlay: Overlay) -> None:
        self.graph = graph
        self.geometry = geometry
        self.theme = theme
        self.overlay = overlay
        self._curves: dict[int, tuple[QPainterPath, QPolygonF]] = {}
        self._ordered_targets = _targets_with_order(graph)
        self._title_font = _font(TITLE_PX, bold=True)
        self._text_font = _font(TEXT_PX)

    def hues(self, node: DrawnNode) -> tuple[int, ...]:
        return self.overlay.hues_of(node.instruction)

    def heat(self, node: DrawnNode) -> HeatLook | None:
        return heat_look(self.graph, node, self.overlay, self.theme)

    def note(self, node: DrawnNode) -> str:
        return self.overlay.notes.get(node.instruction, "") if tells_time(self.graph, node) else ""

    # Frames

    def frame(self, painter: QPainter, index: int) -> None:
        node = self.graph.nodes[index]
        hues, heat = self.hues(node), self.heat(node)
        if heat is not None:
            fill, line = QColor(self.theme.canvas), heat.line
        elif hues:
            colours = fusion_colours(hues[0], self.theme.name)
            fill, line = colours.tint, colours.line
        else:
            fill, line = QColor(self.theme.families[node.family][0]), QColor(self.theme.families[node.family][1])
            fill.setAlphaF(0.35)
        painter.setBrush(fill)
        painter.setPen(self.pen(node, line))
        painter.drawRoundedRect(self.geometry.box(index), _CORNER_PX, _CORNER_PX)

    def title_bar(self, painter: QPainter, index: int) -> None:
        """The bar behind the title of a frame or a closed box, over the edges."""
        box = self.geometry.box(index)
        path = QPainterPath()
        path.addRoundedRect(QRectF(box.left(), box.top(), box.width(), HEADER_PX), _CORNER_PX, _CORNER_PX)
        # The bar is not quite opaque, and edges must not run through its words.
        painter.fillPath(path, QColor(self.theme.canvas))
        painter.fillPath(path, self._title_colours(self.graph.nodes[index])[0])

    def _title_colours(self, node: DrawnNode) -> tuple[QColor, QColor]:
        """Of the bar and of its words."""
        hues, heat = self.hues(node), self.heat(node)
        if heat is not None:
            return heat.fill, heat.ink
        if hues:
            colours = fusion_colours(hues[0], self.theme.name)
            return colours.title, colours.title_text
        return QColor(self.theme.families[node.family][1]), QColor(self.theme.canvas)

    def title_words(self, painter: QPainter, index: int, view: QRectF) -> None:
        """The words of a title bar; of a frame wider than the view they stand in the part that is seen."""
        node = self.graph.nodes[index]
        box = self.geometry.box(index)
        left, right = max(box.left(), view.left()), min(box.right(), view.right())
        if right - left < _TITLE_ROOM_PX:
            left, right = box.left(), box.right()
        inner = QRectF(left + 8, box.top(), right - left - 16, HEADER_PX)
        painter.setPen(self._title_colours(node)[1])
        painter.setFont(self._title_font)
        metrics = painter.fontMetrics()
        note = _fitting(self.note(node), inner.width() - metrics.horizontalAdvance(node.title) - 10, metrics)
        room = inner.width() - (metrics.horizontalAdvance(note) + 10 if note else 0)
        text = metrics.elidedText(node.title, Qt.TextElideMode.ElideMiddle, int(room))
        painter.drawText(inner, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, text)
        if note:
            painter.setFont(self._text_font)
            painter.drawText(inner, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight, note)

    # Boxes

    def hulls(self, painter: QPainter, index: int) -> None:
        """The tinted hull of what belongs to a fusion but is not drawn inside it: the left side's instructions."""
        node = self.graph.nodes[index]
        if not has_hull(self.graph, node):
            return
        for ring, hue in reversed(list(enumerate(self.hues(node)[:3]))):
            colours = fusion_colours(hue, self.theme.name)
            grow = _HULL_PX + 3.0 * ring
            fill = QColor(colours.line)
            fill.setAlphaF(0.32)
            painter.setPen(QPen(colours.line, 1.0))
            painter.setBrush(fill)
            painter.drawRoundedRect(self.geometry.box(index).adjusted(-grow, -grow, grow, grow), 8, 8)

    def box(self, painter: QPainter, index: int, *, with_text: bool) -> None:
        node = self.graph.nodes[index]
        box = self.geometry.box(index)
        painter.setOpacity(_PALE if self.overlay.is_pale(node.instruction) else 1.0)
        fill, line = (QColor(colour) for colour in self.theme.families[node.family])
        hues, heat = self.hues(node), self.heat(node)
        if heat is not None:
            fill, line = heat.fill, heat.line
        elif node.kind == "closed" and hues:
            colours = fusion_colours(hues[0], self.theme.name)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor(self.theme.canvas))
            painter.drawRoundedRect(box, _CORNER_PX, _CORNER_PX)
            fill, line = colours.tint, colours.line
        painter.setBrush(fill)
        painter.setPen(self.pen(node, line))
        radius = box.height() / 2 if node.kind == "port" else _CORNER_PX
        painter.drawRoundedRect(box, radius, radius)
        if node.kind == "closed":
            if heat is None:
                self.title_bar(painter, index)
            if with_text:
                self.title_words(painter, index, box)
        if with_text:
            self._words(painter, node, box)
        painter.setOpacity(1.0)

    def _words(self, painter: QPainter, node: DrawnNode, box: QRectF) -> None:
        left = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft
        if node.kind == "port":
            painter.setFont(self._text_font)
            painter.setPen(QColor(self.theme.muted))
            painter.drawText(box, Qt.AlignmentFlag.AlignCenter, node.title)
            return
        row = QRectF(box.left() + 8, box.top() + 3, box.width() - 16, 18)
        ink, weak_ink = self._inks(node)
        if node.kind != "closed":
            self._title_and_tag(painter, node, row, ink, weak_ink)
        painter.setFont(self._text_font)
        painter.setPen(ink if node.kind == "closed" else weak_ink)
        for number, line in enumerate(node.lines):
            place = QRectF(row.left(), row.bottom() + 1 + 14.0 * number, row.width(), 14)
            text = painter.fontMetrics().elidedText(line, Qt.TextElideMode.ElideRight, int(place.width()))
            painter.drawText(place, left, text)
        if node.kind == "instruction":
            first_line = QRectF(row.left(), row.bottom() + 1, row.width(), 14)
            self._note(painter, node, first_line, box)
        self._hidden_counts(painter, node, box)

    def _inks(self, node: DrawnNode) -> tuple[QColor, QColor]:
        """For the name in a box, and for what stands beside and below it."""
        heat = self.heat(node)
        return (heat.ink, heat.weak_ink) if heat is not None else (QColor(self.theme.text), QColor(self.theme.muted))

    def _title_and_tag(self, painter: QPainter, node: DrawnNode, row: QRectF, ink: QColor, weak_ink: QColor) -> None:
        painter.setFont(self._title_font)
        painter.setPen(ink)
        title = painter.fontMetrics().elidedText(node.title, Qt.TextElideMode.ElideRight, int(row.width()))
        painter.drawText(row, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, title)
        room = row.width() - painter.fontMetrics().horizontalAdvance(title) - 8
        painter.setFont(self._text_font)
        painter.setPen(weak_ink)
        tag = painter.fontMetrics().elidedText(node.tag, Qt.TextElideMode.ElideMiddle, int(max(room, 0)))
        painter.drawText(row, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight, tag)

    def _note(self, painter: QPainter, node: DrawnNode, line: QRectF, box: QRectF) -> None:
        """At the end of the first line, as much of it as there is room for, or on a label below the box."""
        note = self.note(node)
        if not note:
            return
        metrics = painter.fontMetrics()
        room = line.width() - metrics.horizontalAdvance(node.lines[0] if node.lines else "") - 6
        note = _fitting(note, room, metrics)
        heat = self.heat(node)
        painter.setPen(heat.ink if heat is not None else QColor(self.theme.heat))
        if metrics.horizontalAdvance(note) > room:
            width = metrics.horizontalAdvance(note) + 4.0
            line = QRectF(line.right() - width, box.bottom() + 2, width, line.height())
            painter.fillRect(line, QColor(self.theme.canvas))
            painter.setPen(QColor(self.theme.heat))
        painter.drawText(line, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight, note)

    def _hidden_counts(self, painter: QPainter, node: DrawnNode, box: QRectF) -> None:
        """Stubs for the edges that are left out, beside those that are drawn."""
        painter.setPen(QColor(self.theme.muted))
        aside = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
        if node.hidden_users:
            place = QRectF(box.left(), box.bottom(), box.width(), 13)
            painter.drawText(place, aside, f"↓ {node.hidden_users} more user{'s' * (node.hidden_users > 1)}")
        if node.hidden_operands:
            place = QRectF(box.left(), box.top() - 13, box.width(), 13)
            painter.drawText(place, aside, f"↓ {node.hidden_operands} more operand{'s' * (node.hidden_operands > 1)}")

    def mark(self, painter: QPainter, index: int) -> None:
        """The sign of a change at a box's corner."""
        node = self.graph.nodes[index]
        mark = self.overlay.marks.get(node.instruction)
        if mark is None or node.kind == "port":
            return
        box = self.geometry.box(index)
        disc = QRectF(box.right() - 9, box.top() - 8, 16, 16)
        painter.setPen(QPen(QColor(self.theme.canvas), 1.2))
        painter.setBrush(self.mark_colour(mark))
        painter.drawEllipse(disc)
        painter.setPen(QColor(self.theme.canvas))
        painter.setFont(self._title_font)
        painter.drawText(disc, Qt.AlignmentFlag.AlignCenter, SIGNS[mark])

    def pen(self, node: DrawnNode, line: QColor) -> QPen:
        mark = self.overlay.marks.get(node.instruction)
        if mark is not None and node.kind != "port":
            return QPen(self.mark_colour(mark), 2.2)
        return QPen(line, 1.2)

    def mark_colour(self, mark: Mark) -> QColor:
        return QColor(getattr(self.theme, mark))

    # Edges

    def edge(self, painter: QPainter, index: int, pen: QPen, *, with_text: bool) -> None:
        """One curve with its arrow, the number of its operand where order matters, and its tuple element."""
        route = self.geometry.routes[index]
        if len(route) < 4:
            return
        if index not in self._curves:
            self._curves[index] = curve(route)
        path, arrow = self._curves[index]
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(pen)
        painter.drawPath(path)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(pen.color())
        painter.drawPolygon(arrow)
        if with_text:
            self._edge_words(painter, index)

    def _edge_words(self, painter: QPainter, index: int) -> None:
        edge, route = self.graph.edges[index], self.geometry.routes[index]
        painter.setFont(self._text_font)
        painter.setPen(QColor(self.theme.muted))
        if edge.target in self._ordered_targets and edge.operand >= 0:
            x, y = map(float, route[-1])
            painter.drawText(QRectF(x + 4, y - 15, 20, 12), Qt.AlignmentFlag.AlignLeft, str(edge.operand))
        if edge.label:
            x, y = map(float, route[0])
            painter.drawText(QRectF(x + 3, y + 1, 60, 12), Qt.AlignmentFlag.AlignLeft, edge.label)


def has_hull(graph: DrawnGraph, node: DrawnNode) -> bool:
    """Whether a box shows its fusion by a hull: one that is not in a frame, and no fusion itself."""
    return node.kind == "instruction" and (node.parent < 0 or graph.nodes[node.parent].family != "fusion")


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
        target = graph.nodes[edge.target]
        if edge.operand >= 0 and target.kind != "port" and target.cluster is None:
            counts[edge.target] = counts.get(edge.target, 0) + 1
    return {target for target, count in counts.items() if count > 1}
