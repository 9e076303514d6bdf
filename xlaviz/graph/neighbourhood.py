"""What is near one instruction, and how boxes tell of edges that are left out."""

from __future__ import annotations

from dataclasses import replace

from xlaviz.graph.model import DrawnEdge, DrawnGraph, DrawnNode


def count_hidden(nodes: list[DrawnNode], hidden: list[DrawnEdge]) -> list[DrawnNode]:
    """The nodes, told of the edges at them that are not drawn."""
    operands: dict[int, int] = {}
    users: dict[int, int] = {}
    for edge in hidden:
        operands[edge.target] = operands.get(edge.target, 0) + 1
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


def neighbourhood(graph: DrawnGraph, focus: str, hops: int) -> DrawnGraph:
    """Only what is within `hops` edges of the instruction `focus`, either way; cut edges are counted on the boxes.

    The whole graph where `focus` is not drawn in it.
    """
    kept = set(graph.nodes_of.get(focus, ()))
    if not kept:
        return graph
    for index, node in enumerate(graph.nodes):  # an open fusion is joined to its neighbours by what is in it
        if node.parent in kept:
            kept.add(index)
    near: dict[int, list[int]] = {}
    for edge in graph.edges:
        near.setdefault(edge.source, []).append(edge.target)
        near.setdefault(edge.target, []).append(edge.source)
    frontier = set(kept)
    for _ in range(hops):
        frontier = {other for index in frontier for other in near.get(index, ())} - kept
        kept |= frontier
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
        notes=(*graph.notes, f"neighbourhood of {focus}, {hops} hops"),
    )
