"""Constants read from text."""

from __future__ import annotations

import re

from xlaviz.hlo.shapes import Shape

_LINE_BREAK = re.compile(r"\s*\n\s*")

ELEMENT_LIMIT = 10
"""A constant of more elements than this is shown as `{...}`, as in XLA's long text."""


def literal_shown(text: str, shape: Shape | None) -> str:
    """The text between `constant(` and `)` on one line, elided where XLA's long text elides it."""
    if shape is not None and (shape.is_tuple or shape.element_count > ELEMENT_LIMIT):
        return "{...}"
    return _LINE_BREAK.sub(" ", text.strip())
