"""The attributes that decide what an instruction costs, read back from the text XLA prints."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any

from xlaviz.hlo.model import HloInstruction

_INTEGER = re.compile(r"-?\d+")
_WINDOW_PART = re.compile(r"(\w+)=([\d_x\-]+)")


@dataclass(frozen=True, slots=True)
class WindowDimension:
    """One dimension of a window, as in XLA's WindowDimension."""

    size: int
    stride: int = 1
    padding_low: int = 0
    padding_high: int = 0
    base_dilation: int = 1
    window_dilation: int = 1


@dataclass(frozen=True, slots=True)
class DimensionLabels:
    """Which dimension of each array a convolution's label (`b`, `f`, `i`, `o`, `0`, `1`...) stands for."""

    lhs: dict[str, int]
    rhs: dict[str, int]
    output: dict[str, int]


def integers(text: str) -> tuple[int, ...]:
    """`{0,2}` -> (0, 2)."""
    return tuple(map(int, _INTEGER.findall(text)))


def window_dimensions(text: str) -> tuple[WindowDimension, ...]:
    """`{size=3x3 stride=2x2 pad=0_1x0_1}` -> a dimension each; empty for no window."""
    parts = {name: value.split("x") for name, value in _WINDOW_PART.findall(text)}
    sizes = [int(size) for size in parts.get("size", ())]
    ones = ["1"] * len(sizes)
    columns = zip(
        sizes,
        map(int, parts.get("stride", ones)),
        (pad.split("_") for pad in parts.get("pad", ["0_0"] * len(sizes))),
        map(int, parts.get("lhs_dilate", ones)),
        map(int, parts.get("rhs_dilate", ones)),
        strict=True,
    )
    return tuple(
        WindowDimension(size, stride, int(low), int(high), base, dilation)
        for size, stride, (low, high), base, dilation in columns
    )


def dimension_labels(text: str) -> DimensionLabels:
    """`b01f_01io->b01f`."""
    inputs, output = text.split("->")
    lhs, rhs = inputs.split("_")
    return DimensionLabels(*({label: place for place, label in enumerate(each)} for each in (lhs, rhs, output)))


def backend_config(instruction: HloInstruction) -> dict[str, Any]:
    """The backend's JSON object; empty where there is none, or where it is not JSON."""
    try:
        config = json.loads(instruction.attributes.get("backend_config", ""))
    except (ValueError, RecursionError):
        return {}
    return config if isinstance(config, dict) else {}


def custom_call_target(instruction: HloInstruction) -> str:
    return instruction.attributes.get("custom_call_target", "").strip('"')


def known_trip_count(instruction: HloInstruction) -> int | None:
    """How often a while's body runs, where the compiler found out and wrote it down."""
    known = backend_config(instruction).get("known_trip_count")
    count = known.get("n") if isinstance(known, dict) else None
    return int(count) if isinstance(count, str | int) and str(count).isdecimal() else None
