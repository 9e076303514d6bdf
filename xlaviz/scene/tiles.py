"""Tiles of the drawing as pixmaps, painted a few at a time so that no frame waits for all of them."""

from __future__ import annotations

import math
from collections import OrderedDict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from time import perf_counter

from PySide6.QtCore import QPointF, QRectF, QSizeF
from PySide6.QtGui import QColor, QPainter, QPixmap

TILE_PX = 256
KEPT = 240
"""Tiles kept, some 60 MB: five screens of them."""

Paint = Callable[[QPainter, QRectF, float], None]
_Key = tuple[float, int, int]


@dataclass(frozen=True, slots=True)
class View:
    """The drawing's point at the upper left corner, the zoom, and the size in pixels."""

    origin: QPointF
    zoom: float
    size: QSizeF

    @property
    def rect(self) -> QRectF:
        """What is seen of the drawing."""
        return QRectF(self.origin, self.size / self.zoom)


class TileCache:
    """Keeps what `paint` (painter, rectangle of the drawing, zoom) paints, by zoom and place."""

    def __init__(self, paint: Paint, ground: QColor, pixel_ratio: float = 1.0) -> None:
        self._paint = paint
        self._ground = ground
        self._pixel_ratio = pixel_ratio
        self._tiles: OrderedDict[_Key, QPixmap] = OrderedDict()
        self._last: tuple[QPixmap, View] | None = None

    def forget(self) -> None:
        """The drawing looks different now. What was last on the screen stays until it has been painted anew."""
        self._tiles.clear()

    def draw(self, painter: QPainter, view: View, budget_s: float) -> bool:
        """Draw the view, painting missing tiles for at most about `budget_s`; True where nothing is missing any more.

        Under what is still missing lies what was on the screen before, moved and scaled to its place.
        """
        deadline = perf_counter() + budget_s
        missing = [key for key in self._keys(view) if key not in self._tiles]
        while missing and (perf_counter() < deadline):
            self._make(missing.pop(0))
        if missing and self._last is not None:
            picture, shown = self._last
            corner = (shown.origin - view.origin) * view.zoom
            size = shown.size * (view.zoom / shown.zoom)
            painter.drawPixmap(QRectF(corner, size), picture, QRectF(picture.rect()))
        for key in self._keys(view):
            tile = self._tiles.get(key)
            if tile is not None:
                self._tiles.move_to_end(key)
                painter.drawPixmap(self._corner(key, view), tile)
        return not missing

    def remember(self, picture: QPixmap, view: View) -> None:
        """What to show, scaled, while the tiles of another view are missing."""
        self._last = (picture, view)

    def _keys(self, view: View) -> Iterator[_Key]:
        """Tiles of the view, those in its middle first: there the eyes are."""
        left, top = view.origin.x() * view.zoom / TILE_PX, view.origin.y() * view.zoom / TILE_PX
        right, bottom = left + view.size.width() / TILE_PX, top + view.size.height() / TILE_PX
        columns = range(math.floor(left), math.ceil(right))
        rows = range(math.floor(top), math.ceil(bottom))
        x, y = (left + right - 1) / 2, (top + bottom - 1) / 2
        places = sorted(((c, r) for c in columns for r in rows), key=lambda p: abs(p[0] - x) + abs(p[1] - y))
        return ((view.zoom, column, row) for column, row in places)

    def _corner(self, key: _Key, view: View) -> QPointF:
        """Where a tile goes, on whole pixels, so that it is not blurred."""
        _, column, row = key
        x = column * TILE_PX - view.origin.x() * view.zoom
        y = row * TILE_PX - view.origin.y() * view.zoom
        return QPointF(round(x), round(y))

    def _make(self, key: _Key) -> None:
        zoom, column, row = key
        side = round(TILE_PX * self._pixel_ratio)
        tile = QPixmap(side, side)
        tile.setDevicePixelRatio(self._pixel_ratio)
        tile.fill(self._ground)
        with QPainter(tile) as painter:
            painter.scale(zoom, zoom)
            corner = QPointF(column, row) * (TILE_PX / zoom)
            painter.translate(-corner)
            self._paint(painter, QRectF(corner, QSizeF(TILE_PX, TILE_PX) / zoom), zoom)
        self._tiles[key] = tile
        while len(self._tiles) > KEPT:
            self._tiles.popitem(last=False)
