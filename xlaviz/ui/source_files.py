"""The list of the user's files, the costliest first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtGui import QBrush, QColor
from PySide6.QtWidgets import QHeaderView, QTreeWidget, QTreeWidgetItem, QWidget

from xlaviz.scene.palette import LIGHT, Theme
from xlaviz.ui.source_text import bounded_time, short_time

_PATH = Qt.ItemDataRole.UserRole
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter


@dataclass(frozen=True, slots=True)
class FileRow:
    """A file and the time of its own lines. `marks` say what sets it apart; such a file is in a weak colour. `exact` is
    False where `xla_us` is an upper bound."""

    path: str
    name: str
    marks: tuple[str, ...]
    xla_us: float
    no_xla_us: float
    exact: bool = True


class SourceFiles(QTreeWidget):
    """Signal: `file_chosen` with the path of a file that the user goes to."""

    file_chosen = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = LIGHT
        self._rows: Sequence[FileRow] = ()
        self.setRootIsDecorated(False)
        self.setUniformRowHeights(True)
        self.setTextElideMode(Qt.TextElideMode.ElideRight)
        self.setHeaderLabels(["file", "XLA", "without"])
        header = self.header()
        header.setStretchLastSection(False)
        header.setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        header.setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        self.currentItemChanged.connect(self._on_current)

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        for item, row in zip(self._items(), self._rows, strict=True):
            self._colour(item, row)

    def show_rows(self, rows: Sequence[FileRow], *, has_no_xla: bool) -> None:
        """Show the files in this order, none of them chosen; `has_no_xla` says whether they were timed without XLA."""
        self._rows = rows
        self.setColumnHidden(2, not has_no_xla)
        with QSignalBlocker(self):
            self.clear()
            for row in rows:
                name = "  ·  ".join((row.name, *row.marks))
                item = QTreeWidgetItem([name, bounded_time(row, row.xla_us), short_time(row.no_xla_us)])
                item.setData(0, _PATH, row.path)
                item.setToolTip(0, row.path)
                for column in (1, 2):
                    item.setTextAlignment(column, _RIGHT)
                self._colour(item, row)
                self.addTopLevelItem(item)

    def choose(self, path: str) -> None:
        """Make a file the current one, telling nobody."""
        with QSignalBlocker(self):
            for item in self._items():
                if item.data(0, _PATH) == path:
                    self.setCurrentItem(item)

    def _items(self) -> list[QTreeWidgetItem]:
        items = (self.topLevelItem(place) for place in range(self.topLevelItemCount()))
        return [item for item in items if item is not None]

    def _colour(self, item: QTreeWidgetItem, row: FileRow) -> None:
        if row.marks:
            item.setForeground(0, QBrush(QColor(self._theme.muted)))

    def _on_current(self, item: QTreeWidgetItem | None, before: QTreeWidgetItem | None) -> None:
        self.file_chosen.emit(item.data(0, _PATH) if item is not None else "")
