"""A file with the time of each line beside it."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence

from PySide6.QtCore import QRect, QRectF, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QFontDatabase,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QResizeEvent,
    QTextCharFormat,
    QTextCursor,
)
from PySide6.QtWidgets import QPlainTextEdit, QTextEdit, QWidget

from xlaviz.scene.palette import LIGHT, Theme
from xlaviz.ui.source_colours import SourceColours
from xlaviz.ui.source_gutter import HEAD_PX, NO_CELLS, Column, Gutter, Head, LineCells, small_font

_LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter


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
        self._gutter = Gutter(self)
        self._head = Head(self, self._gutter)
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

    def place_gutter(self) -> None:
        width = max((left + width for _, left, width in self._gutter.column_places()), default=0)
        self.setViewportMargins(width, HEAD_PX, 0, 0)
        inside = self.contentsRect()
        self._gutter.setGeometry(inside.left(), inside.top() + HEAD_PX, width, inside.height() - HEAD_PX)
        self._head.setGeometry(inside.left(), inside.top(), inside.width(), HEAD_PX)
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
            painter.setFont(small_font())
            painter.setPen(QColor(self.theme.muted))
            for number, top, height in self.visible_lines():
                note = self.cells.get(number, NO_CELLS).note
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
