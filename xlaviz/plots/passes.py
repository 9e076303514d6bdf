"""The chart over the passes: instructions by opcode family at each snapshot, and what each pass took to compile."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QColor, QFont
from PySide6.QtWidgets import QLabel, QSizePolicy, QVBoxLayout, QWidget

from xlaviz.base.units import time_text
from xlaviz.dumps.sequence import PassSequence
from xlaviz.graph.families import FAMILIES, Family
from xlaviz.graph.metrics import elide_middle
from xlaviz.plots.parts import colour_axes
from xlaviz.scene.palette import LIGHT, Theme
from xlaviz.session.compile_times import CompileTimes
from xlaviz.session.stories import SnapshotSummary

_BAR = 0.82
_LEFT_AXIS_PX = 56
_NO_PEN = pg.mkPen(None)


class PassesPanel(QWidget):
    """Signal: `snapshot_chosen` with an index, where a bar is clicked."""

    snapshot_chosen = Signal(int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = LIGHT
        self._sequence: PassSequence | None = None
        self._summaries: tuple[SnapshotSummary, ...] = ()
        self._times: CompileTimes | None = None
        self._position: int | None = None
        self.summary = QLabel()
        self.summary.setObjectName("muted")
        self.summary.setTextFormat(Qt.TextFormat.RichText)
        self.summary.setContentsMargins(10, 3, 10, 3)
        self.summary.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)  # or it widens the window
        self.view = pg.GraphicsLayoutWidget()
        self.view.ci.setContentsMargins(4, 4, 8, 4)
        self.counts = self._add_plot(0, "instructions")
        self.times = self._add_plot(1, "ms")
        self.times.setXLink(self.counts)
        self.view.ci.layout.setRowStretchFactor(0, 3)
        self.view.ci.layout.setRowStretchFactor(1, 2)
        self._bars: list[pg.BarGraphItem] = []
        self._markers = [self._add_marker(plot) for plot in (self.counts, self.times)]
        self.view.scene().sigMouseClicked.connect(self._on_clicked)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self.summary)
        layout.addWidget(self.view, 1)
        layout.addStretch()  # holds the words at the top where there is nothing but them

    def _add_plot(self, row: int, label: str) -> pg.PlotItem:
        plot = self.view.addPlot(row=row, col=0)
        plot.setMenuEnabled(False)
        plot.hideButtons()
        plot.setMouseEnabled(x=False, y=False)
        plot.showGrid(x=False, y=True, alpha=0.15)
        axis = plot.getAxis("left")
        axis.setWidth(_LEFT_AXIS_PX)
        axis.setLabel(label)
        axis.enableAutoSIPrefix(False)
        font = QFont()
        font.setPixelSize(11)
        for side in ("left", "bottom"):
            plot.getAxis(side).setTickFont(font)
            plot.getAxis(side).setStyle(tickLength=0)
        return plot

    def _add_marker(self, plot: pg.PlotItem) -> pg.LinearRegionItem:
        """A band over the snapshot that is shown."""
        marker = pg.LinearRegionItem(movable=False, pen=_NO_PEN)
        marker.setZValue(-10)
        marker.hide()
        plot.addItem(marker, ignoreBounds=True)
        return marker

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        self.view.setBackground(theme.window)
        for plot in (self.counts, self.times):
            colour_axes(plot, theme)
        band = QColor(theme.accent)
        band.setAlphaF(0.25)
        for marker in self._markers:
            marker.setBrush(band)
        self._draw()

    def show_passes(
        self, sequence: PassSequence, summaries: tuple[SnapshotSummary, ...], times: CompileTimes | None
    ) -> None:
        """What is known so far of the passes of a module."""
        known = (self._sequence, self._summaries, self._times)
        if known != (sequence, summaries, times):
            self._sequence, self._summaries, self._times = sequence, summaries, times
            self._draw()

    def show_position(self, index: int | None) -> None:
        """Mark a snapshot, None for none of them."""
        self._position = index
        for marker in self._markers:
            marker.setVisible(index is not None)
            if index is not None:
                marker.setRegion((index - 0.5, index + 0.5))

    # Drawing

    def _draw(self) -> None:
        for bars in self._bars:
            for plot in (self.counts, self.times):
                if bars in plot.items:
                    plot.removeItem(bars)
        self._bars = []
        is_known = self._sequence is not None and bool(self._summaries)
        self.view.setVisible(is_known)
        if self._sequence is None or not is_known:
            alone = self._sequence is not None and self._sequence.last_index == 0
            words = "There is one snapshot alone: no pass to tell of." if alone else "Following the passes…"
            self.summary.setText(words)
            return
        self._draw_counts()
        self._draw_times(self._times.of_snapshots if self._times is not None else {})
        self._show_ticks(self._sequence)
        self._show_summary()
        self.counts.setXRange(-0.6, self._sequence.last_index + 0.6, padding=0)

    def _draw_counts(self) -> None:
        places = np.array([summary.index for summary in self._summaries])
        below = np.zeros(len(places))
        for family in self.families:
            heights = np.array([summary.families.get(family, 0) for summary in self._summaries])
            fill = QColor(self._theme.families[family][1])
            fill.setAlphaF(0.75)
            bars = pg.BarGraphItem(x=places, y0=below, height=heights, width=_BAR, brush=fill, pen=_NO_PEN)
            self._add(self.counts, bars)
            below = below + heights
        self.counts.setYRange(0, max(float(below.max()), 1) * 1.05, padding=0)

    def _draw_times(self, times: Mapping[int, float]) -> None:
        self.times.setVisible(bool(times))
        if times:
            fill = QColor(self._theme.accent)
            fill.setAlphaF(0.7)
            bars = pg.BarGraphItem(
                x=list(times), y0=0, height=list(times.values()), width=_BAR, brush=fill, pen=_NO_PEN
            )
            self._add(self.times, bars)
            self.times.setYRange(0, max(times.values()) * 1.08, padding=0)

    def _add(self, plot: pg.PlotItem, bars: pg.BarGraphItem) -> None:
        plot.addItem(bars)
        self._bars.append(bars)

    @property
    def families(self) -> tuple[Family, ...]:
        """The families that occur, in the order of the legend, the lowest first."""
        found = {family for summary in self._summaries for family, count in summary.families.items() if count}
        return tuple(family for family in FAMILIES if family in found)

    def _show_ticks(self, sequence: PassSequence) -> None:
        """Names of the passes that did most, as far as there is room for them."""
        room = max(int(self.view.width() / 110), 4)
        apart = max(sequence.last_index // room, 1)
        most = sorted(self._summaries, key=lambda summary: summary.changes, reverse=True)
        named: list[int] = []
        for summary in most:
            if summary.changes and all(abs(summary.index - other) > apart for other in named):
                named.append(summary.index)
        ticks = [(index, elide_middle(sequence.snapshots[index].label, 18)) for index in sorted(named[:room])]
        lower, upper = (self.times, self.counts) if self._times is not None else (self.counts, self.times)
        lower.getAxis("bottom").setTicks([ticks])
        upper.getAxis("bottom").setTicks([[]])

    def _show_summary(self) -> None:
        first, last = self._summaries[0].instructions, self._summaries[-1].instructions
        words = [f"{first} → {last} instructions"]
        if self._times is not None:
            words.append(f"{time_text(self._times.total_ms * 1e3)} to compile")
        legend = "".join(
            f" &nbsp; <span style='color: {self._theme.families[family][1]}'>■</span> {FAMILIES[family].split(':')[0]}"
            for family in self.families
        )
        self.summary.setText("  ·  ".join(words) + legend)

    def bar_point(self, index: int) -> Sequence[float]:
        """The middle of a snapshot's bar in the scene of the view."""
        box = self.counts.getViewBox()
        point = box.mapViewToScene(pg.Point(index, self._summaries[index].instructions / 2))
        return point.x(), point.y()

    def _on_clicked(self, event: object) -> None:
        scene = event.scenePos()  # type: ignore[attr-defined]
        for plot in (self.counts, self.times):
            if plot.isVisible() and plot.sceneBoundingRect().contains(scene):
                index = round(plot.getViewBox().mapSceneToView(scene).x())
                if 0 <= index < len(self._summaries):
                    self.snapshot_chosen.emit(index)
                return
