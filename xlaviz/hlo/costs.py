"""What an instruction costs: its arithmetic and the bytes it moves, as XLA's HloCostAnalysis counts them.

cost_flops.py and cost_bytes.py hold the formulas, this module what is made of several instructions: fusions, loops,
calls, and the computations that are applied to elements.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce

from xlaviz.hlo.cost_bytes import MOVES_NOTHING, boundary_bytes, fusion_bytes
from xlaviz.hlo.cost_flops import ELEMENTWISE, FLOPS, TIMES, TRANSCENDENTAL
from xlaviz.hlo.cost_text import known_trip_count
from xlaviz.hlo.model import HloInstruction, HloModule

TRANSCENDENTAL_WORK = 16.0
"""Additions that one exp, log or tanh takes about as long as: the usual vector code is a polynomial of that size."""

MOVING_WORK = 0.25
"""The work, in additions, of an element that is only moved, broadcast or picked."""


@dataclass(frozen=True, slots=True)
class Cost:
    """What one execution of an instruction does. A field is None where it cannot be known.

    flops: floating point and integer arithmetic, a multiply-add counts two. transcendentals: elements that went
    through exp, log, tanh and their like, which are no part of `flops`. bytes_accessed: read and written at the
    instruction's boundary, what stays inside of a fusion left out.
    """

    flops: float | None = 0.0
    transcendentals: float | None = 0.0
    bytes_accessed: float | None = 0.0

    def __add__(self, other: Cost) -> Cost:
        return Cost(
            _sum(self.flops, other.flops),
            _sum(self.transcendentals, other.transcendentals),
            _sum(self.bytes_accessed, other.bytes_accessed),
        )

    def times(self, count: float) -> Cost:
        return Cost(
            _product(self.flops, count), _product(self.transcendentals, count), _product(self.bytes_accessed, count)
        )

    def or_more(self, other: Cost) -> Cost:
        """The larger of the two in each field."""
        return Cost(
            _larger(self.flops, other.flops),
            _larger(self.transcendentals, other.transcendentals),
            _larger(self.bytes_accessed, other.bytes_accessed),
        )


NOTHING = Cost()
UNKNOWN = Cost(None, None, None)


def _sum(first: float | None, second: float | None) -> float | None:
    return None if first is None or second is None else first + second


def _product(value: float | None, count: float) -> float | None:
    return None if value is None else value * count


def _larger(first: float | None, second: float | None) -> float | None:
    return None if first is None or second is None else max(first, second)


class CostModel:
    """The costs of one module's instructions, each worked out once."""

    def __init__(self, module: HloModule) -> None:
        self.module = module
        self._costs: dict[str, Cost] = {}
        self._computations: dict[str, Cost] = {}

    def cost(self, name: str) -> Cost | None:
        """The cost of one execution; None where the module has no such instruction."""
        if name not in self._costs:
            instruction = self.module.instruction(name)
            if instruction is None:
                return None
            self._costs[name] = self._cost(instruction)
        return self._costs[name]

    def work(self, instruction: HloInstruction) -> float:
        """The weight of an instruction among others of one fusion, by which to divide the fusion's time.

        In additions: FLOPs, TRANSCENDENTAL_WORK for each transcendental element and MOVING_WORK for each element of
        what only moves data or has no known arithmetic. 0 for parameters, constants, tuples, get-tuple-element and
        bitcasts.
        """
        if instruction.opcode in MOVES_NOTHING:
            return 0.0
        cost = self.cost(instruction.name) or UNKNOWN
        work = (cost.flops or 0.0) + TRANSCENDENTAL_WORK * (cost.transcendentals or 0.0)
        return work or MOVING_WORK * max(instruction.shape.element_count, 1)

    def computation_cost(self, name: str) -> Cost:
        """The costs of all its instructions together."""
        if name not in self._computations:
            # What calls itself, as only a damaged file has it, meets this.
            self._computations[name] = UNKNOWN
            total = NOTHING
            for instruction in self.module.by_name[name].instructions:
                total += self.cost(instruction.name) or UNKNOWN
            self._computations[name] = total
        return self._computations[name]

    def _cost(self, instruction: HloInstruction) -> Cost:
        try:
            if instruction.opcode in _CALLERS:
                return self._caller_cost(instruction)
            return self._own_cost(instruction)
        except (LookupError, ValueError, ArithmeticError, RecursionError):
            # Operands, computations or attributes are missing or senseless: a file that was cut or written by hand.
            return UNKNOWN

    def _own_cost(self, instruction: HloInstruction) -> Cost:
        opcode = instruction.opcode
        siblings = self.module.computation_of[instruction.name].by_name
        operands = [siblings[name].shape for name in instruction.operands]
        bytes_accessed = boundary_bytes(instruction, operands)
        if opcode in ELEMENTWISE:
            return Cost(float(instruction.shape.element_count), 0.0, bytes_accessed)
        if opcode in TRANSCENDENTAL:
            return Cost(0.0, float(instruction.shape.element_count), bytes_accessed)
        if opcode in FLOPS:
            flops = FLOPS[opcode](instruction, operands)
            return Cost(None, None, bytes_accessed) if flops is None else Cost(float(flops), 0.0, bytes_accessed)
        applied = NOTHING
        if opcode in TIMES:
            counts = TIMES[opcode](instruction, operands)
            for name, count in zip(instruction.called_computations, counts, strict=True):
                applied += self.computation_cost(name).times(count)
        return Cost(applied.flops, applied.transcendentals, bytes_accessed)

    def _caller_cost(self, instruction: HloInstruction) -> Cost:
        """Fusion: its body's arithmetic, its own bytes. Conditional: the most of its branches. While: all its
        rounds, where their number is known (XLA counts one). The others: what they call.
        """
        called = [self.computation_cost(name) for name in instruction.called_computations]
        match instruction.opcode:
            case "fusion":
                return Cost(called[0].flops, called[0].transcendentals, fusion_bytes(self.module, instruction))
            case "conditional":
                return reduce(Cost.or_more, called, called[0])
            case "while":
                return self._loop_cost(instruction)
        return called[0]

    def _loop_cost(self, instruction: HloInstruction) -> Cost:
        rounds = known_trip_count(instruction)
        if rounds is None:
            return UNKNOWN
        body, condition = (self.computation_cost(name) for name in instruction.called_computations)
        return body.times(rounds) + condition.times(rounds + 1)


_CALLERS = frozenset({"async-start", "call", "conditional", "fusion", "while"})
