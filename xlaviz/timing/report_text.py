"""The page "Does XLA pay?" as plain text and as JSON."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator, Sequence
from itertools import zip_longest

from xlaviz.timing.report import Bar, Figure, Report, Section

WIDTH = 120
NOT_MEASURED = "not measured: "
WITH_XLA, WITHOUT, RATIO, HOW = "with XLA", "without", "ratio", "how measured"

_GAP = "  "
_WIDEST = (28, 22, 22, 10)
"""Characters of label, `xla`, `no_xla` and `ratio` at most: what is longer goes on in the next line."""
_BAR = 40
_LONG_WORD = 16  # characters; a shorter word is not broken at its parts
_PIECES = re.compile(r"[^/_]*[/_]+|[^/_]+")


def report_text(report: Report, width: int = WIDTH) -> str:
    """Aligned columns in lines of at most `width` characters (at least 100), the same columns in every section."""
    widths = _widths(report.sections, width)
    lines = [report.title, "", *_lines(report.verdict, width)]
    for section in report.sections:
        lines += ["", *_section(section, widths, width)]
    return "\n".join(lines) + "\n"


def report_json(report: Report) -> dict[str, object]:
    """Plain JSON values by the keys of sections and figures; `value` is None where it was not measured."""
    return {
        "title": report.title,
        "verdict": report.verdict,
        "pays": report.pays,
        "sections": {
            section.key: {
                figure.key: {"value": figure.value, "how": figure.how, "missing": figure.missing}
                for figure in section.figures
            }
            for section in report.sections
        },
    }


def compares(section: Section) -> bool:
    """Whether a figure of it has two sides."""
    return any(figure.no_xla or figure.ratio for figure in section.figures)


def _widths(sections: Sequence[Section], width: int) -> tuple[int, ...]:
    """Characters of the five columns; the last has what the others leave."""
    rows = [_cells(figure) for section in sections for figure in section.figures if not figure.missing]
    rows += [("", WITH_XLA, WITHOUT, RATIO, "")]
    longest = [max(len(row[column]) for row in rows) for column in range(4)]
    labels = [len(figure.label) for section in sections for figure in section.figures]
    longest[0] = max(labels, default=0) + len(_GAP)
    widths = [min(one, widest) for one, widest in zip(longest, _WIDEST, strict=True)]
    return (*widths, width - sum(widths) - 4 * len(_GAP))


def _section(section: Section, widths: tuple[int, ...], width: int) -> Iterator[str]:
    heads = (WITH_XLA, WITHOUT, RATIO, HOW) if compares(section) else ("", "", "", HOW)
    title = section.title.upper()
    if len(title) > widths[0]:
        yield title
        title = ""
    yield _line((title, *heads), widths)
    for figure in section.figures:
        yield from _figure(figure, widths, width)
    if section.bars:
        yield ""
        yield from _bars(section.bars, width)


def _figure(figure: Figure, widths: tuple[int, ...], width: int) -> Iterator[str]:
    label, *rest, how = _cells(figure)
    labels = _lines(label, widths[0], subsequent_indent=_GAP)
    middle = sum(widths[1:4]) + 2 * len(_GAP)
    if figure.missing:
        words = _lines(NOT_MEASURED + figure.missing, width - widths[0] - len(_GAP))
        yield from _side_by_side((labels, words), (widths[0], 0))
    elif len(figure.xla) > widths[1] and not (figure.no_xla or figure.ratio):
        columns = (labels, _lines(figure.xla, middle), _lines(how, widths[4]))
        yield from _side_by_side(columns, (widths[0], middle, widths[4]))
    else:
        cells = [_wrap(text, one) for text, one in zip(rest, widths[1:4], strict=True)]
        cells.append(_lines(how, widths[4]))
        for row in zip_longest(labels, *cells, fillvalue=""):
            yield _line(row, widths)


def _cells(figure: Figure) -> tuple[str, str, str, str, str]:
    sign = "! " if figure.is_warning else _GAP
    return sign + figure.label, figure.xla, figure.no_xla, figure.ratio, figure.how


def _wrap(value: str, width: int) -> list[str]:
    """In lines, what is in brackets in one of its own: a median and the range round it."""
    parts = value.replace(" (", "\n(").split("\n") if len(value) > width else [value]
    return [line for part in parts for line in _lines(part, width)]


def _lines(text: str, width: int, subsequent_indent: str = "") -> list[str]:
    return _Wrapper(width, subsequent_indent=subsequent_indent).wrap(text)


class _Wrapper(textwrap.TextWrapper):
    """Names such as `adam/dense_kernel_momentum` end a line after a `/` or a `_`."""

    def _split(self, text: str) -> list[str]:
        found: list[str] = []
        for chunk in super()._split(text):
            found += _PIECES.findall(chunk) if len(chunk) >= _LONG_WORD else [chunk]
        return found


def _side_by_side(columns: Sequence[list[str]], widths: Sequence[int]) -> Iterator[str]:
    for row in zip_longest(*columns, fillvalue=""):
        yield _GAP.join(f"{cell:<{one}}" for cell, one in zip(row, widths, strict=True)).rstrip()


def _line(cells: Sequence[str], widths: Sequence[int]) -> str:
    """Labels and words to the left, numbers to the right."""
    sides = ("<", ">", ">", ">", "<")
    return _GAP.join(f"{cell:{side}{one}}" for cell, side, one in zip(cells, sides, widths, strict=True)).rstrip()


def _bars(bars: Sequence[Bar], width: int) -> Iterator[str]:
    longest = max(bar.value for bar in bars) or 1.0
    room = max(len(bar.text) for bar in bars)
    label_room = min(max(len(_bar_label(bar)) for bar in bars), width - room - _BAR - 2 * len(_GAP))
    for bar in bars:
        label = textwrap.shorten(bar.label, label_room, placeholder="…") if len(bar.label) > label_room else bar.label
        label = (2 * _GAP if bar.is_part else _GAP) + label
        yield f"{label:<{label_room}}{_GAP}{bar.text:>{room}}{_GAP}{'█' * round(_BAR * bar.value / longest)}".rstrip()


def _bar_label(bar: Bar) -> str:
    return (2 * _GAP if bar.is_part else _GAP) + bar.label
