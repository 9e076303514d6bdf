"""The roofline: what each kernel reaches, under what the device can do at most."""

from __future__ import annotations

import math

import pyqtgraph as pg
from PySide6.QtCore import QPointF, QRectF, Signal
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QToolTip, QVBoxLayout, QWidget

from xlaviz.base.units import flops_rate_text, intensity_text, time_text
from xlaviz.graph.metrics import elide_end, elide_middle
from xlaviz.plots.parts import DecadeAxis, ElidedLabel, calm, chart_font, colour_axes, opcode_colour, small_share_text
from xlaviz.plots.roof import Roof, rect_beside
from xlaviz.profile.kernels import Kernel, KernelTable
from xlaviz.profile.peaks import NO_PEAKS, Peaks
from xlaviz.scene.palette import LIGHT, Theme
from xlaviz.session.words import at_most

MAX_LABELS = 6
_SMALLEST_PX, _LARGEST_PX = 7.0, 34.0
_MARGIN_DECADES = 0.35
_HEAD_SHARE = 0.17
_NEAR_PX = 4
_MOST_IN_THE_WAY = 100  # dots that words keep clear of


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
        self._selected = ""
        self.shown_kernels: tuple[Kernel, ...] = ()
        self.peaks_words = ElidedLabel()
        self.plot = pg.PlotWidget(
            axisItems={
                "left": DecadeAxis("left", lambda value: flops_rate_text(value).replace(".0", "")),
                "bottom": DecadeAxis("bottom", lambda value: f"{value:g}"),
            }
        )
        self.dots = pg.ScatterPlotItem()
        self.selected_dot = pg.ScatterPlotItem()
        self.labels: list[pg.TextItem] = []
        self.left_out = ElidedLabel()
        self.left_out.setContentsMargins(10, 0, 10, 3)
        self.roof = Roof(self.plot.getPlotItem())
        self._set_up_plot(self.plot.getPlotItem())
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addLayout(self._make_head())
        layout.addWidget(self.plot, 1)
        layout.addWidget(self.left_out)

    def _make_head(self) -> QHBoxLayout:
        self.type_in = QPushButton("Type in…")
        self.type_in.setToolTip("Type in what the device can do at most")
        self.measure = QPushButton("Measure this machine")
        self.measure.setToolTip("Run a matrix product and a copy, and take what they reach")
        self.type_in.clicked.connect(self.peaks_wanted)
        self.measure.clicked.connect(self.measure_wanted)
        head = QHBoxLayout()
        head.setContentsMargins(10, 3, 10, 3)
        head.setSpacing(6)
        head.addWidget(self.peaks_words, 1)
        for button in (self.type_in, self.measure):
            button.setStyleSheet("padding: 2px 8px")
            head.addWidget(button)
        head.addStretch()
        return head

    def _set_up_plot(self, item: pg.PlotItem) -> None:
        calm(item)
        item.getAxis("bottom").setLabel("FLOPs per byte")
        item.getAxis("left").setWidth(78)
        item.showGrid(x=True, y=True, alpha=0.12)
        item.addItem(self.dots)
        item.addItem(self.selected_dot)
        item.getViewBox().sigRangeChanged.connect(self._place_texts)
        item.getViewBox().sigResized.connect(self._place_texts)
        self.plot.scene().sigMouseClicked.connect(self._on_clicked)
        self.plot.scene().sigMouseMoved.connect(self._on_moved)

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        self.plot.setBackground(theme.window)
        colour_axes(self.plot.getPlotItem(), theme)
        self.roof.set_theme(theme)
        self._draw()

    def show_table(self, table: KernelTable | None) -> None:
        """The kernels whose FLOPs and bytes are known and not zero; the others are told of in words."""
        kernels = table.kernels if table is not None else ()
        peaks = self.roof.peaks = table.peaks if table is not None else NO_PEAKS
        shown = [kernel for kernel in kernels if kernel.intensity and kernel.flops_per_s]
        self.shown_kernels = tuple(sorted(shown, key=lambda kernel: kernel.share, reverse=True))
        is_known = peaks.ridge is not None
        self.measure.setVisible(not is_known)
        self.peaks_words.setText(f"Peaks: {elide_end(peaks.source, 40)}" if is_known else "Peaks are not known:")
        self.peaks_words.setMaximumWidth(self.peaks_words.sizeHint().width() + 2)  # the buttons stand beside it
        self.peaks_words.setToolTip(peaks.source if is_known else "Type them in or measure this machine.")
        words = _left_out_words(kernels, self.shown_kernels)
        self.left_out.setText(words)
        self.left_out.setToolTip(words)
        self.left_out.setVisible(bool(words))
        self._draw()
        self.fit()

    def select(self, name: str) -> None:
        """Mark a kernel's dot without telling anyone."""
        self._selected = name
        self._draw_selected()

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
        places = [*map(_place, self.shown_kernels), *self.roof.places]
        if not places:
            places = [(-1.0, 6.0), (2.0, 10.0)]
        (left, right), (low, high) = ((min(ends), max(ends)) for ends in zip(*places, strict=True))
        above = max(_MARGIN_DECADES, _HEAD_SHARE * (high - low))  # for the words on the roof, in a low panel too
        return (left - _MARGIN_DECADES, right + 2 * _MARGIN_DECADES), (low - _MARGIN_DECADES, high + above)

    def _draw(self) -> None:
        kernels = self.shown_kernels
        x, y = zip(*map(_place, kernels), strict=True) if kernels else ((), ())
        brushes = {kernel.opcode: pg.mkBrush(opcode_colour(kernel.opcode, self._theme, 0.6)) for kernel in kernels}
        look = {"brush": [brushes[kernel.opcode] for kernel in kernels], "pen": pg.mkPen(self._theme.window)}
        self.dots.setData(x=x, y=y, size=[*map(_size_px, kernels)], **look)
        self._draw_selected()
        self._make_labels()
        self._place_texts()

    def _draw_selected(self) -> None:
        own = [kernel for kernel in self.shown_kernels if kernel.name == self._selected]
        x, y = zip(*map(_place, own), strict=True) if own else ((), ())
        pen = pg.mkPen(self._theme.text, width=1.5)
        self.selected_dot.setData(x=x, y=y, size=[*map(_size_px, own)], brush=QColor(self._theme.accent), pen=pen)

    def _make_labels(self) -> None:
        item = self.plot.getPlotItem()
        for label in self.labels:
            item.removeItem(label)
        self.labels = []
        veil = QColor(self._theme.window)
        veil.setAlphaF(0.6)  # keeps the names readable over the roof
        for kernel in self.shown_kernels[:MAX_LABELS]:
            label = pg.TextItem(elide_middle(kernel.name, 26), self._theme.text, fill=veil)
            label.setFont(chart_font())
            item.addItem(label, ignoreBounds=True)
            self.labels.append(label)

    def _place_texts(self) -> None:
        """Put the names beside their dots, as far as they overlap neither dots nor the roof's words."""
        view = self.plot.getPlotItem().getViewBox()
        dots = [self._dot_rect(kernel) for kernel in self.shown_kernels[:_MOST_IN_THE_WAY]]
        taken = [*dots[:MAX_LABELS], *self.roof.draw(dots)]
        for kernel, label in zip(self.shown_kernels, self.labels, strict=False):
            label.hide()
            middle, away_px = self._scene_point(*_place(kernel)), _size_px(kernel) / 2
            for side, direction in _SIDES:
                place = rect_beside(middle + QPointF(*direction) * away_px, side, label)
                if view.sceneBoundingRect().contains(place) and not any(place.intersects(other) for other in taken):
                    label.setPos(view.mapSceneToView(place.topLeft()))
                    label.show()
                    taken.append(place)
                    break

    def _dot_rect(self, kernel: Kernel) -> QRectF:
        half = QPointF(1, 1) * (_size_px(kernel) / 2 - 1)
        middle = self._scene_point(*_place(kernel))
        return QRectF(middle - half, middle + half)

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
        words = _tip(kernel, self.roof.peaks) if kernel is not None else ""
        place = self.plot.viewport().mapToGlobal(self.plot.mapFromScene(scene_point))
        QToolTip.showText(place, words, self.plot)


_SIDES = (((0, 0.5), (1, 0)), ((1, 0.5), (-1, 0)), ((0.5, 1), (0, -1)), ((0.5, 0), (0, 1)))
"""Where a label can stand: which of its parts is at the dot, and which way it lies from the dot, the best first."""


def _place(kernel: Kernel) -> tuple[float, float]:
    assert kernel.intensity
    assert kernel.flops_per_s
    return math.log10(kernel.intensity), math.log10(kernel.flops_per_s)


def _size_px(kernel: Kernel) -> int:
    """The diameter of a dot. Whole pixels: each size is rendered once."""
    return round(_SMALLEST_PX + (_LARGEST_PX - _SMALLEST_PX) * math.sqrt(min(max(kernel.share, 0.0), 1.0)))


def _left_out_words(kernels: tuple[Kernel, ...], shown: tuple[Kernel, ...]) -> str:
    count = len(kernels) - len(shown)
    share = small_share_text(sum(kernel.share for kernel in kernels) - sum(kernel.share for kernel in shown))
    if count == 1:
        return f"1 kernel without FLOPs ({share} of the run) is not shown"
    return f"{count} kernels without FLOPs ({share} of the run) are not shown" if count else ""


def _tip(kernel: Kernel, peaks: Peaks) -> str:
    assert kernel.intensity
    assert kernel.flops_per_s
    lines = [
        kernel.name,
        f"{at_most(kernel)}{time_text(kernel.median_us)}, {small_share_text(kernel.share)} of the run",
        f"{flops_rate_text(kernel.flops_per_s)} at {intensity_text(kernel.intensity)} FLOPs per byte",
    ]
    bound = kernel.bound_by(peaks)
    return "\n".join([*lines, f"bound by {bound}"] if bound else lines)
