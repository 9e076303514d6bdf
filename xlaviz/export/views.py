"""What can be exported, by the names the command line uses, and how it is fetched."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from xlaviz.base.errors import XlavizError
from xlaviz.dumps.sequence import PassSequence

FORMATS = ("svg", "png", "pdf", "dot")
_PASS = re.compile(r"pass:(\d+)")


@dataclass(frozen=True, slots=True)
class ExportView:
    """`index` is the snapshot of a `pass` view."""

    kind: Literal["before", "after", "pass", "side-by-side"]
    index: int = 0


def parse_view(text: str, sequence: PassSequence) -> ExportView:
    """`before`, `after`, `side-by-side` or `pass:N`, N counting the snapshots from 0 as `info` does."""
    if text in ("before", "after", "side-by-side"):
        return ExportView(text)  # type: ignore[arg-type]
    match = _PASS.fullmatch(text)
    if match is None:
        raise XlavizError(f"'{text}' is no view.", hint="Views: before, after, pass:N, side-by-side.")
    index = int(match[1])
    if index > sequence.last_index:
        raise XlavizError(f"There is no snapshot {index}.", hint=f"The last one is pass:{sequence.last_index}.")
    return ExportView("pass", index)


def parse_format(path: Path) -> str:
    """The format a file name asks for."""
    ending = path.suffix.lower().removeprefix(".")
    if ending not in FORMATS:
        raise XlavizError(f"'{path.name}' does not end in a format xlaviz writes.", hint="Formats: svg, png, pdf, dot.")
    return ending
