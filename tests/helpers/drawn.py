"""Drawn and placed graphs for tests of what is painted, made without Graphviz."""

from __future__ import annotations

import numpy as np

from xlaviz.graph.model import DrawnEdge, DrawnGraph, DrawnNode
from xlaviz.layout.model import Places


def node(name: str, kind: str = "instruction", *, parent: int = -1, family: str = "elementwise") -> DrawnNode:
    width, height = (120.0, 44.0) if kind != "port" else (24.0, 16.0)
    return DrawnNode(name, kind, family, name, "tag.1", ("f32[4]",), width, height, parent)  # type: ignore[arg-type]


def small_graph(*, is_open: bool = True) -> tuple[DrawnGraph, Places]:
    """x -> fusion (holding add) -> out; the fusion open as a frame or closed as a box, at the same place."""
    nodes = [node("x", family="parameter"), node("fusion", "open" if is_open else "closed", family="fusion")]
    boxes = [(200.0, 0.0, 120.0, 44.0), (160.0, 100.0, 200.0, 150.0 if is_open else 60.0)]
    edges = [DrawnEdge(0, 1, 0)]
    routes = [curve(260, 44, 260, 100)]
    if is_open:
        nodes.append(node("add", parent=1))
        boxes.append((200.0, 150.0, 120.0, 44.0))
    bottom = boxes[1][1] + boxes[1][3]
    nodes.append(node("out", family="reduction"))
    boxes.append((200.0, bottom + 50, 120.0, 44.0))
    edges.append(DrawnEdge(1, len(nodes) - 1, 0, "#1"))
    routes.append(curve(260, bottom, 260, bottom + 50))
    graph = DrawnGraph(tuple(nodes), tuple(edges), "main", len(nodes))
    return graph, Places(np.array(boxes, np.float32), tuple(routes))


def chain(count: int) -> tuple[DrawnGraph, Places]:
    """`count` boxes under one another, 100 px apart, the last pointing nowhere."""
    nodes = tuple(node(f"i{index}") for index in range(count))
    boxes = np.array([(0.0, 100.0 * index, 120.0, 44.0) for index in range(count)], np.float32)
    edges = tuple(DrawnEdge(index, index + 1, 0) for index in range(count - 1))
    routes = tuple(curve(60, 100 * index + 44, 60, 100 * index + 100) for index in range(count - 1))
    return DrawnGraph(nodes, edges, "main", count), Places(boxes, routes)


def curve(x: float, y: float, to_x: float, to_y: float) -> np.ndarray[tuple[int, int], np.dtype[np.float32]]:
    middle = (y + to_y) / 2
    return np.array([(x, y), (x, middle), (to_x, middle), (to_x, to_y)], np.float32)
