"""What a painter paints, as an image, and the colours in it."""

from __future__ import annotations

from PySide6.QtGui import QColor, QImage, QPainter

from xlaviz.scene.painter import GraphPainter


def painted(painter: GraphPainter, zoom: float = 1.0) -> QImage:
    bounds = painter.bounds
    image = QImage(int(bounds.width()), int(bounds.height()), QImage.Format.Format_RGB32)
    image.fill(QColor(painter.theme.canvas))
    with QPainter(image) as target:
        target.translate(-bounds.topLeft())
        painter.paint(target, bounds, zoom)
    return image


def colour_at(image: QImage, painter: GraphPainter, x: float, y: float) -> str:
    corner = painter.bounds.topLeft()
    return image.pixelColor(int(x - corner.x()), int(y - corner.y())).name()
