"""Argument specs such as `f32[32,784]`: an element type as HLO writes it and the sizes of a tensor.

Standard library only: the capture child and the program that starts it both read specs with this.
"""

from __future__ import annotations

import re
from typing import NamedTuple

_TYPES = {
    "f16": "float16",
    "bf16": "bfloat16",
    "f32": "float32",
    "f64": "float64",
    "s8": "int8",
    "s16": "int16",
    "s32": "int32",
    "s64": "int64",
    "u8": "uint8",
    "u16": "uint16",
    "u32": "uint32",
    "u64": "uint64",
    "c64": "complex64",
    "c128": "complex128",
    "pred": "bool",
}
_SHORT = {long: short for short, long in _TYPES.items()}
_ALSO = {"i8": "int8", "i16": "int16", "i32": "int32", "i64": "int64", "float": "float32", "int": "int32"}
_PATTERN = re.compile(r"(?P<type>\w+)\[(?P<sizes>[^\[\]]*)\]")


class Spec(NamedTuple):
    """The type, named as TensorFlow names it, and the sizes of one input."""

    dtype: str
    shape: tuple[int, ...]

    def __str__(self) -> str:
        return f"{_SHORT.get(self.dtype, self.dtype)}[{','.join(map(str, self.shape))}]"


def parse_spec(text: str) -> Spec:
    """The spec written as TYPE[SIZE,SIZE,...]; `f32[]` is a scalar. ValueError with a sentence when it is not one."""
    match = _PATTERN.fullmatch(text.strip())
    if match is None:
        raise ValueError(
            f"The input spec '{text}' is not of the form TYPE[SIZE,SIZE,...], as in f32[32,784] or f32[] for a scalar."
        )
    name = match["type"]
    dtype = _TYPES.get(name) or _ALSO.get(name) or (name if name in _SHORT else None)
    if dtype is None:
        raise ValueError(f"The input spec '{text}' has an unknown type '{name}'; known are {', '.join(_TYPES)}.")
    sizes = [size.strip() for size in match["sizes"].split(",")] if match["sizes"].strip() else []
    if not all(size.isdecimal() for size in sizes):
        raise ValueError(f"The input spec '{text}' has a size that is not a whole number; write it as in f32[32,784].")
    return Spec(dtype, tuple(int(size) for size in sizes))
