"""How reading a large profile tells how far it is."""

from __future__ import annotations

from collections.abc import Callable

Report = Callable[[float, str], None]
"""Takes the share done, 0 to 1, and what is being done."""

TICK = 20_000
"""Events between two reports."""


def silent(share: float, text: str) -> None:
    """A Report for callers who wait without a word."""
