"""Edges as cubic Bezier curves: upright through the ranks, bent only in the free strips between them.

So no curve touches a box that is not its own: within a rank a curve keeps to the place that the order gave its edge.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from xlaviz.layout.layered.proper import Doubles, Proper

PORT_GAP_PX = 20.0
"""Distance of edges along the top of a box, which leaves room for a number at each."""
_CORNER_PX = 8.0
"""How far from a box's corner an edge may enter."""
_SHORT_PX = 0.5
"""Upright pieces as short as this are left out."""

Point = tuple[float, float]
Route = tuple[Point, ...]
Ends = Mapping[int, tuple[float, float]]
"""For some edges, how far right of the middles of its boxes it starts and ends."""


@dataclass(frozen=True, slots=True)
class Upright:
    """Part of an edge that runs straight down."""

    x: float
    first_rank: int
    last_rank: int


@dataclass(frozen=True, slots=True)
class Boxes:
    """Middles and sizes of nodes, and where each rank starts and stops."""

    x: Sequence[float]
    y: Sequence[float]
    widths: Sequence[float]
    heights: Sequence[float]
    rank_tops: Sequence[float]
    rank_bottoms: Sequence[float]


def step_offsets(graph: Proper, ends: Ends) -> Doubles:
    """For each step of the paths, how far right of the lower vertex the upper one stands where the edge is upright."""
    steps = np.maximum(np.diff(graph.path_starts) - 1, 0)
    starts = np.concatenate(([0], np.cumsum(steps)))
    offsets = np.zeros(starts[-1])
    for edge, (at_source, at_target) in ends.items():
        if steps[edge]:
            offsets[starts[edge]] -= round(at_source)
            offsets[starts[edge + 1] - 1] += round(at_target)
    return offsets


def uprights(graph: Proper, x: Doubles, ends: Ends) -> list[list[Upright]]:
    """The straight parts of each edge from source to target; none for an edge that has no path."""
    path, starts = graph.path, graph.path_starts
    places = x[path]
    for edge, (at_source, at_target) in ends.items():
        if starts[edge] < starts[edge + 1]:
            places[starts[edge]] += round(at_source)
            places[starts[edge + 1] - 1] += round(at_target)
    begins = np.ones(len(path), bool)
    begins[1:] = places[1:] != places[:-1]
    begins[starts[:-1][np.diff(starts) > 0]] = True
    firsts = np.flatnonzero(begins)
    ranks = graph.rank[path]
    lasts = ranks[np.append(firsts[1:], len(path)) - 1] if len(path) else ranks
    parts = list(map(Upright, places[firsts].tolist(), ranks[firsts].tolist(), lasts.tolist()))
    bounds = np.searchsorted(firsts, starts).tolist()
    return [parts[start:stop] for start, stop in pairwise(bounds)]


def draw_edges(
    edges: Sequence[tuple[int, int]], parts: Sequence[list[Upright]], boxes: Boxes, ends: Ends
) -> list[Route]:
    """A curve for each edge from the middle of its source's bottom to a place of its own along its target's top."""
    entries = _entries(edges, parts, boxes)
    for index, (_, offset) in ends.items():
        if offset:
            entries[index] = boxes.x[edges[index][1]] + round(offset)
    return [
        _through(edge, of_edge, entry, boxes) if of_edge else _across(edge, entry, boxes)
        for edge, of_edge, entry in zip(edges, parts, entries, strict=True)
    ]


def _entries(edges: Sequence[tuple[int, int]], parts: Sequence[list[Upright]], boxes: Boxes) -> list[float]:
    """Where along the top of its target each edge ends: in the order they come from, straight where they can."""
    incoming: dict[int, list[tuple[float, float, int]]] = {}
    for index, ((source, target), of_edge) in enumerate(zip(edges, parts, strict=True)):
        origin = boxes.x[source]
        last = of_edge[-2].x if len(of_edge) > 1 else origin
        last = of_edge[-1].x if of_edge and of_edge[-1].first_rank < of_edge[-1].last_rank else last
        incoming.setdefault(target, []).append((last, origin, index))
    entries = [0.0] * len(edges)
    for target, arrivals in incoming.items():
        arrivals.sort()
        middle, reach = boxes.x[target], max(0.0, boxes.widths[target] / 2 - _CORNER_PX)
        if len(arrivals) == 1:  # straight in where that is nearly the middle
            offset = arrivals[0][0] - middle
            entries[arrivals[0][2]] = middle + (offset if abs(offset) <= min(reach, PORT_GAP_PX / 2) else 0.0)
            continue
        gap = min(PORT_GAP_PX, 2 * reach / (len(arrivals) - 1))
        reach = min(reach, gap * (len(arrivals) - 1))
        wanted = [min(max(last - middle, -reach), reach) for last, _, _ in arrivals]
        for (_, _, index), offset in zip(arrivals, _spread(wanted, gap, reach), strict=True):
            entries[index] = middle + offset
    return entries


def _spread(wanted: list[float], gap: float, reach: float) -> list[float]:
    """Rising values at least `gap` apart within `reach`, near to those wanted (pool adjacent violators)."""
    pools: list[tuple[float, int]] = []
    for number, value in enumerate(wanted):
        total, size = value - number * gap, 1
        while pools and pools[-1][0] / pools[-1][1] >= total / size:
            before, more = pools.pop()
            total, size = total + before, size + more
        pools.append((total, size))
    low, high = -reach, reach - (len(wanted) - 1) * gap
    level = [min(max(total / size, low), high) for total, size in pools for _ in range(size)]
    return [value + number * gap for number, value in enumerate(level)]


def _through(edge: tuple[int, int], parts: list[Upright], entry: float, boxes: Boxes) -> Route:
    source, target = edge
    bottom = boxes.y[source] + boxes.heights[source] / 2
    top = boxes.y[target] - boxes.heights[target] / 2
    last = parts[-1]
    runs = [(part.x, boxes.rank_tops[part.first_rank], boxes.rank_bottoms[part.last_rank]) for part in parts]
    if last.x != entry:  # the last strip is where it turns to its place
        before = boxes.rank_bottoms[last.last_rank - 1]
        runs[-1:] = [] if last.first_rank == last.last_rank else [(last.x, boxes.rank_tops[last.first_rank], before)]
        runs.append((entry, boxes.rank_tops[last.last_rank], top))
    runs[0] = (runs[0][0], bottom, runs[0][2])
    runs[-1] = (runs[-1][0], runs[-1][1], top)
    points: list[Point] = [(runs[0][0], bottom)]
    for number, (x, start, stop) in enumerate(runs):
        short = stop - start <= _SHORT_PX
        if number:
            points += _bend(points[-1], (x, stop if short else start))
        if not short:
            points += _straight(points[-1], (x, stop))
    return tuple(points)


def _across(edge: tuple[int, int], entry: float, boxes: Boxes) -> Route:
    """An edge with no place among the others: one curve, wherever that leads."""
    source, target = edge
    start = (boxes.x[source], boxes.y[source] + boxes.heights[source] / 2)
    end = (entry, boxes.y[target] - boxes.heights[target] / 2)
    reach = max(PORT_GAP_PX, (end[1] - start[1]) / 4)
    return (start, (start[0], start[1] + reach), (end[0], end[1] - reach), end)


def _bend(start: Point, end: Point) -> list[Point]:
    """Leaves and arrives upright, within the height between the two points."""
    middle = (start[1] + end[1]) / 2
    return [(start[0], middle), (end[0], middle), end]


def _straight(start: Point, end: Point) -> list[Point]:
    third = (end[1] - start[1]) / 3
    return [(start[0], start[1] + third), (end[0], end[1] - third), end]
