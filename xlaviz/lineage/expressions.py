"""A region of instructions in one line: `transpose(transpose(x))` where it is small, `reshape, dot, reshape` else.

The same for isomorphic regions, whatever their instructions are called.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from itertools import groupby

from xlaviz.hlo.model import HloInstruction
from xlaviz.lineage.view import View

_MOST_NESTED = 4  # More operations than these are read more easily one after the other.
_MOST_LISTED = 6
_TELLING = frozenset({"0", "1", "-1", "2", "0.5", "inf", "-inf", "nan", "true", "false"})
"""Literals that a rewrite may be about."""


class Letters:
    """Names what comes into a region: x, y, z, then a, b ... One for both sides, so that x is x."""

    def __init__(self) -> None:
        self._given: dict[str, str] = {}

    def of(self, name: str) -> str:
        if name not in self._given:
            count = len(self._given)
            self._given[name] = "xyzabcdefghijklmnopqrstuvw"[count] if count < 26 else f"x{count}"
        return self._given[name]

    def known(self, name: str) -> str | None:
        return self._given.get(name)


class Expression:
    """Some instructions of one side. What stands in a computation that one of them calls is not shown: a loop is a
    loop, whatever it does. `origin` says under which name an instruction from outside is known."""

    def __init__(self, view: View, names: Collection[str], letters: Letters, origin: Callable[[str], str]) -> None:
        self._view, self._letters, self._origin = view, letters, origin
        called = {one for name in names for one in view.instructions[name].called_computations}
        shown = {name for name in names if view.home[name] not in called} or set(names)
        self._operands = {name: tuple(view.sources(name)) for name in shown}
        used = {one for name, operands in self._operands.items() for one in operands if one != name}
        self._keys: dict[str, str] = {}
        self.outputs = tuple(sorted(shown - used, key=self._order)) or tuple(sorted(shown, key=self._order)[:1])
        self.names = tuple(self._walk())
        """Operands before users."""
        self.hidden = tuple(sorted(set(names) - set(self.names)))
        """The rest of the region: what is not shown."""

    @property
    def opcodes(self) -> tuple[str, ...]:
        return tuple(self._view.instructions[name].opcode for name in self.names)

    @property
    def inputs(self) -> tuple[str, ...]:
        """What comes in from outside, each once."""
        found = (one for name in self.names for one in self._operands[name] if one not in self._operands)
        return tuple(dict.fromkeys(found))

    @property
    def text(self) -> str:
        if len(self.names) == 1 and not self._telling_operand(self.names[0]):
            return self.opcodes[0]
        if len(self.outputs) == 1 and self._size(self.outputs[0], _MOST_NESTED + 1) <= _MOST_NESTED:
            return self._nested(self.outputs[0])
        opcodes = tuple(one for one in self.opcodes if one != "parameter") or self.opcodes
        listed = list(_collapsed(opcodes))
        more = f", … ({len(opcodes)} in all)" if len(listed) > _MOST_LISTED else ""
        return ", ".join(listed[:_MOST_LISTED]) + more

    @property
    def nested(self) -> str:
        """With what comes in, however small: `convert(x)`."""
        return (
            self._nested(self.outputs[0]) if len(self.outputs) == 1 and len(self.names) <= _MOST_NESTED else self.text
        )

    def _order(self, name: str) -> tuple[str, int, str]:
        """Structure first; what has the same is in the order of the module."""
        return self._key(name), 0, name

    def _key(self, name: str, depth: int = 8) -> str:
        if name not in self._operands:
            return "x"
        if depth == 0:
            return self._view.instructions[name].opcode
        if name not in self._keys:
            self._keys[name] = self._view.instructions[name].opcode  # A damaged module may go round in a circle.
            inner = ",".join(self._key(one, depth - 1)[:200] for one in self._operands[name])
            self._keys[name] = f"{self._view.instructions[name].opcode}({inner})"
        return self._keys[name]

    def _walk(self) -> Iterator[str]:
        """Depth first from the outputs, operands in their order."""
        seen: set[str] = set()
        waiting = [(name, False) for name in reversed(self.outputs)]
        while waiting:
            name, is_left = waiting.pop()
            if is_left:
                yield name
            elif name not in seen:
                seen.add(name)
                waiting.append((name, True))
                waiting.extend((one, False) for one in reversed(self._operands[name]) if one in self._operands)

    def _size(self, name: str, most: int) -> int:
        """Operations in the expression, up to `most`: what is used twice counts twice."""
        if most <= 0 or name not in self._operands or self.constant(name) is not None:
            return 0
        size = 1
        for operand in self._operands[name]:
            size += self._size(operand, most - size)
        return size

    def _nested(self, name: str, *, is_operand: bool = False) -> str:
        constant = self.constant(name) if is_operand else None
        if constant is not None:
            return constant
        if name not in self._operands:
            return self._letters.of(self._origin(name))
        opcode = self._view.instructions[name].opcode
        operands = [self._nested(one, is_operand=True) for one in self._operands[name]]
        return f"{opcode}({', '.join(operands)})" if operands else opcode

    def _telling_operand(self, name: str) -> bool:
        return any(self.constant(one) in _TELLING for one in self._operands[name])

    def constant(self, name: str) -> str | None:
        """A constant, or one broadcast, as an operand is written."""
        instruction = self._view.instructions[name]
        if instruction.opcode == "broadcast" and instruction.operands:
            instruction = self._view.instructions[instruction.operands[0]]
        return constant_text(instruction) if instruction.opcode == "constant" else None


def constant_text(constant: HloInstruction) -> str:
    return constant.literal if constant.literal in _TELLING else "constant"


def _collapsed(opcodes: tuple[str, ...]) -> Iterator[str]:
    """Opcodes, the same ones in a row as one."""
    for opcode, group in groupby(opcodes):
        count = len(tuple(group))
        yield opcode if count == 1 else f"{count} {opcode}"
