"""What is selected, and what it stands for on the other side."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from xlaviz.lineage.sequence import Lineage
from xlaviz.session.shown import Pane
from xlaviz.session.work import Side


@dataclass(frozen=True, slots=True)
class Selection:
    """What the user picked, in which pane, and the instructions lit for it on either side. `second` was picked in
    addition, in the same pane."""

    pane: Pane = "right"
    name: str = ""
    left: frozenset[str] = frozenset()
    right: frozenset[str] = frozenset()
    second: str = ""

    def names(self, pane: Pane) -> frozenset[str]:
        return self.left if pane == "left" else self.right


NOTHING_SELECTED = Selection()


def members_of(side: Side | None, cluster: str) -> frozenset[str]:
    """The instructions that a box of no instruction stands for, what is in the boxes within it too."""
    if side is None:
        return frozenset()
    graph = side.graph
    inside = set(graph.nodes_of.get(cluster, ()))
    for index, node in enumerate(graph.nodes):  # a frame comes before what it holds
        if node.parent in inside:
            inside.add(index)
    held = {name for name, box in graph.held.items() if box in inside}
    return frozenset(held | {graph.nodes[i].instruction for i in inside if graph.nodes[i].cluster is None})


def origins_of(lineage: Lineage | None, names: Iterable[str]) -> frozenset[str]:
    """The instructions before optimization that some of the last snapshot stand for, a fusion for its content."""
    if lineage is None:
        return frozenset()
    known = lineage
    return frozenset().union(*(known.fusion_origins.get(n) or known.origins.get(n, frozenset()) for n in names))


def descendants_of(lineage: Lineage | None, side: Side | None, names: frozenset[str]) -> frozenset[str]:
    """What instructions before optimization became; where that is drawn inside a closed fusion, the fusion."""
    if lineage is None:
        return frozenset()
    found: frozenset[str] = frozenset().union(*map(lineage.where, names))
    if side is None:
        return found
    hidden = {one for one in found if one not in side.graph.nodes_of}
    if not hidden:
        return found
    drawn = side.graph.boxes_of
    closed = {f for f, origins in lineage.fusion_origins.items() if not names.isdisjoint(origins) and drawn(f)}
    return ((found - hidden) | closed) or found
