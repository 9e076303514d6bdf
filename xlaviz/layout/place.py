"""A drawn graph -> places, through the engine of the user's choice."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence
from typing import Literal

from xlaviz.base.errors import WorkFailedError
from xlaviz.graph.model import DrawnGraph
from xlaviz.layout import layered
from xlaviz.layout.dot import DOT
from xlaviz.layout.earlier import Drawing
from xlaviz.layout.model import Engine, LayoutInput, LayoutTooLargeError, LevelInput, LevelPlaces, Places
from xlaviz.layout.nested import lay_out

LAYERED = Engine("xlaviz", layered.lay_out_levels, places_ends=True, lay_out_seeded=layered.lay_out_seeded)
MAX_BOXES = 60_000
"""Boxes above which nothing is laid out: it would take the better part of a minute, and nobody could read it."""

EngineName = Literal["xlaviz", "graphviz"]


def layout_input(graph: DrawnGraph) -> LayoutInput:
    """The graph as the engine sees it: sizes and edges, no words but the names of its boxes."""
    return LayoutInput(
        widths=tuple(node.width_px for node in graph.nodes),
        heights=tuple(node.height_px for node in graph.nodes),
        parents=tuple(node.parent for node in graph.nodes),
        frames=frozenset(i for i, node in enumerate(graph.nodes) if node.kind == "open"),
        ports=frozenset(i for i, node in enumerate(graph.nodes) if node.kind == "port"),
        edges=tuple((edge.source, edge.target) for edge in graph.edges),
        keys=_keys(graph),
    )


def _keys(graph: DrawnGraph) -> tuple[Hashable, ...]:
    """What makes two boxes of two graphs the same: the instruction and the frame it stands in, whether it is open or
    closed. Where that is not enough, as with the two bodies of a loop, their order decides."""
    keys: list[Hashable] = []
    seen: Counter[Hashable] = Counter()
    for node in graph.nodes:
        key = (node.instruction, node.kind == "port", keys[node.parent] if node.parent >= 0 else None)
        seen[key] += 1
        keys.append((*key, seen[key]))
    return tuple(keys)


def place(inputs: LayoutInput, engine: EngineName = "xlaviz", earlier: Drawing | None = None) -> Places:
    """Place everything, and what an earlier drawing has too as much as can be where it was there. Graphviz is tried for
    what it can do in a moment, and keeps nothing; our own engine does the rest."""
    if len(inputs.parents) > MAX_BOXES:
        raise LayoutTooLargeError(
            f"This view has {len(inputs.parents)} boxes; more than {MAX_BOXES} cannot be laid out in reasonable time.",
            hint="Close clusters, or select an instruction and show its neighbourhood.",
        )
    if engine == "graphviz":
        try:
            return lay_out(inputs, DOT)
        except WorkFailedError:  # too large, too slow, or not installed
            return lay_out(inputs, LAYERED, earlier)
    return lay_out(inputs, LAYERED, earlier)


def place_graph(graph: DrawnGraph, engine: EngineName = "xlaviz") -> Places:
    return place(layout_input(graph), engine)


def refine(inputs: LayoutInput, seconds: float) -> Places | None:
    """Better places than `place` finds at first, after about `seconds` more; None where none are clearly better."""
    total = len(inputs.edges)
    is_better = False

    def lay_out_levels(levels: Sequence[LevelInput]) -> list[LevelPlaces]:
        nonlocal is_better
        best = []
        for level in levels:
            *first, last = layered.layouts(level, refine_s=seconds * len(level.edges) / total if total else 0.0)
            is_better = is_better or bool(first)
            best.append(last)
        return best

    places = lay_out(inputs, Engine("xlaviz, refining", lay_out_levels, places_ends=True))
    return places if is_better else None
