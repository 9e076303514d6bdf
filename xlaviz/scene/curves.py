"""Routes of edges as what Qt draws."""

from __future__ import annotations

import math

import numpy as np
from PySide6.QtCore import QPointF
from PySide6.QtGui import QPainterPath, QPolygonF

from xlaviz.layout.model import Floats, Places

_ARROW_PX = 6.0


def curve(route: Floats) -> tuple[QPainterPath, QPolygonF]:
    """A route as a path and its arrow head."""
    points = [QPointF(x, y) for x, y in route.tolist()]
    path = QPainterPath(points[0])
    for place in range(1, len(points) - 2, 3):
        path.cubicTo(*points[place : place + 3])
    end, before = points[-1], points[-2]
    dx, dy = end.x() - before.x(), end.y() - before.y()
    length = math.hypot(dx, dy)
    along = QPointF(dx, dy) / length if length > 0 else QPointF(0.0, 1.0)
    base = end - along * _ARROW_PX
    across = QPointF(-along.y(), along.x()) * _ARROW_PX * 0.5
    return path, QPolygonF([end, base + across, base - across])


def edge_bounds(places: Places) -> Floats:
    """Left, top, right, bottom of each route; an edge without one lies nowhere."""
    bounds = np.full((len(places.routes), 4), np.nan, np.float32)
    lengths = np.array([len(route) for route in places.routes], np.intp)
    drawn = np.flatnonzero(lengths)
    if len(drawn):
        points = np.concatenate([places.routes[index] for index in drawn])
        starts = np.cumsum(lengths[drawn]) - lengths[drawn]
        bounds[drawn, :2] = np.minimum.reduceat(points, starts)
        bounds[drawn, 2:] = np.maximum.reduceat(points, starts)
    return bounds
