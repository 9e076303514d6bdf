"""What ran on the devices and is no instruction: copies, other libraries."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QGuiApplication, QKeyEvent, QKeySequence
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QTreeWidget, QTreeWidgetItem, QVBoxLayout, QWidget

from xlaviz.base.units import signed_time_text
from xlaviz.plots.parts import ARROW_ABOVE, ElidedLabel
from xlaviz.profile.kernels import OtherKernel

_COLUMNS = ("name", "device", "times", "median", "total")
_WIDTHS_PX = (220, 150, 60, 84, 84)
_FIRST_NUMBER = 2


class OtherKernelsTable(QWidget):
    """A small table under a heading; it sorts by its numbers. Signal: `rows_changed` after a filter."""

    rows_changed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.others: tuple[OtherKernel, ...] = ()
        self._words: tuple[str, ...] = ()
        heading = ElidedLabel()
        heading.setText("Not in HLO (memcpy, libraries): in none of the figures of the kernels.")
        heading.setContentsMargins(10, 3, 10, 3)
        self.view = _View()
        self.view.setHeaderLabels(_COLUMNS)
        header = self.view.header()
        for column, width in enumerate(_WIDTHS_PX):
            header.resizeSection(column, width)
        header.setStretchLastSection(False)
        header.setStyleSheet(ARROW_ABOVE)
        header.setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        for column in range(_FIRST_NUMBER, len(_COLUMNS)):
            self.view.headerItem().setTextAlignment(column, _RIGHT)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(heading)
        layout.addWidget(self.view, 1)

    def show_others(self, others: tuple[OtherKernel, ...]) -> None:
        """The longest in all first."""
        self.others = others
        self._fill()
        self.view.sortByColumn(_COLUMNS.index("total"), Qt.SortOrder.DescendingOrder)

    def set_filter(self, text: str) -> None:
        """Show those whose name or device has all the words."""
        self._words = tuple(text.casefold().split())
        self._fill()
        self.rows_changed.emit()

    @property
    def matching(self) -> tuple[OtherKernel, ...]:
        """What the filter lets through."""
        return tuple(other for other in self.others if self._matches(f"{other.name} {other.device}".casefold()))

    def _matches(self, text: str) -> bool:
        return all(word in text for word in self._words)

    def _fill(self) -> None:
        self.view.setSortingEnabled(False)
        self.view.clear()
        self.view.addTopLevelItems([_Row(other) for other in self.matching])
        self.view.setSortingEnabled(True)

    def copy(self) -> None:
        """All rows that are shown to the clipboard: tab-separated, under a header."""
        self.view.copy(self.view.rows)

    def as_csv(self) -> str:
        """A line of headers and one for each of them, whatever the filter; numbers are raw."""
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(("name", "device", "times", "median_us", "total_us"))
        for other in self.others:
            times = (f"{time_us:.7g}" for time_us in (other.median_us, other.total_us))
            writer.writerow((other.name, other.device, other.count, *times))
        return text.getvalue()


class _View(QTreeWidget):
    """Rows that Ctrl+C copies, where they are selected."""

    def __init__(self) -> None:
        super().__init__()
        self.setRootIsDecorated(False)
        self.setUniformRowHeights(True)
        self.setAllColumnsShowFocus(True)
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)

    @property
    def rows(self) -> Sequence[QTreeWidgetItem]:
        """From the top, as they are sorted."""
        items = (self.topLevelItem(place) for place in range(self.topLevelItemCount()))
        return [item for item in items if item is not None]

    def copy(self, rows: Sequence[QTreeWidgetItem]) -> None:
        lines = [_COLUMNS, *(tuple(row.text(column) for column in range(len(_COLUMNS))) for row in rows)]
        QGuiApplication.clipboard().setText("\n".join("\t".join(line) for line in lines) + "\n")

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.matches(QKeySequence.StandardKey.Copy):
            self.copy([row for row in self.rows if row.isSelected()] or self.rows)
        else:
            super().keyPressEvent(event)


class _Row(QTreeWidgetItem):
    def __init__(self, other: OtherKernel) -> None:
        times = (other.median_us, other.total_us)
        super().__init__([other.name, other.device, str(other.count), *map(signed_time_text, times)])
        self._values = (other.name, other.device, other.count, *times)
        self.setToolTip(0, other.name)
        for column in range(_FIRST_NUMBER, len(_COLUMNS)):
            self.setTextAlignment(column, _RIGHT)

    def __lt__(self, other: object) -> bool:
        assert isinstance(other, _Row)
        column = self.treeWidget().sortColumn()
        return bool(self._values[column] < other._values[column])  # type: ignore[operator]


_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
