"""What ran on the devices and is no instruction: copies, other libraries."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHeaderView, QTreeWidget, QTreeWidgetItem, QVBoxLayout, QWidget

from xlaviz.base.units import signed_time_text
from xlaviz.plots.parts import ARROW_ABOVE, ElidedLabel
from xlaviz.profile.kernels import OtherKernel

_COLUMNS = ("name", "device", "times", "median", "total")
_WIDTHS_PX = (220, 150, 60, 84, 84)
_FIRST_NUMBER = 2


class OtherKernelsTable(QWidget):
    """A small table under a heading; it sorts by its numbers."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        heading = ElidedLabel()
        heading.setText("Not in HLO (memcpy, libraries): in none of the figures of the kernels.")
        heading.setContentsMargins(10, 3, 10, 3)
        self.view = QTreeWidget()
        self.view.setRootIsDecorated(False)
        self.view.setUniformRowHeights(True)
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
        self.view.setSortingEnabled(False)
        self.view.clear()
        self.view.addTopLevelItems([_Row(other) for other in others])
        self.view.setSortingEnabled(True)
        self.view.sortByColumn(_COLUMNS.index("total"), Qt.SortOrder.DescendingOrder)


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
