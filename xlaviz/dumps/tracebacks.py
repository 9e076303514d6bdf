"""The lines of the user's program that made the TensorFlow ops, as a capture records them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Frame:
    """A line of the user's own. `folded` says which library frames lie between it and the next one inwards, "" where
    none do or where the bundle is of a time when that was not recorded."""

    file: str
    line: int
    function: str
    folded: str = ""

    @property
    def place(self) -> str:
        return f"{self.file}:{self.line}"


@dataclass(frozen=True)
class Tracebacks:
    """`stacks` maps a TensorFlow op's name to its frames, innermost first; no stack is empty."""

    stacks: Mapping[str, tuple[Frame, ...]] = field(default_factory=dict)

    @property
    def places(self) -> dict[str, str]:
        """Op name -> `file:line`, the innermost line of the user's own."""
        return {name: stack[0].place for name, stack in self.stacks.items()}

    def stack_of(self, op_name: str) -> tuple[Frame, ...]:
        """The stack behind an HLO `op_name`, empty where none is known. XLA joins the names of merged ops with `;`."""
        return next((self.stacks[part] for part in op_name.split(";") if part in self.stacks), ())

    def place_of(self, op_name: str) -> str:
        """The line behind an HLO `op_name`, "" where none is known."""
        stack = self.stack_of(op_name)
        return stack[0].place if stack else ""

    def places_of(self, op_names: Iterable[str]) -> dict[str, str]:
        """The lines behind many, without those that have none."""
        if not self.stacks:
            return {}
        found = {op_name: self.place_of(op_name) for op_name in set(op_names)}
        return {op_name: place for op_name, place in found.items() if place}


def read_tracebacks(data: bytes | None) -> Tracebacks:
    """What a bundle's `tracebacks.json` says; nothing where there is none, or where it is damaged."""
    try:
        stored: dict[str, Any] = json.loads(data or b"{}")
        frames = [_frame(*fields) for fields in stored.get("frames", [])]
        stacks = [tuple(frames[number] for number in stack) for stack in stored.get("stacks", [])]
        return Tracebacks({name: stacks[stack] for name, stack in stored.get("ops", {}).items() if stacks[stack]})
    except (ValueError, TypeError, IndexError, KeyError, AttributeError, RecursionError):
        return Tracebacks()


def _frame(file: str, line: int, function: str = "", folded: str = "", *_: object) -> Frame:
    return Frame(str(file), int(line), str(function), str(folded))
