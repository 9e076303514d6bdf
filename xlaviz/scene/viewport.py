"""Which part of a drawing a widget shows, and how large."""

from __future__ import annotations

from collections import Counter

import numpy as np
from PySide6.QtCore import QPointF, QRectF, QSize, QSizeF, Signal
from PySide6.QtWidgets import QWidget

from xlaviz.graph.model import DrawnGraph
from xlaviz.scene.minimap import Minimap
from xlaviz.scene.painter import GraphPainter
from xlaviz.scene.palette import LIGHT

MIN_ZOOM = 0.01
MAX_ZOOM = 4.0
READABLE_ZOOM = 0.62
"""A first view is never smaller than this: the top of a large graph reads better than specks of the whole."""


class Viewport(QWidget):
    """Signal: `view_moved` when another part is in view."""

    view_moved = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._painter: GraphPainter | None = None
        self.minimap = Minimap(LIGHT, self)
        self.minimap.moved_to.connect(self._centre_at)
        self._zoom = 1.0
        self._origin = QPointF(0, 0)  # the drawing's point at the widget's upper left corner
        self._fit_pending = False

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
        """Bring the boxes of these instructions to the middle, enlarging words that are too small to read; where they
        lie too far apart, the one that holds most of them.

        `only_if_hidden` leaves a view alone in which they can be read already.
        """
        if self._painter is None:
            return
        graph = self._painter.graph
        counts = Counter(index for name in sorted(names) for index in graph.boxes_of(name))
        if not counts:
            return
        united = QRectF()
        for index in counts:
            united = united.united(self._painter.box(index))
        if only_if_hidden and self._zoom >= READABLE_ZOOM and self._view.contains(united):
            return
        self._zoom = max(self._zoom, READABLE_ZOOM)
        middle = united.center()
        if united.width() * self._zoom > self.width() or united.height() * self._zoom > self.height():
            middle = self._painter.box(counts.most_common(1)[0][0]).center()
        self._origin = middle - QPointF(self.width(), self.height()) / self._zoom / 2
        self._moved()

    def bring_into_view(self, index: int) -> None:
        """Centre a box, if it is not to be seen already."""
        if self._painter is not None and not self._view.contains(self._painter.box(index)):
            self._centre_at(self._painter.box(index).center())

    def align(self, point: QPointF, other: QPointF) -> None:
        """Have a point of the drawing where `other` is in the widget, without a word that the view has moved."""
        self._origin = point - other / self._zoom
        self._looked_elsewhere()

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
        indices = self._painter.graph.boxes_of(name)
        return self.to_widget(self._painter.box(indices[0]).topLeft()) if indices else None

    def _fit_if_pending(self) -> None:
        """A graph that came while the canvas was hidden is fitted anew until it is painted at its true size."""
        if self._fit_pending:
            self.fit(readable=True)

    def middle_boxes(self) -> list[int]:
        """The boxes in view, the one nearest to the middle first."""
        if self._painter is None:
            return []
        geometry, view = self._painter.geometry, self._view
        inside = geometry.nodes_in(view)
        middles = geometry.boxes[inside, :2] + geometry.boxes[inside, 2:] / 2
        away = np.abs(middles - np.array((view.center().x(), view.center().y()))).sum(axis=1)
        return [int(index) for index in inside[np.argsort(away, kind="stable")]]
