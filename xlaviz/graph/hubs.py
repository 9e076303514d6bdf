"""Which edges are drawn: those of hubs, which tie everything to everything, are counted on the boxes instead."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from xlaviz.graph.model import DrawnEdge, DrawnNode

MAX_DRAWN_USERS = 16
MAX_DRAWN_OPERANDS = 32


def split_edges(nodes: Sequence[DrawnNode], edges: Sequence[DrawnEdge]) -> tuple[list[DrawnEdge], list[DrawnEdge]]:
    """The edges that are drawn, and those that are not. Of a cluster's many edges, and of those of a large box of
    inputs or outputs, the ones stay that alone tie a box to what comes before or after it: so a way leads from the
    inputs to the outputs."""
    users = Counter(edge.source for edge in edges)
    operands = Counter(edge.target for edge in edges)

    def is_many(edge: DrawnEdge) -> bool:
        return users[edge.source] > MAX_DRAWN_USERS or operands[edge.target] > MAX_DRAWN_OPERANDS

    def is_of_end(edge: DrawnEdge) -> bool:
        return nodes[edge.source].cluster == "inputs" or nodes[edge.target].cluster == "outputs"

    kept = {edge for edge in edges if not is_many(edge) and not is_of_end(edge)}
    hubs = [edge for edge in edges if edge not in kept and not is_of_end(edge)]
    kept.update(_ties(nodes, hubs, kept))
    ends = [edge for edge in edges if is_of_end(edge)]
    kept.update(ends if len(ends) <= MAX_DRAWN_USERS else _ties(nodes, ends, kept))
    return [edge for edge in edges if edge in kept], [edge for edge in edges if edge not in kept]


def _ties(nodes: Sequence[DrawnNode], edges: Iterable[DrawnEdge], kept: set[DrawnEdge]) -> list[DrawnEdge]:
    """The edges of a cluster to boxes that nothing else leads to, and to it from boxes that lead to nothing else; no
    more of either than a box has room for."""
    fed, leading = {edge.target for edge in kept}, {edge.source for edge in kept}
    drawn: Counter[int] = Counter()
    ties = []
    for edge in edges:
        from_cluster = nodes[edge.source].cluster is not None and edge.target not in fed
        to_cluster = nodes[edge.target].cluster is not None and edge.source not in leading
        hub = edge.source if from_cluster else edge.target
        if (from_cluster or to_cluster) and drawn[hub] < MAX_DRAWN_USERS:
            drawn[hub] += 1
            fed.add(edge.target)
            leading.add(edge.source)
            ties.append(edge)
    return ties
