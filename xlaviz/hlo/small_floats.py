"""Floats of one byte or less, as XLA prints them."""

from __future__ import annotations

import math
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class _Format:
    """`has_infinity` is IEEE's all-ones exponent; without it NaN is `nan_code` alone (with either sign if `both`)."""

    exponent_bits: int
    mantissa_bits: int
    bias: int
    has_infinity: bool = False
    nan_code: int | None = None
    both: bool = False


SMALL_FLOATS = {
    "f8e5m2": _Format(5, 2, 15, has_infinity=True),
    "f8e4m3": _Format(4, 3, 7, has_infinity=True),
    "f8e3m4": _Format(3, 4, 3, has_infinity=True),
    "f8e4m3fn": _Format(4, 3, 7, nan_code=0x7F, both=True),
    "f8e4m3b11fnuz": _Format(4, 3, 11, nan_code=0x80),
    "f8e4m3fnuz": _Format(4, 3, 8, nan_code=0x80),
    "f8e5m2fnuz": _Format(5, 2, 16, nan_code=0x80),
    "f4e2m1fn": _Format(2, 1, 1),
}


def small_float_text(code: int, name: str) -> str:
    """The value of one byte of type `name`, with just the digits that tell it from its neighbours."""
    kind = SMALL_FLOATS[name]
    value = _value(code, kind)
    if math.isnan(value):
        return "-nan" if code & 0x80 and kind.nan_code != 0x80 else "nan"
    digits = math.ceil(1 + (kind.mantissa_bits + 1) * math.log10(2))
    return f"{value:.{digits}g}"


def _value(code: int, kind: _Format) -> float:
    width = kind.exponent_bits + kind.mantissa_bits
    magnitude = code & ((1 << width) - 1)
    if kind.nan_code is not None and (code == kind.nan_code or (kind.both and magnitude == kind.nan_code)):
        return math.nan
    exponent, mantissa = magnitude >> kind.mantissa_bits, magnitude & ((1 << kind.mantissa_bits) - 1)
    sign = -1.0 if code >> width & 1 else 1.0
    if kind.has_infinity and exponent == (1 << kind.exponent_bits) - 1:
        return math.nan if mantissa else sign * math.inf
    fraction = mantissa / (1 << kind.mantissa_bits)
    if exponent == 0:
        return sign * fraction * 2.0 ** (1 - kind.bias)
    return sign * (1 + fraction) * 2.0 ** (exponent - kind.bias)
