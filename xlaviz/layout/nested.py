"""Frames within frames: each level is laid out alone, equal levels once, and put as one box into the level above."""

from __future__ import annotations

import numpy as np

from xlaviz.layout.earlier import Drawing, Earlier
from xlaviz.layout.levels import PADDING_PX, Level, Levels, deepest_first, split
from xlaviz.layout.model import Engine, Floats, LayoutInput, LevelInput, LevelPlaces, Places

_PORT_GAP_PX = 15.0


def lay_out(graph: LayoutInput, engine: Engine, drawing: Drawing | None = None) -> Places:
    """Place every box and route every edge, keeping to an earlier `drawing` where it has most of a level and the engine
    can. Deterministic where the engine is."""
    levels = split(graph)
    earlier = Earlier(drawing, graph, levels) if drawing is not None and engine.lay_out_seeded is not None else None
    widths, heights = list(graph.widths), list(graph.heights)
    results: dict[int, LevelPlaces] = {}
    known: dict[LevelInput, LevelPlaces] = {}
    centres: dict[int, float] = {}  # of boxes, right of the middles of their frames
    is_seeded = False
    for batch in deepest_first(graph, levels):
        inputs = {frame: _level_input(graph, levels[frame], (widths, heights), centres) for frame in batch}
        kept = _keep(inputs, engine, earlier)
        is_seeded = is_seeded or bool(kept)
        wanted = list(dict.fromkeys(inputs[frame] for frame in batch if frame not in kept))
        wanted = [level for level in wanted if level not in known]
        known.update(zip(wanted, engine.lay_out_levels(wanted) if wanted else [], strict=True))
        for frame, level in inputs.items():
            places = results[frame] = kept[frame] if frame in kept else known[level]
            for child, (x, _) in zip(levels[frame].children, places.centres, strict=True):
                centres[child] = x - places.width / 2
            if frame >= 0:
                widths[frame] = max(places.width + 2 * PADDING_PX, graph.widths[frame])
                heights[frame] = places.height + graph.heights[frame] + 2 * PADDING_PX
    boxes = _place_boxes(graph, levels, results, widths, heights)
    routes = _place_routes(graph, levels, results, boxes)
    if not engine.places_ends:
        _place_ends(graph, boxes, routes)
    return Places(boxes, tuple(routes), is_seeded)


def _keep(inputs: dict[int, LevelInput], engine: Engine, earlier: Earlier | None) -> dict[int, LevelPlaces]:
    """Levels that an earlier drawing has, by their frames. Each stands where it stood, so equal ones may differ."""
    if earlier is None or engine.lay_out_seeded is None:
        return {}
    seeds = {frame: earlier.seed(frame, level) for frame, level in inputs.items()}
    return {
        frame: seed.same or engine.lay_out_seeded(inputs[frame], seed)
        for frame, seed in seeds.items()
        if seed is not None
    }


def _level_input(
    graph: LayoutInput, level: Level, sizes: tuple[list[float], list[float]], centres: dict[int, float]
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
    levels: Levels,
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


def _place_routes(graph: LayoutInput, levels: Levels, results: dict[int, LevelPlaces], boxes: Floats) -> list[Floats]:
    routes = [np.zeros((0, 2), np.float32)] * len(graph.edges)
    for frame, level in levels.items():
        corner = np.array(_corner(graph, boxes, results, frame), np.float32)
        for (edge, start, end), points in zip(level.edges, results[frame].routes, strict=True):
            route = np.array(points, np.float32).reshape(-1, 2)
            if len(route):
                source, target = graph.edges[edge]
                route += corner
                if start != source:
                    route = _continued(route[::-1], boxes[start], boxes[source])[::-1]
                if end != target:
                    route = _continued(route, boxes[end], boxes[target])
            routes[edge] = route
    return routes


def _continued(route: Floats, frame: Floats, box: Floats) -> Floats:
    """A curve that ends on a frame led on to the middle of a `box` inside it, to the same side: the top or the bottom.

    One more piece, so that outside the frame the curve keeps to the way on which nothing is.
    """
    x, y = route[-1]
    end = box[1] + (box[3] if y > frame[1] + frame[3] / 2 else 0.0)
    middle = (y + end) / 2
    piece = [(x, middle), (box[0] + box[2] / 2, middle), (box[0] + box[2] / 2, end)]
    return np.concatenate((route, np.array(piece, np.float32)))


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
