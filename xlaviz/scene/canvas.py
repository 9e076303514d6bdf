"""The graph pane: one widget that pans, zooms, selects and opens clusters. It paints, and holds no boxes as objects."""

from __future__ import annotations

from PySide6.QtCore import QEasingCurve, QPoint, QPointF, QSize, QSizeF, Qt, QTimer, QVariantAnimation, Signal
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
from PySide6.QtWidgets import QSizePolicy, QWidget

from xlaviz.graph.model import DrawnGraph
from xlaviz.graph.overlay import Overlay
from xlaviz.layout.model import Places
from xlaviz.scene.motion import DURATION_MS, MAX_BOXES, Motion
from xlaviz.scene.painter import GraphPainter
from xlaviz.scene.palette import LIGHT, Theme
from xlaviz.scene.tiles import TileCache, View
from xlaviz.scene.viewport import Viewport

_ZOOM_STEP = 1.25
_FRAME_BUDGET_S = 0.008
_FIRST_BUDGET_S = 0.06
_DRAG_FROM_PX = 4


class GraphCanvas(Viewport):
    """Signals: `instruction_clicked` with a name, or "" for the empty ground, `instruction_added` where Ctrl was held;
    `cluster_toggled` with the name of a box that can be opened; `hovered` with a name or "", and where on the screen;
    `view_moved` when another part is in view, `view_dragged` when the user moved it there with the mouse."""

    instruction_clicked = Signal(str)
    cluster_toggled = Signal(str)
    instruction_added = Signal(str)
    hovered = Signal(str, QPoint)
    view_dragged = Signal()
    motion_ended = Signal()
    context_menu_requested = Signal(str, QPoint)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._tiles: TileCache | None = None
        self._painted: View | None = None
        self._is_complete = True
        self._theme = LIGHT
        self._pressed: QPointF | None = None
        self._dragged = False
        self._message = ""
        self.is_animated = False
        self._motion: Motion | None = None
        self._animation = QVariantAnimation(self)
        self._animation.setDuration(DURATION_MS)
        self._animation.setStartValue(0.0)
        self._animation.setEndValue(1.0)
        self._animation.setEasingCurve(QEasingCurve.Type.InOutCubic)
        self._animation.valueChanged.connect(lambda _: self.update())
        self._animation.finished.connect(self._on_motion_ended)
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setMinimumSize(120, 120)

    # What is shown

    @property
    def message(self) -> str:
        return self._message

    def show_graph(self, graph: DrawnGraph, places: Places, overlay: Overlay, *, keep: str = "") -> None:
        """Show a graph. The view stays as it is, with the box of the instruction `keep`, or of what is in the middle,
        where it was on screen; a graph that has nothing in common with what was in view is fitted."""
        keep = self._anchor(keep, graph)
        before = self._screen_place(keep)
        old, old_view = self._painter, View(self._origin, self._zoom, QSizeF(self.size()))
        selected = self._painter.selected if self._painter is not None else frozenset()
        found = self._painter.found if self._painter is not None else frozenset()
        self._painter = GraphPainter(graph, places, self._theme, overlay)
        self._painter.selected, self._painter.found = selected, found
        self._tiles = TileCache(self._painter.paint_ground, QColor(self._theme.canvas), self.devicePixelRatioF())
        self._painted = None
        self.minimap.show_drawing(self._painter, self._theme)
        self._message = ""
        after = self._screen_place(keep)
        if before is None or after is None:
            self.fit(readable=True)
        else:
            self._origin += (after - before) / self._zoom
            if not self._view.intersects(self._painter.box(graph.boxes_of(keep)[0])):
                self.centre(frozenset({keep}))
        self._move_from(old, old_view)
        self._looked_elsewhere()

    def _move_from(self, old: GraphPainter | None, view: View) -> None:
        """Have the boxes move from where they were on the screen. All that is asked of the canvas knows them in their
        new places at once; this is for the eyes alone."""
        self._animation.stop()
        self._motion = None
        painter = self._painter
        if old is None or painter is None or not self.is_animated or not self.isVisible() or view.zoom != self._zoom:
            return
        if max(len(old.graph.nodes), len(painter.graph.nodes)) > MAX_BOXES:
            return
        motion = Motion(old.graph, old.places, painter.graph, painter.places, self._origin - view.origin)
        if motion.is_worth_it:
            self._motion = motion
            self._animation.start()

    def _on_motion_ended(self) -> None:
        self._motion = None
        self.update()
        self.motion_ended.emit()

    @property
    def is_moving(self) -> bool:
        return self._motion is not None

    def _anchor(self, keep: str, graph: DrawnGraph) -> str:
        """What stays in its place when another graph comes: an instruction that both have, "" where there is none."""
        if self._painter is None:
            return ""
        old = self._painter.graph
        if old.boxes_of(keep) and graph.boxes_of(keep):
            return keep
        near = (old.nodes[index].instruction for index in self.middle_boxes())
        return next((name for name in near if name in graph.nodes_of), "")

    def show_message(self, text: str) -> None:
        """Show a sentence in place of a graph."""
        self._animation.stop()
        self._painter = self._motion = None
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

    def set_found(self, names: frozenset[str]) -> None:
        """Light what a search found."""
        if self._painter is not None and self._painter.found != names:
            self._painter.found = names
            self.update()

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
        transform = QTransform.fromScale(self._zoom, self._zoom)
        transform.translate(-self._origin.x(), -self._origin.y())
        if self._motion is not None:
            painter.setTransform(transform)
            places = self._motion.places(float(self._animation.currentValue()))
            moving = GraphPainter(self._painter.graph, places, self._theme, self._painter.overlay)
            moving.selected, moving.found = self._painter.selected, self._painter.found
            moving.paint(painter, self._view, self._zoom)
            return
        self._paint_tiles(painter)
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

    def wheelEvent(self, event: QWheelEvent) -> None:
        delta = event.angleDelta().y()
        if delta:
            self.zoom_by(_ZOOM_STEP ** (delta / 120), event.position())
            self.view_dragged.emit()
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
            self.view_dragged.emit()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton and self._pressed is not None:
            if not self._dragged and self._painter is not None:
                is_added = bool(event.modifiers() & Qt.KeyboardModifier.ControlModifier)
                signal = self.instruction_added if is_added else self.instruction_clicked
                signal.emit(self._name_at(event.position()))
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
        self.hovered.emit(self._name_at(event.position()), event.globalPosition().toPoint())

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
