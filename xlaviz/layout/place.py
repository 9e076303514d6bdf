"""A drawn graph -> places, through the engine."""

from __future__ import annotations

from xlaviz.graph.model import DrawnGraph
from xlaviz.layout.dot import lay_out_levels
from xlaviz.layout.model import LayoutInput, Places
from xlaviz.layout.nested import lay_out


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


def place_graph(graph: DrawnGraph) -> Places:
    return lay_out(layout_input(graph), lay_out_levels)
