"""Drawn graphs -> DOT, frames as clusters, for those who go on with Graphviz."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import graphviz

from xlaviz.base.errors import WorkFailedError
from xlaviz.export.picture import Panel
from xlaviz.scene.palette import Theme, fusion_colours


def write_dot(panels: Sequence[Panel], path: Path) -> None:
    """One digraph; several panels become clusters of it. Raises WorkFailedError where it cannot be written."""
    digraph = graphviz.Digraph("xlaviz", comment="made by xlaviz")
    digraph.attr(compound="true", fontname="Helvetica", ranksep="0.4", nodesep="0.25")
    digraph.attr("node", shape="box", style="rounded,filled", fontname="Helvetica", fontsize="10", margin="0.1,0.04")
    digraph.attr("edge", color=panels[0].painter.theme.edge, arrowsize="0.6", fontname="Helvetica", fontsize="8")
    for number, panel in enumerate(panels):
        prefix = f"p{number}_"
        with digraph.subgraph(name=f"cluster_{prefix}" if len(panels) > 1 else None) as body:
            body.attr(label=panel.heading)
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
        fill, line = _colours(panel, index, painter.theme)
        if node.kind == "open":
            with body.subgraph(name=f"cluster_{prefix}{index}") as inner:
                inner.attr(label=node.title, style="rounded,filled", fillcolor=fill, color=line)
                _add_level(inner, panel, prefix, index)
                inner.node(f"{prefix}{index}", label="", shape="point", style="invis")
            continue
        label = "\n".join((f"{node.title} {node.tag}".strip(), *node.lines))
        shape = {"shape": "ellipse", "margin": "0"} if node.kind == "port" else {}
        body.node(f"{prefix}{index}", label=label, fillcolor=fill, color=line, tooltip=node.instruction, **shape)


def _colours(panel: Panel, index: int, theme: Theme) -> tuple[str, str]:
    node = panel.painter.graph.nodes[index]
    hues = panel.painter.overlay.hues.get(node.instruction, ())
    if hues and node.kind in ("open", "closed"):
        line = fusion_colours(hues[0], theme.name).line
        return f"{line.name()}26", line.name()
    return theme.families[node.family]
