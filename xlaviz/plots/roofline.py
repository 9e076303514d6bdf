"""The roofline: what each kernel reaches, under what the device can do at most."""

from __future__ import annotations

import math

import pyqtgraph as pg
from PySide6.QtCore import QPointF, QRectF, Signal
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QToolTip, QVBoxLayout, QWidget

from xlaviz.graph.metrics import elide_middle
from xlaviz.plots.parts import DecadeAxis, ElidedLabel, calm, chart_font, colour_axes, opcode_colour
from xlaviz.plots.units import bytes_rate_text, flops_rate_text, intensity_text, share_text
from xlaviz.profile.kernels import Kernel, KernelTable
from xlaviz.profile.peaks import NO_PEAKS, Peaks
from xlaviz.scene.palette import LIGHT, Theme
from xlaviz.session.words import at_most, time_text

MAX_LABELS = 6
_SMALLEST_PX, _LARGEST_PX = 7.0, 34.0
_MARGIN_DECADES = 0.35
_NEAR_PX = 4


class RooflinePanel(QWidget):
    """FLOP/s over FLOPs per byte, both by powers of ten; a dot's area is the kernel's share of the run.

    Signals: `kernel_selected` with the name of the dot that is clicked, `peaks_wanted` and `measure_wanted` where the
    user wants to type in what the device can do, or to have it measured.
    """

    kernel_selected = Signal(str)
    peaks_wanted = Signal()
    measure_wanted = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = LIGHT
        self._peaks: Peaks = NO_PEAKS
        self._selected = ""
        self.shown_kernels: tuple[Kernel, ...] = ()
        self.summary = ElidedLabel()
        self.plot = pg.PlotWidget(
            axisItems={
                "left": DecadeAxis("left", lambda value: flops_rate_text(value).replace(".0", "")),
                "bottom": DecadeAxis("bottom", lambda value: f"{value:g}"),
            }
        )
        self.dots = pg.ScatterPlotItem()
        self.roof = pg.PlotCurveItem()
        self.labels: list[pg.TextItem] = []
        self._roof_labels = [pg.TextItem(anchor=(0, 1)), pg.TextItem(anchor=(1, 1))]
        self._set_up_plot(self.plot.getPlotItem())
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addLayout(self._make_head())
        layout.addWidget(self.plot, 1)

    def _make_head(self) -> QHBoxLayout:
        self.type_in = QPushButton("Type in…")
        self.type_in.setToolTip("Type in what the device can do at most")
        self.measure = QPushButton("Measure this machine")
        self.measure.setToolTip("Run a matrix product and a copy, and take what they reach")
        self.type_in.clicked.connect(self.peaks_wanted)
        self.measure.clicked.connect(self.measure_wanted)
        head = QHBoxLayout()
        head.setContentsMargins(10, 3, 10, 3)
        head.addWidget(self.summary, 1)
        for button in (self.type_in, self.measure):
            button.setStyleSheet("padding: 2px 8px")
            head.addWidget(button)
        return head

    def _set_up_plot(self, item: pg.PlotItem) -> None:
        calm(item)
        item.getAxis("bottom").setLabel("FLOPs per byte")
        item.getAxis("left").setWidth(78)
        item.showGrid(x=True, y=True, alpha=0.12)
        item.addItem(self.roof, ignoreBounds=True)
        item.addItem(self.dots)
        for label in self._roof_labels:
            label.setFont(chart_font())
            item.addItem(label, ignoreBounds=True)
        item.getViewBox().sigRangeChanged.connect(self._place_texts)
        item.getViewBox().sigResized.connect(self._place_texts)
        self.plot.scene().sigMouseClicked.connect(self._on_clicked)
        self.plot.scene().sigMouseMoved.connect(self._on_moved)

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        self.plot.setBackground(theme.window)
        colour_axes(self.plot.getPlotItem(), theme)
        self._draw()

    def show_table(self, table: KernelTable | None) -> None:
        """The kernels whose FLOPs and bytes are known and not zero; the others are told of in words."""
        kernels = table.kernels if table is not None else ()
        self._peaks = table.peaks if table is not None else NO_PEAKS
        shown = [kernel for kernel in kernels if kernel.intensity and kernel.flops_per_s]
        self.shown_kernels = tuple(sorted(shown, key=lambda kernel: kernel.share, reverse=True))
        self.summary.setText(_words(kernels, self.shown_kernels, self._peaks))
        self.summary.setToolTip(self.summary.text())
        self._draw()
        self.fit()

    def select(self, name: str) -> None:
        """Mark a kernel's dot without telling anyone."""
        self._selected = name
        self._draw()

    def fit(self) -> None:
        """Show all dots, and the ridge of the roof."""
        x, y = self._extent()
        self.plot.setXRange(*x, padding=0)
        self.plot.setYRange(*y, padding=0)

    def kernel_point(self, name: str) -> QPointF:
        """The middle of a kernel's dot in the scene of the plot."""
        kernel = next(kernel for kernel in self.shown_kernels if kernel.name == name)
        return self._scene_point(*_place(kernel))

    def _scene_point(self, x: float, y: float) -> QPointF:
        point: QPointF = self.plot.getPlotItem().getViewBox().mapViewToScene(QPointF(x, y))
        return point

    # Drawing

    def _extent(self) -> tuple[tuple[float, float], tuple[float, float]]:
        """Decimal logarithms of what is in view: lowest and highest of x and of y."""
        places = [_place(kernel) for kernel in self.shown_kernels]
        peaks = self._peaks
        if peaks.ridge and peaks.flops_per_s:
            places.append((math.log10(peaks.ridge), math.log10(peaks.flops_per_s)))
        elif peaks.flops_per_s:
            places.append((0.0, math.log10(peaks.flops_per_s)))
        if not places:
            places = [(-1.0, 6.0), (2.0, 10.0)]
        (left, right), (low, high) = ((min(ends), max(ends)) for ends in zip(*places, strict=True))
        return (left - _MARGIN_DECADES, right + 2 * _MARGIN_DECADES), (low - _MARGIN_DECADES, high + _MARGIN_DECADES)

    def _draw(self) -> None:
        spots = [self._spot(kernel) for kernel in reversed(self.shown_kernels)]  # the small ones on top of the large
        self.dots.setData(spots)
        self.roof.setPen(pg.mkPen(self._theme.muted, width=1.5))
        item = self.plot.getPlotItem()
        for label in self.labels:
            item.removeItem(label)
        self.labels = []
        for kernel in self.shown_kernels[:MAX_LABELS]:
            label = pg.TextItem(elide_middle(kernel.name, 26), self._theme.text)
            label.setFont(chart_font())
            item.addItem(label, ignoreBounds=True)
            self.labels.append(label)
        self._place_texts()

    def _spot(self, kernel: Kernel) -> dict[str, object]:
        is_selected = kernel.name == self._selected
        fill = QColor(self._theme.accent) if is_selected else opcode_colour(kernel.opcode, self._theme, 0.6)
        pen = pg.mkPen(self._theme.text if is_selected else self._theme.window, width=1.5 if is_selected else 1)
        return {"pos": _place(kernel), "size": _size_px(kernel), "brush": fill, "pen": pen}

    def _place_texts(self) -> None:
        """Put the names beside their dots, as far as they overlap neither each other nor the roof's words."""
        self._place_roof()
        view = self.plot.getPlotItem().getViewBox()
        taken = [self._words_rect(label) for label in self._roof_labels if label.isVisible()]
        for kernel, label in zip(self.shown_kernels, self.labels, strict=False):
            label.hide()
            middle, away_px = self._scene_point(*_place(kernel)), _size_px(kernel) / 2
            for side, direction in _SIDES:
                place = _rect_beside(middle + QPointF(*direction) * away_px, side, label)
                if view.sceneBoundingRect().contains(place) and not any(place.intersects(other) for other in taken):
                    label.setPos(view.mapSceneToView(place.topLeft()))
                    label.show()
                    taken.append(place)
                    break

    def _words_rect(self, label: pg.TextItem) -> QRectF:
        anchor = (label.anchor.x(), label.anchor.y())
        return _rect_beside(self._scene_point(label.pos().x(), label.pos().y()), anchor, label)

    def _place_roof(self) -> None:
        """The slope of the bandwidth up to the ridge and the ceiling from there, over all that is in view."""
        peaks = self._peaks
        (left, right), (low, high) = self.plot.getPlotItem().getViewBox().viewRange()
        for label in self._roof_labels:
            label.setColor(self._theme.muted)
            label.hide()
        x: list[float] = []
        y: list[float] = []
        ridge = math.log10(peaks.ridge) if peaks.ridge else None
        if peaks.bytes_per_s:
            bandwidth = math.log10(peaks.bytes_per_s)
            foot = min(left, low - bandwidth)
            end = right if ridge is None else ridge
            x, y = [foot, end], [foot + bandwidth, end + bandwidth]
            start = max(left + 0.02 * (right - left), low - bandwidth + 0.12 * (high - low))
            self._show_roof_label(0, f"{bytes_rate_text(peaks.bytes_per_s)} bandwidth", (start, start + bandwidth), end)
        if peaks.flops_per_s:
            ceiling = math.log10(peaks.flops_per_s)
            x += [left if ridge is None else ridge, max(right, ridge or right)]
            y += [ceiling, ceiling]
            self._show_roof_label(1, f"{flops_rate_text(peaks.flops_per_s)} peak", (right, ceiling), math.inf)
        self.roof.setData(x, y)

    def _show_roof_label(self, number: int, text: str, place: tuple[float, float], end: float) -> None:
        label = self._roof_labels[number]
        label.setText(text)
        label.setPos(*place)
        label.setVisible(place[0] < end)

    # The mouse

    def kernel_at(self, scene_point: QPointF) -> Kernel | None:
        """The kernel whose dot is there, the smallest where several are."""
        for kernel in reversed(self.shown_kernels):
            away = self._scene_point(*_place(kernel)) - scene_point
            if math.hypot(away.x(), away.y()) <= _size_px(kernel) / 2 + _NEAR_PX / 2:
                return kernel
        return None

    def _on_clicked(self, event: object) -> None:
        if event.double():  # type: ignore[attr-defined]
            self.fit()
            return
        kernel = self.kernel_at(event.scenePos())  # type: ignore[attr-defined]
        if kernel is not None:
            self.kernel_selected.emit(kernel.name)

    def _on_moved(self, scene_point: QPointF) -> None:
        kernel = self.kernel_at(scene_point)
        words = _tip(kernel, self._peaks) if kernel is not None else ""
        place = self.plot.viewport().mapToGlobal(self.plot.mapFromScene(scene_point))
        QToolTip.showText(place, words, self.plot)


_SIDES = (((0, 0.5), (1, 0)), ((1, 0.5), (-1, 0)), ((0.5, 1), (0, -1)), ((0.5, 0), (0, 1)))
"""Where a label can stand: which of its parts is at the dot, and which way it lies from the dot, the best first."""


def _place(kernel: Kernel) -> tuple[float, float]:
    assert kernel.intensity
    assert kernel.flops_per_s
    return math.log10(kernel.intensity), math.log10(kernel.flops_per_s)


def _size_px(kernel: Kernel) -> float:
    return _SMALLEST_PX + (_LARGEST_PX - _SMALLEST_PX) * math.sqrt(min(max(kernel.share, 0.0), 1.0))


def _rect_beside(at: QPointF, anchor: tuple[float, float], label: pg.TextItem) -> QRectF:
    """Where the label's words lie when this part of them, 0 to 1 each way, is at a point."""
    size = label.textItem.boundingRect().size()
    return QRectF(at - QPointF(anchor[0] * size.width(), anchor[1] * size.height()), size)


def _words(kernels: tuple[Kernel, ...], shown: tuple[Kernel, ...], peaks: Peaks) -> str:
    words = []
    if peaks.ridge is None:
        words.append("Peaks are not known: type them in or measure.")
    else:
        words.append(f"Peaks: {peaks.source}" if peaks.source else "Peaks are known")
    left_out = len(kernels) - len(shown)
    if left_out:
        share = sum(kernel.share for kernel in kernels) - sum(kernel.share for kernel in shown)
        is_one = left_out == 1
        who = f"1 kernel without FLOPs ({share_text(share)} of the run) is" if is_one else ""
        who = who or f"{left_out} kernels without FLOPs ({share_text(share)} of the run) are"
        words.append(f"{who} not shown")
    return "  ·  ".join(words)


def _tip(kernel: Kernel, peaks: Peaks) -> str:
    assert kernel.intensity
    assert kernel.flops_per_s
    lines = [
        kernel.name,
        f"{at_most(kernel)}{time_text(kernel.median_us)}, {share_text(kernel.share)} of the run",
        f"{flops_rate_text(kernel.flops_per_s)} at {intensity_text(kernel.intensity)} FLOPs per byte",
    ]
    bound = kernel.bound_by(peaks)
    return "\n".join([*lines, f"bound by {bound}"] if bound else lines)
