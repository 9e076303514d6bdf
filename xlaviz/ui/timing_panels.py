"""The bottom tabs about time: kernels, one run, the user's source, whether XLA pays. Filled when they are looked at."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator
from functools import partial
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QWidget

from xlaviz.base.errors import XlavizError
from xlaviz.graph.model import DrawnGraph
from xlaviz.lineage.sequence import Lineage
from xlaviz.plots.kernels import KernelPanel
from xlaviz.plots.timeline import MEDIAN_RUN, TimelinePanel
from xlaviz.timing.groups import KernelGroup
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
        self._place: tuple[str, int] | None = None
        self._lineage: Lineage | None = None
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
        session.stories.told.connect(self._on_told)
        self._window.bottom.currentChanged.connect(self._on_tab)
        session.view_changed.connect(self.commands.on_view)
        for panel in (self.kernels, self.timeline):
            panel.kernel_selected.connect(self.commands.select_kernel)
        self.kernels.device_wanted.connect(session.times.set_device)
        self.kernels.grouping_wanted.connect(self._ask_for_groups)
        self.kernels.executions_wanted.connect(self._ask_for_executions)
        self.kernels.csv_wanted.connect(self.commands.save_csv)
        self.kernels.peaks_wanted.connect(self.commands.type_peaks)
        self.kernels.measure_wanted.connect(self.commands.measure_peaks)
        self.timeline.run_wanted.connect(self._ask_for_timeline)
        self.source.kernel_wanted.connect(self.commands.select_kernel)
        self.source.line_chosen.connect(self.commands.select_line)
        self._window.inspector.line_wanted.connect(self.show_line)
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
        self.kernels.show_kernels(times.table, str(times.error) if times.error is not None else _NO_PROFILE)
        self._filled.clear()
        self.refresh()
        self._on_selection()

    def _on_tab(self) -> None:
        self.refresh()
        self._mark_lines()

    def _on_told(self) -> None:
        """It is known what came from what: the time of what passes made leads to other ops and lines."""
        lineage = self._window.session.lineage
        if lineage is None or lineage is self._lineage:
            return
        self._filled.pop(self.source, None)
        self.refresh()
        if self.kernels.head.grouping.currentData() != "none":
            self._ask_for_groups(self.kernels.head.grouping.currentData())

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
        panel: QWidget,
        slot: str,
        title: str,
        call: str,
        *arguments: object,
        done: Callable[[Any], None],
        say: Callable[[str], None],
    ) -> None:
        """Ask for the times in another form; `say` shows a sentence in place of the answer. What failed, or was
        stopped, is asked for again when its panel is looked at again."""

        def failed(error: XlavizError) -> None:
            self._filled.pop(panel, None)
            say(str(error))

        self._window.session.times.ask(slot, title, call, arguments, done, failed)

    def _ask_for_timeline(self, run: int = MEDIAN_RUN) -> None:
        times, panel = self._window.session.times, self.timeline

        def done(timeline: Any) -> None:
            panel.show_timeline(timeline, self._why_nothing)
            panel.select(self._selected_kernel)

        say = partial(panel.show_timeline, None)
        if panel.spans.timeline is None:
            say("Reading a run…")
        number = None if run == MEDIAN_RUN else run
        self._ask(panel, "timeline", "reading a run", "run_timeline", number, times.device, done=done, say=say)

    def _ask_for_lines(self) -> None:
        def done(lines: LineTimes | None) -> None:
            self.lines = lines if lines is not None and lines.run_us else None
            self.source.show_lines(self.lines, self._why_nothing)
            self._mark_lines()

        say = partial(self.source.show_lines, None)
        say("Adding up the times of your lines…")
        device, self._lineage = self._window.session.times.device, self._window.session.lineage
        self._ask(self.source, "lines", "adding up lines", "lines", device, self._lineage, done=done, say=say)

    def _ask_for_report(self) -> None:
        def done(report: Report) -> None:
            self.shown_report = report
            self.report.show_report(report)

        say = partial(self.report.show_report, None)
        say("Adding up what XLA costs and brings…")
        self._ask(self.report, "report", "comparing with and without XLA", "does_xla_pay", done=done, say=say)

    def _ask_for_groups(self, by: str) -> None:
        if by == "none":
            return
        device, panel = self._window.session.times.device, self.kernels

        def done(groups: tuple[KernelGroup, ...]) -> None:
            if panel.head.grouping.currentData() == by:  # else the user has gone back to the kernels
                panel.show_groups(groups)

        title, self._lineage = "adding up kernels", self._window.session.lineage
        self._ask(panel, "groups", title, "kernel_groups", by, device, self._lineage, done=done, say=self.commands.say)

    def _ask_for_executions(self, name: str) -> None:
        device, panel = self._window.session.times.device, self.kernels
        title = f"reading the runs of {name}"
        say = partial(panel.show_executions, None)
        self._ask(panel, "executions", title, "kernel_executions", name, device, done=panel.show_executions, say=say)

    @property
    def _why_nothing(self) -> str:
        """A profile that has nothing of the module may say why."""
        table, error = self._window.session.kernels, self._window.session.times.error
        if error is not None:
            return str(error)
        return " ".join(table.notes) if table is not None and table.notes and not table.runs else _NO_PROFILE

    @property
    def _selected_kernel(self) -> str:
        """The kernel that is selected where a pane shows what ran; of several the costliest, "" of none."""
        session = self._window.session
        if session.sequence is None or session.kernels is None:
            return ""
        selection, costs = session.selection, {kernel.name: kernel.share for kernel in session.kernels.kernels}
        if selection.name in costs and session.shown.snapshot_index(selection.pane) == session.sequence.last_index:
            return selection.name
        side = session.sides["right"]
        if side is None or session.shown.snapshot_index("right") != session.sequence.last_index:
            return ""
        found = (kernel_around(side.graph, name, costs) for name in selection.right)
        return max(sorted(filter(None, found)), key=costs.__getitem__, default="")

    def _on_selection(self) -> None:
        self._place = None
        name = self._selected_kernel
        self.kernels.select(name)
        self.timeline.select(name)
        self._mark_lines()

    def show_line(self, place: str) -> None:
        """Show a line of the source, given as `file:line`, with the others behind the selection."""
        file, _, line = place.rpartition(":")
        self._place = (file, int(line))
        self._window.bottom.setCurrentWidget(self.source)
        self._mark_lines()

    def _mark_lines(self) -> None:
        """The lines behind the selection, where they can be seen."""
        if self.lines is None or self._window.bottom.currentWidget() is not self.source:
            return
        selection = self._window.session.selection
        places = {
            (line.file, line.line)
            for line in self.lines.lines
            if not selection.left.isdisjoint(line.before) or not selection.right.isdisjoint(line.kernels)
        }
        self.source.mark_places(places | ({self._place} if self._place is not None else set()))


def kernel_around(graph: DrawnGraph, name: str, kernels: Container[str]) -> str:
    """The kernel that an instruction is, or the open fusion around it that is one; "" where neither is."""
    if name in kernels:
        return name
    box = next(iter(graph.nodes_of.get(name, ())), -1)
    while box >= 0:
        node = graph.nodes[box]
        if node.family == "fusion" and node.instruction in kernels:
            return node.instruction
        box = node.parent
    return ""
