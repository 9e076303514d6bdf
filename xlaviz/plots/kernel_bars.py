"""Bars of the kernels by their time in one run."""

from __future__ import annotations

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QPointF, Signal
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QVBoxLayout, QWidget

from xlaviz.base.units import time_text
from xlaviz.graph.metrics import elide_middle
from xlaviz.plots.parts import TIME_UNITS, UnitAxis, calm, chart_font, colour_axes, opcode_colour, small_share_text
from xlaviz.profile.kernels import Kernel, KernelTable
from xlaviz.scene.palette import LIGHT, Theme
from xlaviz.session.words import NOTE_SEPARATOR, at_most

MAX_BARS = 60
_BAR_TEXT_PX = 125
_LEAST_BAR_PX = 60
_LETTER_PX = 7
_SHORTEST_NAME, _LONGEST_NAME = 8, 28


class KernelBars(QWidget):
    """The kernels that take longest. Signal: `kernel_selected` with the name of the bar that is clicked."""

    kernel_selected = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = LIGHT
        self._selected = ""
        self._longest_us = 1.0
        self._texts: list[pg.TextItem] = []
        self.shown_kernels: tuple[Kernel, ...] = ()
        self.plot = pg.PlotWidget(axisItems={"bottom": UnitAxis("bottom", TIME_UNITS)})
        self._bars = pg.BarGraphItem(x0=[], y=[], height=0.7, width=[])
        self._set_up_plot(self.plot.getPlotItem())
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self.plot)

    def _set_up_plot(self, item: pg.PlotItem) -> None:
        calm(item)
        item.addItem(self._bars)
        item.getViewBox().invertY(True)
        item.getViewBox().setMouseEnabled(x=False, y=True)
        item.getAxis("bottom").setLabel("self time in one run")
        item.getAxis("left").setStyle(tickLength=0)
        item.showGrid(x=True, y=False, alpha=0.15)
        item.getViewBox().sigResized.connect(self._fit_range)
        self.plot.scene().sigMouseClicked.connect(self._on_clicked)

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        self.plot.setBackground(theme.window)
        colour_axes(self.plot.getPlotItem(), theme)
        for text in self._texts:
            text.setColor(theme.muted)
        self._colour_bars()

    def show_table(self, table: KernelTable | None) -> None:
        """The longest first, at most MAX_BARS."""
        kernels = table.kernels if table is not None else ()
        longest = sorted(kernels, key=lambda kernel: kernel.self_per_run_us, reverse=True)
        self.shown_kernels = tuple(longest[:MAX_BARS])
        self._draw()

    def select(self, name: str) -> None:
        """Mark a kernel's bar without telling anyone, and bring it into sight."""
        self._selected = name
        self._colour_bars()
        row = next((row for row, kernel in enumerate(self.shown_kernels) if kernel.name == name), None)
        box = self.plot.getPlotItem().getViewBox()
        top, bottom = box.viewRange()[1]
        if row is not None and not top <= row <= bottom:
            box.setYRange(row - (bottom - top) / 2, row + (bottom - top) / 2, padding=0)

    def bar_point(self, name: str) -> QPointF:
        """The middle of a kernel's bar in the scene of the plot."""
        row = next(row for row, kernel in enumerate(self.shown_kernels) if kernel.name == name)
        middle = QPointF(self.shown_kernels[row].self_per_run_us / 2, row)
        point: QPointF = self.plot.getPlotItem().getViewBox().mapViewToScene(middle)
        return point

    def _draw(self) -> None:
        kernels = self.shown_kernels
        item = self.plot.getPlotItem()
        for text in self._texts:
            item.removeItem(text)
        widths = np.array([kernel.self_per_run_us for kernel in kernels])
        self._bars.setVisible(bool(kernels))
        if kernels:  # BarGraphItem cannot be empty
            places = {"x0": np.zeros(len(kernels)), "y": np.arange(len(kernels)), "height": 0.7, "width": widths}
            self._bars.setOpts(**places, pens=[pg.mkPen(None)] * len(kernels), brushes=self._brushes())
        self._texts = [self._add_text(row, kernel) for row, kernel in enumerate(kernels)]
        self._longest_us = float(widths.max(initial=0.0)) or 1.0
        item.getViewBox().setLimits(yMin=-1, yMax=max(len(kernels), 1), xMin=0)
        self._fit_range()
        item.setYRange(-0.6, min(max(len(kernels), 4), 12) - 0.4, padding=0)

    def _add_text(self, row: int, kernel: Kernel) -> pg.TextItem:
        words = f"{at_most(kernel)}{time_text(kernel.self_per_run_us)}{NOTE_SEPARATOR}{small_share_text(kernel.share)}"
        text = pg.TextItem(words, self._theme.muted, anchor=(0, 0.5))
        text.setFont(chart_font())
        text.setPos(kernel.self_per_run_us, row)
        self.plot.getPlotItem().addItem(text)
        return text

    def _fit_range(self) -> None:
        """Leave room for the words behind the longest bar, however wide the panel is."""
        length = int((self.plot.width() - _BAR_TEXT_PX - _LEAST_BAR_PX) / _LETTER_PX)
        length = min(max(length, _SHORTEST_NAME), _LONGEST_NAME)
        names = [(row, elide_middle(kernel.name, length)) for row, kernel in enumerate(self.shown_kernels)]
        self.plot.getPlotItem().getAxis("left").setTicks([names])
        box = self.plot.getPlotItem().getViewBox()
        width = max(box.width(), _BAR_TEXT_PX + _LEAST_BAR_PX)
        box.setXRange(0, self._longest_us * width / (width - _BAR_TEXT_PX), padding=0)

    def _colour_bars(self) -> None:
        if self.shown_kernels:
            self._bars.setOpts(brushes=self._brushes())

    def _brushes(self) -> list[QColor]:
        return [
            QColor(self._theme.accent)
            if kernel.name == self._selected
            else opcode_colour(kernel.opcode, self._theme, 0.35 if kernel.near_floor else 0.7)
            for kernel in self.shown_kernels
        ]

    def _on_clicked(self, event: object) -> None:
        point = self.plot.getPlotItem().getViewBox().mapSceneToView(event.scenePos())  # type: ignore[attr-defined]
        row = round(point.y())
        if 0 <= row < len(self.shown_kernels):
            self.kernel_selected.emit(self.shown_kernels[row].name)
