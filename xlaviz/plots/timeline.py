"""The timeline: one run as it went, a row for each lane and depth."""

from __future__ import annotations

import pyqtgraph as pg
from PySide6.QtCore import QEvent, QObject, QPointF, QSignalBlocker, Qt, Signal
from PySide6.QtGui import QFontMetricsF, QKeyEvent
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QScrollBar, QSlider, QSpinBox, QToolTip, QVBoxLayout, QWidget

from xlaviz.base.units import time_text
from xlaviz.plots.parts import TIME_UNITS, ElidedLabel, UnitAxis, calm, chart_font, colour_axes, counted
from xlaviz.plots.timeline_item import TimelineItem
from xlaviz.profile.timeline import Timeline
from xlaviz.scene.palette import LIGHT, Theme

MEDIAN_RUN = -1
"""What `run_wanted` says for the run that took the median time."""

_ROW_PX, _HIGHEST_ROW_PX = 20, 52
_NEAR_PX = 2.0
_LEFT_AXIS_PX = 116
_DEEPEST_ZOOM = 1e-6  # of the run
_KEYS = {
    Qt.Key.Key_F: (0.0, 0.0),
    Qt.Key.Key_Plus: (0.0, 0.6),
    Qt.Key.Key_Equal: (0.0, 0.6),
    Qt.Key.Key_Minus: (0.0, 1 / 0.6),
    Qt.Key.Key_Left: (-0.2, 1.0),
    Qt.Key.Key_Right: (0.2, 1.0),
}
"""Where a key moves to in widths of the view, and how it changes the width; 0 shows all."""


class TimelinePanel(QWidget):
    """The wheel and + - zoom, dragging and the arrows move, a double click or F shows all of the run.

    Signals: `kernel_selected` with the name of the span that is clicked; `run_wanted` with the number of a run, from 0,
    or MEDIAN_RUN.
    """

    kernel_selected = Signal(str)
    run_wanted = Signal(int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = LIGHT
        self._selected = ""
        self.summary = ElidedLabel()
        self.plot = pg.PlotWidget(axisItems={"bottom": UnitAxis("bottom", TIME_UNITS)})
        self.spans = TimelineItem(self.plot.getPlotItem().getViewBox())
        self._scroll_bar = QScrollBar(Qt.Orientation.Vertical)
        self._set_up_plot(self.plot.getPlotItem())
        self._chart = QWidget()
        chart = QHBoxLayout(self._chart)
        chart.setContentsMargins(0, 0, 0, 0)
        chart.setSpacing(0)
        chart.addWidget(self.plot, 1)
        chart.addWidget(self._scroll_bar)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addLayout(self._make_head())
        layout.addWidget(self._chart, 1)
        layout.addStretch()  # holds the words at the top where there is nothing but them
        self.show_timeline(None)

    def _make_head(self) -> QHBoxLayout:
        self.run_box = QSpinBox()
        self.run_box.setKeyboardTracking(False)
        self.run_box.setPrefix("run ")
        self.run_slider = QSlider(Qt.Orientation.Horizontal)
        self.run_slider.setTracking(False)
        self.run_slider.setFixedWidth(140)
        self.median_run = QPushButton("Median run")
        self.median_run.setToolTip("The run that took the median time")
        self.median_run.setStyleSheet("padding: 2px 8px")
        self.run_box.valueChanged.connect(self._on_run)
        self.run_slider.valueChanged.connect(self._on_run)
        self.median_run.clicked.connect(lambda: self.run_wanted.emit(MEDIAN_RUN))
        head = QHBoxLayout()
        head.setContentsMargins(10, 3, 10, 3)
        head.addWidget(self.summary, 1)
        for widget in (self.run_box, self.run_slider, self.median_run):
            head.addWidget(widget)
        return head

    def _set_up_plot(self, item: pg.PlotItem) -> None:
        calm(item)
        item.addItem(self.spans, ignoreBounds=True)
        item.getAxis("left").setWidth(_LEFT_AXIS_PX)
        item.getAxis("left").setStyle(tickLength=0)
        item.showGrid(x=True, y=False, alpha=0.12)
        box = item.getViewBox()
        box.invertY(True)
        box.setMouseEnabled(x=True, y=False)
        box.sigResized.connect(self._fit_rows)
        self._scroll_bar.valueChanged.connect(self._fit_rows)
        self.plot.installEventFilter(self)
        self.plot.scene().sigMouseClicked.connect(self._on_clicked)
        self.plot.scene().sigMouseMoved.connect(self._on_moved)

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        self.plot.setBackground(theme.window)
        colour_axes(self.plot.getPlotItem(), theme)
        self.spans.set_theme(theme)

    def show_timeline(self, timeline: Timeline | None, message: str = "") -> None:
        """Show a run, all of it, or say in one sentence why there is none."""
        self.spans.set_timeline(timeline)
        for widget in (self._chart, self.run_box, self.run_slider, self.median_run):
            widget.setVisible(timeline is not None)
        if timeline is None:
            self.summary.setText(message)
            return
        self.summary.setText(_words(timeline))
        self.summary.setToolTip(self.summary.text())
        self._show_run(timeline)
        self._show_lanes(timeline)
        margin = timeline.duration_us * 0.02 or 1.0
        box = self.plot.getPlotItem().getViewBox()
        box.setLimits(xMin=-margin, xMax=timeline.duration_us + margin, minXRange=margin * 50 * _DEEPEST_ZOOM)
        self._fit_rows()
        self.fit()
        self.spans.select(self._code(self._selected))

    def _show_run(self, timeline: Timeline) -> None:
        with QSignalBlocker(self.run_box), QSignalBlocker(self.run_slider):
            for chooser in (self.run_box, self.run_slider):
                chooser.setRange(1, max(timeline.runs, 1))
                chooser.setValue(timeline.run + 1)
            for widget in (self.run_box, self.run_slider, self.median_run):
                widget.setEnabled(timeline.runs > 1)
            self.run_box.setSuffix(f" of {timeline.runs}")

    def _show_lanes(self, timeline: Timeline) -> None:
        """A lane's name stands in the middle of its rows."""
        places: dict[int, list[int]] = {}
        for number, row in enumerate(self.spans.rows):
            places.setdefault(row.lane, []).append(number)
        ticks = [(sum(own) / len(own) + 0.5, timeline.lanes[lane]) for lane, own in places.items()]
        axis = self.plot.getPlotItem().getAxis("left")
        metrics, room_px = QFontMetricsF(chart_font()), _LEFT_AXIS_PX - 12  # a tick without room is not shown
        elide = Qt.TextElideMode.ElideMiddle
        axis.setTicks([[(place, metrics.elidedText(name, elide, room_px)) for place, name in ticks]])

    def _fit_rows(self) -> None:
        """Rows as high as there is room for; where they do not fit, a part of them and a scroll bar."""
        rows = max(len(self.spans.rows), 1)
        height_px = max(self.plot.getPlotItem().getViewBox().height(), _ROW_PX)
        shown = min(max(height_px / _HIGHEST_ROW_PX, rows), height_px / _ROW_PX)
        with QSignalBlocker(self._scroll_bar):
            self._scroll_bar.setRange(0, max(-int(-(rows - shown) // 1), 0))
            self._scroll_bar.setPageStep(max(int(shown), 1))
        self._scroll_bar.setVisible(rows > shown)
        first = self._scroll_bar.value()
        self.plot.setYRange(first, first + shown, padding=0)

    def fit(self) -> None:
        """Show all of the run."""
        if self.spans.timeline is not None:
            self.plot.setXRange(0, self.spans.timeline.duration_us or 1.0, padding=0.005)

    def select(self, name: str) -> None:
        """Outline a kernel's spans without telling anyone; the first comes into sight where none is."""
        self._selected = name
        code = self._code(name)
        self.spans.select(code)
        timeline = self.spans.timeline
        if timeline is None or code < 0:
            return
        left, right = self.plot.getPlotItem().getViewBox().viewRange()[0]
        is_own = timeline.code == code
        if is_own.any() and not (is_own & (timeline.end_us >= left) & (timeline.start_us <= right)).any():
            middle = float(timeline.start_us[is_own][0])
            self.plot.setXRange(middle - (right - left) / 2, middle + (right - left) / 2, padding=0)

    def _code(self, name: str) -> int:
        timeline = self.spans.timeline
        return timeline.names.index(name) if timeline is not None and name in timeline.names else -1

    # The mouse and the keys

    def span_at(self, scene_point: QPointF) -> int | None:
        """The number of the span at a point of the plot's scene."""
        box = self.plot.getPlotItem().getViewBox()
        point = box.mapSceneToView(scene_point)
        row = int(point.y() // 1)
        if not 0 <= row < len(self.spans.rows) or not box.sceneBoundingRect().contains(scene_point):
            return None
        return self.spans.rows[row].at(point.x(), _NEAR_PX * float(box.viewPixelSize()[0]))

    def span_point(self, span: int) -> QPointF:
        """The middle of a span in the scene of the plot."""
        timeline = self.spans.timeline
        assert timeline is not None
        row = next(number for number, row in enumerate(self.spans.rows) if span in row.spans)
        middle = QPointF(float(timeline.start_us[span] + timeline.end_us[span]) / 2, row + 0.5)
        point: QPointF = self.plot.getPlotItem().getViewBox().mapViewToScene(middle)
        return point

    def span_text(self, span: int) -> str:
        """What the tooltip says of a span."""
        timeline = self.spans.timeline
        assert timeline is not None
        code = int(timeline.code[span])
        start_us, end_us = float(timeline.start_us[span]), float(timeline.end_us[span])
        is_exact = bool(timeline.exact[span])
        end = "its end was recorded" if is_exact else "its end is inferred, an upper bound"
        time = f"{'' if is_exact else '≤ '}{time_text(end_us - start_us)}"
        return (
            f"{timeline.names[code]}\n{timeline.opcodes[code]} on {timeline.lanes[int(timeline.lane[span])]}\n"
            f"{time}, {end}\nstarts {time_text(start_us)} into the run\n"
            f"median over all runs {time_text(float(timeline.medians_us[code]))}"
        )

    def _on_clicked(self, event: object) -> None:
        if event.double():  # type: ignore[attr-defined]
            self.fit()
            return
        span = self.span_at(event.scenePos())  # type: ignore[attr-defined]
        timeline = self.spans.timeline
        if span is not None and timeline is not None:
            name = timeline.names[int(timeline.code[span])]
            self.select(name)
            self.kernel_selected.emit(name)

    def _on_moved(self, scene_point: QPointF) -> None:
        span = self.span_at(scene_point)
        place = self.plot.viewport().mapToGlobal(self.plot.mapFromScene(scene_point))
        QToolTip.showText(place, self.span_text(span) if span is not None else "", self.plot)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """The chart's own keys come before the window's shortcuts."""
        if isinstance(event, QKeyEvent) and event.key() in _KEYS and not event.modifiers() & ~_HARMLESS:
            if event.type() == QEvent.Type.ShortcutOverride:
                event.accept()
                return True
            if event.type() == QEvent.Type.KeyPress:
                self._move(*_KEYS[Qt.Key(event.key())])
                return True
        return super().eventFilter(watched, event)

    def _move(self, shift: float, factor: float) -> None:
        if not factor:
            self.fit()
            return
        left, right = self.plot.getPlotItem().getViewBox().viewRange()[0]
        middle, half = (left + right) / 2 + shift * (right - left), (right - left) / 2 * factor
        self.plot.setXRange(middle - half, middle + half, padding=0)

    def _on_run(self, number: int) -> None:
        with QSignalBlocker(self.run_box), QSignalBlocker(self.run_slider):
            self.run_box.setValue(number)
            self.run_slider.setValue(number)
        self.run_wanted.emit(number - 1)


_HARMLESS = Qt.KeyboardModifier.ShiftModifier | Qt.KeyboardModifier.KeypadModifier  # + needs Shift on many keyboards


def _words(timeline: Timeline) -> str:
    words = [f"{time_text(timeline.duration_us)} in all", f"kernels cover {timeline.coverage:.1%}"]
    words.append(f"{counted(len(timeline.code), 'execution')} on {counted(len(timeline.lanes), 'lane')}")
    inferred = int((~timeline.exact).sum())
    if inferred:
        words.append(f"{inferred} with an inferred end (hatched)")
    return "  ·  ".join(words)
