"""The rows behind the kernel table: kernels or groups with kernels inside, sorted by numbers, filtered by words."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QAbstractItemModel, QModelIndex, QObject, QPersistentModelIndex, Qt
from PySide6.QtGui import QColor

from xlaviz.plots.kernel_columns import COLUMNS, Row, in_order, marks, number_of, row_tip
from xlaviz.profile.kernels import Kernel
from xlaviz.profile.peaks import NO_PEAKS, Peaks
from xlaviz.scene.palette import LIGHT, Theme
from xlaviz.timing.groups import KernelGroup

MARKS_ROLE = Qt.ItemDataRole.UserRole + 1
"""The signs that stand behind a kernel's name."""

IS_GROUP_ROLE = Qt.ItemDataRole.UserRole + 2

_SPREAD_COLUMNS = {number_of("p10"), number_of("p90")}
_Index = QModelIndex | QPersistentModelIndex


class KernelModel(QAbstractItemModel):
    """Rows of the first level are kernels, or groups whose rows are their kernels. It sorts and filters itself: a
    missing value comes last whichever way the others go.
    """

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.kernels: tuple[Kernel, ...] = ()
        self.groups: tuple[KernelGroup, ...] = ()
        self._peaks = NO_PEAKS
        self._theme = LIGHT
        self._words: tuple[str, ...] = ()
        self._texts: dict[str, str] = {}
        self._sorted_by = (number_of("share"), Qt.SortOrder.DescendingOrder)
        self._top: list[Row] = []
        self._inside: list[list[Row]] = []

    # What is shown

    def set_kernels(self, kernels: tuple[Kernel, ...], peaks: Peaks = NO_PEAKS) -> None:
        """Show kernels, not grouped."""
        self.beginResetModel()
        self.kernels, self.groups, self._peaks = kernels, (), peaks
        self._texts = {k.name: " ".join((k.name, k.opcode, *k.op_names)).casefold() for k in kernels}
        self._arrange()
        self.endResetModel()

    def set_groups(self, groups: tuple[KernelGroup, ...]) -> None:
        """Put the kernels into groups; none leaves them as they are."""
        self.beginResetModel()
        self.groups = groups
        self._arrange()
        self.endResetModel()

    def set_filter(self, text: str) -> None:
        """Show the kernels whose name, opcode or ops have all the words, and the groups with such kernels."""
        self.beginResetModel()
        self._words = tuple(text.casefold().split())
        self._arrange()
        self.endResetModel()

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme

    @property
    def is_filtered(self) -> bool:
        return bool(self._words)

    @property
    def rows(self) -> Sequence[Row]:
        """The rows of the first level as they stand."""
        return self._top

    @property
    def matching(self) -> tuple[Kernel, ...]:
        """The kernels that the filter lets through, grouped or not."""
        return tuple(kernel for kernel in self.kernels if self._matches(self._texts[kernel.name]))

    def _matches(self, text: str) -> bool:
        return all(word in text for word in self._words)

    def _arrange(self) -> None:
        if not self.groups:
            self._top = self._sorted(self.matching)
            self._inside = []
            return
        by_name = {kernel.name: kernel for kernel in self.kernels}
        inside: dict[int, list[Row]] = {}
        for group in self.groups:
            own = [by_name[name] for name in group.kernels if name in by_name]
            if not self._matches(group.label.casefold()):
                own = [kernel for kernel in own if self._matches(self._texts[kernel.name])]
            if own:
                inside[id(group)] = self._sorted(own)
        self._top = self._sorted([group for group in self.groups if id(group) in inside])
        self._inside = [inside[id(group)] for group in self._top]

    def _sorted(self, rows: Sequence[Row]) -> list[Row]:
        number, order = self._sorted_by
        return in_order(rows, COLUMNS[number], self._peaks, is_descending=order == Qt.SortOrder.DescendingOrder)

    # Finding

    def row_at(self, index: _Index) -> Row:
        group = index.internalId()
        return self._inside[group - 1][index.row()] if group else self._top[index.row()]

    def name_at(self, index: _Index) -> str:
        """The kernel of a row; empty for a group."""
        row = self.row_at(index) if index.isValid() else None
        return row.name if isinstance(row, Kernel) else ""

    def index_of(self, name: str) -> QModelIndex:
        """The first row of a kernel, not valid where it is not shown."""
        for number, row in enumerate(self._top):
            if isinstance(row, Kernel) and row.name == name:
                return self.createIndex(number, 0, 0)
        for group, rows in enumerate(self._inside):
            for number, row in enumerate(rows):
                if isinstance(row, Kernel) and row.name == name:
                    return self.createIndex(number, 0, group + 1)
        return QModelIndex()

    # Qt's own. The id of an index is 0 on the first level, and one more than the group's row inside a group.

    def index(self, row: int, column: int, parent: _Index = QModelIndex()) -> QModelIndex:  # noqa: B008
        if not 0 <= row < self.rowCount(parent) or not 0 <= column < len(COLUMNS):
            return QModelIndex()
        return self.createIndex(row, column, parent.row() + 1 if parent.isValid() else 0)

    def parent(self, index: _Index) -> QModelIndex:  # type: ignore[override]
        group = index.internalId() if index.isValid() else 0
        return self.createIndex(group - 1, 0, 0) if group else QModelIndex()

    def rowCount(self, parent: _Index = QModelIndex()) -> int:  # noqa: B008
        if not parent.isValid():
            return len(self._top)
        is_group = self._inside and parent.internalId() == 0 and parent.column() == 0
        return len(self._inside[parent.row()]) if is_group else 0

    def columnCount(self, parent: _Index = QModelIndex()) -> int:  # noqa: B008
        return len(COLUMNS)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if orientation != Qt.Orientation.Horizontal:
            return None
        column = COLUMNS[section]
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return column.title
            case Qt.ItemDataRole.ToolTipRole:
                return column.tip
        return alignment(section) if role == Qt.ItemDataRole.TextAlignmentRole else None

    def data(self, index: _Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        row = self.row_at(index)
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return COLUMNS[index.column()].cell(row, self._peaks)
            case Qt.ItemDataRole.TextAlignmentRole:
                return alignment(index.column())
            case Qt.ItemDataRole.ToolTipRole:
                return row_tip(row)
            case Qt.ItemDataRole.ForegroundRole:
                return self._ink(row, index.column())
            case _ if role == MARKS_ROLE:
                return " ".join(marks(row)) if isinstance(row, Kernel) else ""
            case _ if role == IS_GROUP_ROLE:
                return isinstance(row, KernelGroup)
        return None

    def _ink(self, row: Row, column: int) -> QColor | None:
        if not isinstance(row, Kernel):
            return None
        if row.is_spread and column in _SPREAD_COLUMNS:
            return QColor(self._theme.changed)
        return QColor(self._theme.muted) if row.near_floor else None

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        self.layoutAboutToBeChanged.emit()
        kept = self.persistentIndexList()
        held = [self._identity(index.row(), index.internalId()) for index in kept]
        self._sorted_by = (column, order)
        self._arrange()
        places = {self._identity(row, 0): (row, 0) for row in range(len(self._top))}
        for group, rows in enumerate(self._inside, start=1):
            places |= {self._identity(row, group): (row, group) for row in range(len(rows))}
        moved = []
        for index, identity in zip(kept, held, strict=True):
            row, group = places[identity]
            moved.append(self.createIndex(row, index.column(), group))
        self.changePersistentIndexList(kept, moved)
        self.layoutChanged.emit()

    def _identity(self, row: int, group: int) -> tuple[int, int]:
        """Of a row and the group it is in, whatever the order; a group's kernels can be another's as well."""
        return (id(self._inside[group - 1][row]), id(self._top[group - 1])) if group else (id(self._top[row]), 0)


def alignment(column: int) -> int:
    side = Qt.AlignmentFlag.AlignRight if COLUMNS[column].is_right else Qt.AlignmentFlag.AlignLeft
    return int(side | Qt.AlignmentFlag.AlignVCenter)
