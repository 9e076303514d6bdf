"""Placed graphs -> SVG, PNG and PDF, painted by the painter of the canvas."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import QMarginsF, QPointF, QRectF, QSize, QSizeF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QImage, QImageWriter, QPageSize, QPainter, QPdfWriter, QPen
from PySide6.QtSvg import QSvgGenerator

from xlaviz.base.errors import WorkFailedError
from xlaviz.scene.heat import heat_gradient
from xlaviz.scene.painter import GraphPainter
from xlaviz.scene.palette import Theme

MAX_PIXELS = 60_000_000
"""A larger picture is made smaller: Qt returns nothing for an image it has no memory for."""

_MAX_SIDE_PX = 32_000
_MAX_PAGE_PT = 14_000
_HEADING_PX = 30.0
_HEADING_LEFT_PX = 16.0
_SCALE_PX = 20.0
_BAR_PX = QSizeF(132, 11)
_GAP_PX = 40.0
_PNG_SCALE = 2.0
_TEXT_ZOOM = 1.0


@dataclass(frozen=True, slots=True)
class Panel:
    """One graph of a picture and the words above it. `hottest` is the time at the hot end of the scale that goes below
    them where the colours tell times; empty where they do not."""

    heading: str
    painter: GraphPainter
    hottest: str = ""


def write_picture(panels: Sequence[Panel], path: Path, kind: str) -> None:
    """Write `svg`, `png` or `pdf`: the panels side by side. Raises WorkFailedError where it cannot be written."""
    writers: dict[str, Callable[[Sequence[Panel], QSizeF, Path], bool]] = {
        "svg": _write_svg,
        "png": _write_png,
        "pdf": _write_pdf,
    }
    partial = path.with_name(f".{path.name}.part")
    try:
        partial.touch()  # Qt does not tell why it cannot write
        written = writers[kind](panels, picture_size(panels), partial)
        if written and partial.stat().st_size > 0:
            partial.replace(path)
            return
    except OSError as error:
        raise WorkFailedError(f"{path} cannot be written: {error.strerror}.") from error
    finally:
        with suppress(OSError):
            partial.unlink(missing_ok=True)
    raise WorkFailedError(f"{path} could not be written.", hint="Is there room on the disk?")


def picture_size(panels: Sequence[Panel]) -> QSizeF:
    """Size of the whole picture in pixels at zoom 1."""
    width = sum(map(_width_px, panels)) + _GAP_PX * (len(panels) - 1)
    return QSizeF(width, max(panel.painter.bounds.height() for panel in panels) + _head_px(panels))


def _width_px(panel: Panel) -> float:
    """The graph's width, or that of the words above it."""
    words = QFontMetricsF(_heading_font()).horizontalAdvance(panel.heading)
    return max(panel.painter.bounds.width(), words + 2 * _HEADING_LEFT_PX)


def _heading_font() -> QFont:
    font = QFont()
    font.setPixelSize(14)
    font.setBold(True)
    return font


def _head_px(panels: Sequence[Panel]) -> float:
    """The height of what stands above the graphs, the same for all of them."""
    return _HEADING_PX + (_SCALE_PX if any(panel.hottest for panel in panels) else 0.0)


def paint_panels(painter: QPainter, panels: Sequence[Panel], size: QSizeF) -> None:
    """Paint all panels into the painter's present coordinates."""
    theme, head_px = panels[0].painter.theme, _head_px(panels)
    painter.fillRect(QRectF(0, 0, size.width(), size.height()), QColor(theme.canvas))
    left = 0.0
    for panel in panels:
        bounds = panel.painter.bounds
        painter.setFont(_heading_font())
        painter.setPen(QColor(theme.text))
        place = QRectF(left + _HEADING_LEFT_PX, 0, _width_px(panel) - _HEADING_LEFT_PX, _HEADING_PX)
        painter.drawText(place, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, panel.heading)
        if panel.hottest:
            _paint_scale(painter, QPointF(left + _HEADING_LEFT_PX, _HEADING_PX), panel.hottest, theme)
        painter.save()
        painter.translate(left - bounds.left(), head_px - bounds.top())
        panel.painter.paint(painter, bounds, _TEXT_ZOOM)
        painter.restore()
        left += _width_px(panel) + _GAP_PX


def _paint_scale(painter: QPainter, at: QPointF, hottest: str, theme: Theme) -> None:
    """From 0 to the time of the hottest box."""
    font = QFont()
    font.setPixelSize(11)
    painter.setFont(font)
    middle = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft
    bar = QRectF(at.x() + 14, at.y(), _BAR_PX.width(), _BAR_PX.height())
    painter.setPen(QColor(theme.muted))
    painter.drawText(QRectF(at.x(), bar.top(), 14, bar.height()), middle, "0")
    painter.setPen(QPen(QColor(theme.edge), 1.0))
    painter.setBrush(heat_gradient(bar.topLeft(), bar.topRight(), theme))
    painter.drawRoundedRect(bar, 2.5, 2.5)
    painter.setPen(QColor(theme.text))
    painter.drawText(QRectF(bar.right() + 6, bar.top(), 200, bar.height()), middle, hottest)


def _write_svg(panels: Sequence[Panel], size: QSizeF, path: Path) -> bool:
    generator = QSvgGenerator()
    generator.setFileName(str(path))
    generator.setSize(size.toSize())
    generator.setViewBox(QRectF(0, 0, size.width(), size.height()))
    generator.setTitle(" | ".join(panel.heading for panel in panels))
    generator.setDescription("made by xlaviz")
    return _paint_on(generator, panels, size, 1.0)


def _write_png(panels: Sequence[Panel], size: QSizeF, path: Path) -> bool:
    area = size.width() * size.height()
    scale = min(_PNG_SCALE, (MAX_PIXELS / area) ** 0.5, _MAX_SIDE_PX / max(size.width(), size.height()))
    image = QImage(
        QSize(max(int(size.width() * scale), 1), max(int(size.height() * scale), 1)), QImage.Format.Format_RGB32
    )
    return not image.isNull() and _paint_on(image, panels, size, scale) and QImageWriter(str(path), b"png").write(image)


def _write_pdf(panels: Sequence[Panel], size: QSizeF, path: Path) -> bool:
    writer = QPdfWriter(str(path))
    writer.setCreator("xlaviz")
    writer.setTitle(panels[0].heading)
    scale = min(0.75, _MAX_PAGE_PT / max(size.width(), size.height()))  # a pixel is 3/4 of a point
    writer.setPageSize(QPageSize(size * scale, QPageSize.Unit.Point))
    writer.setPageMargins(QMarginsF(0, 0, 0, 0))
    writer.setResolution(288)
    return _paint_on(writer, panels, size, scale * 288 / 72)


def _paint_on(device: QSvgGenerator | QImage | QPdfWriter, panels: Sequence[Panel], size: QSizeF, scale: float) -> bool:
    painter = QPainter()
    if not painter.begin(device):
        return False
    painter.scale(scale, scale)
    paint_panels(painter, panels, size)
    return painter.end()
