"""Shape text -> Shape."""

from __future__ import annotations

import re

from xlaviz.hlo.lexer import Scanner, without_comments
from xlaviz.hlo.shapes import UNBOUNDED, Layout, Shape

MAX_DEPTH = 100
"""Tuples nested deeper than this are refused (protobuf refuses them at the same depth)."""

_ARRAY = re.compile(r"([A-Za-z]\w*)\s*\[([^\[\]{}()\n]*)\]")
_BUFFER = re.compile(r"b\s*\(")
_SHAPE_AHEAD = re.compile(r"\(|[A-Za-z]\w*\s*\[|b\s*\(")
_LAYOUT_AHEAD = re.compile(r"\s*\{\s*[\d:\-]|\{\}")
_DIMENSION = re.compile(r"\s*(?:(\?)|(<=)?\s*(-?\d{1,20}))\s*")
_SPARSE = re.compile(r"sparse(?=\{)")
_DIM_LEVELS = re.compile(r"D\([^()]*\)")


def shape_ahead(scanner: Scanner) -> bool:
    """Whether a shape comes next, as against an opcode or a name."""
    return scanner.find(_SHAPE_AHEAD) is not None


def read_shape(scanner: Scanner, depth: int = 0) -> Shape:
    """Reads one shape with its layout."""
    if depth > MAX_DEPTH:
        raise scanner.error("shapes nested this deep are not supported")
    if scanner.take_text("("):
        return Shape("tuple", elements=_elements(scanner, depth))
    if scanner.take(_BUFFER):
        element = read_shape(scanner, depth + 1)
        scanner.expect_text(")")
        return Shape("buffer", elements=(element,))
    array = scanner.expect(_ARRAY, "a shape")
    dimensions, dynamic = _dimensions(scanner, array)
    return Shape(array[1], dimensions, dynamic, _layout(scanner))


def _elements(scanner: Scanner, depth: int) -> tuple[Shape, ...]:
    elements: list[Shape] = []
    if scanner.take_text(")"):
        return ()
    while True:
        elements.append(read_shape(scanner, depth + 1))
        if not scanner.take_text(","):
            scanner.expect_text(")")
            return tuple(elements)


def _dimensions(scanner: Scanner, array: re.Match[str]) -> tuple[tuple[int, ...], tuple[bool, ...]]:
    if not array[2].strip():
        return (), ()
    sizes: list[int] = []
    dynamic: list[bool] = []
    for part in array[2].split(","):
        found = _DIMENSION.fullmatch(part)
        if found is None:
            raise scanner.error(f"`{part.strip()}` is no dimension", array.start(2))
        sizes.append(UNBOUNDED if found[1] else int(found[3]))
        dynamic.append(bool(found[1] or found[2]))
    return tuple(sizes), tuple(dynamic) if any(dynamic) else ()


def _layout(scanner: Scanner) -> Layout | None:
    scanner.position = found.end() if (found := _SPARSE.match(scanner.text, scanner.position)) else scanner.position
    if not _LAYOUT_AHEAD.match(scanner.text, scanner.position, scanner.end):
        return None
    scanner.skip_blanks()
    start = scanner.position
    scanner.skip_group()
    inner = "".join(without_comments(scanner.text[start + 1 : scanner.position - 1]).split())
    order, _, parts = inner.partition(":")
    try:
        minor_to_major = tuple([int(dimension) for dimension in order.split(",") if dimension])
    except ValueError:
        raise scanner.error("this is no layout", start) from None
    # XLA reads dimension level types and has not kept them since 2025.
    parts = _DIM_LEVELS.sub("", parts) if parts.startswith("D(") else parts
    return Layout(minor_to_major, parts) if minor_to_major or parts else None
