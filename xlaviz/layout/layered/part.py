"""One connected graph: ranks and order found once and improved on demand, then drawn."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import median

import numpy as np

from xlaviz.layout.layered.acyclic import Edge
from xlaviz.layout.layered.coordinates import assign_x
from xlaviz.layout.layered.heights import assign_y
from xlaviz.layout.layered.order import Order, first_order
from xlaviz.layout.layered.proper import Doubles, make_proper
from xlaviz.layout.layered.ranks import assign_ranks
from xlaviz.layout.layered.refine import refine
from xlaviz.layout.layered.routes import Boxes, Ends, Point, Route, draw_edges, step_offsets, uprights
from xlaviz.layout.layered.seeded import Old, keep_order

_MOST_VERTICES = 700_000
"""Vertices of long edges at most; beyond that the longest edges have no place of their own and are drawn across."""


@dataclass(frozen=True, slots=True)
class Drawing:
    """Middles of boxes and curves of edges, its corner at 0, 0; and that corner in the layout whose places it keeps."""

    centres: list[Point]
    routes: list[Route]
    width: float
    height: float
    old_corner: Point | None = None


class Part:
    """Nodes and edges numbered from 0; the edges acyclic and each there once."""

    def __init__(
        self,
        sizes: Sequence[tuple[float, float]],
        edges: Sequence[Edge],
        ports: Sequence[int],
        ends: Ends | None = None,
        old: Old | None = None,
    ) -> None:
        self.edges = edges
        self.ends = ends or {}
        self.old = old or Old()
        self.widths = np.array([width for width, _ in sizes], np.float64)
        self.heights = np.array([height for _, height in sizes], np.float64)
        self.ranks = assign_ranks(len(sizes), edges, ports, self.old.ranks())
        self.graph = make_proper(self.ranks, edges, longest=_longest_span(self.ranks, edges))
        self.kept_x: Doubles | None = None
        if self.old.places:
            kept = keep_order(self.graph, edges, self.ranks, self.old, self.widths)
            self.order: Order = kept.order
            self.kept_x = kept.x
        else:
            self.order = first_order(self.graph)

    def refine(self, stopped: Callable[[], bool], random: np.random.Generator) -> None:
        """Go on removing crossings. A layout that keeps old places keeps their order too, and is left alone."""
        if not self.old.places:
            self.order = refine(self.graph, self.order, stopped, random)

    def draw(self, stopped: Callable[[], bool] | None = None) -> Drawing:
        """Places and curves; the coordinates as good as can be until `stopped`, or after a moderate effort."""
        offsets = step_offsets(self.graph, self.ends)
        x = assign_x(self.graph, self.order.positions, self.widths, offsets, self.kept_x, stopped)
        tops, bottoms = assign_y(self.graph, x, self.heights, self.old.heights(self.ranks))
        node_x = x[self.graph.vertex_of]
        left = min(float((node_x - self.widths / 2).min()), float(x.min()))
        right = max(float((node_x + self.widths / 2).max()), float(x.max()))
        boxes = Boxes(
            x=(node_x - left).tolist(),
            y=[(tops[rank] + bottoms[rank]) / 2 for rank in self.ranks],
            widths=self.widths.tolist(),
            heights=self.heights.tolist(),
            rank_tops=tops,
            rank_bottoms=bottoms,
        )
        routes = draw_edges(self.edges, uprights(self.graph, x - left, self.ends), boxes, self.ends)
        centres = list(zip(boxes.x, boxes.y, strict=True))
        return Drawing(centres, routes, right - left, bottoms[-1], self._old_corner(centres))

    def _old_corner(self, centres: Sequence[Point]) -> Point | None:
        if not self.old.places:
            return None
        moves = [(x - centres[node][0], y - centres[node][1]) for node, (x, y) in self.old.places.items()]
        return median(x for x, _ in moves), median(y for _, y in moves)


def _longest_span(ranks: Sequence[int], edges: Sequence[Edge]) -> int:
    """The longest edges that still get a vertex on each rank, if all shorter ones do."""
    spans = np.sort(np.array([ranks[target] - ranks[source] for source, target in edges], np.int64))
    fitting = np.searchsorted(np.cumsum(spans), _MOST_VERTICES)
    return int(spans[min(int(fitting), len(spans)) - 1]) if fitting else 1
