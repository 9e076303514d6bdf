"""A computation's instructions by number, in an order in which each stands near what it serves."""

from __future__ import annotations

from collections.abc import Sequence

from xlaviz.hlo.model import HloComputation, HloInstruction

_PREPARES = "broadcast reshape convert bitcast copy transpose slice get-tuple-element"
_PREPARING = frozenset(_PREPARES.split())
_MADE_FROM_NOTHING = frozenset(("constant", "iota", "partition-id", "replica-id", "after-all"))


class Flow:
    """Instructions in topological order, numbered by it; `operands` (control predecessors too) and `users` are numbers.

    What only prepares (constants and what follows from them, parameters reshaped or converted) `is_ready` at any time:
    it is numbered just before its first user, wherever the file has it.
    """

    def __init__(self, computation: HloComputation) -> None:
        order = _topological(computation)
        operands = _numbers(order)
        users = _users(operands)
        ready = _ready(order, operands)
        late = list(range(len(order)))
        for number in range(len(order) - 1, -1, -1):
            if ready[number] and users[number]:
                late[number] = min(late[user] for user in users[number])
        by_place = sorted(range(len(order)), key=lambda number: (late[number], number))
        self.instructions: list[HloInstruction] = [order[number] for number in by_place]
        self.is_ready = [ready[number] for number in by_place]
        self.operands = _numbers(self.instructions)
        self.users = _users(self.operands)

    def __len__(self) -> int:
        return len(self.instructions)


def _topological(computation: HloComputation) -> Sequence[HloInstruction]:
    """The file's order where it is one; a damaged file's instructions are sorted, and a circle in it is cut."""
    seen: set[str] = set()
    for instruction in computation.instructions:
        if any(name not in seen for name in _needs(computation, instruction)):
            return _sorted(computation)
        seen.add(instruction.name)
    return computation.instructions


def _needs(computation: HloComputation, instruction: HloInstruction) -> list[str]:
    return [n for n in (*instruction.operands, *instruction.control_predecessors) if n in computation.by_name]


def _sorted(computation: HloComputation) -> list[HloInstruction]:
    done: dict[str, HloInstruction] = {}
    entered: set[str] = set()
    for first in computation.instructions:
        stack = [first.name]
        while stack:
            name = stack[-1]
            if name not in entered:
                entered.add(name)
                needs = _needs(computation, computation.by_name[name])
                stack.extend(n for n in reversed(needs) if n not in entered)
            else:
                done.setdefault(stack.pop(), computation.by_name[name])
    return list(done.values())


def _numbers(order: Sequence[HloInstruction]) -> list[tuple[int, ...]]:
    """Operands as numbers; what would lead backwards, as in a circle of a damaged file, is left out."""
    number = {instruction.name: place for place, instruction in enumerate(order)}
    found = []
    for place, instruction in enumerate(order):
        names = (*instruction.operands, *instruction.control_predecessors)
        operands = [number.get(name, place) for name in names]
        found.append(tuple(dict.fromkeys(operand for operand in operands if operand < place)))
    return found


def _users(operands: Sequence[Sequence[int]]) -> list[list[int]]:
    users: list[list[int]] = [[] for _ in operands]
    for number, used in enumerate(operands):
        for operand in used:
            users[operand].append(number)
    return users


def _ready(order: Sequence[HloInstruction], operands: Sequence[Sequence[int]]) -> list[bool]:
    ready: list[bool] = []
    constant: list[bool] = []  # follows from constants alone, whatever is done to them
    for instruction, used in zip(order, operands, strict=True):
        is_leaf = instruction.opcode in _MADE_FROM_NOTHING
        is_constant = is_leaf or (bool(used) and all(constant[operand] for operand in used))
        prepares = instruction.opcode in _PREPARING and bool(used)
        fed = all(ready[operand] or order[operand].opcode == "parameter" for operand in used)
        constant.append(is_constant)
        ready.append(is_constant or (prepares and fed))
    return ready
