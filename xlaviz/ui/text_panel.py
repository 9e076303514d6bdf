"""The bottom tab with the HLO text of both sides as a diff, in step with the selection."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import (
    QColor,
    QFontDatabase,
    QMouseEvent,
    QSyntaxHighlighter,
    QTextCharFormat,
    QTextCursor,
    QTextDocument,
)
from PySide6.QtWidgets import (
    QCheckBox,
    QHBoxLayout,
    QLabel,
    QPlainTextEdit,
    QSizePolicy,
    QTextEdit,
    QVBoxLayout,
    QWidget,
)

from xlaviz.scene.palette import LIGHT, Theme
from xlaviz.session.text_diff import TextDiff, TextLine

_SIGNS = {" ": " ", "-": "−", "+": "+", "…": "⋯"}


class TextPanel(QWidget):
    """Signals: `line_chosen` (pane, name) when a line is clicked; `options_changed` when other lines are wanted."""

    line_chosen = Signal(str, str)
    options_changed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = LIGHT
        self._lines: tuple[TextLine, ...] = ()
        self._selected: frozenset[str] = frozenset()
        self.title = QLabel()
        self.title.setObjectName("muted")
        self.title.setContentsMargins(10, 3, 10, 3)
        self.title.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self.metadata = QCheckBox("metadata")
        self.unchanged = QCheckBox("unchanged lines")
        for box in (self.metadata, self.unchanged):
            box.toggled.connect(self.options_changed)
        self.text = _Text()
        self.text.pressed.connect(self._on_pressed)
        self._colours = _Colours(self.text.document())
        top = QHBoxLayout()
        top.setContentsMargins(0, 2, 10, 2)
        top.setSpacing(12)
        top.addWidget(self.title, 1)
        top.addWidget(self.unchanged)
        top.addWidget(self.metadata)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addLayout(top)
        layout.addWidget(self.text, 1)

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        self._colours.set_theme(theme)
        self._mark()

    def show_words(self, text: str) -> None:
        self.title.setText(text)
        self._lines = ()
        self.text.clear()

    def show_diff(self, title: str, diff: TextDiff) -> None:
        added = sum(1 for line in diff.lines if line.sign == "+")
        removed = sum(1 for line in diff.lines if line.sign == "-")
        words = [title]
        if added or removed:
            words.append(f"+{added} −{removed} lines")
        if diff.before or diff.after:
            words.append(f"{diff.before} lines above and {diff.after} below are not shown: select one to see it")
        self.title.setText("  ·  ".join(words))
        self._lines = diff.lines
        self.text.setPlainText("\n".join(f"{_SIGNS[line.sign]} {line.text}" for line in diff.lines))
        self._mark()

    @property
    def lines(self) -> tuple[TextLine, ...]:
        return self._lines

    def has(self, names: frozenset[str]) -> bool:
        """Whether one of these instructions has a line here."""
        return any(line.name in names for line in self._lines)

    def select(self, names: frozenset[str]) -> None:
        """Mark the lines of the selection and scroll to the first."""
        if names != self._selected:
            self._selected = names
            self._mark()

    def _mark(self) -> None:
        places = [place for place, line in enumerate(self._lines) if line.name and line.name in self._selected]
        marks = []
        for place in places:
            mark = QTextEdit.ExtraSelection()
            mark.cursor = QTextCursor(self.text.document().findBlockByNumber(place))
            mark.format.setBackground(QColor(self._theme.selection))
            mark.format.setProperty(QTextCharFormat.Property.FullWidthSelection, True)
            marks.append(mark)
        self.text.setExtraSelections(marks)
        if places:
            self._scroll_to(places)

    def _scroll_to(self, places: list[int]) -> None:
        """Leave the text where it is while the selection can be seen."""
        first = self.text.firstVisibleBlock().blockNumber()
        shown = max(self.text.viewport().height() // max(self.text.fontMetrics().lineSpacing(), 1), 1)
        if not any(first <= place < first + shown for place in places):
            self.text.verticalScrollBar().setValue(max(places[0] - shown // 3, 0))

    def _on_pressed(self, place: int) -> None:
        if place < len(self._lines) and self._lines[place].name:
            line = self._lines[place]
            self.line_chosen.emit("left" if line.sign == "-" else "right", line.name)


class _Text(QPlainTextEdit):
    """Signal: `pressed` with the number of the line that is clicked."""

    pressed = Signal(int)

    def __init__(self) -> None:
        super().__init__()
        self.setReadOnly(True)
        self.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self.setFont(QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont))

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        super().mouseReleaseEvent(event)
        if event.button() == Qt.MouseButton.LeftButton and not self.textCursor().hasSelection():
            self.pressed.emit(self.cursorForPosition(event.position().toPoint()).blockNumber())


class _Colours(QSyntaxHighlighter):
    """Colours a line by its sign."""

    def __init__(self, document: QTextDocument) -> None:
        super().__init__(document)
        self._formats: dict[str, QTextCharFormat] = {}
        self.set_theme(LIGHT)

    def set_theme(self, theme: Theme) -> None:
        colours = {"+": theme.added, "−": theme.removed, "⋯": theme.muted}
        self._formats = {sign: QTextCharFormat() for sign in colours}
        for sign, colour in colours.items():
            self._formats[sign].setForeground(QColor(colour))
        self.rehighlight()

    def highlightBlock(self, text: str) -> None:
        colour = self._formats.get(text[:1])
        if colour is not None:
            self.setFormat(0, len(text), colour)
