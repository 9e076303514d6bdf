"""A drawn graph -> places, through the engine of the user's choice."""

from __future__ import annotations

from typing import Literal

from xlaviz.base.errors import WorkFailedError
from xlaviz.graph.model import DrawnGraph
from xlaviz.layout import layered
from xlaviz.layout.dot import DOT
from xlaviz.layout.model import Engine, LayoutInput, LayoutTooLargeError, Places
from xlaviz.layout.nested import lay_out

LAYERED = Engine("xlaviz", layered.lay_out_levels, places_ends=True)
MAX_BOXES = 60_000
"""Boxes above which nothing is laid out: it would take the better part of a minute, and nobody could read it."""

EngineName = Literal["xlaviz", "graphviz"]


def layout_input(graph: DrawnGraph) -> LayoutInput:
    """The graph as the engine sees it: sizes and edges, no words."""
    return LayoutInput(
        widths=tuple(node.width_px for node in graph.nodes),
        heights=tuple(node.height_px for node in graph.nodes),
        parents=tuple(node.parent for node in graph.nodes),
        frames=frozenset(i for i, node in enumerate(graph.nodes) if node.kind == "open"),
        ports=frozenset(i for i, node in enumerate(graph.nodes) if node.kind == "port"),
        edges=tuple((edge.source, edge.target) for edge in graph.edges),
    )


def place(inputs: LayoutInput, engine: EngineName = "xlaviz") -> Places:
    """Place everything. Graphviz is tried for what it can do in a moment; our own engine does the rest."""
    if len(inputs.parents) > MAX_BOXES:
        raise LayoutTooLargeError(
            f"This view has {len(inputs.parents)} boxes; more than {MAX_BOXES} cannot be laid out in reasonable time.",
            hint="Close clusters, or select an instruction and show its neighbourhood.",
        )
    if engine == "graphviz":
        try:
            return lay_out(inputs, DOT)
        except WorkFailedError:  # too large, too slow, or not installed
            return lay_out(inputs, LAYERED)
    return lay_out(inputs, LAYERED)


def place_graph(graph: DrawnGraph, engine: EngineName = "xlaviz") -> Places:
    return place(layout_input(graph), engine)
