"""The lines of the user's program that made the TensorFlow ops, as a capture records them."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Tracebacks:
    """`places` maps a TensorFlow op's name to `file:line`, the innermost line of the user's own."""

    places: dict[str, str] = field(default_factory=dict)

    def place_of(self, op_name: str) -> str:
        """The line behind an HLO `op_name`, "" where none is known. XLA joins the names of merged ops with `;`."""
        return next((self.places[part] for part in op_name.split(";") if part in self.places), "")

    def places_of(self, op_names: Iterable[str]) -> dict[str, str]:
        """The lines behind many, without those that have none."""
        if not self.places:
            return {}
        found = {op_name: self.place_of(op_name) for op_name in set(op_names)}
        return {op_name: place for op_name, place in found.items() if place}


def read_tracebacks(data: bytes | None) -> Tracebacks:
    """What a bundle's `tracebacks.json` says; nothing where there is none, or where it is damaged."""
    try:
        stored: dict[str, Any] = json.loads(data or b"{}")
        frames, stacks = stored.get("frames", []), stored.get("stacks", [])
        lines = [f"{file}:{line}" for file, line, *_ in frames]
        places = {name: lines[stacks[stack][0]] for name, stack in stored.get("ops", {}).items() if stacks[stack]}
    except (ValueError, TypeError, IndexError, KeyError, AttributeError):
        return Tracebacks()
    return Tracebacks(places)
