"""What an earlier layout says about a new one: ranks, order and places to keep where they can be kept."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from statistics import median

import numpy as np

from xlaviz.layout.layered.acyclic import Edge
from xlaviz.layout.layered.crossings import count_crossings
from xlaviz.layout.layered.order import Order, exchange, positions_by
from xlaviz.layout.layered.proper import Doubles, Proper

_EXCHANGES = 8
_SAME_RANK_PX = 2.0

Point = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Old:
    """Middles of boxes and curves of edges in an earlier layout, as far as there are any."""

    places: Mapping[int, Point] = field(default_factory=dict)
    routes: Mapping[int, Sequence[Point]] = field(default_factory=dict)

    def ranks(self) -> dict[int, int]:
        """Ranks by height: boxes of one rank have their middles at one height."""
        ranks: dict[int, int] = {}
        rank, height = 0, -np.inf
        for node, (_, y) in sorted(self.places.items(), key=lambda item: item[1][1]):
            rank += bool(ranks) and y - height > _SAME_RANK_PX
            ranks[node], height = rank, y
        return ranks

    def heights(self, ranks: Sequence[int]) -> dict[int, float]:
        """The middle height at which the boxes of each new rank stood."""
        of_rank: dict[int, list[float]] = {}
        for node, (_, y) in self.places.items():
            of_rank.setdefault(ranks[node], []).append(y)
        return {rank: float(median(heights)) for rank, heights in of_rank.items()}


@dataclass(frozen=True, slots=True)
class Kept:
    """The order of an earlier layout, and where vertices stood in it (not a number for those it says nothing of)."""

    order: Order
    x: Doubles


def keep_order(graph: Proper, edges: Sequence[Edge], ranks: Sequence[int], old: Old, widths: Doubles) -> Kept:
    """Old boxes and edges in their old order; new boxes beside what they are joined to, new edges where room is."""
    nodes = graph.vertex_of
    keys = np.zeros(graph.count)
    keys[nodes] = _all_places(len(nodes), edges, old.places)
    kept = np.full(graph.count, np.nan)
    known = list(old.places)
    kept[nodes[known]] = keys[nodes[known]]
    heights = old.heights(ranks)
    height_at = np.interp(np.arange(graph.rank_count), sorted(heights), [heights[rank] for rank in sorted(heights)])
    lanes = _Lanes(graph, known, keys, widths)
    for edge in np.flatnonzero(np.diff(graph.path_starts) > 2).tolist():
        path = graph.path[graph.path_starts[edge] : graph.path_starts[edge + 1]]
        if route := old.routes.get(edge):
            at = np.array(sorted((y, x) for x, y in route))
            keys[path[1:-1]] = kept[path[1:-1]] = np.interp(height_at[graph.rank[path[1:-1]]], at[:, 0], at[:, 1])
        else:
            keys[path[1:-1]] = lanes.best(int(path[0]), int(path[-1]))
    positions = positions_by(graph, keys)
    movable = np.isnan(kept)
    for _ in range(_EXCHANGES):
        exchange(graph, positions, range(graph.rank_count), movable=movable)
    return Kept(Order(positions, count_crossings(graph, positions)), kept)


def _all_places(count: int, edges: Sequence[Edge], old: Mapping[int, Point]) -> list[float]:
    """Places for all nodes: those not known from the known ones round them, and so on outwards."""
    joined: list[list[int]] = [[] for _ in range(count)]
    for source, target in edges:
        joined[source].append(target)
        joined[target].append(source)
    known = {node: x for node, (x, _) in old.items()}
    front = sorted({other for node in old for other in joined[node]} - known.keys())
    while front:
        near = {node: [known[other] for other in joined[node] if other in known] for node in front}
        known |= {node: sum(places) / len(places) for node, places in near.items()}
        front = sorted({other for node in front for other in joined[node]} - known.keys())
    return [known.get(node, 0.0) for node in range(count)]


class _Lanes:
    """Upright ways for long edges between boxes that stay where they are."""

    def __init__(self, graph: Proper, known: Sequence[int], keys: Doubles, widths: Doubles) -> None:
        boxes = np.sort(graph.vertex_of[known])
        reach = widths[graph.node_of[boxes]] / 2
        self.rank = graph.rank
        self.keys = keys
        self.box_ranks = graph.rank[boxes]
        self.left, self.right = keys[boxes] - reach, keys[boxes] + reach

    def best(self, source: int, target: int) -> float:
        """Below the source or above the target, wherever fewer boxes are in the way."""
        first, last = np.searchsorted(self.box_ranks, [self.rank[source] + 1, self.rank[target]])
        left, right = self.left[first:last], self.right[first:last]
        ways = [float(self.keys[source]), float(self.keys[target])]
        return min(ways, key=lambda x: int(np.count_nonzero((left <= x) & (x <= right))))
