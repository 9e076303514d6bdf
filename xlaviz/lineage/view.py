"""A module as the matchers look at it: flat by name, and able to see through fusions and calls."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import NamedTuple

from xlaviz.hlo.model import HloComputation, HloInstruction, HloModule

INLINE = frozenset({"fusion", "call", "async-start"})
"""Opcodes that only wrap instructions: what they compute is what their called computation's root computes."""

_ASYNC_ENDS = frozenset({"async-update", "async-done"})  # They hand on what their async-start wraps.

_MOST_HOPS = 1000  # No real module nests so deep; a damaged one may go round in a circle.


class Context(NamedTuple):
    """The call sites on the way down into shared computations, innermost first."""

    call_site: str
    outer: Context | None


class Place(NamedTuple):
    """An instruction and, inside a computation that several instructions call, the call it was reached by."""

    name: str
    context: Context | None = None


class View:
    """Lookups over one module, each made once."""

    def __init__(self, module: HloModule) -> None:
        self.module = module
        self.instructions: dict[str, HloInstruction] = {}
        self.home: dict[str, str] = {}
        """Instruction name -> name of the computation it stands in."""
        for computation in module.computations:
            for instruction in computation.instructions:
                self.instructions[instruction.name] = instruction
                self.home[instruction.name] = computation.name
        self.inline_callers: dict[str, list[HloInstruction]] = {}
        """Computation name -> the fusions and calls that wrap it."""
        for instruction in self.instructions.values():
            if instruction.opcode in INLINE:
                for called in instruction.called_computations:
                    self.inline_callers.setdefault(called, []).append(instruction)

    @cached_property
    def users(self) -> dict[str, list[str]]:
        """Name -> names of the instructions that use this value, seen through fusions and calls."""
        found: dict[str, list[str]] = {}
        for instruction in self.instructions.values():
            if not self.is_plumbing(instruction):
                for operand in instruction.operands:
                    found.setdefault(self.source(Place(operand)).name, []).append(instruction.name)
        return found

    @cached_property
    def _roots(self) -> set[str]:
        return {computation.root for computation in self.module.computations}

    def is_used(self, name: str) -> bool:
        """Whether anything depends on it; side effects are not looked at."""
        return name in self.users or name in self._roots

    def wrapped(self, instruction: HloInstruction) -> HloComputation | None:
        """The computation a fusion or call wraps; None for everything else."""
        if instruction.opcode not in INLINE or not instruction.called_computations:
            return None
        return self.module.by_name.get(instruction.called_computations[0])

    def is_plumbing(self, instruction: HloInstruction) -> bool:
        """Whether it computes nothing itself: a fusion, a call, an async pair, or a parameter of what they wrap."""
        if instruction.opcode == "parameter":
            return self.home[instruction.name] in self.inline_callers
        return instruction.opcode in INLINE or instruction.opcode in _ASYNC_ENDS

    def source(self, place: Place) -> Place:
        """The instruction that computes this value, seen through parameters, fusions, calls and tuples' elements."""
        asked: list[tuple[int, Place]] = []  # Elements on the way whose tuple is still to be found.
        for _ in range(_MOST_HOPS):
            instruction = self.instructions[place.name]
            hop: Place | None
            if instruction.opcode == "get-tuple-element" and instruction.operands:
                asked.append((int(instruction.attributes.get("index", "0")), place))
                hop = Place(instruction.operands[0], place.context)
            elif instruction.opcode == "tuple" and asked and asked[-1][0] < len(instruction.operands):
                hop = Place(instruction.operands[asked.pop()[0]], place.context)
            elif instruction.opcode in _ASYNC_ENDS and instruction.operands:
                hop = Place(instruction.operands[0], place.context)
            elif instruction.opcode == "parameter":
                hop = self._outward(instruction, place.context)
            else:
                hop = self._inward(instruction, place.context)
            if hop is None:
                break
            place = hop
        return asked[0][1] if asked else place

    def sources(self, name: str) -> Iterator[str]:
        """What computes each operand of an instruction."""
        return (self.source(Place(operand)).name for operand in self.instructions[name].operands)

    def _outward(self, parameter: HloInstruction, context: Context | None) -> Place | None:
        """From a wrapped computation's parameter to the caller's operand."""
        computation = self.home[parameter.name]
        callers = self.inline_callers.get(computation, ())
        if len(callers) == 1:
            caller, outer = callers[0], context
        elif context is not None and computation in self.instructions[context.call_site].called_computations:
            caller, outer = self.instructions[context.call_site], context.outer
        else:
            return None
        number = parameter.parameter_number
        if number is None or number >= len(caller.operands):
            return None
        return Place(caller.operands[number], outer)

    def _inward(self, instruction: HloInstruction, context: Context | None) -> Place | None:
        """From a fusion or call to the root of what it wraps. A context is kept only where it is needed."""
        body = self.wrapped(instruction)
        if body is None:
            return None
        shared = len(self.inline_callers[body.name]) > 1
        return Place(body.root, Context(instruction.name, context) if shared else context)
