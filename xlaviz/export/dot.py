"""Drawn graphs -> DOT, frames as clusters, for those who go on with Graphviz."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import graphviz

from xlaviz.base.errors import WorkFailedError
from xlaviz.export.picture import Panel
from xlaviz.scene.heat import heat_look
from xlaviz.scene.palette import Theme, fusion_colours


def write_dot(panels: Sequence[Panel], path: Path) -> None:
    """One digraph; several panels become clusters of it. Raises WorkFailedError where it cannot be written."""
    digraph = graphviz.Digraph("xlaviz", comment="made by xlaviz")
    theme, font = panels[0].painter.theme, {"fontname": "Helvetica", "fontcolor": panels[0].painter.theme.text}
    digraph.attr(compound="true", bgcolor=theme.canvas, ranksep="0.4", nodesep="0.25", **font)
    digraph.attr("node", shape="box", style="rounded,filled", fontsize="10", margin="0.1,0.04", **font)
    digraph.attr("edge", color=theme.edge, arrowsize="0.6", fontsize="8", **font)
    for number, panel in enumerate(panels):
        prefix = f"p{number}_"
        with digraph.subgraph(name=f"cluster_{prefix}" if len(panels) > 1 else None) as body:
            scale = f"\ncolours: 0 to {panel.hottest}" if panel.hottest else ""
            body.attr(label=f"{panel.heading}{scale}", labelloc="t")
            _add_level(body, panel, prefix, -1)
        for edge in panel.painter.graph.edges:
            style = {"style": "dotted"} if edge.operand < 0 else {}
            digraph.edge(f"{prefix}{edge.source}", f"{prefix}{edge.target}", label=edge.label or None, **style)
    try:
        path.write_text(digraph.source, "utf-8")
    except OSError as error:
        raise WorkFailedError(f"{path} cannot be written: {error.strerror}.") from error


def _add_level(body: graphviz.Digraph, panel: Panel, prefix: str, parent: int) -> None:
    painter = panel.painter
    for index, node in enumerate(painter.graph.nodes):
        if node.parent != parent:
            continue
        fill, line, ink = _colours(panel, index, painter.theme)
        if node.kind == "open":
            with body.subgraph(name=f"cluster_{prefix}{index}") as inner:
                inner.attr(label=node.title, style="rounded,filled", fillcolor=fill, color=line)
                _add_level(inner, panel, prefix, index)
                inner.node(f"{prefix}{index}", label="", shape="point", style="invis")
            continue
        label = "\n".join((f"{node.title} {node.tag}".strip(), *node.lines))
        look = {"fillcolor": fill, "color": line, "fontcolor": ink}
        look |= {"shape": "ellipse", "margin": "0"} if node.kind == "port" else {}
        body.node(f"{prefix}{index}", label=label, tooltip=node.instruction, **look)


def _colours(panel: Panel, index: int, theme: Theme) -> tuple[str, str, str]:
    """Of a box's ground, its outline and its words."""
    graph, overlay = panel.painter.graph, panel.painter.overlay
    node = graph.nodes[index]
    heat = heat_look(graph, node, overlay, theme)
    if heat is not None:
        if node.kind == "open":
            return theme.canvas, (heat.fill if heat.is_hot else heat.line).name(), theme.text
        return heat.fill.name(), heat.line.name(), heat.ink.name()
    hues = overlay.hues.get(node.instruction, ())
    if hues and node.kind in ("open", "closed"):
        line = fusion_colours(hues[0], theme.name).line
        return f"{line.name()}26", line.name(), theme.text
    return (*theme.families[node.family], theme.text)
