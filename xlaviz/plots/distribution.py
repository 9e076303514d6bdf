"""All executions of one kernel: each over its run on the left, how often which time on the right."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pyqtgraph as pg
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QVBoxLayout, QWidget

from xlaviz.base.units import time_text
from xlaviz.plots.parts import TIME_UNITS, CountAxis, ElidedLabel, UnitAxis, calm, chart_font, colour_axes, counted
from xlaviz.profile.timeline import Executions
from xlaviz.scene.palette import LIGHT, Theme

MAX_DOTS = 10_000
"""More executions than this are drawn by an even choice of them; the figures are of all."""

_TAIL = 4.0  # what takes longer than so many p90s lies above the view at first
_BINS = 40
_LEFT_AXIS_PX = 62
_PERCENTILES = {"p10": 10, "median": 50, "p90": 90}


class DistributionPanel(QWidget):
    """Dots by run number, a histogram on the same axis of time, and lines at p10, median and p90.

    An execution whose end is inferred is a hollow dot. The wheel zooms, dragging moves, a double click shows all.
    """

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = LIGHT
        self.executions: Executions | None = None
        self.summary = ElidedLabel()
        self.summary.setContentsMargins(10, 3, 10, 3)
        self.view = pg.GraphicsLayoutWidget()
        self.view.ci.setContentsMargins(4, 2, 8, 2)
        self.dots = self.view.addPlot(
            row=0, col=0, axisItems={"left": UnitAxis("left", TIME_UNITS), "bottom": CountAxis("bottom")}
        )
        self.histogram = self.view.addPlot(row=0, col=1, axisItems={"bottom": CountAxis("bottom")})
        self._set_up_plots()
        self.exact_dots = pg.ScatterPlotItem(size=6)
        self.inferred_dots = pg.ScatterPlotItem(size=6)
        self.dots.addItem(self.exact_dots)
        self.dots.addItem(self.inferred_dots)
        self.bars = pg.BarGraphItem(x0=[0], y=[0], height=1, width=[0])
        self.histogram.addItem(self.bars)
        self.lines = {name: self._add_line(name) for name in _PERCENTILES}
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self.summary)
        layout.addWidget(self.view, 1)
        layout.addStretch()  # holds the words at the top where there is nothing but them

    def _set_up_plots(self) -> None:
        for plot in (self.dots, self.histogram):
            calm(plot)
            plot.showGrid(x=False, y=True, alpha=0.12)
        self.dots.getAxis("left").setWidth(_LEFT_AXIS_PX)
        self.dots.getAxis("bottom").setLabel("run")
        self.histogram.getAxis("bottom").setLabel("executions")
        self.histogram.getAxis("left").setStyle(showValues=False, tickLength=0)
        self.histogram.setYLink(self.dots)
        self.histogram.setMouseEnabled(x=False, y=True)
        self.view.ci.layout.setColumnStretchFactor(0, 3)
        self.view.ci.layout.setColumnStretchFactor(1, 1)
        self.view.scene().sigMouseClicked.connect(self._on_clicked)

    def _add_line(self, name: str) -> tuple[pg.InfiniteLine, pg.InfiniteLine]:
        """The same line in both plots; its words stand in the histogram."""
        style = Qt.PenStyle.SolidLine if name == "median" else Qt.PenStyle.DashLine
        options = {"position": 0.98, "anchors": [(1, 1), (1, 1)]}
        lines = (
            pg.InfiniteLine(angle=0, pen=pg.mkPen(style=style)),
            pg.InfiniteLine(angle=0, pen=pg.mkPen(style=style), label=name, labelOpts=options),
        )
        lines[1].label.setFont(chart_font())
        for plot, line in zip((self.dots, self.histogram), lines, strict=True):
            line.setZValue(5)
            plot.addItem(line, ignoreBounds=True)
        return lines

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        self.view.setBackground(theme.window)
        for plot in (self.dots, self.histogram):
            colour_axes(plot, theme)
        for name, lines in self.lines.items():
            colour = theme.changed if name == "median" else theme.muted
            for line in lines:
                line.pen.setColor(QColor(colour))
                line.setPen(line.pen)
            lines[1].label.setColor(colour)
        fill = QColor(theme.accent)
        fill.setAlphaF(0.55)
        self.exact_dots.setBrush(fill)
        self.exact_dots.setPen(None)
        self.inferred_dots.setBrush(None)
        self.inferred_dots.setPen(pg.mkPen(theme.accent))
        self.bars.setOpts(brush=fill, pen=pg.mkPen(theme.window))

    def show_executions(self, executions: Executions | None, message: str = "") -> None:
        """Show a kernel's executions, or say in one sentence why there are none."""
        self.executions = executions if executions is not None and len(executions.run) else None
        self.view.setVisible(self.executions is not None)
        if self.executions is None:
            self.summary.setText(message or (f"{executions.name} left no executions." if executions else ""))
            return
        self._draw(self.executions)
        self.fit(with_tail=False)

    def _draw(self, executions: Executions) -> None:
        times_us, exact = executions.duration_us, executions.exact
        chosen = np.unique(np.linspace(0, len(times_us) - 1, min(len(times_us), MAX_DOTS)).astype(int))
        for item, is_own in ((self.exact_dots, exact[chosen]), (self.inferred_dots, ~exact[chosen])):
            item.setData(x=executions.run[chosen][is_own] + 1, y=times_us[chosen][is_own])
        counts, edges = np.histogram(times_us, bins=np.linspace(*self._ends(with_tail=False), _BINS + 1))
        height = float(edges[1] - edges[0])
        self.bars.setOpts(x0=np.zeros(len(counts)), width=counts, y=edges[:-1] + height / 2, height=height)
        self.histogram.setXRange(0, max(int(counts.max()), 1) * 1.45, padding=0)
        self._draw_lines(times_us)
        self.summary.setText(self._words(executions))
        self.summary.setToolTip(self.summary.text())

    def _draw_lines(self, times_us: npt.NDArray[np.float64]) -> None:
        """Lines at the percentiles; the words of one that would lie over the median's are left out."""
        low, high = self._ends(with_tail=False)
        median = float(np.median(times_us))
        for name, percent in _PERCENTILES.items():
            at_us = float(np.percentile(times_us, percent))
            for line in self.lines[name]:
                line.setValue(at_us)
            self.lines[name][1].label.setVisible(name == "median" or abs(at_us - median) > 0.08 * (high - low))

    def _words(self, executions: Executions) -> str:
        times_us = executions.duration_us
        p10, median, p90 = (time_text(float(value)) for value in np.percentile(times_us, [10, 50, 90]))
        words = [executions.name, counted(len(times_us), "execution"), f"median {median}"]
        above = int((times_us > self._ends(with_tail=False)[1]).sum())
        if above:
            words.append(f"{above} above the view: double click shows all")
        inferred = int((~executions.exact).sum())
        if inferred:
            words.append(f"{inferred} with an inferred end (hollow), an upper bound")
        words.append(f"p10 {p10} to p90 {p90}")
        words.append(f"{time_text(float(times_us.min()))} to {time_text(float(times_us.max()))} in all")
        if len(times_us) > MAX_DOTS:
            words.append(f"{MAX_DOTS} of them drawn")
        return "  ·  ".join(words)

    def _ends(self, *, with_tail: bool) -> tuple[float, float]:
        """The times that the view spans; without the tail it ends before the few that take far longer."""
        assert self.executions is not None
        times_us = self.executions.duration_us
        low, high, p90 = float(times_us.min()), float(times_us.max()), float(np.percentile(times_us, 90))
        if not with_tail and high > _TAIL * p90:
            high = max(2 * p90 - low, p90 * 1.2)
        margin = (high - low) * 0.06 or high * 0.1 or 1.0
        return max(low - margin, 0.0), high + margin

    def fit(self, *, with_tail: bool = True) -> None:
        """Show all runs, with the longest executions or up to where most of them end."""
        if self.executions is not None:
            runs = self.executions.run
            self.dots.setXRange(float(runs.min()) + 0.5, float(runs.max()) + 1.5, padding=0.01)
            self.dots.setYRange(*self._ends(with_tail=with_tail), padding=0)

    def _on_clicked(self, event: object) -> None:
        if event.double():  # type: ignore[attr-defined]
            self.fit()
