"""Blocks: what stands in one vertical line. A node alone, or the inner part of a long edge."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass

import numpy as np

from xlaviz.layout.layered.proper import Bools, Doubles, Ints, Proper

NODE_GAP_PX = 16.0
EDGE_GAP_PX = 8.0
_EDGE_WIDTH_PX = 2.0


@dataclass(frozen=True, slots=True)
class Blocks:
    """Blocks, who stands left of whom, and the edges between them.

    `of` maps vertices to blocks. `left`, `right` and `gaps` are the pairs of neighbours on some rank and the least
    distance of their middles. `above`, `below` are the blocks joined by the edges in `joints`, pairs of vertices; an
    edge is upright where the upper one stands `offsets` right of the lower one. A joint that crosses the straight part
    of a long edge is not `free` to be drawn straight itself.
    """

    count: int
    of: Ints
    lengths: Ints
    left: Ints
    right: Ints
    gaps: Doubles
    joints: Ints
    above: Ints
    below: Ints
    offsets: Doubles
    free: Bools


def vertex_widths(graph: Proper, widths: Doubles) -> Doubles:
    """Widths of nodes in pixels, made even so that distances of middles are whole; of long edges next to nothing."""
    node = np.maximum(graph.node_of, 0)
    return np.where(graph.node_of >= 0, 2 * np.ceil(widths[node] / 2) if len(widths) else 0.0, _EDGE_WIDTH_PX)


def make_blocks(graph: Proper, positions: Ints, widths: Doubles, offsets: Doubles) -> Blocks:
    """The inner parts of long edges become blocks; where two such cross, one of them is bent there.

    `offsets`, for each step of the paths, is how far right of the lower vertex the upper one wants to be.
    """
    above, below = graph.above, graph.below
    inner = (graph.node_of[above] < 0) & (graph.node_of[below] < 0)
    straight = np.zeros(len(above), bool)
    straight[np.flatnonzero(inner)[_uncrossed(graph, positions, above[inner], below[inner])]] = True
    joined = np.zeros(graph.count, bool)
    joined[below[straight]] = True
    of = _number(graph, joined)
    count = int(of.max(initial=-1)) + 1
    bases = np.array(graph.offsets)[graph.rank]
    order = np.empty(graph.count, np.int64)
    order[bases + positions] = np.arange(graph.count)
    left, right, gaps = _neighbours(graph, order, of, count, widths)
    loose = ~straight
    joints = np.column_stack((above[loose], below[loose]))
    return Blocks(
        count,
        of,
        np.bincount(of, minlength=count),
        left,
        right,
        gaps,
        joints,
        of[joints[:, 0]],
        of[joints[:, 1]],
        offsets[loose],
        _free(graph, positions, joints, above[straight], below[straight]),
    )


def _number(graph: Proper, joined: Bools) -> Ints:
    """Blocks numbered along the paths of edges: a vertex `joined` is in the block of the one before it."""
    of = np.full(graph.count, -1, np.int64)
    inner = graph.path[graph.node_of[graph.path] < 0]
    numbers = np.cumsum(~joined[inner]) - 1
    of[inner] = numbers
    nodes = np.flatnonzero(graph.node_of >= 0)
    of[nodes] = np.arange(len(nodes)) + (int(numbers[-1]) + 1 if len(numbers) else 0)
    return of


def _uncrossed(graph: Proper, positions: Ints, above: Ints, below: Ints) -> Ints:
    """Which of these edges to draw straight so that none crosses another: on each rank as many as can be."""
    if not len(above):
        return np.empty(0, np.int64)
    width = int(positions.max()) + 1
    in_order = np.argsort(graph.rank[above] * width + positions[above])
    rank, lower = graph.rank[above][in_order], positions[below][in_order]
    keys = rank * width + lower
    falls = np.flatnonzero(keys[1:] < keys[:-1])
    starts = np.searchsorted(rank, np.unique(rank[falls]))
    stops = np.searchsorted(rank, np.unique(rank[falls]), "right")
    kept = np.ones(len(rank), bool)
    for start, stop in zip(starts.tolist(), stops.tolist(), strict=True):
        kept[start:stop] = False
        kept[start + np.array(_longest_rise(lower[start:stop].tolist()))] = True
    return in_order[kept]


def _longest_rise(values: list[int]) -> list[int]:
    """Places of a longest rising subsequence."""
    tails: list[int] = []
    ends: list[int] = []
    before: list[int] = []
    for place, value in enumerate(values):
        at = bisect_left(tails, value)
        if at == len(tails):
            tails.append(value)
            ends.append(place)
        else:
            tails[at] = value
            ends[at] = place
        before.append(ends[at - 1] if at else -1)
    rise = [ends[-1]]
    while before[rise[-1]] >= 0:
        rise.append(before[rise[-1]])
    return rise[::-1]


def _neighbours(graph: Proper, order: Ints, of: Ints, count: int, widths: Doubles) -> tuple[Ints, Ints, Doubles]:
    """Pairs of blocks that stand side by side somewhere, with the largest gap that any rank asks for."""
    at = np.flatnonzero(graph.rank[:-1] == graph.rank[1:])
    left, right = order[at], order[at + 1]
    nodes = (graph.node_of[left] >= 0) & (graph.node_of[right] >= 0)
    gaps = (widths[left] + widths[right]) / 2 + np.where(nodes, NODE_GAP_PX, EDGE_GAP_PX)
    keys = of[left] * count + of[right]
    in_order = np.argsort(keys)
    keys = keys[in_order]
    firsts = np.flatnonzero(np.concatenate(([True], keys[1:] != keys[:-1]))) if len(keys) else np.empty(0, np.int64)
    largest = np.maximum.reduceat(gaps[in_order], firsts) if len(keys) else np.empty(0)
    return keys[firsts] // count, keys[firsts] % count, largest


def _free(graph: Proper, positions: Ints, joints: Ints, above: Ints, below: Ints) -> Bools:
    """Joints that cross no straight part of a long edge: as many of those start left of them as end there."""
    width = int(positions.max(initial=0)) + 1
    starts = np.sort(graph.rank[above] * width + positions[above])
    ends = np.sort(graph.rank[above] * width + positions[below])
    rank = graph.rank[joints[:, 0]] * width
    before = np.searchsorted(starts, rank + positions[joints[:, 0]])
    free: Bools = before == np.searchsorted(ends, rank + positions[joints[:, 1]])
    return free
