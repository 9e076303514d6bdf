"""Frames within frames: each level is laid out alone, equal levels once, and put as one box into the level above."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from xlaviz.layout.model import Engine, Floats, LayoutInput, LevelInput, LevelPlaces, Places

PADDING_PX = 14.0
_PORT_GAP_PX = 15.0


@dataclass(slots=True)
class _Level:
    """The children of one frame and the edges between them: an edge of the graph, and the children it joins, which may
    be frames that hold its ends."""

    children: list[int] = field(default_factory=list)
    edges: list[tuple[int, int, int]] = field(default_factory=list)


def lay_out(graph: LayoutInput, engine: Engine) -> Places:
    """Place every box and route every edge. Deterministic where the engine is."""
    levels = _split(graph)
    widths, heights = list(graph.widths), list(graph.heights)
    results: dict[int, LevelPlaces] = {}
    known: dict[LevelInput, LevelPlaces] = {}
    centres: dict[int, float] = {}  # of boxes, right of the middles of their frames
    for batch in _deepest_first(graph, levels):
        inputs = {frame: _level_input(graph, levels[frame], (widths, heights), centres) for frame in batch}
        wanted = list(dict.fromkeys(level for level in inputs.values() if level not in known))
        known.update(zip(wanted, engine.lay_out_levels(wanted) if wanted else [], strict=True))
        for frame, level in inputs.items():
            results[frame] = known[level]
            for child, (x, _) in zip(levels[frame].children, known[level].centres, strict=True):
                centres[child] = x - known[level].width / 2
            if frame >= 0:
                widths[frame] = max(known[level].width + 2 * PADDING_PX, graph.widths[frame])
                heights[frame] = known[level].height + graph.heights[frame] + 2 * PADDING_PX
    boxes = _place_boxes(graph, levels, results, widths, heights)
    routes = _place_routes(graph, levels, results, boxes)
    if not engine.places_ends:
        _place_ends(graph, boxes, routes)
    return Places(boxes, tuple(routes))


def _split(graph: LayoutInput) -> dict[int, _Level]:
    """The levels by frame. An edge between a frame and what it holds is in none: there is nothing to draw."""
    levels: dict[int, _Level] = {frame: _Level() for frame in (-1, *sorted(graph.frames))}
    ancestors: list[list[int]] = []
    for index, parent in enumerate(graph.parents):
        levels[parent].children.append(index)
        ancestors.append([*(ancestors[parent] if parent >= 0 else []), index])
    for edge, (source, target) in enumerate(graph.edges):
        left, right = ancestors[source], ancestors[target]
        depth = 0
        while depth < min(len(left), len(right)) and left[depth] == right[depth]:
            depth += 1
        if depth < len(left) and depth < len(right):
            levels[left[depth - 1] if depth else -1].edges.append((edge, left[depth], right[depth]))
    return levels


def _deepest_first(graph: LayoutInput, levels: dict[int, _Level]) -> list[list[int]]:
    depths = {-1: 0}
    for index, parent in enumerate(graph.parents):
        if index in graph.frames:
            depths[index] = depths[parent] + 1
    deepest = max(depths.values())
    return [[frame for frame in levels if depths[frame] == depth] for depth in range(deepest, -1, -1)]


def _level_input(
    graph: LayoutInput, level: _Level, sizes: tuple[list[float], list[float]], centres: dict[int, float]
) -> LevelInput:
    place = {child: position for position, child in enumerate(level.children)}
    widths, heights = sizes

    def offset(node: int, child: int) -> float:
        """How far right of a child's middle the node inside it lies."""
        found = 0.0
        while node != child:
            found, node = found + centres[node], graph.parents[node]
        return found

    ends = []
    for number, (edge, start, end) in enumerate(level.edges):
        source, target = graph.edges[edge]
        if (source, target) != (start, end):
            ends.append((number, offset(source, start), offset(target, end)))
    return LevelInput(
        sizes=tuple((widths[child], heights[child]) for child in level.children),
        edges=tuple((place[start], place[end]) for _, start, end in level.edges),
        ports=tuple(place[child] for child in level.children if child in graph.ports),
        ends=tuple(ends),
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
    graph: LayoutInput, levels: dict[int, _Level], results: dict[int, LevelPlaces], boxes: Floats
) -> list[Floats]:
    routes = [np.zeros((0, 2), np.float32)] * len(graph.edges)
    for frame, level in levels.items():
        corner = np.array(_corner(graph, boxes, results, frame), np.float32)
        for (edge, start, end), points in zip(level.edges, results[frame].routes, strict=True):
            route = np.array(points, np.float32).reshape(-1, 2)
            if len(route):
                source, target = graph.edges[edge]
                route += corner
                if start != source:
                    _move_end(route, 0, boxes[start], boxes[source])
                if end != target:
                    _move_end(route, -1, boxes[end], boxes[target])
            routes[edge] = route
    return routes


def _move_end(route: Floats, end: int, seen: Floats, box: Floats) -> None:
    """Let a curve that ends on the box the engine saw, maybe a frame round it, end in the middle of `box`: on the same
    side, the top or the bottom."""
    at_bottom = route[end, 1] > seen[1] + seen[3] / 2
    point = np.array((box[0] + box[2] / 2, box[1] + (box[3] if at_bottom else 0.0)), np.float32)
    neighbour = 1 if end == 0 else -2
    route[neighbour, 0] += point[0] - route[end, 0]
    route[end] = point


def _place_ends(graph: LayoutInput, boxes: Floats, routes: list[Floats]) -> None:
    """Give each of a box's incoming edges its own place along the top, in the order they come from."""
    incoming: dict[int, list[int]] = {}
    for edge, (source, target) in enumerate(graph.edges):
        if len(routes[edge]):
            _move_end(routes[edge], 0, boxes[source], boxes[source])
            _move_end(routes[edge], -1, boxes[target], boxes[target])
            incoming.setdefault(target, []).append(edge)
    for target, edges in incoming.items():
        if len(edges) < 2:
            continue
        edges.sort(key=lambda edge: (float(routes[edge][-4, 0]), float(routes[edge][0, 0]), edge))
        gap = min(_PORT_GAP_PX * 1.6, float(boxes[target, 2]) / (len(edges) + 1))
        for position, edge in enumerate(edges):
            shift = (position - (len(edges) - 1) / 2) * gap
            routes[edge][-2:, 0] += shift
