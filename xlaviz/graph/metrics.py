"""Text widths without a toolkit, so that layout can run in a process that has none.

Advances of DejaVu Sans, the widest of the usual interface fonts: text set in another one fits as well.
"""

from __future__ import annotations

from functools import lru_cache

TITLE_PX = 12
TEXT_PX = 10
_BOLD = 1.14
_UNKNOWN = 75

# Advance of the characters from blank to tilde, in hundredths of the font's pixel size.
_ADVANCES = (
    32, 40, 46, 84, 64, 95, 78, 27, 39, 39, 50, 84, 32, 36, 32, 34, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 34, 34,
    84, 84, 84, 53, 100, 68, 69, 70, 77, 63, 58, 77, 75, 29, 29, 66, 56, 86, 75, 79, 60, 79, 69, 63, 61, 73, 68, 99,
    69, 61, 69, 39, 34, 39, 84, 50, 50, 61, 63, 55, 63, 62, 35, 63, 63, 28, 28, 58, 28, 97, 63, 61, 63, 63, 41, 52,
    39, 63, 59, 82, 59, 59, 52, 64, 34, 64, 84,
)  # fmt: skip


@lru_cache(maxsize=65536)
def text_width_px(text: str, size_px: float, *, bold: bool = False) -> float:
    """The advance of `text` in pixels."""
    hundredths = sum(_ADVANCES[ord(c) - 32] if " " <= c <= "~" else _UNKNOWN for c in text)
    return hundredths * size_px / 100 * (_BOLD if bold else 1.0)


def elide_middle(text: str, length: int) -> str:
    """`text` cut in its middle to at most `length` characters: a name's end tells it from its like."""
    if len(text) <= length:
        return text
    tail = max(length // 2 - 1, 4)
    return f"{text[: length - tail - 1]}…{text[-tail:]}"


def elide_end(text: str, length: int) -> str:
    return text if len(text) <= length else f"{text[: length - 1]}…"
