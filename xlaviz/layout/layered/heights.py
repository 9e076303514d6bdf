"""Where each rank lies: as high as its highest box, and apart as far as the edges between need to bend."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from xlaviz.layout.layered.proper import Doubles, Proper

_LEAST_GAP_PX = 24.0
_MOST_GAP_PX = 96.0
_BEND = 1.5
"""Pixels of height for the square root of the pixels an edge goes sideways."""

_LARGEST_HOLE_PX = 160.0
"""Room kept free at most, between two ranks, so that what is below stays where it was."""


def assign_y(
    graph: Proper, x: Doubles, heights: Doubles, old: Mapping[int, float] | None = None
) -> tuple[list[float], list[float]]:
    """Tops and bottoms of the ranks; a rank with an `old` middle is not above it, nor pushed below it by a gap that
    would be nicer."""
    height = np.zeros(graph.rank_count)
    nodes = graph.vertex_of
    np.maximum.at(height, graph.rank[nodes], heights)
    sideways = np.zeros(graph.rank_count)
    np.maximum.at(sideways, graph.rank[graph.above], np.abs(x[graph.below] - x[graph.above]))
    gaps = np.minimum(_LEAST_GAP_PX + _BEND * np.sqrt(sideways), _MOST_GAP_PX)
    for rank, y in (old or {}).items():
        if old and rank + 1 in old:
            room = old[rank + 1] - y - (height[rank] + height[rank + 1]) / 2
            gaps[rank] = min(gaps[rank], max(room, _LEAST_GAP_PX))
    own = height.tolist()
    tops = _stack(own, gaps.tolist(), {})
    if old:
        first = min(old)
        down = max(0.0, tops[first] + own[first] / 2 - old[first])
        tops = _stack(own, gaps.tolist(), {rank: y + down - own[rank] / 2 for rank, y in old.items()})
    return tops, [top + height for top, height in zip(tops, own, strict=True)]


def _stack(heights: list[float], gaps: list[float], least: Mapping[int, float]) -> list[float]:
    """Tops of ranks one below the other, not above `least` unless that would leave a large hole."""
    tops: list[float] = []
    bottom = gap = 0.0
    for rank, (height, after) in enumerate(zip(heights, gaps, strict=True)):
        top = bottom + gap
        tops.append(min(max(top, least.get(rank, top)), top + _LARGEST_HOLE_PX))
        bottom, gap = tops[-1] + height, after
    return tops
