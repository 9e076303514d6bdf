"""The kernel panel: bars by time and the table behind them."""

from __future__ import annotations

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import (
    QAbstractTableModel,
    QModelIndex,
    QPersistentModelIndex,
    QPointF,
    QSortFilterProxyModel,
    Qt,
    Signal,
)
from PySide6.QtGui import QColor, QFont
from PySide6.QtWidgets import QHeaderView, QLabel, QSplitter, QTableView, QVBoxLayout, QWidget

from xlaviz.graph.families import family_of
from xlaviz.graph.metrics import elide_middle
from xlaviz.profile.kernels import Kernel, KernelTable
from xlaviz.scene.palette import LIGHT, Theme
from xlaviz.session.words import NOTE_SEPARATOR, at_most, time_text

MAX_BARS = 60
_BAR_TEXT_PX = 125
_SORT = Qt.ItemDataRole.UserRole
_COLUMNS = ("kernel", "opcode", "runs", "median µs", "p10", "p90", "share")
_WIDTHS_PX = (150, 74, 48, 84, 60, 60, 72)
_SHARE = 6
_Index = QModelIndex | QPersistentModelIndex


class KernelModel(QAbstractTableModel):
    """The rows of a KernelTable; sorts by its numbers, not by their text."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.kernels: tuple[Kernel, ...] = ()

    def set_kernels(self, kernels: tuple[Kernel, ...]) -> None:
        self.beginResetModel()
        self.kernels = kernels
        self.endResetModel()

    def rowCount(self, parent: _Index = QModelIndex()) -> int:  # noqa: B008 - Qt's own signature
        return 0 if parent.isValid() else len(self.kernels)

    def columnCount(self, parent: _Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(_COLUMNS)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if orientation == Qt.Orientation.Horizontal and role == Qt.ItemDataRole.DisplayRole:
            return _COLUMNS[section]
        return _alignment(section) if role == Qt.ItemDataRole.TextAlignmentRole else None

    def data(self, index: _Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        kernel = self.kernels[index.row()]
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return _cell(kernel, index.column())
            case Qt.ItemDataRole.TextAlignmentRole:
                return _alignment(index.column())
            case Qt.ItemDataRole.ToolTipRole:
                return _tip(kernel)
        return _value(kernel, index.column()) if role == _SORT else None


def _alignment(column: int) -> int:
    side = Qt.AlignmentFlag.AlignLeft if column < 2 else Qt.AlignmentFlag.AlignRight
    return int(side | Qt.AlignmentFlag.AlignVCenter)


def _value(kernel: Kernel, column: int) -> str | float:
    values = (
        kernel.name,
        kernel.opcode,
        kernel.runs,
        kernel.median_us,
        kernel.p10_us,
        kernel.p90_us,
        kernel.share,
    )
    return values[column]


def _cell(kernel: Kernel, column: int) -> str:
    value = _value(kernel, column)
    if column == _SHARE:
        return f"{value:.1%}"
    if column == 3:
        return f"{at_most(kernel)}{value:.1f}"
    return f"{value:.1f}" if isinstance(value, float) else str(value)


def _tip(kernel: Kernel) -> str:
    lines = [kernel.name]
    if not kernel.exact:
        lines.append("runs asynchronously: its end is inferred from its first consumer, an upper bound")
    if kernel.near_floor:
        lines.append("near the measurement floor: recording alone costs 2 to 4 µs")
    return "\n".join(lines)


class KernelPanel(QWidget):
    """Bars on the left, a table on the right, one selection. Signal: `kernel_selected` with a name."""

    kernel_selected = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = LIGHT
        self._table: KernelTable | None = None
        self._selected = ""
        self.summary = QLabel()
        self.summary.setObjectName("muted")
        self.summary.setTextFormat(Qt.TextFormat.PlainText)
        self.summary.setContentsMargins(10, 3, 10, 3)
        self.plot = pg.PlotWidget()
        self._bars = pg.BarGraphItem(x0=[], y=[], height=0.7, width=[])
        self._set_up_plot()
        self.model = KernelModel(self)
        self.view = self._make_view()
        self._splitter = QSplitter()
        self._splitter.addWidget(self.plot)
        self._splitter.addWidget(self.view)
        self._splitter.setSizes([480, 520])
        self._splitter.setStretchFactor(0, 1)
        self._splitter.setStretchFactor(1, 1)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self.summary)
        layout.addWidget(self._splitter, 1)
        layout.addStretch()  # holds the words at the top where there is nothing but them

    def _set_up_plot(self) -> None:
        item = self.plot.getPlotItem()
        item.setMenuEnabled(False)
        item.hideButtons()
        item.addItem(self._bars)
        item.getViewBox().invertY(True)
        item.getViewBox().setMouseEnabled(x=False, y=True)
        item.getAxis("bottom").setLabel("time in one run, µs")
        item.getAxis("bottom").enableAutoSIPrefix(False)
        item.showGrid(x=True, y=False, alpha=0.15)
        self._texts: list[pg.TextItem] = []
        self._text_font = QFont()
        self._text_font.setPixelSize(11)
        item.getAxis("left").setTickFont(self._text_font)
        self._longest_us = 1.0
        item.getViewBox().sigResized.connect(self._fit_range)
        self.plot.scene().sigMouseClicked.connect(self._on_plot_clicked)

    def _make_view(self) -> QTableView:
        proxy = QSortFilterProxyModel(self)
        proxy.setSourceModel(self.model)
        proxy.setSortRole(_SORT)
        view = QTableView()
        view.setModel(proxy)
        view.setSortingEnabled(True)
        view.sortByColumn(_SHARE, Qt.SortOrder.DescendingOrder)
        view.setSelectionBehavior(QTableView.SelectionBehavior.SelectRows)
        view.setSelectionMode(QTableView.SelectionMode.SingleSelection)
        view.setShowGrid(False)
        view.verticalHeader().hide()
        view.verticalHeader().setDefaultSectionSize(23)
        header = view.horizontalHeader()
        header.setSectionResizeMode(QHeaderView.ResizeMode.Interactive)
        header.setMinimumSectionSize(40)
        header.setHighlightSections(False)
        for column, width in enumerate(_WIDTHS_PX):
            header.resizeSection(column, width)
        header.setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        view.selectionModel().currentRowChanged.connect(self._on_row)
        return view

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        self.plot.setBackground(theme.window)
        for name in ("left", "bottom"):
            self.plot.getPlotItem().getAxis(name).setPen(theme.line)
            self.plot.getPlotItem().getAxis(name).setTextPen(theme.muted)
        self._draw_bars()

    def show_kernels(self, table: KernelTable | None, message: str = "") -> None:
        """Show a table, or say in one sentence why there is none."""
        self._table = table
        self._selected = ""
        self.model.set_kernels(table.kernels if table is not None else ())
        self.summary.setText(_summary(table) if table is not None else message)
        self._splitter.setVisible(table is not None)
        self._draw_bars()

    @property
    def shown_kernels(self) -> tuple[Kernel, ...]:
        """The kernels with a bar, longest first."""
        if self._table is None:
            return ()
        return tuple(sorted(self._table.kernels, key=self._time_per_run_us, reverse=True)[:MAX_BARS])

    def _time_per_run_us(self, kernel: Kernel) -> float:
        """What a bar shows; a kernel that is executed several times in a run counts with all of them."""
        assert self._table is not None
        return kernel.self_us if kernel.runs == self._table.runs else kernel.share * self._table.run_us

    def select(self, name: str) -> None:
        """Mark a kernel without telling anyone; a name without kernel marks none."""
        if name == self._selected:
            return
        self._selected = name
        row = next((i for i, kernel in enumerate(self.model.kernels) if kernel.name == name), -1)
        selection = self.view.selectionModel()
        selection.blockSignals(True)
        if row < 0:
            selection.clear()  # the current row as well: choosing it again is a choice
        else:
            proxy = self.view.model()
            assert isinstance(proxy, QSortFilterProxyModel)
            index = proxy.mapFromSource(self.model.index(row, 0))
            self.view.selectRow(index.row())
            self.view.scrollTo(index)
        selection.blockSignals(False)
        self.view.viewport().update()
        self._draw_bars()

    def _draw_bars(self) -> None:
        kernels = self.shown_kernels
        item = self.plot.getPlotItem()
        for text in self._texts:
            item.removeItem(text)
        self._texts = []
        brushes = [self._brush(kernel) for kernel in kernels]
        widths = np.array([self._time_per_run_us(kernel) for kernel in kernels])
        self._bars.setVisible(bool(kernels))
        if kernels:  # BarGraphItem cannot be empty
            places = {"x0": np.zeros(len(kernels)), "y": np.arange(len(kernels)), "height": 0.7, "width": widths}
            self._bars.setOpts(**places, brushes=brushes, pens=[pg.mkPen(None)] * len(kernels))
        axis = item.getAxis("left")
        axis.setTicks([[(i, elide_middle(kernel.name, 28)) for i, kernel in enumerate(kernels)]])
        axis.setStyle(tickLength=0)
        for index, kernel in enumerate(kernels):
            text = pg.TextItem(_bar_text(kernel, widths[index]), self._theme.muted, anchor=(0, 0.5))
            text.setFont(self._text_font)
            text.setPos(widths[index], index)
            item.addItem(text)
            self._texts.append(text)
        longest = float(widths.max()) if len(kernels) else 1.0
        item.getViewBox().setLimits(yMin=-1, yMax=max(len(kernels), 1), xMin=0)
        self._longest_us = longest
        self._fit_range()
        item.setYRange(-0.6, min(max(len(kernels), 4), 12) - 0.4, padding=0)

    def _fit_range(self) -> None:
        """Leave room for the words behind the longest bar, however wide the panel is."""
        box = self.plot.getPlotItem().getViewBox()
        width = max(box.width(), _BAR_TEXT_PX + 60)
        box.setXRange(0, self._longest_us * width / (width - _BAR_TEXT_PX), padding=0)

    def _brush(self, kernel: Kernel) -> QColor:
        if kernel.name == self._selected:
            return QColor(self._theme.accent)
        colour = QColor(self._theme.families[family_of(kernel.opcode)][1])
        colour.setAlphaF(0.35 if kernel.near_floor else 0.7)
        return colour

    def bar_point(self, name: str) -> QPointF:
        """The middle of a kernel's bar in the scene of the plot."""
        index = next(i for i, kernel in enumerate(self.shown_kernels) if kernel.name == name)
        width = self._time_per_run_us(self.shown_kernels[index])
        point: QPointF = self.plot.getPlotItem().getViewBox().mapViewToScene(QPointF(width / 2, index))
        return point

    def _on_plot_clicked(self, event: object) -> None:
        point = self.plot.getPlotItem().getViewBox().mapSceneToView(event.scenePos())  # type: ignore[attr-defined]
        row = round(point.y())
        if 0 <= row < len(self.shown_kernels) and abs(point.y() - row) <= 0.5:
            self._choose(self.shown_kernels[row].name)

    def _on_row(self, current: QModelIndex, previous: QModelIndex) -> None:
        proxy = self.view.model()
        assert isinstance(proxy, QSortFilterProxyModel)
        if current.isValid():
            self._choose(self.model.kernels[proxy.mapToSource(current).row()].name)

    def _choose(self, name: str) -> None:
        self.select(name)
        self.kernel_selected.emit(name)


def _bar_text(kernel: Kernel, time_us: float) -> str:
    return f"{at_most(kernel)}{time_text(time_us)}{NOTE_SEPARATOR}{kernel.share:.1%}"


def _summary(table: KernelTable) -> str:
    inferred = sum(1 for kernel in table.kernels if not kernel.exact)
    parts = [
        f"{len(table.kernels)} kernels",
        f"{table.runs} runs of {time_text(table.run_us)} (median)",
        f"kernels cover {table.coverage:.1%} of a run",
    ]
    if inferred:
        parts.append(f"{inferred} with an inferred end (≤)")
    if table.unmatched:
        parts.append(f"{table.unmatched} events without an instruction")
    return "  ·  ".join(parts)
