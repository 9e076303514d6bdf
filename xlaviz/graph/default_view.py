"""The first picture of a module: a page of some ten to sixty boxes from inputs to outputs, however large the module."""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import count

from xlaviz.graph.clusters import Clusters
from xlaviz.graph.families import family_of_many
from xlaviz.graph.labels import called_computations
from xlaviz.graph.openable import (
    MAX_DEPTH,
    OPEN_AT_MOST,
    default_open,
    instructions_below,
    is_openable,
    scopes_of,
    sizes_inside,
)
from xlaviz.graph.options import GraphOptions
from xlaviz.graph.parts import Cluster, Part, look_of
from xlaviz.hlo.model import HloComputation, HloInstruction, HloModule

PAGE = (10, 60)
"""Boxes of a page, at least where the module has as many, and at most."""

_FULL = PAGE[1] - 5
"""Boxes that are not exceeded by opening more, with room for the few constants that are not counted."""

_ENOUGH = 40
"""Boxes up to which what has names inside is opened."""

_SMALL_SHARE = 0.01
"""Of a module, below which a cluster stays closed once the page has enough boxes."""

_MANY_ALIKE = 3
"""Siblings alike from which on none is opened: one layer of twelve open would look like something special."""

_FEW = 25
"""Boxes up to which what has no names inside is opened too: blocks, and bodies of calls."""


def default_view(module: HloModule, computation: str | None = None) -> GraphOptions:
    """A small module is open throughout; of a large one the scopes are, the largest first, until the page is full."""
    start = module.by_name[computation or module.entry]
    if instructions_below(module, start) <= OPEN_AT_MOST:
        return GraphOptions(computation=computation, open=default_open(module, computation))
    page = _Page(module, sizes_inside(module))
    page.add(start, None, ())
    page.open_largest()
    return GraphOptions(computation=computation, open=frozenset(page.open), clusters="scopes")


@dataclass(frozen=True, slots=True)
class _Closed:
    """Something on the page that could be opened: a cluster, or an instruction that calls something. `within` are the
    computations round it."""

    name: str
    clusters: Clusters | None
    cluster: Cluster | None
    instruction: HloInstruction | None
    within: tuple[str, ...]


@dataclass(slots=True)
class _Page:
    """`boxes` are drawn; `waiting` has the closed ones that may be opened: those with names inside first, then those
    with matrix products (an optimizer is large, but tells little), the largest of them first. What is in a computation
    that is called twice is there twice under one name, and opens together."""

    module: HloModule
    size_of: Callable[[HloInstruction], int]
    boxes: int = 0
    open: dict[str, None] = field(default_factory=dict)
    waiting: list[tuple[int, int, int, _Closed]] = field(default_factory=list)
    order: Iterator[int] = field(default_factory=count)

    def open_largest(self) -> None:
        while self.waiting:
            rank, size, _, closed = heapq.heappop(self.waiting)
            limit = (_ENOUGH, _FEW, _FEW, PAGE[0])[rank]
            is_small = -size < _SMALL_SHARE * self.module.instruction_count and self.boxes >= PAGE[0]
            if self.boxes >= limit or is_small:
                continue
            inside = _Page(self.module, self.size_of, open=self.open)
            inside.fill(closed)
            most = _FULL if rank == 0 or self.boxes < PAGE[0] else _ENOUGH + _FEW // 4
            others = [entry for entry in self.waiting if entry[3].name != closed.name]
            times = 1 + len(self.waiting) - len(others)
            if times > 1:
                self.waiting = others
                heapq.heapify(self.waiting)
            if not inside.boxes or self.boxes + times * (inside.boxes - 1) > most:
                continue
            self.open[closed.name] = None
            self.boxes += times * (inside.boxes - 1)
            for entry in inside.waiting * times:
                self._wait(entry[3], entry[0], -entry[1])

    def add(self, computation: HloComputation, caller: HloInstruction | None, within: tuple[str, ...]) -> None:
        """Count what a computation draws, clusters closed but for those that are open elsewhere."""
        if computation.name in within or len(within) > MAX_DEPTH:
            return
        within = (*within, computation.name)
        clusters = scopes_of(self.module, computation, caller)
        if clusters is None:
            for instruction in computation.instructions:
                self._add_instruction(instruction, within)
        else:
            self._add_parts(clusters, clusters.top(), within)

    def fill(self, closed: _Closed) -> None:
        """Count what is in something closed."""
        if closed.clusters is not None and closed.cluster is not None:
            self._add_parts(closed.clusters, closed.clusters.parts(closed.cluster), closed.within)
        elif closed.instruction is not None:
            for computation in called_computations(self.module, closed.instruction):
                self.add(computation, closed.instruction, closed.within)

    def _add_parts(self, clusters: Clusters, parts: Sequence[Part], within: tuple[str, ...]) -> None:
        looks = Counter(look_of(clusters.flow, part) for part in parts if isinstance(part, Cluster))
        for part in parts:
            if isinstance(part, int):
                self._add_instruction(clusters.flow.instructions[part], within)
                continue
            closed = _Closed(part.id, clusters, part, None, within)
            inside = [clusters.flow.instructions[member] for member in part.members]
            is_one_of_many = looks[look_of(clusters.flow, part)] >= _MANY_ALIKE
            is_worth_it = part.kind == "scope" and not is_one_of_many and clusters.has_names(part)
            is_telling = family_of_many(instruction.opcode for instruction in inside) == "dot"
            can_open = part.kind in ("scope", "block")
            self._add(closed, 0 if is_worth_it else 1 if is_telling else 2, sum(map(self.size_of, inside)), can_open)

    def _add_instruction(self, instruction: HloInstruction, within: tuple[str, ...]) -> None:
        """What is folded into others has no box; a fusion is opened only where there is nothing else to see."""
        is_constant = instruction.opcode == "constant" and instruction.shape.element_count == 1
        is_port = len(within) > 1 and instruction.opcode == "parameter"
        if is_constant or is_port or instruction.opcode == "get-tuple-element":
            return
        closed = _Closed(instruction.name, None, None, instruction, within)
        rank = 3 if instruction.opcode == "fusion" else 1
        self._add(closed, rank, self.size_of(instruction), is_openable(self.module, instruction))

    def _add(self, closed: _Closed, rank: int, size: int, can_open: bool) -> None:
        if closed.name in self.open:
            self.fill(closed)
            return
        self.boxes += 1
        if can_open:
            self._wait(closed, rank, size)

    def _wait(self, closed: _Closed, rank: int, size: int) -> None:
        heapq.heappush(self.waiting, (rank, -size, next(self.order), closed))
