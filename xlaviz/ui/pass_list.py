"""The left dock: the document's modules over the passes of the shown one."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QSplitter, QVBoxLayout, QWidget

from xlaviz.dumps.sequence import PassSequence
from xlaviz.scene.palette import Theme
from xlaviz.session.documents import DocumentInfo
from xlaviz.session.stories import SnapshotSummary
from xlaviz.ui.module_list import ModuleList
from xlaviz.ui.pass_tree import PassTree


class PassList(QWidget):
    """Signal: `snapshot_chosen` with an index."""

    snapshot_chosen = Signal(int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.modules = ModuleList()
        self.passes = PassTree()
        self.passes.snapshot_chosen.connect(self.snapshot_chosen)
        self._splitter = QSplitter(Qt.Orientation.Vertical)
        self._splitter.addWidget(self.modules)
        self._splitter.addWidget(self.passes)
        self._splitter.setStretchFactor(1, 1)
        self._splitter.setHandleWidth(1)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self._splitter)

    def set_theme(self, theme: Theme) -> None:
        self.modules.set_theme(theme)
        self.passes.set_theme(theme)

    def show_document(self, info: DocumentInfo, shown: PassSequence) -> None:
        """List the modules, the shown one marked, and its passes."""
        self.modules.show_document(info, shown)
        height = self.modules.sizeHint().height()
        self._splitter.setSizes([height, max(self.height() - height, 200)])
        self.passes.show_sequence(shown)

    def show_summaries(self, summaries: tuple[SnapshotSummary, ...]) -> None:
        self.passes.show_summaries(summaries)

    def show_position(self, index: int | None) -> None:
        self.passes.show_position(index)
