"""Where boxes and edges lie, as arrays that are searched whole: 50,000 comparisons take a fraction of a millisecond."""

from __future__ import annotations

from functools import cached_property

import numpy as np
from PySide6.QtCore import QPointF, QRectF

from xlaviz.layout.model import Floats, Places
from xlaviz.scene.curves import edge_bounds

_MARGIN_PX = 24.0


class Geometry:
    """The places of a graph, ready to be asked what lies where. All in the drawing's coordinates."""

    def __init__(self, places: Places) -> None:
        self.boxes = places.boxes
        self.routes = places.routes
        self.edge_bounds = edge_bounds(places)
        self._size = places.size_px

    @property
    def bounds(self) -> QRectF:
        """The whole drawing with a margin."""
        width, height = self._size
        return QRectF(-_MARGIN_PX, -_MARGIN_PX, width + 2 * _MARGIN_PX, height + 2 * _MARGIN_PX)

    def box(self, index: int) -> QRectF:
        return QRectF(*map(float, self.boxes[index]))

    def nodes_in(self, view: QRectF) -> np.ndarray[tuple[int], np.dtype[np.intp]]:
        """Boxes that reach into `view`, in drawing order: frames before what they hold."""
        left, top, right, bottom = view.left(), view.top(), view.right(), view.bottom()
        boxes = self.boxes
        keep = (boxes[:, 0] <= right) & (boxes[:, 0] + boxes[:, 2] >= left)
        keep &= (boxes[:, 1] <= bottom) & (boxes[:, 1] + boxes[:, 3] >= top)
        return np.flatnonzero(keep)

    def edges_in(self, view: QRectF) -> np.ndarray[tuple[int], np.dtype[np.intp]]:
        """Edges whose bounds reach into `view`; one without a route lies nowhere."""
        return np.flatnonzero(_overlap(self.edge_bounds, view))

    def lines_in(self, view: QRectF) -> Floats:
        """The edges' straight pieces (n, 4) that may cross `view`."""
        return self._lines[_overlap(self._line_bounds, view)]

    @cached_property
    def _lines(self) -> Floats:
        """Routes as straight lines between the ends of their curves, all of them in one array."""
        anchors = [route[::3] for route in self.routes if len(route)]
        if not anchors:
            return np.zeros((0, 4), np.float32)
        points = np.concatenate(anchors)
        ends = np.cumsum([len(anchor) for anchor in anchors])
        starts = np.ones(len(points), np.bool_)
        starts[ends - 1] = False  # no line from one route's end to the next one's start
        first = np.flatnonzero(starts)
        return np.concatenate((points[first], points[first + 1]), axis=1)

    @cached_property
    def _line_bounds(self) -> Floats:
        lines = self._lines
        low = np.minimum(lines[:, :2], lines[:, 2:])
        return np.concatenate((low, np.maximum(lines[:, :2], lines[:, 2:])), axis=1)

    def node_at(self, point: QPointF) -> int | None:
        """The innermost box under a point."""
        hits = self.nodes_in(QRectF(point, point))
        return int(hits[-1]) if len(hits) else None

    def middle_of_top(self, height: float) -> float | None:
        """Where most of the boxes in the topmost `height` pixels are, across."""
        top = self.boxes[self.boxes[:, 1] < height]
        return float(np.sort(top[:, 0] + top[:, 2] / 2)[len(top) // 2]) if len(top) else None


def _overlap(bounds: Floats, view: QRectF) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    """Which of the bounds (left, top, right, bottom) reach into a view."""
    keep = (bounds[:, 0] <= view.right()) & (bounds[:, 2] >= view.left())
    keep &= (bounds[:, 1] <= view.bottom()) & (bounds[:, 3] >= view.top())
    return keep
