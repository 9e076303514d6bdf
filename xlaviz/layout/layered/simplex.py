"""Places on a line that keep least distances and cost least: the network simplex, for ranks and coordinates alike.

Gansner, Koutsofios, North and Vo (1993) use it for both. Here pairs that attract one another are part of the method
instead of extra nodes, and a step passes several of them at once (the long-step rule of the bounded dual simplex).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from xlaviz.layout.layered.proper import Doubles, Ints

_NOTHING = 1e-9


@dataclass(frozen=True, slots=True)
class Line:
    """Minimise sum(costs * x) + sum(weights * |x[b] + offsets - x[a]|) where x[right] - x[left] >= gaps."""

    costs: Doubles
    left: Ints
    right: Ints
    gaps: Doubles
    a: Ints
    b: Ints
    offsets: Doubles
    weights: Doubles


def minimise(line: Line, x: Doubles, *, steps: int, stopped: Callable[[], bool] | None = None) -> Doubles:
    """Improve `x`, which must keep all gaps, until it is best, or for so many steps and then on until `stopped`.

    Gaps and places must be multiples of a power of two, so that sums of them are exact.
    """
    search = _Search(line, x)
    done = 0
    while len(x) > 1 and search.improve():
        done += 1
        if done >= steps and (stopped is None or stopped()):
            break
    return search.x[:-1]


class _Search:
    """A spanning tree of what touches: pairs at their least distance, attracted pairs at the same place.

    Tree arcs are numbered as in `line`, first gaps, then attractions; one more node, the root, holds what touches
    nothing yet by arcs without strength (number -1). Cutting the tree at the arc of `child` leaves its subtree, which
    stands in `sequence` at `first[child]` onwards, `size[child]` long.
    """

    def __init__(self, line: Line, x: Doubles) -> None:
        self.line = line
        count = len(x)
        self.x = np.append(x, 0.0)
        self.tails = np.concatenate((line.left, line.a))
        self.heads = np.concatenate((line.right, line.b))
        self.gap_count = len(line.left)
        # Which way an attracted pair outside the tree pulls its `a`, right is 1; and what pulls each node in all.
        self.pull = np.where(self._apart() >= 0, 1.0, -1.0)
        strength = line.weights * self.pull
        self.force = np.append(-line.costs, 0.0)
        self.force += np.bincount(line.a, strength, count + 1) - np.bincount(line.b, strength, count + 1)
        self.parent = np.full(count + 1, -1, np.int64)
        self.arc = np.full(count + 1, -1, np.int64)
        self.low = np.zeros(count + 1)
        self.high = np.zeros(count + 1)
        self._grow(count)

    def _apart(self) -> Doubles:
        """How far right of where it would like to be its `b` stands, for each attracted pair."""
        apart: Doubles = self.x[self.line.b] + self.line.offsets - self.x[self.line.a]
        return apart

    def _grow(self, root: int) -> None:
        """The first tree: what touches, depth first; a component hangs on the root."""
        x, line = self.x, self.line
        touching = np.concatenate((x[line.right] - x[line.left] <= line.gaps, self._apart() == 0))
        arcs = np.flatnonzero(touching)
        links: list[list[tuple[int, int]]] = [[] for _ in range(root)]
        for arc, tail, head in zip(arcs.tolist(), self.tails[arcs].tolist(), self.heads[arcs].tolist(), strict=True):
            links[tail].append((head, arc))
            links[head].append((tail, arc))
        sequence, size = [root], [1] * (root + 1)
        seen = bytearray(root + 1)
        for start in range(root):
            stack = [(start, root, -1)]
            while stack:
                node, parent, arc = stack.pop()
                if seen[node]:
                    continue
                seen[node] = 1
                sequence.append(node)
                self._hang(node, parent, arc)
                stack.extend((other, node, via) for other, via in links[node] if not seen[other])
        for node in reversed(sequence[1:]):
            size[self.parent[node]] += size[node]
        self.sequence = np.array(sequence, np.int64)
        self.size = np.array(size, np.int64)
        self.first = np.empty(root + 1, np.int64)
        self.first[self.sequence] = np.arange(root + 1)

    def _hang(self, child: int, parent: int, arc: int) -> None:
        """Make `arc` the tree arc of `child`, with the bounds of the pull its subtree may have."""
        self.parent[child], self.arc[child] = parent, arc
        low = high = 0.0
        if arc >= self.gap_count:
            high = float(self.line.weights[arc - self.gap_count])
            low = -high
            self._set_pull(arc - self.gap_count, 0.0)
        elif arc >= 0:
            low, high = (-np.inf, 0.0) if self.heads[arc] == child else (0.0, np.inf)
        self.low[child], self.high[child] = low, high

    def _set_pull(self, pair: int, way: float) -> None:
        change = (way - self.pull[pair]) * self.line.weights[pair]
        self.force[self.line.a[pair]] += change
        self.force[self.line.b[pair]] -= change
        self.pull[pair] = way

    def improve(self) -> bool:
        """One step: the subtree that is pulled hardest goes where it wants, as far as that helps."""
        child, rate, way = self._hardest()
        if rate <= _NOTHING:
            return False
        at, stop = int(self.first[child]), int(self.first[child] + self.size[child])
        inside = np.zeros(len(self.x), bool)
        inside[self.sequence[at:stop]] = True
        arc, distance = self._entering(inside, rate, way)
        if arc < 0:
            return False
        left = int(self.arc[child])
        self.x[inside] += way * distance
        if left >= self.gap_count:  # from now on it pulls the subtree back
            self._set_pull(left - self.gap_count, -way if inside[self.tails[left]] else way)
        tail, head = int(self.tails[arc]), int(self.heads[arc])
        self._move(child, *((tail, head) if inside[tail] else (head, tail)), arc)
        return True

    def _hardest(self) -> tuple[int, float, int]:
        """Child whose subtree's pull exceeds by most what its arc can hold, by how much, and which way."""
        sums = np.concatenate(([0.0], self.force[self.sequence].cumsum()))
        of_subtree = sums[self.first + self.size] - sums[self.first]
        excess = np.maximum(of_subtree - self.high, self.low - of_subtree)
        excess[-1] = 0.0
        child = int(excess.argmax())
        return child, float(excess[child]), 1 if of_subtree[child] > self.high[child] else -1

    def _entering(self, inside: Ints, rate: float, way: int) -> tuple[int, float]:
        """The arc at which a subtree moving `way` stops, and how far off that is."""
        line, x = self.line, self.x
        ahead, behind = (line.right, line.left) if way > 0 else (line.left, line.right)
        stops = np.flatnonzero(inside[behind] & ~inside[ahead])
        slack = np.abs(x[ahead[stops]] - x[behind[stops]]) - line.gaps[stops]
        nearest = int(slack.argmin()) if len(stops) else -1
        limit = float(slack[nearest]) if len(stops) else np.inf
        moving = inside[line.a]
        towards = np.where(moving, self.pull, -self.pull) * way
        met = np.flatnonzero((moving != inside[line.b]) & (towards > 0))
        distance = np.abs(self._apart()[met])
        near = distance < limit
        met, distance = met[near], distance[near]
        order = np.argsort(distance, kind="stable")
        left = rate - 2 * np.cumsum(line.weights[met[order]])
        passed = int(np.searchsorted(-left, -_NOTHING))
        for pair in met[order[:passed]].tolist():
            self._set_pull(pair, -float(self.pull[pair]))
        if passed < len(order):
            return self.gap_count + int(met[order[passed]]), float(distance[order[passed]])
        return (int(stops[nearest]) if nearest >= 0 else -1), limit

    def _move(self, child: int, node: int, parent: int, arc: int) -> None:
        """Hang the subtree of `child` by its `node` on `parent`."""
        first, size, sequence = self.first, self.size, self.sequence
        at, moved = int(first[child]), int(size[child])
        above = int(self.parent[child])
        while above >= 0:
            size[above] -= moved
            above = int(self.parent[above])
        pieces: list[Ints] = []
        done_from = done_to = int(first[node])
        step, step_parent, step_arc = node, parent, arc
        rest = moved
        while True:
            start, stop = int(first[step]), int(first[step] + size[step])
            pieces += (sequence[start:done_from], sequence[done_to:stop])
            below = int(size[step])
            size[step] = rest
            rest = moved - below
            done_from, done_to = start, stop
            onwards, onwards_arc = int(self.parent[step]), int(self.arc[step])
            self._hang(step, step_parent, step_arc)
            if step == child:
                break
            step, step_parent, step_arc = onwards, step, onwards_arc
        without = np.concatenate((sequence[:at], sequence[at + moved :]))
        into = int(first[parent]) + 1
        into -= moved if into > at else 0
        self.sequence = np.concatenate((without[:into], *pieces, without[into:]))
        first[self.sequence] = np.arange(len(sequence))
        above = parent
        while above >= 0:
            size[above] += moved
            above = int(self.parent[above])
