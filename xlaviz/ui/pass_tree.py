"""The passes of the shown module: a tree of pipelines, or sorted by time or by change."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, Qt, Signal
from PySide6.QtGui import QBrush, QColor, QPainter
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QHBoxLayout,
    QHeaderView,
    QLabel,
    QLineEdit,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTreeWidget,
    QTreeWidgetItem,
    QVBoxLayout,
    QWidget,
)

from xlaviz.dumps.sequence import PassSequence, Snapshot
from xlaviz.scene.palette import LIGHT, Theme
from xlaviz.session.compile_times import CompileTimes, PassRow
from xlaviz.session.stories import SnapshotSummary

_INDEX = Qt.ItemDataRole.UserRole
_PIPELINE = Qt.ItemDataRole.UserRole + 1
_ORDERS = ("order", "time", "change")
_COUNTED = ("added", "removed", "changed")
_TIME = 4
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter


class PassTree(QWidget):
    """Signal: `snapshot_chosen` with an index. `items` has the row of every snapshot."""

    snapshot_chosen = Signal(int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = LIGHT
        self._sequence: PassSequence | None = None
        self._times: CompileTimes | None = None
        self._summaries: tuple[SnapshotSummary, ...] = ()
        self._position: int | None = None
        self.items: dict[int, QTreeWidgetItem] = {}
        self.filter = QLineEdit()
        self.filter.setPlaceholderText("Filter passes…")
        self.filter.setClearButtonEnabled(True)
        self.filter.textChanged.connect(self._hide)
        self.no_ops = QCheckBox("no-ops")
        self.no_ops.setToolTip("Show passes that changed nothing as well")
        self.no_ops.setChecked(False)
        self.no_ops.toggled.connect(self._hide)
        self.order = QComboBox()
        self.order.addItems([f"by {order}" for order in _ORDERS])
        self.order.currentIndexChanged.connect(self._fill)
        self.tree = _tree()
        self.tree.currentItemChanged.connect(self._on_current)
        self._lay_out()

    def _lay_out(self) -> None:
        label = QLabel("PASSES")
        label.setObjectName("muted")
        top = QHBoxLayout()
        top.setContentsMargins(10, 6, 8, 2)
        top.setSpacing(10)
        top.addWidget(label, 1)
        top.addWidget(self.no_ops)
        top.addWidget(self.order)
        middle = QHBoxLayout()
        middle.setContentsMargins(8, 2, 8, 4)
        middle.addWidget(self.filter)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addLayout(top)
        layout.addLayout(middle)
        layout.addWidget(self.tree, 1)

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        self._fill()

    def show_sequence(self, sequence: PassSequence) -> None:
        self._sequence, self._times, self._summaries = sequence, None, ()
        self._fill()

    def show_times(self, times: CompileTimes | None) -> None:
        """Add compile times, and the passes that changed nothing."""
        if times is not self._times:
            self._times = times
            self._fill()

    def show_summaries(self, summaries: tuple[SnapshotSummary, ...]) -> None:
        """Fill in the counts."""
        self._summaries = summaries
        if self.order.currentIndex() == _ORDERS.index("change"):
            self._fill()
            return
        self._show_counts()
        self._hide()

    def show_position(self, index: int | None) -> None:
        """Mark the shown snapshot without telling anyone; None where before and after are compared."""
        self._position = index
        self._hide()
        self.tree.blockSignals(True)
        item = self.items.get(index) if index is not None else None
        self.tree.setCurrentItem(item)  # type: ignore[arg-type]
        if item is not None:
            self.tree.scrollToItem(item)
        self.tree.blockSignals(False)

    # Rows

    def _fill(self) -> None:
        if self._sequence is None:
            return
        self.tree.blockSignals(True)
        self.tree.clear()
        self.items = {}
        order = _ORDERS[self.order.currentIndex()]
        if order == "order":
            self._add_groups(self._rows())
        else:
            value = self._time if order == "time" else self._change
            for row in sorted(self._rows(), key=value, reverse=True):
                self.tree.addTopLevelItem(self._item(row, is_alone=True))
        self.tree.blockSignals(False)
        self._show_counts()
        self.show_position(self._position)

    def _rows(self) -> Sequence[PassRow]:
        assert self._sequence is not None
        if self._times is not None:
            return self._times.rows
        return [PassRow(snapshot.pipeline, "", snapshot.index, None) for snapshot in self._sequence.snapshots]

    def _time(self, row: PassRow) -> float:
        return row.time_ms or 0.0

    def _change(self, row: PassRow) -> int:
        known = row.index is not None and row.index < len(self._summaries)
        return self._summaries[row.index].changes if known and row.index is not None else 0

    def _add_groups(self, rows: Iterable[PassRow]) -> None:
        assert self._sequence is not None
        gaps = {gap.before_index: gap.text for gap in self._sequence.gaps}
        group: QTreeWidgetItem | None = None
        for row in rows:
            if row.index is not None and row.index in gaps:
                self._add_gap(gaps[row.index], group)
            if not row.pipeline:
                group = None
            elif group is None or group.data(0, _PIPELINE) != row.pipeline:
                group = self._group(row.pipeline)
            item = self._item(row, is_alone=False)
            (group.addChild if group is not None else self.tree.addTopLevelItem)(item)
            if row.index == 0:
                item.setFirstColumnSpanned(True)  # nothing was done to it
        if self._sequence.last_index + 1 in gaps:
            self._add_gap(gaps[self._sequence.last_index + 1], group)

    def _group(self, pipeline: str) -> QTreeWidgetItem:
        group = QTreeWidgetItem([pipeline.replace("_", " ")])
        group.setData(0, _PIPELINE, pipeline)
        group.setToolTip(0, pipeline)
        self.tree.addTopLevelItem(group)
        group.setFirstColumnSpanned(True)
        group.setExpanded(True)
        return group

    def _item(self, row: PassRow, *, is_alone: bool) -> QTreeWidgetItem:
        assert self._sequence is not None
        snapshot = self._sequence.snapshots[row.index] if row.index is not None else None
        text = row.name if snapshot is None else snapshot.label if is_alone else _in_pipeline(snapshot)
        item = QTreeWidgetItem([text, "", "", "", _milliseconds(row.time_ms)])
        item.setData(0, _INDEX, row.index)
        where = f"\nin {row.pipeline}" if row.pipeline else ""
        if snapshot is None:
            item.setToolTip(0, f"{row.name}{where}\nchanged nothing: there is no snapshot of it")
        else:
            item.setToolTip(0, f"{snapshot.label}{where}\n{snapshot.file}")
            self.items[snapshot.index] = item
        if row.time_ms is not None:
            item.setToolTip(_TIME, f"{row.time_ms:.3f} ms to compile")
        for column in range(1, _TIME + 1):
            item.setTextAlignment(column, _RIGHT)
        muted = QBrush(QColor(self._theme.muted))
        item.setForeground(_TIME, muted)
        if snapshot is None:
            item.setForeground(0, muted)
        return item

    def _add_gap(self, text: str, parent: QTreeWidgetItem | None) -> None:
        item = QTreeWidgetItem([f"? {text}"])
        item.setForeground(0, QBrush(QColor(self._theme.removed)))
        item.setToolTip(0, text)
        (parent.addChild if parent is not None else self.tree.addTopLevelItem)(item)
        item.setFirstColumnSpanned(True)

    def _show_counts(self) -> None:
        """What was added, removed and changed; what changed nothing is grey."""
        theme = self._theme
        for summary in self._summaries:
            item = self.items[summary.index]
            counts = ((summary.added, theme.added), (summary.removed, theme.removed), (summary.changed, theme.changed))
            for column, ((count, colour), sign) in enumerate(zip(counts, "+−~", strict=True), 1):
                item.setText(column, f"{sign}{_short_count(count)}" if count else "")
                item.setToolTip(column, f"{count} {_COUNTED[column - 1]}" if count else "")
                item.setForeground(column, QBrush(QColor(colour)))
            item.setForeground(0, QBrush(QColor(theme.text if summary.changes else theme.muted)))
            if summary.rewrites:
                about = item.toolTip(0).partition("\nrewrites: ")[0]
                item.setToolTip(0, f"{about}\nrewrites: {summary.rewrites}")
        header = self.tree.header()
        for column in range(1, _TIME + 1):
            header.setSectionHidden(column, column == _TIME and self._times is None)
            self.tree.resizeColumnToContents(column)

    # What is left out

    def _hide(self) -> None:
        """Leave out what the filter lacks and what changed nothing, the shown one excepted."""
        root = self.tree.invisibleRootItem()
        for item in _children(root):
            if item.data(0, _PIPELINE) is None:
                item.setHidden(not self._is_wanted(item))
                continue
            for child in _children(item):
                child.setHidden(not self._is_wanted(child))
            item.setHidden(all(child.isHidden() for child in _children(item)))

    def _is_wanted(self, item: QTreeWidgetItem) -> bool:
        index = item.data(0, _INDEX)
        if index is not None and index == self._position:
            return True
        words = self.filter.text().lower().split()
        text = f"{item.text(0)} {item.toolTip(0)}".lower()
        if not all(word in text for word in words):
            return False
        return self.no_ops.isChecked() or not self._is_no_op(item, index)

    def _is_no_op(self, item: QTreeWidgetItem, index: int | None) -> bool:
        if index is None:  # a gap and a phase of the backend are not said to have changed nothing
            return bool(item.text(_TIME)) and not item.toolTip(0).count("\nin backend")
        if self._sequence is None or index in (0, self._sequence.last_index) or index >= len(self._summaries):
            return False
        return not self._summaries[index].changes

    def _on_current(self, item: QTreeWidgetItem | None) -> None:
        index = item.data(0, _INDEX) if item is not None else None
        if index is not None:
            self.snapshot_chosen.emit(index)


def _children(item: QTreeWidgetItem) -> list[QTreeWidgetItem]:
    found = (item.child(number) for number in range(item.childCount()))
    return [child for child in found if child is not None]


def _short_count(count: int) -> str:
    return str(count) if count < 10_000 else f"{count / 1000:.0f}k"


def _milliseconds(time_ms: float | None) -> str:
    if time_ms is None:
        return ""
    if time_ms >= 1000:
        return f"{time_ms / 1000:.2f} s"
    return f"{time_ms:.0f} ms" if time_ms >= 100 else f"{time_ms:.2f} ms"


def _in_pipeline(snapshot: Snapshot) -> str:
    """A snapshot's label under its pipeline's name."""
    if not snapshot.pipeline:
        return snapshot.label
    return snapshot.label.removeprefix(f"{snapshot.pipeline}: ") if snapshot.pass_name else "start"


class _NameDelegate(QStyledItemDelegate):
    """Lets a pass's name run on over the counts it has not."""

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        tree = self.parent()
        assert isinstance(tree, QTreeWidget)
        wide = QStyleOptionViewItem(option)
        is_selected = bool(option.state & QStyle.StateFlag.State_Selected)
        column = 1
        # The cells of a selected row are filled one after the other, over what ran on into them.
        while not is_selected and column <= _TIME and not index.sibling(index.row(), column).data():
            wide.rect.setRight(wide.rect.right() + tree.columnWidth(column))
            column += 1
        super().paint(painter, wide, index)


def _tree() -> QTreeWidget:
    tree = QTreeWidget()
    tree.setItemDelegateForColumn(0, _NameDelegate(tree))
    tree.setObjectName("passes")
    tree.setHeaderLabels(["pass", "+", "−", "~", "time"])
    tree.setIndentation(12)
    tree.setUniformRowHeights(True)
    tree.setTextElideMode(Qt.TextElideMode.ElideMiddle)  # float-normalization-… differ at their ends
    tree.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    header = tree.header()
    header.setStretchLastSection(False)
    header.setMinimumSectionSize(20)
    header.setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
    for column in range(1, _TIME + 1):
        header.setSectionResizeMode(column, QHeaderView.ResizeMode.Fixed)
    tree.setHeaderHidden(True)
    return tree
