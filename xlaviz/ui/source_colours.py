"""Python's syntax in colours, line by line as lines come into view: a long file is not read at once."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from keyword import kwlist

from PySide6.QtGui import QColor, QFont, QSyntaxHighlighter, QTextCharFormat, QTextDocument

from xlaviz.scene.palette import LIGHT, Theme

_STRING = r"""[rRbBfFuU]{0,2}(?:"(?:\\.|[^"\\\n])*"?|'(?:\\.|[^'\\\n])*'?)"""
_TOKEN = re.compile(
    rf"(?P<comment>\#.*)|(?P<string>{_STRING})|(?P<decorator>^\s*@[\w.]+)|(?P<keyword>\b(?:{'|'.join(kwlist)})\b)"
    r"|(?P<number>\b(?:0[xXbBoO][\da-fA-F_]+|\d[\d_]*\.?[\d_]*(?:[eE][+-]?\d+)?j?)\b)"
)
# Comments and plain strings are matched too, for quotes in them begin nothing.
_LONG = re.compile(
    rf"""\#[^\n]*|[rRbBfFuU]{{0,2}}(?P<quotes>\"{{3}}|'{{3}})(?:\\.|(?!(?P=quotes)).)*(?:(?P=quotes)|\Z)|{_STRING}""",
    re.DOTALL,
)


def long_strings(text: str) -> tuple[tuple[int, int], ...]:
    """Begin and end of the strings in three quotes, which may go over many lines."""
    return tuple(match.span() for match in _LONG.finditer(text) if match["quotes"])


class SourceColours(QSyntaxHighlighter):
    """Colours the blocks it is told to. A text is the document's own, with `\\n` between its lines."""

    def __init__(self, document: QTextDocument) -> None:
        super().__init__(document)
        self._starts: list[int] = []
        self._strings: tuple[tuple[int, int], ...] = ()
        self._string_starts: list[int] = []
        self._coloured: set[int] = set()
        self._wanted = -1
        self._formats: dict[str, QTextCharFormat] = {}
        self.set_theme(LIGHT)

    def set_theme(self, theme: Theme) -> None:
        """Blocks that are in colours have to be coloured anew."""
        colours = {
            "keyword": theme.moved,
            "string": theme.added,
            "comment": theme.muted,
            "number": theme.heat,
            "decorator": theme.changed,
        }
        self._formats = {kind: QTextCharFormat() for kind in colours}
        for kind, colour in colours.items():
            self._formats[kind].setForeground(QColor(colour))
        self._formats["keyword"].setFontWeight(QFont.Weight.DemiBold)
        self._coloured.clear()

    def show_text(self, text: str | None) -> None:
        """Take another text before the document does; None for one that is not Python."""
        self._coloured.clear()
        if text is None:
            self._starts = []
            return
        self._starts = [0, *(match.end() for match in re.finditer("\n", text))]
        self._strings = long_strings(text)
        self._string_starts = [start for start, _ in self._strings]

    def colour(self, first: int, last: int) -> None:
        """Colour the blocks from `first` to `last` that are not yet."""
        for number in range(first, last + 1):
            block = self.document().findBlockByNumber(number)
            if block.isValid() and number not in self._coloured:
                self._coloured.add(number)
                self._wanted = number
                self.rehighlightBlock(block)
        self._wanted = -1

    def highlightBlock(self, text: str) -> None:
        number = self.currentBlock().blockNumber()
        if number == self._wanted and number < len(self._starts):
            for kind, start, end in self._tokens(text, self._starts[number]):
                self.setFormat(start, end - start, self._formats[kind])

    def _tokens(self, line: str, offset: int) -> Iterator[tuple[str, int, int]]:
        """Kind, begin and end of what has a colour in the line that begins at `offset` of the text."""
        at = 0
        place = max(bisect_right(self._string_starts, offset) - 1, 0)
        for start, end in self._strings[place:]:
            if start >= offset + len(line):
                break
            if end > offset:
                begin = max(start - offset, 0)
                yield from _code(line, at, begin)
                at = min(end - offset, len(line))
                yield "string", begin, at
        yield from _code(line, at, len(line))


def _code(line: str, start: int, end: int) -> Iterator[tuple[str, int, int]]:
    for match in _TOKEN.finditer(line, start, end):
        assert match.lastgroup is not None
        yield match.lastgroup, *match.span()
