"""The document's modules: compilations of one function together, and under each module what lies beside it."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QBrush, QColor, QResizeEvent
from PySide6.QtWidgets import QHeaderView, QTreeWidget, QTreeWidgetItem, QWidget

from xlaviz.dumps.recompilations import base_name, groups
from xlaviz.dumps.sequence import PassSequence
from xlaviz.dumps.side_files import SideFile
from xlaviz.scene.palette import LIGHT, Theme
from xlaviz.session.documents import DocumentInfo, ModuleFacts

_PLACE = Qt.ItemDataRole.UserRole
_FILE = Qt.ItemDataRole.UserRole + 1
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
_ROWS_SHOWN = 8


class ModuleList(QTreeWidget):
    """Columns: name, instructions, snapshots. Signals: `module_chosen` with a PassSequence, `file_chosen` with the
    name of a side file."""

    module_chosen = Signal(object)
    file_chosen = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = LIGHT
        self._info: DocumentInfo | None = None
        self._items: dict[int, QTreeWidgetItem] = {}
        self.setObjectName("modules")
        self.setHeaderLabels(["module", "instr.", "snaps"])
        self.setHeaderHidden(True)
        self.setIndentation(12)
        self.setMinimumHeight(24)
        self.setUniformRowHeights(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.header().setStretchLastSection(False)
        self.header().setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        for column in (1, 2):
            self.header().setSectionResizeMode(column, QHeaderView.ResizeMode.ResizeToContents)
        self.currentItemChanged.connect(self._on_current)
        self.itemActivated.connect(self._on_activated)

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        self._colour(self.invisibleRootItem())

    def sizeHint(self) -> QSize:
        rows = min(max(self._visible_rows(self.invisibleRootItem()), 1), _ROWS_SHOWN)
        return QSize(260, max(self.sizeHintForRow(0), 20) * rows + 6)

    def show_document(self, info: DocumentInfo, shown: PassSequence) -> None:
        """List the document's modules, `shown` marked."""
        self._info, self._items = info, {}
        self.blockSignals(True)
        self.clear()
        tops = self._add_profiles(info.sequences)
        for group in groups(info.sequences):
            parent = tops.get(_where(group[0]), self.invisibleRootItem())
            if len(group) > 1:
                parent = QTreeWidgetItem(parent, [f"{base_name(info.title(group[0]))} · compiled {len(group)} times"])
                parent.setFirstColumnSpanned(True)
                parent.setExpanded(True)
            for sequence in group:
                self._add_module(parent, sequence)
        self._add_files(self.invisibleRootItem(), info.loose_files)
        self.show_shown(shown)
        self.blockSignals(False)
        self.updateGeometry()

    def _add_profiles(self, sequences: Sequence[PassSequence]) -> dict[str, QTreeWidgetItem]:
        """A heading for each run and host, where there is more than one to choose from."""
        found = {_where(sequence): sequence.recorded for sequence in sequences}
        tops = {}
        for where, recorded in found.items() if len(found) > 1 else ():
            words = (recorded.run, recorded.host) if recorded is not None else ("in no profile",)
            tops[where] = item = QTreeWidgetItem(self, [" · ".join(filter(None, words))])
            item.setToolTip(0, where)
            item.setFirstColumnSpanned(True)
            item.setExpanded(True)
        return tops

    def _add_module(self, parent: QTreeWidgetItem, sequence: PassSequence) -> None:
        assert self._info is not None
        place = self._info.sequences.index(sequence)
        item = QTreeWidgetItem(parent, [self._info.title(sequence), "", str(len(sequence.snapshots))])
        item.setData(0, _PLACE, place)
        words = (f"module {sequence.id}: {sequence.name}", sequence.backend.upper(), _where(sequence))
        item.setToolTip(0, "  ".join(filter(None, words)))
        item.setToolTip(2, "snapshots")
        for column in (1, 2):
            item.setTextAlignment(column, _RIGHT)
        self._items[place] = item
        self._add_files(item, self._info.side_files[place])

    def _add_files(self, parent: QTreeWidgetItem, files: Sequence[SideFile]) -> None:
        """Files by kind, folded: a dump has hundreds."""
        kinds: dict[str, list[SideFile]] = {}
        for file in files:
            kinds.setdefault(file.kind, []).append(file)
        for kind, found in kinds.items():
            item = QTreeWidgetItem(parent, [f"{kind} ({len(found)})" if len(found) > 1 else kind])
            item.setForeground(0, QBrush(QColor(self._theme.muted)))
            item.setFirstColumnSpanned(True)
            for file in found:
                leaf = item if len(found) == 1 else QTreeWidgetItem(item, [self._short(file)])
                leaf.setFirstColumnSpanned(True)
                leaf.setData(0, _FILE, file.file)
                leaf.setToolTip(0, f"{file.file}\nEnter or double click shows it")

    def _short(self, file: SideFile) -> str:
        """The file's name without the module's, which stands above it."""
        base = file.file.rpartition("/")[2]
        name = next((s.name for s in self._info.sequences if f".{s.name}." in base), "") if self._info else ""
        return base.partition(f".{name}.")[2] if name else base

    def show_facts(self, facts: Sequence[ModuleFacts]) -> None:
        """Fill in sizes, and what sets the compilations of one function apart."""
        assert self._info is not None
        for place, fact in enumerate(facts):
            item, sequence = self._items[place], self._info.sequences[place]
            item.setText(1, str(fact.instructions) if fact.instructions is not None else "?")
            item.setToolTip(1, f"{fact.instructions} instructions" if not fact.problem else fact.problem)
            if fact.apart:
                item.setText(0, f"{sequence.id}: {fact.apart}")

    def show_shown(self, shown: PassSequence) -> None:
        """Mark the module that is shown without telling anyone."""
        assert self._info is not None
        was_blocked = self.blockSignals(True)
        self.setCurrentItem(self._items[self._info.sequences.index(shown)])
        self.blockSignals(was_blocked)
        self._reveal()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._reveal()

    def _reveal(self) -> None:
        """Scroll to the module that is shown, and to the heading above it: that says of which run it is."""
        item: QTreeWidgetItem | None = self.currentItem()
        if item is not None:
            heading: QTreeWidgetItem | None = item.parent()
            if heading is not None:
                self.scrollToItem(heading)
            self.scrollToItem(item)

    def _visible_rows(self, item: QTreeWidgetItem) -> int:
        return sum(1 + (self._visible_rows(child) if child.isExpanded() else 0) for child in _children(item))

    def _colour(self, item: QTreeWidgetItem) -> None:
        for child in _children(item):
            if child.data(0, _PLACE) is None and child.data(0, _FILE) is None and child.parent() is not None:
                child.setForeground(0, QBrush(QColor(self._theme.muted)))
            self._colour(child)

    def _on_current(self, item: QTreeWidgetItem | None) -> None:
        place = item.data(0, _PLACE) if item is not None else None
        if place is not None and self._info is not None:
            self.module_chosen.emit(self._info.sequences[place])

    def _on_activated(self, item: QTreeWidgetItem) -> None:
        file = item.data(0, _FILE)
        if file is not None:
            self.file_chosen.emit(file)


def _where(sequence: PassSequence) -> str:
    """The run and the host whose profile the module is seen in."""
    return sequence.recorded.text if sequence.recorded is not None else ""


def _children(item: QTreeWidgetItem) -> list[QTreeWidgetItem]:
    found = (item.child(number) for number in range(item.childCount()))
    return [child for child in found if child is not None]
