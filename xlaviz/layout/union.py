"""One layout for both sides of a step, so that what a pass left alone does not move."""

from __future__ import annotations

from collections.abc import Hashable

import numpy as np

from xlaviz.graph.model import DrawnGraph
from xlaviz.layout.model import LayoutInput, Places
from xlaviz.layout.place import EngineName, layout_input, place, place_graph

COMMON_AT_LEAST = 0.6
"""Share of boxes both sides must have for a union to read better than two layouts."""


def place_step(left: DrawnGraph, right: DrawnGraph, engine: EngineName = "xlaviz") -> tuple[Places, Places, bool]:
    """Places of both sides: shared (the third value) where most boxes are on both, else each for itself."""
    left_keys, right_keys = _keys(left), _keys(right)
    common = len(set(left_keys) & set(right_keys))
    if common < COMMON_AT_LEAST * max(len(left_keys), len(right_keys), 1):
        return place_graph(left, engine), place_graph(right, engine), False
    order = list(dict.fromkeys(_merge(left_keys, right_keys)))
    place_of = {key: index for index, key in enumerate(order)}
    union, edges = _union(left, right, left_keys, right_keys, place_of)
    places = place(union, engine)
    route_of = dict(zip(edges, places.routes, strict=True))

    def side(graph: DrawnGraph, keys: list[Hashable]) -> Places:
        index = [place_of[key] for key in keys]
        routes = tuple(route_of[index[e.source], index[e.target], e.operand] for e in graph.edges)
        return Places(places.boxes[index] if index else np.zeros((0, 4), np.float32), routes)

    return side(left, left_keys), side(right, right_keys), True


def _keys(graph: DrawnGraph) -> list[Hashable]:
    """What makes two boxes of two graphs the same: the instruction, how it is drawn, and the frame it stands in."""
    keys: list[Hashable] = []
    seen: dict[Hashable, int] = {}
    for node in graph.nodes:
        key = (node.instruction, node.kind, keys[node.parent] if node.parent >= 0 else None)
        seen[key] = seen.get(key, 0) + 1
        keys.append((*key, seen[key]))
    return keys


def _merge(left: list[Hashable], right: list[Hashable]) -> list[Hashable]:
    """Both orders in one, frames still before what they hold: a frame is part of its content's key."""
    known = set(left)
    return [*left, *(key for key in right if key not in known)]


def _union(
    left: DrawnGraph,
    right: DrawnGraph,
    left_keys: list[Hashable],
    right_keys: list[Hashable],
    place: dict[Hashable, int],
) -> tuple[LayoutInput, list[tuple[int, int, int]]]:
    count = len(place)
    widths, heights, parents = [0.0] * count, [0.0] * count, [-1] * count
    frames: set[int] = set()
    ports: set[int] = set()
    edges: dict[tuple[int, int, int], None] = {}
    for graph, keys in ((left, left_keys), (right, right_keys)):
        inputs = layout_input(graph)
        index = [place[key] for key in keys]
        for own, united in enumerate(index):
            widths[united] = max(widths[united], inputs.widths[own])
            heights[united] = max(heights[united], inputs.heights[own])
            parents[united] = index[inputs.parents[own]] if inputs.parents[own] >= 0 else -1
        frames.update(index[own] for own in inputs.frames)
        ports.update(index[own] for own in inputs.ports)
        edges.update(dict.fromkeys((index[e.source], index[e.target], e.operand) for e in graph.edges))
    pairs = tuple((source, target) for source, target, _ in edges)
    return (
        LayoutInput(tuple(widths), tuple(heights), tuple(parents), frozenset(frames), frozenset(ports), pairs),
        list(edges),
    )
