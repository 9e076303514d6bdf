"""Shapes and layouts, printed as XLA prints them."""

from __future__ import annotations

import math
from dataclasses import dataclass

UNBOUNDED = -(2**63)
"""The size XLA gives an unbounded dynamic dimension (`?`)."""

_BITS = {
    "pred": 8, "s1": 1, "u1": 1, "s2": 2, "u2": 2, "s4": 4, "u4": 4, "s8": 8, "u8": 8, "s16": 16, "u16": 16,
    "s32": 32, "u32": 32, "s64": 64, "u64": 64, "f16": 16, "bf16": 16, "f32": 32, "f64": 64, "c64": 64,
    "c128": 128, "f8e5m2": 8, "f8e4m3": 8, "f8e4m3fn": 8, "f8e4m3b11fnuz": 8, "f8e3m4": 8, "f8e5m2fnuz": 8,
    "f8e4m3fnuz": 8, "f8e8m0fnu": 8, "f4e2m1fn": 4, "f6e2m3fn": 6, "f6e3m2fn": 6, "token": 0, "opaque": 0,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Layout:
    """`minor_to_major` and, as XLA prints them after the colon, tiles, memory space and the rarer parts."""

    minor_to_major: tuple[int, ...]
    parts: str = ""

    def __str__(self) -> str:
        order = ",".join(map(str, self.minor_to_major))
        return f"{{{order}:{self.parts}}}" if self.parts else f"{{{order}}}"


@dataclass(frozen=True, slots=True)
class Shape:
    """An array shape, or a tuple of shapes (`element_type` is then `tuple`), or `buffer` of one shape.

    `dynamic` is empty for a static shape, else one flag a dimension; a size of UNBOUNDED prints as `?`.
    """

    element_type: str
    dimensions: tuple[int, ...] = ()
    dynamic: tuple[bool, ...] = ()
    layout: Layout | None = None
    elements: tuple[Shape, ...] = ()

    @property
    def is_tuple(self) -> bool:
        return self.element_type == "tuple"

    @property
    def element_count(self) -> int:
        """Elements of an array, an unbounded dimension counted as one; of all parts of a tuple together."""
        if self.elements or self.is_tuple:
            return sum(element.element_count for element in self.elements)
        return math.prod(size if size != UNBOUNDED else 1 for size in self.dimensions)

    @property
    def byte_count(self) -> int:
        """Bytes without padding; an unknown element type counts as 4 bytes an element."""
        if self.elements or self.is_tuple:
            return sum(element.byte_count for element in self.elements)
        return (self.element_count * _BITS.get(self.element_type, 32) + 7) // 8

    def text(self, *, layout: bool = True) -> str:
        """The shape as XLA prints it, with or without layouts."""
        if self.is_tuple:
            return f"({', '.join(element.text(layout=layout) for element in self.elements)})"
        if self.element_type == "buffer":
            return f"b({self.elements[0].text(layout=layout)})"
        flags = self.dynamic or (False,) * len(self.dimensions)
        sizes = ",".join(map(_dimension, self.dimensions, flags))
        # XLA leaves out an empty layout, as a scalar has.
        shown = self.layout if layout and self.layout is not None else None
        tail = str(shown) if shown is not None and (shown.minor_to_major or shown.parts) else ""
        return f"{self.element_type}[{sizes}]{tail}"

    def __str__(self) -> str:
        return self.text()


def _dimension(size: int, is_dynamic: bool) -> str:
    if size == UNBOUNDED:
        return "?"
    return f"<={size}" if is_dynamic else str(size)
