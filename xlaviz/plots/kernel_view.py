"""The kernel table's rows on the screen: columns that can be hidden, marks behind the names, copying."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QModelIndex, QPersistentModelIndex, QPoint, Qt
from PySide6.QtGui import QAction, QColor, QGuiApplication, QKeyEvent, QKeySequence, QPainter, QPalette, QResizeEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHeaderView,
    QMenu,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTreeView,
)

from xlaviz.plots.kernel_columns import COLUMNS, number_of
from xlaviz.plots.kernel_model import IS_GROUP_ROLE, MARKS_ROLE, KernelModel
from xlaviz.plots.parts import ARROW_ABOVE
from xlaviz.profile.peaks import NO_PEAKS
from xlaviz.scene.palette import LIGHT, Theme
from xlaviz.timing.groups import KernelGroup

_NAME, _SHARE = number_of("kernel"), number_of("share")
_MARK_PX = 13
_Index = QModelIndex | QPersistentModelIndex
_COPY = QKeySequence.StandardKey.Copy


class KernelView(QTreeView):
    """The rows. The first column takes what the others leave; the header's menu hides columns."""

    def __init__(self, model: KernelModel) -> None:
        super().__init__()
        self._model = model
        self._is_fitting = False
        self._is_fitted = True
        self._marks = _Marks(self)
        self.setModel(model)
        self.setItemDelegateForColumn(_NAME, self._marks)
        self.setSortingEnabled(True)
        self.sortByColumn(_SHARE, Qt.SortOrder.DescendingOrder)
        self.setUniformRowHeights(True)
        self.setRootIsDecorated(False)
        self.setAllColumnsShowFocus(True)
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setIndentation(14)
        self._set_up_header(self.header())

    def _set_up_header(self, header: QHeaderView) -> None:
        header.setStretchLastSection(False)
        header.setStyleSheet(ARROW_ABOVE)
        header.setMinimumSectionSize(40)
        header.setHighlightSections(False)
        header.setSectionsMovable(True)
        header.setFirstSectionMovable(False)
        for number, column in enumerate(COLUMNS):
            header.resizeSection(number, column.width_px)
            header.setSectionHidden(number, not column.is_default)
        header.sectionResized.connect(self._on_section_resized)
        header.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        header.customContextMenuRequested.connect(self._on_header_menu)

    def set_theme(self, theme: Theme) -> None:
        self._model.set_theme(theme)
        self._marks.theme = theme
        self.viewport().update()

    def _on_header_menu(self, point: QPoint) -> None:
        self.column_menu().exec(self.header().mapToGlobal(point))

    def column_menu(self) -> QMenu:
        """A check for each column but the first, and the columns of the start again."""
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.setToolTipsVisible(True)
        for number, column in enumerate(COLUMNS):
            if number != _NAME:
                action = _checkable(column.title, not self.isColumnHidden(number), menu)
                action.setToolTip(column.tip)
                action.toggled.connect(lambda is_shown, number=number: self.show_column(number, is_shown=is_shown))
                menu.addAction(action)
        menu.addSeparator()
        menu.addAction("Usual columns").triggered.connect(self._show_usual)
        return menu

    def show_column(self, number: int, *, is_shown: bool) -> None:
        self.setColumnHidden(number, not is_shown)
        self.fit()

    def _show_usual(self) -> None:
        for number, column in enumerate(COLUMNS):
            self.setColumnHidden(number, not column.is_default)
        self._is_fitted = True
        self.fit()

    def fit(self) -> None:
        """Give the first column the room that the others leave, until the user gives it a width."""
        if not self._is_fitted:
            return
        header = self.header()
        others = sum(header.sectionSize(number) for number in range(len(COLUMNS)) if number != _NAME)
        self._is_fitting = True
        header.resizeSection(_NAME, max(COLUMNS[_NAME].width_px, self.viewport().width() - others))
        self._is_fitting = False

    def _on_section_resized(self, number: int, old: int, new: int) -> None:
        if number == _NAME and not self._is_fitting and old:
            self._is_fitted = False

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.fit()

    def drawRow(self, painter: QPainter, option: QStyleOptionViewItem, index: _Index) -> None:
        """A group's label runs over the columns that say nothing of a group."""
        super().drawRow(painter, option, index)
        row = self._model.row_at(index)
        if isinstance(row, KernelGroup):
            place = self.visualRect(index.sibling(index.row(), _NAME))
            place.setRight(self._end_of_label(index))
            label = COLUMNS[_NAME].cell(row, NO_PEAKS)
            room = place.adjusted(4, 0, -6, 0)
            painter.setPen(self.palette().color(QPalette.ColorRole.Text))
            text = self.fontMetrics().elidedText(label, Qt.TextElideMode.ElideMiddle, room.width())
            painter.drawText(room, int(Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft), text)

    def _end_of_label(self, index: _Index) -> int:
        header = self.header()
        shown = [n for n in map(header.logicalIndex, range(1, header.count())) if not header.isSectionHidden(n)]
        first = next((number for number in shown if index.sibling(index.row(), number).data()), None)
        return self.viewport().width() if first is None else header.sectionViewportPosition(first)

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent) and event.matches(_COPY):
            event.accept()
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.matches(_COPY):
            QGuiApplication.clipboard().setText(self.as_text(is_of_selected=True))
        else:
            super().keyPressEvent(event)

    def as_text(self, *, is_of_selected: bool = False) -> str:
        """The kernels, or the groups where they are grouped, or the selected rows where there are any, as tab-separated
        lines under a header, the columns as they stand."""
        header = self.header()
        places = (header.logicalIndex(place) for place in range(len(COLUMNS)))
        columns = [number for number in places if not header.isSectionHidden(number)]
        selection = self.selectionModel()
        rows = [self._model.index(number, 0) for number in range(self._model.rowCount())]
        if is_of_selected and selection.hasSelection():
            rows = [row for row in self._all_rows() if selection.isSelected(row)]
        lines = [[COLUMNS[number].title for number in columns]]
        lines += [[str(row.siblingAtColumn(number).data()) for number in columns] for row in rows]
        return "\n".join("\t".join(line) for line in lines) + "\n"

    def _all_rows(self) -> list[QModelIndex]:
        rows = []
        for number in range(self._model.rowCount()):
            top = self._model.index(number, 0)
            rows.append(top)
            rows += [self._model.index(inner, 0, top) for inner in range(self._model.rowCount(top))]
        return rows


def _checkable(title: str, is_checked: bool, parent: QMenu) -> QAction:
    action = QAction(title, parent)
    action.setCheckable(True)
    action.setChecked(is_checked)
    return action


class _Marks(QStyledItemDelegate):
    """A name, and at the right of its cell the signs of what to keep in mind."""

    def __init__(self, view: QTreeView) -> None:
        super().__init__(view)
        self.theme = LIGHT

    def initStyleOption(self, option: QStyleOptionViewItem, index: _Index) -> None:
        super().initStyleOption(option, index)
        if index.data(IS_GROUP_ROLE):
            option.text = ""  # the view draws it over several columns
            return
        room = option.rect.width() - _signs_px(index) - 10
        option.text = option.fontMetrics.elidedText(option.text, Qt.TextElideMode.ElideMiddle, room)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: _Index) -> None:
        super().paint(painter, option, index)
        painter.save()
        painter.setPen(QColor(self.theme.muted))
        place = option.rect.adjusted(0, 0, -4, 0)
        for sign in reversed(_signs(index)):
            painter.drawText(place, int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter), sign)
            place.adjust(0, 0, -_MARK_PX, 0)
        painter.restore()


def _signs(index: _Index) -> list[str]:
    return str(index.data(MARKS_ROLE) or "").split()


def _signs_px(index: _Index) -> int:
    return len(_signs(index)) * _MARK_PX
