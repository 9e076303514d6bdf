"""Graphs and places on their way from the worker to the window: thousands of small objects are slow to unpickle, and
the window stands still meanwhile."""

from __future__ import annotations

from operator import attrgetter
from typing import Any

import numpy as np

from xlaviz.graph.model import DrawnEdge, DrawnGraph, DrawnNode
from xlaviz.layout.model import Floats, Places

_NODE = tuple(DrawnNode.__dataclass_fields__)
_EDGE = tuple(DrawnEdge.__dataclass_fields__)
_FLOATS = np.zeros((0, 2), np.float32)


def pack_graph(graph: DrawnGraph) -> tuple[Any, ...]:
    """Plain tuples in place of objects."""
    nodes, edges = tuple(map(attrgetter(*_NODE), graph.nodes)), tuple(map(attrgetter(*_EDGE), graph.edges))
    return nodes, edges, graph.computation, graph.instruction_count, graph.notes, dict(graph.held)


def unpack_graph(packed: tuple[Any, ...]) -> DrawnGraph:
    nodes, edges, *rest = packed
    return DrawnGraph(tuple(DrawnNode(*node) for node in nodes), tuple(DrawnEdge(*edge) for edge in edges), *rest)


def pack_places(places: Places) -> tuple[Floats, Floats, list[int]]:
    """All routes in one array, with their lengths."""
    routes = np.concatenate(places.routes) if places.routes else _FLOATS
    return places.boxes, routes, [len(route) for route in places.routes]


def unpack_places(packed: tuple[Floats, Floats, list[int]]) -> Places:
    boxes, routes, lengths = packed
    found, start = [], 0
    for length in lengths:
        found.append(routes[start : start + length])
        start += length
    return Places(boxes, tuple(found))
