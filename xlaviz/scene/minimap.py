"""The whole drawing in a corner of the canvas, with a frame round what is seen of it."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, QSize, Signal
from PySide6.QtGui import QColor, QMouseEvent, QPainter, QPaintEvent, QPen, QPixmap
from PySide6.QtWidgets import QWidget

from xlaviz.scene.painter import GraphPainter
from xlaviz.scene.palette import Theme

MAX_SIZE = QSize(150, 120)
MIN_SIDE_PX = 36
MARGIN_PX = 10
_PADDING_PX = 4.0


class Minimap(QWidget):
    """Signal: `moved_to` with the point of the drawing that is to be in the middle."""

    moved_to = Signal(QPointF)

    def __init__(self, theme: Theme, canvas: QWidget) -> None:
        super().__init__(canvas)
        self._canvas = canvas
        self._theme = theme
        self._painter: GraphPainter | None = None
        self._picture: QPixmap | None = None
        self._view = QRectF()
        self.hide()

    def show_drawing(self, painter: GraphPainter, theme: Theme) -> None:
        """Take another drawing, or the same one in another look; it is painted when it is needed."""
        self._painter, self._theme, self._picture = painter, theme, None
        bounds = painter.bounds
        scale = min(MAX_SIZE.width() / bounds.width(), MAX_SIZE.height() / bounds.height())
        self.resize(max(int(bounds.width() * scale), MIN_SIDE_PX), max(int(bounds.height() * scale), MIN_SIDE_PX))
        self.update()

    def show_view(self, view: QRectF) -> None:
        """Frame `view`; where all of the drawing is in it there is nothing to show."""
        self._view = view
        is_needed = self._painter is not None and not view.contains(self._painter.bounds.adjusted(24, 24, -24, -24))
        self.setVisible(is_needed)
        room = self._canvas.size() - self.size()
        self.move(room.width() - MARGIN_PX, room.height() - MARGIN_PX)
        self.update()

    @property
    def _scale(self) -> float:
        assert self._painter is not None
        bounds = self._painter.bounds
        room = (self.width() - 2 * _PADDING_PX, self.height() - 2 * _PADDING_PX)
        return min(room[0] / bounds.width(), room[1] / bounds.height())

    def _corner(self) -> QPointF:
        """Where the drawing's own corner lies, centred in the map."""
        assert self._painter is not None
        size = self._painter.bounds.size() * self._scale
        return QPointF((self.width() - size.width()) / 2, (self.height() - size.height()) / 2)

    def to_map(self, point: QPointF) -> QPointF:
        assert self._painter is not None
        return (point - self._painter.bounds.topLeft()) * self._scale + self._corner()

    def to_drawing(self, point: QPointF) -> QPointF:
        assert self._painter is not None
        return (point - self._corner()) / self._scale + self._painter.bounds.topLeft()

    def paintEvent(self, event: QPaintEvent) -> None:
        if self._painter is None:
            return
        if self._picture is None:
            self._picture = self._paint_picture()
        with QPainter(self) as painter:
            painter.drawPixmap(0, 0, self._picture)
            painter.setPen(QPen(QColor(self._theme.accent), 1.5))
            seen = QRectF(self.to_map(self._view.topLeft()), self.to_map(self._view.bottomRight()))
            painter.drawRect(seen.intersected(QRectF(self.rect()).adjusted(1, 1, -1, -1)))

    def _paint_picture(self) -> QPixmap:
        assert self._painter is not None
        ratio = self.devicePixelRatioF()
        picture = QPixmap(self.size() * ratio)
        picture.setDevicePixelRatio(ratio)
        ground = QColor(self._theme.panel)
        picture.fill(ground)
        with QPainter(picture) as painter:
            painter.save()
            painter.translate(self._corner())
            painter.scale(self._scale, self._scale)
            painter.translate(-self._painter.bounds.topLeft())
            self._painter.paint_ground(painter, self._painter.bounds, min(self._scale, 0.2))
            painter.restore()
            painter.setPen(QColor(self._theme.line))
            painter.drawRect(self.rect().adjusted(0, 0, -1, -1))
        return picture

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if self._painter is not None:
            self.moved_to.emit(self.to_drawing(event.position()))

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self._painter is not None:
            self.moved_to.emit(self.to_drawing(event.position()))

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        event.accept()  # or the canvas under it would take it for a click of its own
