"""Frames within frames: each level is laid out alone, equal levels once, and put as one box into the level above."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from xlaviz.layout.model import Floats, LayoutInput, LevelInput, LevelPlaces, Places

PADDING_PX = 14.0
_PORT_GAP_PX = 15.0
Engine = Callable[[Sequence[LevelInput]], list[LevelPlaces]]


@dataclass(slots=True)
class _Level:
    """The children of one frame and the edges between them; an edge deeper down counts for the frames it joins."""

    children: list[int] = field(default_factory=list)
    edges: dict[tuple[int, int], None] = field(default_factory=dict)


def lay_out(graph: LayoutInput, engine: Engine) -> Places:
    """Place every box and route every edge. Deterministic where the engine is."""
    levels, spans = _split(graph)
    widths, heights = list(graph.widths), list(graph.heights)
    results: dict[int, LevelPlaces] = {}
    known: dict[LevelInput, LevelPlaces] = {}
    for batch in _deepest_first(graph, levels):
        inputs = {frame: _level_input(graph, levels[frame], widths, heights) for frame in batch}
        wanted = list(dict.fromkeys(level for level in inputs.values() if level not in known))
        known.update(zip(wanted, engine(wanted) if wanted else [], strict=True))
        for frame, level in inputs.items():
            results[frame] = known[level]
            if frame >= 0:
                widths[frame] = max(known[level].width + 2 * PADDING_PX, graph.widths[frame])
                heights[frame] = known[level].height + graph.heights[frame] + 2 * PADDING_PX
    boxes = _place_boxes(graph, levels, results, widths, heights)
    return Places(boxes, _place_routes(graph, levels, results, spans, boxes))


def _split(graph: LayoutInput) -> tuple[dict[int, _Level], list[tuple[int, int, int]]]:
    """Levels by frame, and for each edge (frame of its level, child there it starts in, child there it ends in)."""
    levels: dict[int, _Level] = {frame: _Level() for frame in (-1, *sorted(graph.frames))}
    for index, parent in enumerate(graph.parents):
        levels[parent].children.append(index)
    ancestors: list[list[int]] = []
    for index, parent in enumerate(graph.parents):
        ancestors.append([*(ancestors[parent] if parent >= 0 else []), index])
    spans = []
    for source, target in graph.edges:
        left, right = ancestors[source], ancestors[target]
        depth = 0
        while depth < min(len(left), len(right)) and left[depth] == right[depth]:
            depth += 1
        frame = left[depth - 1] if depth else -1
        if depth == len(left) or depth == len(right):  # between a frame and what it holds: nothing to draw
            spans.append((frame, -1, -1))
            continue
        spans.append((frame, left[depth], right[depth]))
        levels[frame].edges[left[depth], right[depth]] = None
    return levels, spans


def _deepest_first(graph: LayoutInput, levels: dict[int, _Level]) -> list[list[int]]:
    depths = {-1: 0}
    for index, parent in enumerate(graph.parents):
        if index in graph.frames:
            depths[index] = depths[parent] + 1
    deepest = max(depths.values())
    return [[frame for frame in levels if depths[frame] == depth] for depth in range(deepest, -1, -1)]


def _level_input(graph: LayoutInput, level: _Level, widths: list[float], heights: list[float]) -> LevelInput:
    place = {child: position for position, child in enumerate(level.children)}
    return LevelInput(
        sizes=tuple((widths[child], heights[child]) for child in level.children),
        edges=tuple((place[source], place[target]) for source, target in level.edges),
        ports=tuple(place[child] for child in level.children if child in graph.ports),
    )


def _place_boxes(
    graph: LayoutInput,
    levels: dict[int, _Level],
    results: dict[int, LevelPlaces],
    widths: list[float],
    heights: list[float],
) -> Floats:
    boxes = np.zeros((len(graph.parents), 4), np.float32)
    for frame in sorted(levels):  # a frame's number is below those of what it holds
        left, top = _corner(graph, boxes, results, frame)
        for child, (x, y) in zip(levels[frame].children, results[frame].centres, strict=True):
            boxes[child] = (left + x - widths[child] / 2, top + y - heights[child] / 2, widths[child], heights[child])
    return boxes


def _corner(graph: LayoutInput, boxes: Floats, results: dict[int, LevelPlaces], frame: int) -> tuple[float, float]:
    """Where a level's own corner lies in the drawing; its content is centred in a frame wider than that."""
    if frame < 0:
        return 0.0, 0.0
    left, top, width, _ = map(float, boxes[frame])
    return left + (width - results[frame].width) / 2, top + graph.heights[frame] + PADDING_PX


def _place_routes(
    graph: LayoutInput,
    levels: dict[int, _Level],
    results: dict[int, LevelPlaces],
    spans: list[tuple[int, int, int]],
    boxes: Floats,
) -> tuple[Floats, ...]:
    routes_of = {frame: dict(zip(level.edges, results[frame].routes, strict=True)) for frame, level in levels.items()}
    corners = {frame: _corner(graph, boxes, results, frame) for frame in levels}
    routes: list[Floats] = []
    for (source, target), (frame, start, end) in zip(graph.edges, spans, strict=True):
        points = routes_of[frame].get((start, end), ()) if start >= 0 else ()
        route = np.array(points, np.float32).reshape(-1, 2)
        if len(route):
            route += np.array(corners[frame], np.float32)
            _move_end(route, 0, boxes[source], 1.0)
            _move_end(route, -1, boxes[target], 0.0)
        routes.append(route)
    _spread_ends(graph, boxes, routes)
    return tuple(routes)


def _move_end(route: Floats, end: int, box: Floats, at: float) -> None:
    """Let a curve end at the middle of a box's top (`at` 0) or bottom (1), though the engine saw only its frame."""
    left, top, width, height = box
    point = np.array((left + width / 2, top + at * height), np.float32)
    shift = point - route[end]
    route[end] = point
    neighbour = 1 if end == 0 else -2
    route[neighbour, 0] += shift[0]


def _spread_ends(graph: LayoutInput, boxes: Floats, routes: list[Floats]) -> None:
    """Give each of a box's incoming edges its own place along the top, in the order they come from."""
    incoming: dict[int, list[int]] = {}
    for edge, (_, target) in enumerate(graph.edges):
        if len(routes[edge]):
            incoming.setdefault(target, []).append(edge)
    for target, edges in incoming.items():
        if len(edges) < 2:
            continue
        edges.sort(key=lambda edge: (float(routes[edge][-4, 0]), float(routes[edge][0, 0]), edge))
        gap = min(_PORT_GAP_PX * 1.6, float(boxes[target, 2]) / (len(edges) + 1))
        for position, edge in enumerate(edges):
            shift = (position - (len(edges) - 1) / 2) * gap
            routes[edge][-2:, 0] += shift
