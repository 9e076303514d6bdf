"""The left dock: the document's modules over the passes of the shown one, a tree of pipelines."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QBrush, QColor
from PySide6.QtWidgets import QHeaderView, QLabel, QSplitter, QTreeWidget, QTreeWidgetItem, QVBoxLayout, QWidget

from xlaviz.dumps.sequence import PassSequence, Snapshot
from xlaviz.scene.palette import LIGHT, Theme
from xlaviz.session.documents import DocumentInfo
from xlaviz.session.work import SnapshotSummary
from xlaviz.ui.module_list import ModuleList

_INDEX = Qt.ItemDataRole.UserRole


class PassList(QWidget):
    """Signal: `snapshot_chosen` with an index."""

    snapshot_chosen = Signal(int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = LIGHT
        self._items: dict[int, QTreeWidgetItem] = {}
        self.modules = ModuleList()
        self.passes = _tree("passes", ["pass", "+", "−", "~"])
        self.passes.currentItemChanged.connect(self._on_pass)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        label = QLabel("PASSES")
        label.setObjectName("muted")
        label.setContentsMargins(10, 8, 8, 4)
        below = QWidget()
        column = QVBoxLayout(below)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(label)
        column.addWidget(self.passes)
        self._splitter = QSplitter(Qt.Orientation.Vertical)
        self._splitter.addWidget(self.modules)
        self._splitter.addWidget(below)
        self._splitter.setStretchFactor(1, 1)
        self._splitter.setHandleWidth(1)
        layout.addWidget(self._splitter)

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        self.modules.set_theme(theme)

    def show_document(self, info: DocumentInfo, shown: PassSequence) -> None:
        """List the modules, the shown one marked, and its passes."""
        self.modules.show_document(info, shown)
        height = self.modules.sizeHint().height()
        self._splitter.setSizes([height, max(self.height() - height, 200)])
        self._fill_passes(shown)

    def _fill_passes(self, sequence: PassSequence) -> None:
        self.passes.blockSignals(True)
        self.passes.clear()
        self._items = {}
        pipeline: QTreeWidgetItem | None = None
        gaps = {gap.before_index: gap for gap in sequence.gaps}
        for snapshot in sequence.snapshots:
            if snapshot.index in gaps:
                self._add_gap(gaps[snapshot.index].text, pipeline)
            if not snapshot.pipeline:
                pipeline = None
            elif pipeline is None or pipeline.data(0, _INDEX + 1) != snapshot.pipeline:
                pipeline = QTreeWidgetItem([snapshot.pipeline.replace("_", " ")])
                pipeline.setData(0, _INDEX + 1, snapshot.pipeline)
                pipeline.setToolTip(0, snapshot.pipeline)
                self.passes.addTopLevelItem(pipeline)
                pipeline.setFirstColumnSpanned(True)
                pipeline.setExpanded(True)
            item = QTreeWidgetItem([_in_pipeline(snapshot)])
            item.setData(0, _INDEX, snapshot.index)
            item.setToolTip(0, snapshot.file)
            (pipeline.addChild if pipeline is not None else self.passes.addTopLevelItem)(item)
            self._items[snapshot.index] = item
        if sequence.last_index + 1 in gaps:
            self._add_gap(gaps[sequence.last_index + 1].text, pipeline)
        self.passes.blockSignals(False)

    def _add_gap(self, text: str, parent: QTreeWidgetItem | None) -> None:
        item = QTreeWidgetItem([f"? {text}"])
        item.setForeground(0, QBrush(QColor(self._theme.removed)))
        item.setToolTip(0, text)
        (parent.addChild if parent is not None else self.passes.addTopLevelItem)(item)

    def show_summaries(self, summaries: tuple[SnapshotSummary, ...]) -> None:
        """Fill in the counts: what changed nothing is grey."""
        theme = self._theme
        for summary in summaries:
            item = self._items.get(summary.index)
            if item is None:
                continue
            counts = ((summary.added, theme.added), (summary.removed, theme.removed), (summary.changed, theme.changed))
            for column, ((count, colour), sign) in enumerate(zip(counts, "+−~", strict=True), 1):
                item.setText(column, f"{sign}{count}" if count else "")
                item.setForeground(column, QBrush(QColor(colour)))
                item.setTextAlignment(column, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
            if not any(count for count, _ in counts):
                item.setForeground(0, QBrush(QColor(theme.muted)))
        for column in range(1, 4):
            self.passes.resizeColumnToContents(column)

    def show_position(self, index: int | None) -> None:
        """Mark the shown snapshot without telling anyone; None where before and after are compared."""
        self.passes.blockSignals(True)
        item = self._items.get(index) if index is not None else None
        self.passes.setCurrentItem(item)  # type: ignore[arg-type]
        if item is not None:
            self.passes.scrollToItem(item)
        self.passes.blockSignals(False)

    def _on_pass(self, item: QTreeWidgetItem | None) -> None:
        index = item.data(0, _INDEX) if item is not None else None
        if index is not None:
            self.snapshot_chosen.emit(index)


def _in_pipeline(snapshot: Snapshot) -> str:
    """A snapshot's label under its pipeline's name."""
    if not snapshot.pipeline:
        return snapshot.label
    return snapshot.label.removeprefix(f"{snapshot.pipeline}: ") if snapshot.pass_name else "start"


def _tree(name: str, headers: list[str]) -> QTreeWidget:
    tree = QTreeWidget()
    tree.setObjectName(name)
    tree.setHeaderLabels(headers)
    tree.setIndentation(12)
    tree.setUniformRowHeights(True)
    tree.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    header = tree.header()
    header.setStretchLastSection(False)
    header.setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
    for column in range(1, len(headers)):
        header.setSectionResizeMode(column, QHeaderView.ResizeMode.Fixed)
        header.resizeSection(column, 40)
    header.setMinimumSectionSize(24)
    tree.setHeaderHidden(True)
    return tree
