"""Many rectangles or lines with one call of Qt, straight from numpy.

pyqtgraph's PrimitiveArray hands Qt the array's memory; it is not part of pyqtgraph's public interface, hence this one
place that knows it.
"""

from __future__ import annotations

from pyqtgraph.Qt.internals import PrimitiveArray
from PySide6.QtCore import QLineF, QRectF
from PySide6.QtGui import QPainter

from xlaviz.layout.model import Floats

_rects = PrimitiveArray(QRectF, 4)
_lines = PrimitiveArray(QLineF, 4)


def draw_rects(painter: QPainter, rects: Floats) -> None:
    """Draw rectangles (n, 4) of left, top, width, height with the painter's pen and brush."""
    if len(rects):
        _fill(_rects, rects)
        painter.drawRects(*_rects.drawargs())


def draw_lines(painter: QPainter, lines: Floats) -> None:
    """Draw lines (n, 4) from x, y to x, y with the painter's pen."""
    if len(lines):
        _fill(_lines, lines)
        painter.drawLines(*_lines.drawargs())


def _fill(array: PrimitiveArray, values: Floats) -> None:
    array.resize(len(values))
    array.ndarray()[:] = values
