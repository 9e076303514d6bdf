"""The line above the kernel panel: what is shown in figures, and the choices of what and how."""

from __future__ import annotations

from PySide6.QtCore import QSignalBlocker, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import (
    QBoxLayout,
    QButtonGroup,
    QComboBox,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QSizePolicy,
    QToolButton,
    QWidget,
)

from xlaviz.base.units import time_text
from xlaviz.plots.parts import ElidedLabel, counted, small_share_text
from xlaviz.profile.kernels import Kernel, KernelTable

CHARTS = ("Bars", "Distribution", "Roofline")
GROUPINGS = {"none": "kernel", "opcode": "opcode", "op": "TF op", "layer": "layer", "line": "line"}
"""What `grouping_wanted` can say, and its words."""


_LEAST_FILTER_PX = 64
_LEAST_SUMMARY_PX = 60


class KernelHead(QWidget):
    """Choices that only signal; the panel acts.

    Signals: `chart_chosen` with a place in CHARTS, `device_chosen` with a device's name, empty for all,
    `grouping_chosen` with a key of GROUPINGS, `others_chosen` with whether what is not in HLO is to be shown, and those
    of the field and buttons.
    """

    chart_chosen = Signal(int)
    device_chosen = Signal(str)
    grouping_chosen = Signal(str)
    others_chosen = Signal(bool)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setStyleSheet("QToolButton { padding: 3px 7px; } QToolButton:checked { background: palette(highlight); }")
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)  # or it widens the window
        self.charts = QButtonGroup(self)
        self.charts.idClicked.connect(self.chart_chosen)
        self.summary = ElidedLabel()
        self.summary.setContentsMargins(6, 0, 6, 0)
        self.device = QComboBox()
        self.device.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        self.device.setToolTip("The device whose kernels are shown")
        self.device.activated.connect(lambda: self.device_chosen.emit(self.device.currentData()))
        self.others = _button("Not in HLO", "What ran on the devices and is no instruction: memcpy, libraries")
        self.others.setCheckable(True)
        self.others.toggled.connect(self.others_chosen)
        self.grouping = QComboBox()
        self.grouping.setToolTip("Add up the kernels' times by…")
        for key, words in GROUPINGS.items():
            self.grouping.addItem(f"by {words}", key)
        self.grouping.activated.connect(lambda: self.grouping_chosen.emit(self.grouping.currentData()))
        self.filter = QLineEdit()
        self.filter.setPlaceholderText("Filter")
        self.filter.setToolTip("Words of names, opcodes and ops")
        self.filter.setClearButtonEnabled(True)
        self.filter.setMinimumWidth(_LEAST_FILTER_PX)
        self.filter.setMaximumWidth(124)
        self.count = QLabel()
        self.count.setObjectName("muted")
        self.copy = _button(
            "Copy", "Copy all that are shown, groups where they are grouped (Ctrl+C in the table: the selected rows)"
        )
        self.csv = _button("CSV…", "Save all of this table as CSV")
        self._tools = (self.device, self.others, self.grouping, self.filter, self.count, self.copy, self.csv)
        self._lay_out()

    def _lay_out(self) -> None:
        self._rows = QBoxLayout(QBoxLayout.Direction.LeftToRight, self)
        self._rows.setContentsMargins(6, 2, 6, 2)
        self._rows.setSpacing(3)
        self._parts = charts, tools = QHBoxLayout(), QHBoxLayout()
        for number, name in enumerate(CHARTS):
            button = _button(name, "")
            button.setCheckable(True)
            button.setChecked(number == 0)
            self.charts.addButton(button, number)
            charts.addWidget(button)
        charts.addWidget(self.summary, 1)
        for tool in self._tools:
            tools.addWidget(tool)
        for row, stretch in ((charts, 1), (tools, 0)):
            row.setSpacing(3)
            self._rows.addLayout(row, stretch)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """In two rows where there is no room for one."""
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        needed_px = sum(row.sizeHint().width() for row in self._parts) + _LEAST_SUMMARY_PX
        is_narrow = self.width() < needed_px
        way = QBoxLayout.Direction.TopToBottom if is_narrow else QBoxLayout.Direction.LeftToRight
        self._rows.setDirection(way)

    def show_table(self, table: KernelTable | None, message: str) -> None:
        """Figures and choices of a table, or a sentence alone."""
        has_kernels = table is not None and bool(table.kernels)
        has_rows = table is not None and bool(table.kernels or table.others)
        for tool in self._tools:
            tool.setVisible(has_rows)
        for choice in (self.grouping, *self.charts.buttons()):
            choice.setVisible(has_kernels)
        words = summary_text(table) if table is not None else message
        self.summary.setText(words)
        self.summary.setToolTip("\n".join(words.split(_SEPARATOR)))
        self.others.setChecked(has_rows and not has_kernels)
        self.others.setVisible(table is not None and has_kernels and bool(table.others))
        self.others.setText(f"Not in HLO ({len(table.others)})" if table is not None else "")
        self.device.setVisible(table is not None and len(table.devices) > 1)
        if table is not None:
            with QSignalBlocker(self.device):
                self.device.clear()
                self.device.addItem("all devices", "")
                for device in table.devices:
                    self.device.addItem(device, device)
                self.device.setCurrentIndex(self.device.findData(table.device))
        self._fit()

    def show_count(self, matching: tuple[Kernel, ...], table: KernelTable | None, *, is_filtered: bool) -> None:
        """How many kernels the filter lets through and what they take of the run; nothing without a filter."""
        self.count.setVisible(is_filtered and table is not None)
        if table is not None:
            share = small_share_text(sum(kernel.share for kernel in matching))
            self.count.setText(f"{len(matching)} of {len(table.kernels)} · {share} of the run")

    def show_count_of_others(self, matching: int, count: int, *, is_filtered: bool) -> None:
        """The same of what is not in HLO."""
        self.count.setVisible(is_filtered)
        self.count.setText(f"{matching} of {count}")


_SEPARATOR = "  ·  "


def _button(text: str, tip: str) -> QToolButton:
    button = QToolButton()
    button.setText(text)
    button.setToolTip(tip)
    return button


def summary_text(table: KernelTable) -> str:
    """What is to be known of the whole table, and what is uncertain in it."""
    if not table.kernels and table.notes:
        return _SEPARATOR.join(table.notes)
    inferred = sum(1 for kernel in table.kernels if not kernel.exact)
    parts = [
        counted(len(table.kernels), "kernel"),
        f"{counted(table.runs, 'run')} of {time_text(table.run_us)} (median)",
        f"kernels cover {table.coverage:.1%} of a run",
    ]
    if inferred:
        parts.append(f"{inferred} with an inferred end (≤)")
    if table.unmatched:
        parts.append(f"{counted(table.unmatched, 'event')} without an instruction")
    if table.outside:
        parts.append(f"{counted(table.outside, 'event')} outside every run")
    return _SEPARATOR.join([*parts, *table.notes])
