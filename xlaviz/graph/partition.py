"""Dividing a graph into named pieces that can be drawn as boxes: no two of them are each before and after the other.

The rule: an item's phase grows by one along every edge that leaves a name, so items of one name and phase are a piece
from which no path leads back into it. That divides too finely; so the pieces of one name, the largest name first, are
joined again where no path leads from one to the next through anything else. What lies on such a path is taken in where
it has no name or is small beside them, else the name stays in several pieces.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

MAX_NODES = 3000
"""Pieces up to which joining is tried: it needs time and memory with their square."""

_SMALL_SHARE = 0.08


@dataclass(frozen=True, slots=True)
class Piece:
    """Items of one name, in ascending order; None for an item without."""

    name: str | None
    items: tuple[int, ...]


def divide(
    items: Sequence[int],
    operands: Mapping[int, Sequence[int]] | Sequence[Sequence[int]],
    names: Mapping[int, str],
    *,
    takes_in: bool = True,
) -> list[Piece]:
    """Pieces in topological order. `items` are in topological order, operands outside them are passed over; an item
    that has no name is a piece of its own. Not `takes_in`: a piece holds nothing but items of its name."""
    node_of, node_names = _phases(items, operands, names)
    joined = _Joined(items, operands, node_of, node_names, takes_in)
    if len(node_names) <= MAX_NODES:
        joined.join_names()
    return joined.pieces()


def _phases(
    items: Sequence[int], operands: Mapping[int, Sequence[int]] | Sequence[Sequence[int]], names: Mapping[int, str]
) -> tuple[dict[int, int], list[str | None]]:
    """Item -> number of its piece, and the name of each piece."""
    phase: dict[int, int] = {}
    numbers: dict[tuple[str, int], int] = {}
    node_of: dict[int, int] = {}
    node_names: list[str | None] = []
    for item in items:
        name = names.get(item)
        own = 0
        for operand in operands[item]:
            before = phase.get(operand)
            if before is not None:
                own = max(own, before if name is not None and names.get(operand) == name else before + 1)
        phase[item] = own
        number = len(node_names)
        if name is not None:
            number = numbers.setdefault((name, own), number)
        if number == len(node_names):
            node_names.append(name)
        node_of[item] = number
    return node_of, node_names


def _bits(mask: int) -> Iterator[int]:
    while mask:
        low = mask & -mask
        yield low.bit_length() - 1
        mask ^= low


class _Joined:
    """Pieces that are being joined. `after` and `before` are sets of piece numbers as the bits of an integer."""

    def __init__(
        self,
        items: Sequence[int],
        operands: Mapping[int, Sequence[int]] | Sequence[Sequence[int]],
        node_of: dict[int, int],
        node_names: list[str | None],
        takes_in: bool,
    ) -> None:
        self.takes_in = takes_in
        self.items = items
        self.node_of = node_of
        self.names = node_names
        self.leader = list(range(len(node_names)))
        self.own = [1 << number for number in self.leader]
        self.size = [0] * len(node_names)
        self.uses: list[set[int]] = [set() for _ in node_names]
        for item in items:
            node = node_of[item]
            self.size[node] += 1
            self.uses[node].update(node_of[o] for o in operands[item] if o in node_of)
            self.uses[node].discard(node)

    def join_names(self) -> None:
        self._reach()
        by_name: dict[str, list[int]] = {}
        for number, name in enumerate(self.names):
            if name is not None:
                by_name.setdefault(name, []).append(number)
        weight = {name: sum(self.size[n] for n in numbers) for name, numbers in by_name.items()}
        for name in sorted(by_name, key=lambda n: (-weight[n], by_name[n][0])):
            self._join_name(by_name[name], name, weight[name])

    def _reach(self) -> None:
        order = self._order()
        self.before = [0] * len(self.names)
        self.after = [0] * len(self.names)
        for node in order:
            for used in self.uses[node]:
                self.before[node] |= self.before[used] | self.own[used]
        for node in reversed(order):
            reached = self.after[node] | self.own[node]
            for used in self.uses[node]:
                self.after[used] |= reached

    def _join_name(self, numbers: list[int], name: str, weight: int) -> None:
        kept: list[int] = []
        for number in numbers:
            if self._find(number) != number or self.names[number] != name:
                continue  # taken in by a larger name
            target = next((k for k in reversed(kept) if self._can_join(k, number, weight)), None)
            if target is None:
                kept.append(number)
            else:
                self._join(target, number)

    def _between(self, one: int, other: int) -> int:
        between = (self.after[one] & self.before[other]) | (self.after[other] & self.before[one])
        return between & ~(self.own[one] | self.own[other])

    def _can_join(self, one: int, other: int, weight: int) -> bool:
        between = self._between(one, other)
        if not between or not self.takes_in:
            return not between
        small = weight * _SMALL_SHARE
        taken = 0
        for number in {self._find(n) for n in _bits(between)}:
            taken += 0 if self.names[number] is None else self.size[number]
            if taken > small and self.names[number] != self.names[one]:
                return False
        return True

    def _join(self, one: int, other: int) -> None:
        """Join two pieces and all that lies between them, which closes the set: nothing leads out and in again."""
        members = [other, *{self._find(n) for n in _bits(self._between(one, other))}]
        for member in members:
            self.leader[member] = one
            self.own[one] |= self.own[member]
            self.before[one] |= self.before[member]
            self.after[one] |= self.after[member]
            self.size[one] += self.size[member]
        own = self.own[one]
        before, after = self.before[one] & ~own, self.after[one] & ~own
        self.before[one], self.after[one] = before, after
        for number in _bits(before):
            self.after[number] |= after | own
        for number in _bits(after):
            self.before[number] |= before | own

    def _find(self, number: int) -> int:
        while self.leader[number] != number:
            self.leader[number] = number = self.leader[self.leader[number]]
        return number

    def _order(self, uses: list[set[int]] | None = None) -> list[int]:
        """Leaders in topological order, the one that comes first in the file first."""
        uses = uses or self.uses
        users: list[list[int]] = [[] for _ in uses]
        waiting = [len(used) for used in uses]
        for node, used in enumerate(uses):
            for operand in used:
                users[operand].append(node)
        ready = [node for node in range(len(uses)) if self.leader[node] == node and not waiting[node]]
        heapq.heapify(ready)
        order = []
        while ready:
            node = heapq.heappop(ready)
            order.append(node)
            for user in users[node]:
                waiting[user] -= 1
                if not waiting[user]:
                    heapq.heappush(ready, user)
        return order

    def pieces(self) -> list[Piece]:
        uses: list[set[int]] = [set() for _ in self.uses]
        for node, used in enumerate(self.uses):
            leader = self._find(node)
            uses[leader].update(self._find(other) for other in used)
            uses[leader].discard(leader)
        content: dict[int, list[int]] = {}
        for item in self.items:
            content.setdefault(self._find(self.node_of[item]), []).append(item)
        return [Piece(self.names[node], tuple(content[node])) for node in self._order(uses)]
