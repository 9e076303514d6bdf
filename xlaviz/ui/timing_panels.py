"""The bottom tabs about time: kernels, one run, the user's source, whether XLA pays. Filled when they are looked at."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QWidget

from xlaviz.base.errors import XlavizError
from xlaviz.plots.kernels import KernelPanel
from xlaviz.plots.timeline import MEDIAN_RUN, TimelinePanel
from xlaviz.timing.lines import LineTimes
from xlaviz.timing.report import Report
from xlaviz.ui.report_panel import ReportPanel
from xlaviz.ui.source_panel import SourcePanel
from xlaviz.ui.style import Themed
from xlaviz.ui.timing_commands import TimingCommands

if TYPE_CHECKING:
    from xlaviz.ui.main_window import MainWindow

_NO_PROFILE = "This module comes without a profile. A capture records one."


class TimingPanels(QObject):
    """Keeps the tabs at what the session shows, one selection over all of them."""

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self._window = window
        self.kernels = KernelPanel()
        self.timeline = TimelinePanel()
        self.source = SourcePanel()
        self.report = ReportPanel()
        self.lines: LineTimes | None = None
        self.shown_report: Report | None = None
        self._filled: dict[QWidget, object] = {}
        self.commands = TimingCommands(window, self)
        window.bottom.addTab(self.kernels, "Kernels")
        window.bottom.addTab(self.timeline, "Timeline")
        window.bottom.addTab(self.source, "Source")
        window.bottom.addTab(self.report, "Does XLA pay?")

    def connect_signals(self) -> None:
        """To the session and to each other; the window's commands must be there."""
        session = self._window.session
        session.document_changed.connect(self._forget)
        session.kernels_changed.connect(self._on_times)
        session.selection_changed.connect(self._on_selection)
        self._window.bottom.currentChanged.connect(self.refresh)
        for panel in (self.kernels, self.timeline):
            panel.kernel_selected.connect(self._window.commands.select_kernel)
        self.kernels.device_wanted.connect(session.times.set_device)
        self.kernels.grouping_wanted.connect(self._ask_for_groups)
        self.kernels.executions_wanted.connect(self._ask_for_executions)
        self.kernels.csv_wanted.connect(self.commands.save_csv)
        self.kernels.peaks_wanted.connect(self.commands.type_peaks)
        self.kernels.measure_wanted.connect(self.commands.measure_peaks)
        self.timeline.run_wanted.connect(self._ask_for_timeline)
        self.source.kernel_wanted.connect(self._window.commands.select_kernel)
        self.source.line_chosen.connect(self.commands.select_line)
        self.report.copy_wanted.connect(self.commands.copy_report)
        self.report.save_wanted.connect(self.commands.save_report)

    def themed(self) -> Iterator[Themed]:
        yield from (self.kernels, self.timeline, self.source, self.report)

    def _forget(self) -> None:
        """Another module: what is shown of the old one is not to be taken for its own."""
        self._filled.clear()
        self.lines = self.shown_report = None
        self.kernels.show_kernels(None, "Reading the profile…")
        self.timeline.show_timeline(None)
        self.source.show_lines(None)
        self.report.show_report(None)
        self.refresh()

    def _on_times(self) -> None:
        times = self._window.session.times
        message = str(times.error) if times.error is not None else _NO_PROFILE
        self.kernels.show_kernels(times.table, message)
        self._filled.clear()
        self.refresh()
        self._on_selection()

    def refresh(self) -> None:
        """Fill the tab that is looked at, once for each module and device."""
        times = self._window.session.times
        panel = self._window.bottom.currentWidget()
        fill: dict[QWidget, Callable[[], None]] = {
            self.timeline: self._ask_for_timeline,
            self.source: self._ask_for_lines,
            self.report: self._ask_for_report,
        }
        if panel not in fill or self._window.session.sequence is None or self._filled.get(panel) == times.device:
            return
        self._filled[panel] = times.device
        fill[panel]()

    def _ask(
        self,
        slot: str,
        title: str,
        call: str,
        *arguments: object,
        done: Callable[[Any], None],
        say: Callable[[str], None],
    ) -> None:
        """Ask for the times in another form; `say` shows a sentence in place of the answer."""

        def failed(error: XlavizError) -> None:
            say(str(error))

        self._window.session.times.ask(slot, title, call, arguments, done, failed)

    def _ask_for_timeline(self, run: int = MEDIAN_RUN) -> None:
        times, panel = self._window.session.times, self.timeline

        def done(timeline: Any) -> None:
            panel.show_timeline(timeline, _NO_PROFILE)
            panel.select(self._selected_kernel)

        say = partial(panel.show_timeline, None)
        number = None if run == MEDIAN_RUN else run
        self._ask("timeline", "reading a run", "run_timeline", number, times.device, done=done, say=say)

    def _ask_for_lines(self) -> None:
        def done(lines: LineTimes | None) -> None:
            self.lines = lines
            self.source.show_lines(lines, _NO_PROFILE)
            self._on_selection()

        say = partial(self.source.show_lines, None)
        say("Adding up the times of your lines…")
        device = self._window.session.times.device
        self._ask("lines", "adding up lines", "lines", device, done=done, say=say)

    def _ask_for_report(self) -> None:
        def done(report: Report) -> None:
            self.shown_report = report
            self.report.show_report(report)

        say = partial(self.report.show_report, None)
        say("Adding up what XLA costs and brings…")
        self._ask("report", "comparing with and without XLA", "does_xla_pay", done=done, say=say)

    def _ask_for_groups(self, by: str) -> None:
        if by == "none":
            return
        device = self._window.session.times.device
        show = self.kernels.show_groups
        self._ask("groups", "adding up kernels", "kernel_groups", by, device, done=show, say=self.commands.say)

    def _ask_for_executions(self, name: str) -> None:
        device, panel = self._window.session.times.device, self.kernels
        title = f"reading the runs of {name}"
        say = partial(panel.show_executions, None)
        self._ask("executions", title, "kernel_executions", name, device, done=panel.show_executions, say=say)

    @property
    def _selected_kernel(self) -> str:
        """The selected instruction where the pane it is in shows what ran."""
        session = self._window.session
        if session.sequence is None:
            return ""
        is_last = session.shown.snapshot_index(session.selection.pane) == session.sequence.last_index
        return session.selection.name if is_last else ""

    def _on_selection(self) -> None:
        selection = self._window.session.selection
        self.kernels.select(self._selected_kernel)
        self.timeline.select(self._selected_kernel)
        if self.lines is not None and self._window.bottom.currentWidget() is self.source:
            places = {
                (line.file, line.line)
                for line in self.lines.lines
                if not selection.left.isdisjoint(line.before) or not selection.right.isdisjoint(line.kernels)
            }
            self.source.mark_places(places)
