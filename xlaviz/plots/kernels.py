"""The kernel panel: charts on the left, the table on the right, one selection over all of them."""

from __future__ import annotations

from PySide6.QtCore import QPointF, Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QSplitter, QStackedWidget, QVBoxLayout, QWidget

from xlaviz.plots.distribution import DistributionPanel
from xlaviz.plots.kernel_bars import KernelBars
from xlaviz.plots.kernel_head import KernelHead
from xlaviz.plots.kernel_table import KernelTableView
from xlaviz.plots.other_kernels import OtherKernelsTable
from xlaviz.plots.roofline import RooflinePanel
from xlaviz.profile.kernel_csv import kernel_csv
from xlaviz.profile.kernels import Kernel, KernelTable
from xlaviz.profile.timeline import Executions
from xlaviz.scene.palette import Theme
from xlaviz.timing.groups import KernelGroup


class KernelPanel(QWidget):
    """Shows a KernelTable. What it has not itself it asks for by signals and is then given.

    Signals: `kernel_selected` with a name, once for each choice; `executions_wanted` with a kernel's name, answered by
    `show_executions`; `grouping_wanted` with `none`, `opcode`, `op`, `layer` or `line`, answered by `show_groups`;
    `device_wanted` with a device of the table; `csv_wanted`, `peaks_wanted` and `measure_wanted` where the user asks.
    """

    kernel_selected = Signal(str)
    executions_wanted = Signal(str)
    grouping_wanted = Signal(str)
    device_wanted = Signal(str)
    csv_wanted = Signal()
    peaks_wanted = Signal()
    measure_wanted = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._table: KernelTable | None = None
        self._selected = ""
        self._asked_for = ""
        self.head = KernelHead()
        self.bars = KernelBars()
        self.distribution = DistributionPanel()
        self.roofline = RooflinePanel()
        self.charts = QStackedWidget()
        for chart in (self.bars, self.distribution, self.roofline):
            self.charts.addWidget(chart)
        self.table = KernelTableView()
        self.others = OtherKernelsTable()
        self.summary, self.plot = self.head.summary, self.bars.plot
        self.model, self.view = self.table.model, self.table.view
        self.tables = QStackedWidget()
        self.tables.addWidget(self.table)
        self.tables.addWidget(self.others)
        self._splitter = QSplitter()
        self._splitter.setChildrenCollapsible(False)
        for number, side in enumerate((self.charts, self.tables)):
            self._splitter.addWidget(side)
            self._splitter.setStretchFactor(number, 1)
        self._splitter.setSizes([416, 584])
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self.head)
        layout.addWidget(self._splitter, 1)
        layout.addStretch()  # holds the words at the top where there is nothing but them
        self._connect()

    def _connect(self) -> None:
        for part in (self.bars, self.roofline, self.table):
            part.kernel_selected.connect(self._choose)
        self.roofline.peaks_wanted.connect(self.peaks_wanted)
        self.roofline.measure_wanted.connect(self.measure_wanted)
        self.head.chart_chosen.connect(self.show_chart)
        self.head.device_chosen.connect(self.device_wanted)
        self.head.grouping_chosen.connect(self._on_grouping)
        self.head.others_chosen.connect(lambda is_shown: self.tables.setCurrentIndex(int(is_shown)))
        for table in (self.table, self.others):
            self.head.filter.textChanged.connect(table.set_filter)
        self.head.copy.clicked.connect(lambda: self._table_in_view.copy())
        self.tables.currentChanged.connect(self._show_count)
        self.head.csv.clicked.connect(self.csv_wanted)
        for table in (self.table, self.others):
            table.rows_changed.connect(self._show_count)

    @property
    def shown_kernels(self) -> tuple[Kernel, ...]:
        """The kernels with a bar, longest first."""
        return self.bars.shown_kernels

    def bar_point(self, name: str) -> QPointF:
        """The middle of a kernel's bar in the scene of `plot`."""
        return self.bars.bar_point(name)

    def set_theme(self, theme: Theme) -> None:
        for part in (self.bars, self.distribution, self.roofline, self.table):
            part.set_theme(theme)

    def show_kernels(self, table: KernelTable | None, message: str = "") -> None:
        """Show a table, or say in one sentence why there is none. The choices of chart, groups and filter stay."""
        self._table = table
        self._selected = self._asked_for = ""
        self.head.show_table(table, message)
        self._splitter.setVisible(table is not None and bool(table.kernels or table.others))
        self.charts.setVisible(table is not None and bool(table.kernels))
        self.bars.show_table(table)
        self.roofline.show_table(table)
        self.table.show_table(table)
        self.others.show_others(table.others if table is not None else ())
        self._mark("")
        self._show_count()
        if table is not None and self.head.grouping.currentData() != "none":
            self.grouping_wanted.emit(self.head.grouping.currentData())

    def show_groups(self, groups: tuple[KernelGroup, ...]) -> None:
        """The answer to `grouping_wanted`; no groups show the kernels alone."""
        self.table.show_groups(groups)

    def show_executions(self, executions: Executions | None, message: str = "") -> None:
        """The answer to `executions_wanted`; one that comes after another choice is dropped."""
        if executions is None or executions.name == self._selected:
            self.distribution.show_executions(executions, message)

    def show_chart(self, number: int) -> None:
        """Show the chart at a place of CHARTS."""
        self.head.charts.button(number).setChecked(True)
        self.charts.setCurrentIndex(number)
        self._ask_for_executions()

    def select(self, name: str) -> None:
        """Mark a kernel without telling anyone; a name without kernel marks none."""
        if name != self._selected:
            self._mark(name)

    def _choose(self, name: str) -> None:
        self.select(name)
        self.kernel_selected.emit(name)

    def _mark(self, name: str) -> None:
        self._selected = name
        for part in (self.bars, self.roofline, self.table):
            part.select(name)
        self._asked_for = ""
        self.distribution.show_executions(None, "Choose a kernel to see all of its executions.")
        self._ask_for_executions()

    def _ask_for_executions(self) -> None:
        """Only where they can be seen: they are read from the profile."""
        kernels = self._table.kernels if self._table is not None else ()
        is_seen = self.isVisible() and self.charts.currentWidget() is self.distribution
        if is_seen and self._asked_for != self._selected and any(kernel.name == self._selected for kernel in kernels):
            self._asked_for = self._selected
            self.distribution.show_executions(None, f"Reading the executions of {self._selected}…")
            self.executions_wanted.emit(self._selected)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._ask_for_executions()

    def _on_grouping(self, grouping: str) -> None:
        if grouping == "none":
            self.table.show_groups(())
        self.grouping_wanted.emit(grouping)

    @property
    def _table_in_view(self) -> KernelTableView | OtherKernelsTable:
        return self.table if self.tables.currentWidget() is self.table else self.others

    def _show_count(self) -> None:
        is_filtered = self.model.is_filtered
        if self._table_in_view is self.table:
            self.head.show_count(self.model.matching, self._table, is_filtered=is_filtered)
        else:
            others = self.others
            self.head.show_count_of_others(len(others.matching), len(others.others), is_filtered=is_filtered)

    def as_csv(self) -> str:
        """The table that is in view, all of it, as comma-separated values."""
        if self._table is not None and self._table_in_view is self.table:
            return kernel_csv(self._table)
        return self.others.as_csv()
