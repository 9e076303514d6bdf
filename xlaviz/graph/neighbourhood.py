"""What is near one box, or between two, and how boxes tell of edges that are left out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from xlaviz.graph.model import DrawnEdge, DrawnGraph, DrawnNode
from xlaviz.graph.options import Direction


def count_hidden(nodes: list[DrawnNode], hidden: list[DrawnEdge]) -> list[DrawnNode]:
    """The nodes, told of the edges at them that are not drawn. That nearly all boxes take some of the inputs, and hand
    some values to the outputs, only the boxes of these tell."""
    operands: dict[int, int] = {}
    users: dict[int, int] = {}
    for edge in hidden:
        if nodes[edge.source].cluster != "inputs":
            operands[edge.target] = operands.get(edge.target, 0) + 1
        if nodes[edge.target].cluster != "outputs":
            users[edge.source] = users.get(edge.source, 0) + 1
    return [
        replace(
            node,
            hidden_operands=node.hidden_operands + operands.get(index, 0),
            hidden_users=node.hidden_users + users.get(index, 0),
        )
        if index in operands or index in users
        else node
        for index, node in enumerate(nodes)
    ]


def neighbourhood(graph: DrawnGraph, focus: str, hops: int, direction: Direction = "both") -> DrawnGraph:
    """Only what is within `hops` edges of `focus`: its operands and theirs, its users and theirs, or every way from
    each box reached. Cut edges are counted on the boxes.

    `focus` is an instruction, or a cluster's id; an instruction within a closed cluster stands for that. The whole
    graph where it is not drawn.
    """
    start = _boxes(graph, focus)
    if not start:
        return graph
    near = _near(graph, direction)
    kept = set(start)
    frontier = set(start)
    for _ in range(hops):
        frontier = {other for index in frontier for other in near.get(index, ())} - kept
        kept |= frontier
    ways = {"operands": " of operands", "users": " of users"}.get(direction, "")
    return _part(graph, kept, f"neighbourhood of {focus}, {hops} hop{'s' * (hops != 1)}{ways}")


def paths_between(graph: DrawnGraph, one: str, other: str) -> DrawnGraph:
    """Only what lies on a path from one to the other, whichever comes first; just the two where no path joins them."""
    starts, ends = _boxes(graph, one), _boxes(graph, other)
    users, operands = _near(graph, "users"), _near(graph, "operands")
    for index, node in enumerate(graph.nodes):  # what is in an open loop leads to what uses the loop
        if node.parent >= 0:
            users.setdefault(index, []).append(node.parent)
            operands.setdefault(node.parent, []).append(index)
    kept = _reached(users, starts) & _reached(operands, ends)
    kept = kept or _reached(users, ends) & _reached(operands, starts)
    if kept:
        return _part(graph, kept | starts | ends, f"paths between {one} and {other}")
    return _part(graph, starts | ends, f"no path between {one} and {other}")


def _boxes(graph: DrawnGraph, name: str) -> set[int]:
    """The boxes of an instruction, with what is in them where they are open: their neighbours are joined to that."""
    found = set(graph.boxes_of(name))
    for index, node in enumerate(graph.nodes):
        if node.parent in found:
            found.add(index)
    return found


def _near(graph: DrawnGraph, direction: Direction) -> dict[int, list[int]]:
    near: dict[int, list[int]] = {}
    for edge in graph.edges:
        if direction != "operands":
            near.setdefault(edge.source, []).append(edge.target)
        if direction != "users":
            near.setdefault(edge.target, []).append(edge.source)
    return near


def _reached(near: Mapping[int, Iterable[int]], start: set[int]) -> set[int]:
    reached, frontier = set(start), list(start)
    while frontier:
        new = [other for other in near.get(frontier.pop(), ()) if other not in reached]
        reached.update(new)
        frontier.extend(new)
    return reached


def _part(graph: DrawnGraph, kept: set[int], note: str) -> DrawnGraph:
    """The kept boxes with the frames round them and the ports of these; edges that are cut are counted."""
    kept = set(kept)
    for index in list(kept):
        while (index := graph.nodes[index].parent) >= 0:
            kept.add(index)
    kept |= {i for i, node in enumerate(graph.nodes) if node.kind == "port" and node.parent in kept}
    place = {index: position for position, index in enumerate(sorted(kept))}
    edges = [e for e in graph.edges if e.source in place and e.target in place]
    cut = [e for e in graph.edges if (e.source in place) != (e.target in place)]
    counted = count_hidden(list(graph.nodes), cut)
    return DrawnGraph(
        nodes=tuple(replace(counted[i], parent=place.get(counted[i].parent, -1)) for i in sorted(kept)),
        edges=tuple(replace(e, source=place[e.source], target=place[e.target]) for e in edges),
        computation=graph.computation,
        instruction_count=graph.instruction_count,
        notes=(*graph.notes, note),
        held={name: place[index] for name, index in graph.held.items() if index in place},
    )
