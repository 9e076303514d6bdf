"""The graph pane: one widget that pans, zooms, selects and opens clusters. It paints, and holds no boxes as objects."""

from __future__ import annotations

from PySide6.QtCore import QPoint, QPointF, QRectF, QSize, QSizeF, Qt, QTimer, Signal
from PySide6.QtGui import (
    QColor,
    QContextMenuEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPixmap,
    QResizeEvent,
    QShowEvent,
    QTransform,
    QWheelEvent,
)
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from xlaviz.graph.model import DrawnGraph
from xlaviz.graph.overlay import Overlay
from xlaviz.layout.model import Places
from xlaviz.scene.minimap import Minimap
from xlaviz.scene.painter import GraphPainter
from xlaviz.scene.palette import LIGHT, Theme
from xlaviz.scene.tiles import TileCache, View

MIN_ZOOM = 0.01
MAX_ZOOM = 4.0
READABLE_ZOOM = 0.62
"""A first view is never smaller than this: the top of a large graph reads better than specks of the whole."""

_ZOOM_STEP = 1.25
_FRAME_BUDGET_S = 0.008
_FIRST_BUDGET_S = 0.06
_DRAG_FROM_PX = 4


class GraphCanvas(QWidget):
    """Signals: `instruction_clicked` with a name, or "" for the empty ground; `cluster_toggled` with the name of a
    box that calls computations; `hovered` with a name or ""; `view_moved` when the user panned or zoomed."""

    instruction_clicked = Signal(str)
    cluster_toggled = Signal(str)
    hovered = Signal(str)
    view_moved = Signal()
    context_menu_requested = Signal(str, QPoint)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._painter: GraphPainter | None = None
        self._tiles: TileCache | None = None
        self.minimap = Minimap(LIGHT, self)
        self.minimap.moved_to.connect(self._centre_at)
        self._painted: View | None = None
        self._is_complete = True
        self._theme = LIGHT
        self._zoom = 1.0
        self._origin = QPointF(0, 0)  # the drawing's point at the widget's upper left corner
        self._pressed: QPointF | None = None
        self._dragged = False
        self._message = ""
        self._fit_pending = False
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setMinimumSize(120, 120)

    # What is shown

    @property
    def graph(self) -> DrawnGraph | None:
        return self._painter.graph if self._painter is not None else None

    @property
    def painter(self) -> GraphPainter | None:
        return self._painter

    @property
    def zoom(self) -> float:
        return self._zoom

    @property
    def origin(self) -> QPointF:
        return QPointF(self._origin)

    @property
    def message(self) -> str:
        return self._message

    def show_graph(self, graph: DrawnGraph, places: Places, overlay: Overlay, *, keep: str = "") -> None:
        """Show a graph. The view stays as it is, with the box of the instruction `keep`, or of what is in the middle,
        where it was on screen; a graph that has nothing in common with what was in view is fitted."""
        keep = self._anchor(keep, graph)
        before = self._screen_place(keep)
        selected = self._painter.selected if self._painter is not None else frozenset()
        self._painter = GraphPainter(graph, places, self._theme, overlay)
        self._painter.selected = selected
        self._tiles = TileCache(self._painter.paint_ground, QColor(self._theme.canvas), self.devicePixelRatioF())
        self._painted = None
        self.minimap.show_drawing(self._painter, self._theme)
        self._message = ""
        after = self._screen_place(keep)
        if before is None or after is None:
            self.fit(readable=True)
        else:
            self._origin += (after - before) / self._zoom
            if not self._view.intersects(self._painter.box(graph.nodes_of[keep][0])):
                self.centre(frozenset({keep}))
        self._looked_elsewhere()

    def _anchor(self, keep: str, graph: DrawnGraph) -> str:
        """What stays in its place when another graph comes: an instruction that both have, "" where there is none."""
        if self._painter is None:
            return ""
        old = self._painter.graph
        if keep in old.nodes_of and keep in graph.nodes_of:
            return keep
        view = self._view
        inside = map(int, self._painter.geometry.nodes_in(view))
        near = [i for i in inside if old.nodes[i].instruction in graph.nodes_of]
        places = {i: self._painter.box(i).center() - view.center() for i in near}
        nearest = min(near, key=lambda i: places[i].manhattanLength(), default=None)
        return old.nodes[nearest].instruction if nearest is not None else ""

    def show_message(self, text: str) -> None:
        """Show a sentence in place of a graph."""
        self._painter = None
        self._message = text
        self.minimap.hide()
        self.update()

    def set_overlay(self, overlay: Overlay) -> None:
        if self._painter is not None:
            self._painter.overlay = overlay
            self._repaint()

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        if self._painter is not None:
            self._painter.theme = theme
            self._tiles = TileCache(self._painter.paint_ground, QColor(theme.canvas), self.devicePixelRatioF())
            self._painted = None
            self.minimap.show_drawing(self._painter, theme)
        self.update()

    def _repaint(self) -> None:
        """The graph looks different now."""
        if self._tiles is not None:
            if self._painted is not None:
                self._tiles.remember(self._picture(self._painted), self._painted)
            self._tiles.forget()
        if self._painter is not None:
            self.minimap.show_drawing(self._painter, self._theme)
        self.update()

    @property
    def is_complete(self) -> bool:
        """Whether all that is in view has been painted."""
        return self._is_complete

    def set_selected(self, names: frozenset[str]) -> None:
        if self._painter is not None and self._painter.selected != names:
            self._painter.selected = names
            self.update()

    # The view

    def fit(self, *, readable: bool = False) -> None:
        """Show the whole drawing; `readable` stops shrinking where words would be lost and shows the top."""
        if self._painter is None:
            return
        self._fit_pending = self._fit_pending or not self.isVisible()
        bounds = self._painter.bounds
        zoom = min(self.width() / bounds.width(), self.height() / bounds.height(), 1.2)
        least = READABLE_ZOOM if readable else MIN_ZOOM
        self._zoom = min(max(zoom, least), MAX_ZOOM)
        self._centre_on(bounds, top=zoom < least)
        self._moved()

    def _centre_on(self, bounds: QRectF, *, top: bool) -> None:
        view = QSize(self.width(), self.height())
        middle = self._painter.geometry.middle_of_top(view.height() / self._zoom) if top and self._painter else None
        x = (middle if middle is not None else bounds.center().x()) - view.width() / self._zoom / 2
        y = bounds.top() if top else bounds.center().y() - view.height() / self._zoom / 2
        self._origin = QPointF(x, y)

    def zoom_by(self, factor: float, at: QPointF | None = None) -> None:
        """Zoom, keeping the drawing's point at `at` (widget pixels, the middle where None) in its place."""
        at = at if at is not None else QPointF(self.width() / 2, self.height() / 2)
        point = self.to_drawing(at)
        self._zoom = min(max(self._zoom * factor, MIN_ZOOM), MAX_ZOOM)
        self._origin = point - at / self._zoom
        self._moved()

    def _moved(self) -> None:
        self._looked_elsewhere()
        self.view_moved.emit()

    def _looked_elsewhere(self) -> None:
        if self._painter is not None:
            self.minimap.show_view(self._view)
        self.update()

    def set_view(self, origin: QPointF, zoom: float) -> None:
        self._origin, self._zoom = QPointF(origin), zoom
        self._looked_elsewhere()

    def _centre_at(self, point: QPointF) -> None:
        self._origin = point - QPointF(self.width(), self.height()) / self._zoom / 2
        self._moved()

    def centre(self, names: frozenset[str], *, only_if_hidden: bool = False) -> None:
        """Bring the boxes of these instructions to the middle, enlarging words that are too small to read.

        `only_if_hidden` leaves a view alone in which they can be read already.
        """
        if self._painter is None:
            return
        boxes = [self._painter.box(i) for name in names for i in self._painter.graph.nodes_of.get(name, ())]
        if not boxes:
            return
        united = boxes[0]
        for box in boxes[1:]:
            united = united.united(box)
        if only_if_hidden and self._zoom >= READABLE_ZOOM and self._view.contains(united):
            return
        self._zoom = max(self._zoom, READABLE_ZOOM)
        middle = united.center()
        if united.width() * self._zoom > self.width() or united.height() * self._zoom > self.height():
            middle = boxes[0].center()
        self._origin = middle - QPointF(self.width(), self.height()) / self._zoom / 2
        self._moved()

    @property
    def _view(self) -> QRectF:
        """What is seen of the drawing."""
        return QRectF(self._origin, QSizeF(self.width(), self.height()) / self._zoom)

    def to_drawing(self, point: QPointF) -> QPointF:
        return self._origin + point / self._zoom

    def to_widget(self, point: QPointF) -> QPointF:
        return (point - self._origin) * self._zoom

    def _screen_place(self, name: str) -> QPointF | None:
        if self._painter is None or not name:
            return None
        indices = self._painter.graph.nodes_of.get(name)
        return self.to_widget(self._painter.box(indices[0]).topLeft()) if indices else None

    # Qt's events

    def sizeHint(self) -> QSize:
        return QSize(520, 520)

    def paintEvent(self, event: QPaintEvent) -> None:
        self._fit_pending = False
        with QPainter(self) as painter:
            self._paint(painter)

    def _paint(self, painter: QPainter) -> None:
        painter.fillRect(self.rect(), QColor(self._theme.canvas))
        if self._painter is None:
            painter.setPen(QColor(self._theme.muted))
            flags = Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextWordWrap
            painter.drawText(self.rect().adjusted(40, 0, -40, 0), flags, self._message)
            return
        self._paint_tiles(painter)
        transform = QTransform.fromScale(self._zoom, self._zoom)
        transform.translate(-self._origin.x(), -self._origin.y())
        painter.setTransform(transform)
        self._painter.paint_live(painter, self._view, self._zoom)

    def _paint_tiles(self, painter: QPainter) -> None:
        """Paint what there is time for; the rest comes with the next frames."""
        assert self._tiles is not None
        view = View(self._origin, self._zoom, QSizeF(self.size()))
        if self._painted is not None and self._painted.zoom != view.zoom:
            self._tiles.remember(self._picture(self._painted), self._painted)
        budget_s = _FRAME_BUDGET_S if self._painted is not None else _FIRST_BUDGET_S
        self._is_complete = self._tiles.draw(painter, view, budget_s)
        self._painted = view
        if not self._is_complete:
            QTimer.singleShot(0, self, self.update)

    def _picture(self, view: View) -> QPixmap:
        """What the tiles painted so far show of a view."""
        assert self._tiles is not None
        picture = QPixmap(view.size.toSize())
        picture.fill(QColor(self._theme.canvas))
        with QPainter(picture) as painter:
            self._tiles.draw(painter, view, 0.0)
        return picture

    def showEvent(self, event: QShowEvent) -> None:
        self._fit_if_pending()

    def resizeEvent(self, event: QResizeEvent) -> None:
        self._fit_if_pending()
        self._looked_elsewhere()

    def _fit_if_pending(self) -> None:
        """A graph that came while the canvas was hidden is fitted anew until it is painted at its true size."""
        if self._fit_pending:
            self.fit(readable=True)

    def wheelEvent(self, event: QWheelEvent) -> None:
        delta = event.angleDelta().y()
        if delta:
            self.zoom_by(_ZOOM_STEP ** (delta / 120), event.position())
        event.accept()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton:
            self._pressed, self._dragged = event.position(), False

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self._pressed is None:
            self._hover(event)
            return
        delta = event.position() - self._pressed
        if self._dragged or delta.manhattanLength() >= _DRAG_FROM_PX:
            self._dragged = True
            self._origin -= delta / self._zoom
            self._pressed = event.position()
            self._moved()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton and self._pressed is not None:
            if not self._dragged and self._painter is not None:
                self.instruction_clicked.emit(self._name_at(event.position()))
            self._pressed = None

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        name = self._cluster_at(event.position())
        if name:
            self.cluster_toggled.emit(name)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        self.context_menu_requested.emit(self._name_at(QPointF(event.pos())), event.globalPos())

    def keyPressEvent(self, event: QKeyEvent) -> None:
        match event.key():
            case Qt.Key.Key_Plus | Qt.Key.Key_Equal:
                self.zoom_by(_ZOOM_STEP)
            case Qt.Key.Key_Minus:
                self.zoom_by(1 / _ZOOM_STEP)
            case _:
                super().keyPressEvent(event)

    def _hover(self, event: QMouseEvent) -> None:
        name = self._name_at(event.position())
        self.hovered.emit(name)
        if self._painter is None or not name:
            QToolTip.hideText()
            return
        index = self._painter.graph.nodes_of[name][0]
        node = self._painter.graph.nodes[index]
        QToolTip.showText(event.globalPosition().toPoint(), "\n".join((name, node.title, *node.lines)), self)

    def _node_at(self, point: QPointF) -> int | None:
        return self._painter.node_at(self.to_drawing(point)) if self._painter is not None else None

    def _name_at(self, point: QPointF) -> str:
        index = self._node_at(point)
        return self._painter.graph.nodes[index].instruction if self._painter and index is not None else ""

    def _cluster_at(self, point: QPointF) -> str:
        """The nearest box or frame under the point that can be opened or closed."""
        index = self._node_at(point)
        while self._painter is not None and index is not None and index >= 0:
            node = self._painter.graph.nodes[index]
            if node.kind in ("open", "closed"):
                return node.instruction
            index = node.parent
        return ""
