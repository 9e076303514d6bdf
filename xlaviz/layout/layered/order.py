"""The order of the vertices on each rank: sweeps that sort by the neighbours' middle, and exchanges of neighbours.

Both work on whole ranks with numpy, so that a sweep over a train step of thousands of instructions takes milliseconds.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from itertools import count

import numpy as np

from xlaviz.layout.layered.crossings import count_crossings, swap_gains
from xlaviz.layout.layered.proper import Bools, Doubles, Ints, Proper

_TIE = 1e-6
"""Weight of a vertex's present place beside its neighbours': small enough to decide ties only."""

_MOST_SWEEPS, _LEAST_SWEEPS = 20, 4
_SWEEP_WORK = 1_000_000
"""Vertices times sweeps for the first order: what keeps it well under a second."""
_STALE = 2
"""Pairs of sweeps without a better order after which there is no use in more."""


@dataclass(slots=True)
class Order:
    """The best order found so far."""

    positions: Ints
    crossings: int


def first_order(graph: Proper) -> Order:
    """A good order in time about linear in the size of the graph: two starts, and sweeps from the better one."""
    sweeps = max(_LEAST_SWEEPS, min(_MOST_SWEEPS, _SWEEP_WORK // max(1, graph.count)))
    trial = 2 * max(1, sweeps // 8)
    tries = [
        improve(graph, Order(depth_first_order(graph, from_sinks=from_sinks), sys.maxsize), trial)
        for from_sinks in ((True, False) if sweeps > _LEAST_SWEEPS else (True,))
    ]
    return improve(graph, min(tries, key=lambda order: order.crossings), sweeps - trial * len(tries))


def improve(graph: Proper, order: Order, sweeps: int, stopped: Callable[[], bool] | None = None) -> Order:
    """Sweep down and up by turns and keep the best that comes by after an upward one."""
    ranks = range(graph.rank_count)
    best, positions = order, order.positions.copy()
    stale = 0
    for number in range(sweeps):
        sweep(graph, positions, ranks, downwards=number % 2 == 0)
        exchange(graph, positions, ranks)
        if number % 2 == 0:
            continue
        crossings = count_crossings(graph, positions)
        stale += 1
        if crossings < best.crossings:
            best, stale = Order(positions.copy(), crossings), 0
        if not crossings or stale >= _STALE or (stopped and stopped()):
            break
    return best


def depth_first_order(graph: Proper, *, from_sinks: bool) -> Ints:
    """Places in the order a depth-first search comes by, so that what feeds one instruction stands together."""
    starts, path = graph.path_starts, graph.path
    drawn = np.flatnonzero(np.diff(starts))
    sources, targets = path[starts[drawn]], path[starts[drawn + 1] - 1]
    here, there = (targets, sources) if from_sinks else (sources, targets)
    onwards: dict[int, list[tuple[int, int]]] = {vertex: [] for vertex in graph.vertex_of.tolist()}
    for vertex, other, edge in zip(here.tolist(), there.tolist(), drawn.tolist(), strict=True):
        onwards[vertex].append((other, edge))
    ends = graph.down if from_sinks else graph.up
    roots = np.sort(graph.vertex_of[ends.degrees[graph.vertex_of] == 0]).tolist()
    found, of_edge = np.zeros(graph.count), np.zeros(len(starts))
    seen = bytearray(graph.count)
    stack = [(vertex, -1) for vertex in (roots if from_sinks else reversed(roots))]
    for number in count():
        if not stack:
            break
        vertex, edge = stack.pop()
        of_edge[edge] = number
        if not seen[vertex]:
            seen[vertex] = 1
            found[vertex] = number
            stack.extend(onwards[vertex])
    inner = graph.node_of[path] < 0
    found[path[inner]] = np.repeat(of_edge[:-1], np.diff(starts))[inner]
    return positions_by(graph, found)


def positions_by(graph: Proper, keys: Doubles) -> Ints:
    """Places on each rank by a key for each vertex."""
    in_order = np.lexsort((keys, graph.rank))
    positions = np.empty(graph.count, np.int64)
    positions[in_order] = np.arange(graph.count) - np.array(graph.offsets)[graph.rank[in_order]]
    return positions


def sweep(graph: Proper, positions: Ints, ranks: range, *, downwards: bool) -> None:
    """Sort rank after rank by the mean place of the neighbours on the rank before (Sugiyama et al. 1981).

    Vertices without such neighbours keep their places, the others are sorted round them.
    """
    rows = graph.up.rows[ranks.start : ranks.stop] if downwards else graph.down.rows[ranks.start : ranks.stop][::-1]
    places = np.arange(graph.width)
    for row in rows:
        if row.fixed:
            continue
        keys = positions[row.neighbours]
        means = keys if row.single else np.add.reduceat(keys, row.firsts) / row.degrees
        if row.whole:
            in_order = (means + _TIE * positions[row.start : row.stop]).argsort()
            positions[row.start + in_order] = places[: row.stop - row.start]
        else:
            present = positions[row.vertices]
            in_order = (means + _TIE * present).argsort()
            present.sort()
            positions[row.vertices[in_order]] = present


def exchange(graph: Proper, positions: Ints, ranks: range, *, movable: Bools | None = None) -> None:
    """Exchange neighbours wherever that removes crossings, each vertex a few times at most.

    Pairs at odd places on odd ranks do not touch one another, nor do the other three combinations, so that each is one
    step for all ranks. A pair is left alone where neither is `movable`.
    """
    start, stop = graph.offsets[ranks.start], graph.offsets[ranks.stop]
    rank = graph.rank[start:stop]
    firsts = np.array(graph.offsets)[rank] - start
    order = np.empty(stop - start, np.int64)
    order[firsts + positions[start:stop]] = np.arange(start, stop)
    paired = np.flatnonzero(rank[:-1] == rank[1:])
    phase = (rank[paired] & 1) * 2 + ((paired - firsts[paired]) & 1)
    for number in range(4):
        places = paired[phase == number]
        left, right = order[places], order[places + 1]
        better = swap_gains(graph.up, positions, left, right) + swap_gains(graph.down, positions, left, right) > 0
        if movable is not None:
            better &= movable[left] | movable[right]
        at, left, right = places[better], left[better], right[better]
        order[at], order[at + 1] = right, left
        positions[left] += 1
        positions[right] -= 1
