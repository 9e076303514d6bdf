"""What the readers raise when the input is not what it claims to be."""

from __future__ import annotations

from xlaviz.base.errors import XlavizError

_SHOWN = 120
"""Characters of the source line shown: header lines can be a megabyte long."""


class HloParseError(XlavizError):
    """HLO text that cannot be read: the sentence names file, line and column, `detail` shows the line.

    `at_end` says that the text stopped too early rather than held something wrong.
    """

    def __init__(
        self,
        message: str,
        *,
        hint: str = "",
        detail: str = "",
        line: int = 0,
        column: int = 0,
        at_end: bool = False,
    ) -> None:
        super().__init__(message, hint=hint, detail=detail)
        self.line = line
        self.column = column
        self.at_end = at_end


def parse_error(message: str, *, file: str, text: str, position: int, at_end: bool = False) -> HloParseError:
    """An error at `position` of `text`; `message` completes "FILE:LINE:COLUMN: ..." without its full stop."""
    line = text.count("\n", 0, position) + 1
    start = text.rfind("\n", 0, position) + 1
    stop = text.find("\n", position)
    column = position - start
    shown_from = start + max(0, column - _SHOWN // 2)
    shown = text[shown_from : min(stop if stop >= 0 else len(text), shown_from + _SHOWN)]
    place = f', in "{shown.strip()}"' if shown.strip() else ""
    return HloParseError(
        f"{file}:{line}:{column + 1}: {message}{place}.",
        detail=f"{shown}\n{' ' * (position - shown_from)}^",
        line=line,
        column=column + 1,
        at_end=at_end,
    )
