"""One level in, places and routes out: its connected parts drawn one by one, and packed."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from time import monotonic

import numpy as np

from xlaviz.layout.layered.acyclic import Acyclic, make_acyclic
from xlaviz.layout.layered.components import PART_GAP_PX, apart, connected_parts, pack
from xlaviz.layout.layered.part import Drawing, Part
from xlaviz.layout.layered.routes import Ends, Point, Route
from xlaviz.layout.layered.seeded import Old
from xlaviz.layout.model import LevelInput, LevelPlaces, Seed

_SINGLE_GAP_PX = 20.0
_DRAWING_SHARE = 0.25
"""Share of the time for refining that is kept for coordinates and curves."""
_CLEARLY = 0.92
"""Share of the crossings, or of the sideways length of edges, that a layout may keep to be clearly better."""


def lay_out_levels(levels: Sequence[LevelInput], *, refine_s: float = 0.0) -> list[LevelPlaces]:
    """Place several graphs, and share `refine_s` seconds among them by size to make them better."""
    total = sum(len(level.edges) for level in levels) or 1
    return [lay_out_level(level, refine_s=refine_s * len(level.edges) / total) for level in levels]


def lay_out_seeded(level: LevelInput, seed: Seed) -> LevelPlaces:
    """Place one graph as much as can be as an earlier one was."""
    return lay_out_level(level, seed=seed.places, seed_routes=seed.routes)


def lay_out_level(
    level: LevelInput,
    *,
    seed: Mapping[int, Point] | None = None,
    seed_routes: Mapping[int, Sequence[Point]] | None = None,
    refine_s: float = 0.0,
) -> LevelPlaces:
    """Place one graph, and take up to about `refine_s` seconds more to make it better.

    An edge that has no `ends` in the level starts in the middle of its box and ends in a place of its own.
    `seed` are the middles of boxes in an earlier layout, which they keep as far as they can; `seed_routes` the curves
    of edges there, by their numbers, which keep those boxes from being pushed about by edges that stood elsewhere.
    """
    *_, best = layouts(level, seed=seed, seed_routes=seed_routes, refine_s=refine_s)
    return best


def layouts(
    level: LevelInput,
    *,
    seed: Mapping[int, Point] | None = None,
    seed_routes: Mapping[int, Sequence[Point]] | None = None,
    refine_s: float = 0.0,
) -> Iterator[LevelPlaces]:
    """The first layout at once; then, after about `refine_s` seconds, one more if it is clearly better.

    The first depends on nothing but what is given; how far refining gets depends on the machine as well. A layout with
    a seed is final.
    """
    ends = {edge: (at_source, at_target) for edge, at_source, at_target in level.ends}
    work = _Level(level, ends, Old(seed or {}, seed_routes or {}))
    start = monotonic()
    first = work.draw()
    drawing_s = monotonic() - start
    yield first
    if refine_s <= 0 or seed or not work.parts:
        return
    end = monotonic() + refine_s
    crossings = work.crossings
    work.refine(refine_s - max(refine_s * _DRAWING_SHARE, drawing_s))
    better = work.draw(lambda: monotonic() > end - drawing_s / 3)
    if work.crossings < crossings * _CLEARLY or _sideways(level, better) < _sideways(level, first) * _CLEARLY:
        yield better


class _Level:
    """The connected parts of a level, and which of its nodes and edges they hold."""

    def __init__(self, level: LevelInput, ends: Ends, old: Old) -> None:
        self.level = level
        self.graph: Acyclic = make_acyclic(len(level.sizes), level.edges, level.ports)
        edges, ports = self.graph.edges, set(level.ports)
        # Ports are above everything, so a level with ports is laid out as a whole.
        groups = [[*range(self.graph.count)]] if ports else connected_parts(self.graph.count, edges)
        self.single = [nodes[0] for nodes in groups if len(nodes) == 1 and nodes[0] not in old.places]
        self.nodes = [nodes for nodes in groups if len(nodes) > 1 or nodes[0] in old.places]
        part_of, place = [0] * self.graph.count, [0] * self.graph.count
        for part, nodes in enumerate(self.nodes):
            for number, node in enumerate(nodes):
                part_of[node], place[node] = part, number
        self.edges: list[list[int]] = [[] for _ in self.nodes]
        for index, (source, _) in enumerate(edges):
            self.edges[part_of[source]].append(index)
        routes = {index: old.routes[given] for given, index in enumerate(self.graph.of_edge) if given in old.routes}
        ends = self._onwards(ends)
        self.parts = [
            Part(
                [level.sizes[node] for node in nodes],
                [(place[edges[index][0]], place[edges[index][1]]) for index in own],
                [place[node] for node in nodes if node in ports],
                {number: ends[index] for number, index in enumerate(own) if index in ends},
                Old(
                    {place[node]: old.places[node] for node in nodes if node in old.places},
                    {number: routes[index] for number, index in enumerate(own) if index in routes},
                ),
            )
            for nodes, own in zip(self.nodes, self.edges, strict=True)
        ]

    def _onwards(self, ends: Ends) -> dict[int, tuple[float, float]]:
        """The same by the numbers of the acyclic graph's edges, swapped for those turned round."""
        turned = ((self.graph.of_edge[edge], self.graph.flipped[edge], at) for edge, at in ends.items())
        return {index: at[::-1] if flipped else at for index, flipped, at in turned if index >= 0}

    @property
    def crossings(self) -> int:
        return sum(part.order.crossings for part in self.parts)

    def refine(self, seconds: float) -> None:
        """Every part gets time by its size, what one leaves over goes to the next, larger ones."""
        random = np.random.default_rng(0)
        parts = sorted((part for part in self.parts if part.order.crossings), key=lambda part: part.graph.count)
        end, left = monotonic() + seconds, sum(part.graph.count for part in parts)
        for part in parts:
            now = monotonic()
            until = now + (end - now) * part.graph.count / left
            left -= part.graph.count
            part.refine(_clock(until), random)

    def draw(self, stopped: Callable[[], bool] | None = None) -> LevelPlaces:
        drawings = [part.draw(stopped) for part in self.parts]
        if self.single:
            drawings.append(_grid([self.level.sizes[node] for node in self.single]))
        corners = _arrange(drawings)
        centres: list[Point] = [(0.0, 0.0)] * self.graph.count
        drawn: list[Route] = [()] * len(self.graph.edges)
        held = [*zip(self.nodes, self.edges, strict=True), (self.single, [])]
        for drawing, (left, top), (nodes, edges) in zip(drawings, corners, held, strict=False):
            for node, (x, y) in zip(nodes, drawing.centres, strict=True):
                centres[node] = (left + x, top + y)
            for index, route in zip(edges, drawing.routes, strict=True):
                drawn[index] = tuple([(left + x, top + y) for x, y in route])
        width = max((left + each.width for each, (left, _) in zip(drawings, corners, strict=True)), default=0.0)
        height = max((top + each.height for each, (_, top) in zip(drawings, corners, strict=True)), default=0.0)
        return LevelPlaces(tuple(centres), self._routes(centres, drawn), width, height)

    def _routes(self, centres: list[Point], drawn: list[Route]) -> tuple[Route, ...]:
        """Curves of the edges as given: those turned round lead up, and the dropped ones aside."""
        routes: list[Route] = []
        for edge, index, flipped in zip(self.level.edges, self.graph.of_edge, self.graph.flipped, strict=True):
            if index < 0:
                routes.append(_aside(edge, centres, self.level.sizes))
            else:
                routes.append(drawn[index][::-1] if flipped else drawn[index])
        return tuple(routes)


def _arrange(drawings: Sequence[Drawing]) -> list[Point]:
    """Corners of the parts: where they were, in so far as that leaves them apart; new ones below."""
    sizes = [(each.width, each.height) for each in drawings]
    old = {number: each.old_corner for number, each in enumerate(drawings) if each.old_corner}
    stay = apart([sizes[number] for number in old], list(old.values()))
    corners = {number: corner for (number, corner), stays in zip(old.items(), stay, strict=True) if stays}
    if not corners:
        return pack(sizes, PART_GAP_PX)
    bottom = max(y + sizes[number][1] for number, (_, y) in corners.items()) + PART_GAP_PX
    left, top = min(x for x, _ in corners.values()), min(y for _, y in corners.values())
    new = [number for number in range(len(sizes)) if number not in corners]
    for number, (x, y) in zip(new, pack([sizes[number] for number in new], PART_GAP_PX), strict=True):
        corners[number] = (left + x, bottom + y)
    return [(corners[number][0] - left, corners[number][1] - top) for number in range(len(sizes))]


def _clock(end: float) -> Callable[[], bool]:
    return lambda: monotonic() > end


def _sideways(level: LevelInput, places: LevelPlaces) -> float:
    """How far the edges go sideways in all."""
    return sum(abs(places.centres[source][0] - places.centres[target][0]) for source, target in level.edges)


def _grid(sizes: Sequence[tuple[float, float]]) -> Drawing:
    """Nodes without edges, in rows."""
    corners = pack(sizes, _SINGLE_GAP_PX)
    placed = list(zip(sizes, corners, strict=True))
    return Drawing(
        [(x + width / 2, y + height / 2) for (width, height), (x, y) in placed],
        [],
        max(x + width for (width, _), (x, _) in placed),
        max(y + height for (_, height), (_, y) in placed),
    )


def _aside(edge: tuple[int, int], centres: list[Point], sizes: Sequence[tuple[float, float]]) -> Route:
    """From a box's bottom round to the top of the same box, or of another one beside it."""
    (x, y), (end_x, end_y) = centres[edge[0]], centres[edge[1]]
    start, end = (x, y + sizes[edge[0]][1] / 2), (end_x, end_y - sizes[edge[1]][1] / 2)
    aside = sizes[edge[0]][0] / 2 + _SINGLE_GAP_PX if edge[0] == edge[1] else 0.0
    reach = _SINGLE_GAP_PX
    return (start, (start[0] + aside, start[1] + reach), (end[0] + aside, end[1] - reach), end)
