"""A file with the time of each line beside it."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from PySide6.QtCore import QEvent, QPoint, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QFont,
    QFontDatabase,
    QFontMetrics,
    QHelpEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QResizeEvent,
    QTextCharFormat,
    QTextCursor,
    QWheelEvent,
)
from PySide6.QtWidgets import QApplication, QPlainTextEdit, QTextEdit, QToolTip, QWidget

from xlaviz.scene.palette import LIGHT, Theme
from xlaviz.ui.source_colours import SourceColours

_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
_LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
_MARK_PX = 3
_PAD_PX = 8
_HEAD_PX = 24


@dataclass(frozen=True, slots=True)
class LineCells:
    """What stands beside a line. `heat` is its time over the hottest line's, 0 to 1; `note` is put at its end."""

    share: str = ""
    xla: str = ""
    no_xla: str = ""
    heat: float = 0.0
    note: str = ""
    tip: str = ""


@dataclass(frozen=True, slots=True)
class Column:
    """`field` is that of LineCells, or `number`; `sample` is the widest text to be expected."""

    field: str
    title: str
    tip: str
    sample: str


_NO_CELLS = LineCells()


class SourceView(QPlainTextEdit):
    """Read-only text with a gutter. Signals: `line_pressed` with a line's number when one is clicked or reached by the
    keys, `hotter_wanted` and `colder_wanted` for the next line by cost."""

    line_pressed = Signal(int)
    hotter_wanted = Signal()
    colder_wanted = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setReadOnly(True)
        self.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self.setFont(QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont))
        self.setTabStopDistance(4 * self.fontMetrics().horizontalAdvance(" "))
        self.theme = LIGHT
        self.columns: tuple[Column, ...] = ()
        self.cells: Mapping[int, LineCells] = {}
        self.current = 0
        self.marked: frozenset[int] = frozenset()
        self._numbers: Sequence[int] = ()
        self._places: dict[int, int] = {}
        self._colours = SourceColours(self.document())
        self._gutter = _Gutter(self)
        self._head = _Head(self)
        self.updateRequest.connect(self._on_update)
        self.verticalScrollBar().valueChanged.connect(self._colour_visible)

    def set_theme(self, theme: Theme) -> None:
        self.theme = theme
        self._colours.set_theme(theme)
        self._colour_visible()
        self._mark()

    def show_text(self, text: str, numbers: Sequence[int] | None = None, *, is_python: bool = True) -> None:
        """Show a file; `numbers` are those of its lines where they are not 1, 2, 3 and so on."""
        text = text.replace("\r\n", "\n").replace("\r", "\n").replace("\u2029", " ")
        self.current, self.marked = 0, frozenset()
        self._numbers = numbers if numbers is not None else range(1, text.count("\n") + 2)
        self._places = {number: place for place, number in enumerate(self._numbers)}
        self._colours.show_text(text if is_python else None)
        self.setPlainText(text)
        self._mark()
        self._colour_visible()

    def show_cells(self, columns: tuple[Column, ...], cells: Mapping[int, LineCells]) -> None:
        """What stands beside the lines, by their numbers."""
        self.columns, self.cells = columns, cells
        self.place_gutter()
        self.viewport().update()

    def choose(self, number: int) -> None:
        """Make a line the current one and scroll to it, telling nobody."""
        self.current = number
        self._mark()
        self.scroll_to((number,))

    def mark(self, numbers: Collection[int]) -> None:
        """Mark lines, and scroll to the first if none of them can be seen."""
        self.marked = frozenset(numbers)
        self._mark()
        self.scroll_to(sorted(self.marked))

    def scroll_to(self, numbers: Sequence[int]) -> None:
        """Leave the text where it is while one of the lines can be seen."""
        places = [self._places[number] for number in numbers if number in self._places]
        first, count = self.firstVisibleBlock().blockNumber(), self._visible_count()
        if places and not any(first <= place < first + count - 1 for place in places):
            self.verticalScrollBar().setValue(max(places[0] - count // 3, 0))

    # Lines and their places

    def number_of(self, place: int) -> int:
        """The line's number at a place from the top, 0 where there is none."""
        return self._numbers[place] if 0 <= place < len(self._numbers) else 0

    def number_at(self, y: int) -> int:
        """The number of the line at this height of the viewport, 0 below the last one."""
        return next((number for number, top, height in self.visible_lines() if top <= y < top + height), 0)

    def visible_lines(self) -> Iterator[tuple[int, float, float]]:
        """Number, top and height of each line in view, from the viewport's top."""
        block = self.firstVisibleBlock()
        top = self.blockBoundingGeometry(block).translated(self.contentOffset()).top()
        while block.isValid() and top < self.viewport().height():
            yield self.number_of(block.blockNumber()), top, block.layout().boundingRect().height()
            top += self.blockBoundingRect(block).height()
            block = block.next()

    def _visible_count(self) -> int:
        return max(self.viewport().height() // max(self.fontMetrics().lineSpacing(), 1), 1)

    # Looks

    def _colour_visible(self) -> None:
        first = self.firstVisibleBlock().blockNumber()
        self._colours.colour(first, first + self._visible_count() + 1)

    def _mark(self) -> None:
        strong, weak = QColor(self.theme.selection), QColor(self.theme.selection)
        weak.setAlphaF(0.55)
        marks = []
        for number in sorted(self.marked | {self.current}):
            if number in self._places:
                mark = QTextEdit.ExtraSelection()
                mark.cursor = QTextCursor(self.document().findBlockByNumber(self._places[number]))
                mark.format.setBackground(strong if number == self.current else weak)
                mark.format.setProperty(QTextCharFormat.Property.FullWidthSelection, True)
                marks.append(mark)
        self.setExtraSelections(marks)
        self._gutter.update()

    def column_places(self) -> Iterator[tuple[Column, int, int]]:
        """Each column of the gutter with its left edge and its width."""
        left = _MARK_PX
        metrics, head_metrics = self.fontMetrics(), self.head_metrics()
        for column in self.columns:
            room = max(metrics.horizontalAdvance(column.sample), head_metrics.horizontalAdvance(column.title))
            yield column, left, room + 2 * _PAD_PX
            left += room + 2 * _PAD_PX

    def head_metrics(self) -> QFontMetrics:
        return QFontMetrics(self.head_font())

    def head_font(self) -> QFont:
        font = QFont(QApplication.font())  # not this view's, which is that of code
        font.setPixelSize(11)
        return font

    def place_gutter(self) -> None:
        width = max((left + width for _, left, width in self.column_places()), default=0)
        self.setViewportMargins(width, _HEAD_PX, 0, 0)
        inside = self.contentsRect()
        self._gutter.setGeometry(inside.left(), inside.top() + _HEAD_PX, width, inside.height() - _HEAD_PX)
        self._head.setGeometry(inside.left(), inside.top(), inside.width(), _HEAD_PX)
        self._gutter.update()
        self._head.update()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.place_gutter()
        self._colour_visible()

    def _on_update(self, part: QRect, dy: int) -> None:
        if dy:
            self._gutter.scroll(0, dy)
        else:
            self._gutter.update(0, part.y(), self._gutter.width(), part.height())

    def paintEvent(self, event: QPaintEvent) -> None:
        """The text, with notes at the ends of lines."""
        super().paintEvent(event)
        with QPainter(self.viewport()) as painter:
            painter.setFont(self.head_font())
            painter.setPen(QColor(self.theme.muted))
            for number, top, height in self.visible_lines():
                note = self.cells.get(number, _NO_CELLS).note
                if note:
                    text = self.document().findBlockByNumber(self._places[number]).text().expandtabs(4)
                    x = self.contentOffset().x() + self.fontMetrics().horizontalAdvance(text) + 28
                    painter.drawText(QRectF(x, top, 600, height), _LEFT, note)

    # Mouse and keys

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        super().mouseReleaseEvent(event)
        if event.button() == Qt.MouseButton.LeftButton and not self.textCursor().hasSelection():
            self.press_at(int(event.position().y()))

    def press_at(self, y: int) -> None:
        number = self.number_at(y)
        if number:
            self._press(number)

    def _press(self, number: int) -> None:
        self.choose(number)
        self.line_pressed.emit(number)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        step = {Qt.Key.Key_Up: -1, Qt.Key.Key_Down: 1}.get(Qt.Key(event.key()), 0)
        if not step:
            super().keyPressEvent(event)
        elif event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            (self.hotter_wanted if step < 0 else self.colder_wanted).emit()
        else:
            place = self._places.get(self.current)
            number = self.number_of(place + step) if place is not None else self.number_at(0)
            if number:
                self._press(number)


class _Gutter(QWidget):
    """The columns left of the text."""

    def __init__(self, view: SourceView) -> None:
        super().__init__(view)
        self._view = view

    def sizeHint(self) -> QSize:
        return QSize(self.width(), 0)

    def paintEvent(self, event: QPaintEvent) -> None:
        view, theme = self._view, self._view.theme
        with QPainter(self) as painter:
            painter.fillRect(event.rect(), QColor(theme.panel))
            painter.setFont(view.font())
            for number, top, height in view.visible_lines():
                row = QRectF(0, top, self.width(), height)
                if row.bottom() >= event.rect().top() and row.top() <= event.rect().bottom():
                    self._paint_row(painter, number, row)

    def _paint_row(self, painter: QPainter, number: int, row: QRectF) -> None:
        view, theme = self._view, self._view.theme
        cells = view.cells.get(number, _NO_CELLS)
        if number == view.current:
            painter.fillRect(row, QColor(theme.selection))
        if number in view.marked:
            painter.fillRect(QRectF(0, row.top(), _MARK_PX, row.height()), QColor(theme.accent))
        for column, left, width in view.column_places():
            place = QRectF(left, row.top(), width, row.height())
            if column.field == "share" and cells.heat > 0:
                fill = QColor(theme.heat)
                fill.setAlphaF(0.25 + 0.35 * cells.heat)
                long = max((width - 4) * cells.heat, 1.5)
                painter.fillRect(QRectF(left + 2, row.top() + 1, long, row.height() - 2), fill)
            is_weak = column.field == "number" and number not in view.marked and number != view.current
            painter.setPen(QColor(theme.muted if is_weak else theme.text))
            text = str(number) if column.field == "number" else getattr(cells, column.field)
            painter.drawText(place.adjusted(_PAD_PX, 0, -_PAD_PX, 0), _RIGHT, text)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        self._view.press_at(int(event.position().y()))

    def wheelEvent(self, event: QWheelEvent) -> None:
        self._view.wheelEvent(event)

    def event(self, event: QEvent) -> bool:
        if isinstance(event, QHelpEvent):
            tip = self._view.cells.get(self._view.number_at(event.pos().y()), _NO_CELLS).tip
            QToolTip.showText(event.globalPos(), tip, self)
            return True
        return super().event(event)


class _Head(QWidget):
    """The titles of the columns; hovered, what the numbers are."""

    def __init__(self, view: SourceView) -> None:
        super().__init__(view)
        self._view = view

    def paintEvent(self, event: QPaintEvent) -> None:
        with QPainter(self) as painter:
            theme = self._view.theme
            painter.fillRect(self.rect(), QColor(theme.window))
            painter.setFont(self._view.head_font())
            painter.setPen(QColor(theme.line))
            painter.drawLine(0, self.height() - 1, self.width(), self.height() - 1)
            painter.setPen(QColor(theme.muted))
            for column, left, width in self._view.column_places():
                place = QRect(left + _PAD_PX, 0, width - 2 * _PAD_PX, self.height())
                painter.drawText(place, _RIGHT, column.title)

    def tip_at(self, point: QPoint) -> str:
        return next(
            (column.tip for column, left, width in self._view.column_places() if left <= point.x() < left + width), ""
        )

    def event(self, event: QEvent) -> bool:
        if isinstance(event, QHelpEvent):
            QToolTip.showText(event.globalPos(), self.tip_at(event.pos()), self)
            return True
        return super().event(event)
