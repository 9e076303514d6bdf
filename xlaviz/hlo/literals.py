"""LiteralProto -> text as XLA prints it inside `constant(...)`."""

from __future__ import annotations

import math
import struct
from collections.abc import Iterator, Sequence

from xlaviz.hlo import hlo_pb2 as pb
from xlaviz.hlo.literal_text import ELEMENT_LIMIT
from xlaviz.hlo.small_floats import SMALL_FLOATS, small_float_text

_FORMATS = {"s8": "b", "u8": "B", "s16": "h", "u16": "H"}
_REPEATED = {"s32", "s64", "u32", "u64"}
_DIGITS = {"f16": 5, "bf16": 4}


def literal_text(proto: pb.LiteralProto, *, limit: int | None = ELEMENT_LIMIT) -> str:
    """The literal's text; `{...}` for a tuple and for more elements than `limit`, as in XLA's long text."""
    shape = proto.shape
    if limit is not None and (shape.element_type == pb.TUPLE or math.prod(shape.dimensions) > limit):
        return "{...}"
    if shape.element_type == pb.TUPLE:
        parts = [literal_text(part, limit=limit) for part in proto.tuple_literals]
        return f"( {', '.join(parts)} )" if parts else "()"
    values = element_texts(proto)
    if not shape.dimensions:
        return next(values, "")
    return _nested(list(shape.dimensions), values, [], len(shape.dimensions))


def element_texts(proto: pb.LiteralProto) -> Iterator[str]:
    """Each element of an array literal as XLA prints it, in row-major order."""
    known = pb.PrimitiveType.DESCRIPTOR.values_by_number.get(proto.shape.element_type)
    name = known.name.lower() if known is not None else ""  # a newer XLA's type
    if name == "pred":
        words = ("0", "1") if proto.shape.dimensions else ("false", "true")
        return (words[bool(value)] for value in proto.preds)
    if name in _REPEATED:
        return map(str, getattr(proto, f"{name}s"))
    if name in _FORMATS:
        return map(str, _unpacked(getattr(proto, f"{name}s"), _FORMATS[name]))
    if name in ("f32", "f64"):
        return map(_f32_text if name == "f32" else _f64_text, getattr(proto, f"{name}s"))
    if name == "f16":
        return (_digits(value, _DIGITS[name]) for value in _unpacked(proto.f16s, "e"))
    if name == "bf16":
        # The upper half of an f32.
        pairs = (b"\0\0" + proto.bf16s[at : at + 2] for at in range(0, len(proto.bf16s) - 1, 2))
        return (_digits(struct.unpack("<f", pair)[0], _DIGITS[name]) for pair in pairs)
    if name in ("c64", "c128"):
        return _complex_texts(getattr(proto, f"{name}s"), name)
    if name in SMALL_FLOATS:
        return (small_float_text(byte, name) for byte in getattr(proto, f"{name}s"))
    if name[1:].isdecimal() and hasattr(proto, f"{name}s"):
        return _small_int_texts(getattr(proto, f"{name}s"), int(name[1:]), name[0] == "s", proto)
    return iter(["..."] * math.prod(proto.shape.dimensions))


def _nested(sizes: list[int], values: Iterator[str], place: list[int], rank: int) -> str:
    """XLA's braces: none of its blanks in a vector, an index comment from rank 4 on."""
    if len(sizes) == 1:
        inner = ", ".join(next(values, "?") for _ in range(sizes[0]))
        return f"{{ {inner} }}" if rank > 1 and sizes[0] > 1 else f"{{{inner}}}"
    rows = [_nested(sizes[1:], values, [*place, index], rank) for index in range(sizes[0])]
    comment = f" /*i{len(place) - 1}={place[-1]}*/" if rank > 3 and place else ""
    return f"{{{comment} {', '.join(rows)} }}"


def _unpacked(data: bytes, code: str) -> tuple[float, ...]:
    size = struct.calcsize(code)
    return struct.unpack(f"<{len(data) // size}{code}", data[: len(data) // size * size])


def _small_int_texts(data: bytes, bits: int, signed: bool, proto: pb.LiteralProto) -> Iterator[str]:
    """Integers of 1, 2 or 4 bits, packed with the first one in the low bits."""
    per_byte = 8 // bits
    for number in range(math.prod(proto.shape.dimensions)):
        byte = data[number // per_byte] if number // per_byte < len(data) else 0
        value = (byte >> (number % per_byte * bits)) & ((1 << bits) - 1)
        yield str(value - (1 << bits) if signed and value >> (bits - 1) else value)


def _complex_texts(values: Sequence[float], name: str) -> Iterator[str]:
    text = _f32_text if name == "c64" else _f64_text
    for real, imaginary in zip(values[::2], values[1::2], strict=False):
        yield f"({text(real)}, {text(imaginary)})"


def _f32_text(value: float) -> str:
    short = _digits(value, 6)
    return short if not math.isfinite(value) or _as_f32(float(short)) == value else _digits(value, 9)


def _f64_text(value: float) -> str:
    short = _digits(value, 15)
    return short if not math.isfinite(value) or float(short) == value else _digits(value, 17)


def _as_f32(value: float) -> float:
    try:
        return float(struct.unpack("<f", struct.pack("<f", value))[0])
    except OverflowError:
        return math.inf


def _digits(value: float, digits: int) -> str:
    if math.isnan(value):
        return "-nan" if math.copysign(1.0, value) < 0 else "nan"
    return f"{value:.{digits}g}"
