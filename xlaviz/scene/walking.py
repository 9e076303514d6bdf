"""From one box to the next, along edges and beside them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

from xlaviz.graph.model import DrawnGraph
from xlaviz.layout.model import Places

Way = Literal["operand", "user", "left", "right"]


def next_box(graph: DrawnGraph, places: Places, start: int | None, way: Way, came_from: str = "") -> int | None:
    """The box that a step from `start` leads to; None where there is none. Without a start, the first of the drawing.

    Of several operands or users it is the one that the walk came from, else the first.
    """
    if start is None:
        return _first(graph, places)
    if way == "operand":
        found = [edge.source for edge in sorted(graph.edges, key=lambda e: e.operand) if edge.target == start]
    elif way == "user":
        found = [edge.target for edge in graph.edges if edge.source == start]
    else:
        return _beside(graph, places, start, is_right=way == "right")
    back = [box for box in found if graph.nodes[box].instruction == came_from]
    return next(iter(back or found), None) if found else _frame(graph, start)


def _first(graph: DrawnGraph, places: Places) -> int | None:
    boxes = [index for index, node in enumerate(graph.nodes) if node.parent < 0]
    return min(boxes, key=lambda i: (float(places.boxes[i, 1]), float(places.boxes[i, 0])), default=None)


def _frame(graph: DrawnGraph, start: int) -> int | None:
    """Nothing leads on: out of the frame."""
    parent = graph.nodes[start].parent
    return parent if parent >= 0 else None


def _beside(graph: DrawnGraph, places: Places, start: int, *, is_right: bool) -> int | None:
    """The nearest box on one side among those that share an operand or a user, else among those at the same height."""
    operands = {edge.source for edge in graph.edges if edge.target == start}
    users = {edge.target for edge in graph.edges if edge.source == start}
    kin = {edge.target for edge in graph.edges if edge.source in operands}
    kin |= {edge.source for edge in graph.edges if edge.target in users}
    left, top, _, height = map(float, places.boxes[start])
    parent = graph.nodes[start].parent
    level = [
        index
        for index, node in enumerate(graph.nodes)
        if node.parent == parent
        and float(places.boxes[index, 1]) < top + height
        and float(places.boxes[index, 1] + places.boxes[index, 3]) > top
    ]

    def nearest(boxes: Iterable[int]) -> int | None:
        away = {box: float(places.boxes[box, 0]) - left for box in boxes if box != start}
        beyond = [box for box, x in away.items() if (x > 0) == is_right and x != 0]
        return min(beyond, key=lambda box: (abs(away[box]), box), default=None)

    found = nearest(kin & set(level))
    if found is None:
        found = nearest(kin)
    return found if found is not None else nearest(level)
