"""The kernel table: kernels or groups of them in columns, a filter, and what they add up to below."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import QModelIndex, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QVBoxLayout, QWidget

from xlaviz.base.units import signed_time_text
from xlaviz.plots.kernel_columns import number_of
from xlaviz.plots.kernel_model import KernelModel
from xlaviz.plots.kernel_view import KernelView
from xlaviz.plots.parts import small_share_text
from xlaviz.plots.totals import Totals
from xlaviz.profile.kernels import KernelTable
from xlaviz.scene.palette import Theme
from xlaviz.timing.groups import KernelGroup

_NAME, _SELF, _SHARE = number_of("kernel"), number_of("self/run"), number_of("share")
_UNATTRIBUTED = "The run's time less all self times: what XLA and the runtime do between kernels, and gaps."
_OVERLAPPING = "The run's time less all self times: kernels ran at the same time."


class KernelTableView(QWidget):
    """Signals: `kernel_selected` with the name of the row the user went to; `rows_changed` after a filter."""

    kernel_selected = Signal(str)
    rows_changed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._table: KernelTable | None = None
        self._is_selecting = False
        self.model = KernelModel(self)
        self.view = KernelView(self.model)
        self.totals = Totals(self.view)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self.view, 1)
        layout.addWidget(self.totals)
        self.view.selectionModel().currentRowChanged.connect(self._on_row)

    def set_theme(self, theme: Theme) -> None:
        self.totals.set_theme(theme)
        self.view.set_theme(theme)

    def show_table(self, table: KernelTable | None) -> None:
        """The kernels, not grouped; None for nothing."""
        self._table = table
        if table is None:
            self.model.set_kernels(())
        else:
            self.model.set_kernels(table.kernels, table.peaks)
        self.view.setRootIsDecorated(False)
        self._show_totals()

    def show_groups(self, groups: tuple[KernelGroup, ...]) -> None:
        """The groups with their kernels inside; none shows the kernels alone."""
        selected = self.selected
        self.model.set_groups(groups)
        self.view.setRootIsDecorated(bool(groups))
        self.select(selected)
        self._show_totals()

    def set_filter(self, text: str) -> None:
        selected = self.selected
        self.model.set_filter(text)
        if text and self.model.groups:
            self.view.expandAll()
        self.select(selected)
        self._show_totals()
        self.rows_changed.emit()

    def select(self, name: str) -> None:
        """Go to a kernel's row without telling anyone; where it has none no row is marked."""
        self._is_selecting = True
        selection = self.view.selectionModel()
        index = self.model.index_of(name) if name else QModelIndex()
        if index.isValid():
            self.view.setCurrentIndex(index)
            self.view.scrollTo(index)
        else:
            selection.clear()  # the current row as well: choosing it again is a choice
        self._is_selecting = False

    @property
    def selected(self) -> str:
        return self.model.name_at(self.view.currentIndex())

    def copy(self) -> None:
        """All kernels that are shown, or their groups, to the clipboard: tab-separated, under a header."""
        QGuiApplication.clipboard().setText(self.view.as_text())

    def _on_row(self, current: QModelIndex, previous: QModelIndex) -> None:
        name = self.model.name_at(current)
        if name and not self._is_selecting:
            self.kernel_selected.emit(name)

    def _show_totals(self) -> None:
        """Rows that make `self/run` and `share` add up to the run, whatever is shown above them."""
        if self._table is None:
            self.totals.show_rows((), ())
            return
        table, whole = self._table, self.model.groups or self._table.kernels
        times = [row.self_us if isinstance(row, KernelGroup) else row.self_per_run_us for row in whole]
        known_us, known_share = sum(times), sum(row.share for row in whole)
        rest_us = table.run_us - known_us if self.model.groups else table.unattributed_us
        rows, tips = [], []
        if self.model.is_filtered:
            shown = self.model.rows
            shown_us = sum(row.self_us if isinstance(row, KernelGroup) else row.self_per_run_us for row in shown)
            shown_share = sum(row.share for row in shown)
            rows.append(_total("filtered out", known_us - shown_us, known_share - shown_share))
            tips.append("What the filter hides.")
        rows.append(_total("overlapping" if rest_us < 0 else "unattributed", rest_us, 1 - known_share))
        tips.append(_OVERLAPPING if rest_us < 0 else _UNATTRIBUTED)
        rows.append(_total("run", table.run_us, 1.0))
        tips.append("The median time of a run: the rows above add up to it.")
        self.totals.show_rows(rows, tips)


def _total(label: str, time_us: float, share: float) -> Mapping[int, str]:
    return {_NAME: label, _SELF: signed_time_text(time_us), _SHARE: small_share_text(share)}
