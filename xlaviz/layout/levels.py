"""A drawing taken apart: what each frame holds, and the edges that are drawn there."""

from __future__ import annotations

from dataclasses import dataclass, field

from xlaviz.layout.model import LayoutInput

PADDING_PX = 14.0
"""Between a frame and what it holds."""


@dataclass(slots=True)
class Level:
    """The children of one frame and the edges between them: an edge of the graph, and the children it joins, which may
    be frames that hold its ends."""

    children: list[int] = field(default_factory=list)
    edges: list[tuple[int, int, int]] = field(default_factory=list)


Levels = dict[int, Level]
"""By the frame, -1 for the drawing itself."""


def split(graph: LayoutInput) -> Levels:
    """The levels by frame. An edge between a frame and what it holds is in none: there is nothing to draw."""
    levels: Levels = {frame: Level() for frame in (-1, *sorted(graph.frames))}
    ancestors: list[list[int]] = []
    for index, parent in enumerate(graph.parents):
        levels[parent].children.append(index)
        ancestors.append([*(ancestors[parent] if parent >= 0 else []), index])
    for edge, (source, target) in enumerate(graph.edges):
        left, right = ancestors[source], ancestors[target]
        depth = 0
        while depth < min(len(left), len(right)) and left[depth] == right[depth]:
            depth += 1
        if depth < len(left) and depth < len(right):
            levels[left[depth - 1] if depth else -1].edges.append((edge, left[depth], right[depth]))
    return levels


def deepest_first(graph: LayoutInput, levels: Levels) -> list[list[int]]:
    """Frames by depth, those within others first."""
    depths = {-1: 0}
    for index, parent in enumerate(graph.parents):
        if index in graph.frames:
            depths[index] = depths[parent] + 1
    deepest = max(depths.values())
    return [[frame for frame in levels if depths[frame] == depth] for depth in range(deepest, -1, -1)]
