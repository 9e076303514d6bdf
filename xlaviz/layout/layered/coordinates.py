"""Where on its rank each vertex stands: long edges straight, nodes under the middle of what they belong to."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from xlaviz.layout.layered.balanced import balanced, pushed_right
from xlaviz.layout.layered.blocks import Blocks, make_blocks, vertex_widths
from xlaviz.layout.layered.proper import Doubles, Ints, Proper
from xlaviz.layout.layered.simplex import Line, minimise
from xlaviz.layout.layered.straighten import straighten

_WORK = 10_000_000
"""Steps times pieces and pairs that the network simplex may take at first: it finishes on two thousand nodes."""
_USEFUL = 0.25
"""Steps for each piece without which it is of little use; about half a step for each leads to the best places."""
_KEPT_WORK = 60_000_000
"""The same where places are kept: these are good to start with, and getting back to them matters more than time."""
_NODE_WEIGHT, _END_WEIGHT, _BEND_WEIGHT = 1.0, 2.0, 8.0
"""What a pixel sideways costs between two nodes, at an end of a long edge, and within one (Gansner et al. 1993)."""
_OLD_NODE_WEIGHT, _OLD_EDGE_WEIGHT = 4.0, 1.0


def assign_x(
    graph: Proper,
    positions: Ints,
    widths: Doubles,
    offsets: Doubles,
    kept: Doubles | None = None,
    stopped: Callable[[], bool] | None = None,
) -> Doubles:
    """Middles of all vertices in pixels, the order of `positions` kept; for `offsets` see `make_blocks`.

    First a balanced layout in linear time, then the least sum of sideways lengths: until `stopped`, or as far as a
    moderate effort goes. Where vertices have `kept` places (numbers), those come first.
    """
    blocks = make_blocks(graph, positions, vertex_widths(graph, widths), offsets)
    if not graph.count:
        return np.empty(0)
    weights = _weights(graph, blocks)
    if kept is None:
        places = straighten(blocks, weights, balanced(graph, positions, blocks))
        places = _shorten(blocks, weights, places, stopped)
    else:
        places = _kept(graph, blocks, weights, np.round(kept))
    places -= places.min()
    of_vertices: Doubles = places[blocks.of]
    return of_vertices


def _kept(graph: Proper, blocks: Blocks, weights: Doubles, kept: Doubles) -> Doubles:
    """Blocks pushed right from where they were as far as need be, and from there to the best places near by."""
    vertices = _one_for_each_block(blocks, kept)
    least = np.full(blocks.count, kept[vertices].min())
    least[blocks.of[vertices]] = kept[vertices]
    places, _, _ = pushed_right(blocks, np.arange(blocks.count), least)
    pull = np.where(graph.node_of[vertices] >= 0, _OLD_NODE_WEIGHT, _OLD_EDGE_WEIGHT)
    anchors = _Anchors(blocks.of[vertices], kept[vertices], pull)
    steps = _KEPT_WORK // (blocks.count + len(blocks.left) + len(blocks.above))
    return _minimise(blocks, weights, np.array(places), anchors, steps=steps)


def _weights(graph: Proper, blocks: Blocks) -> Doubles:
    long_ends = (graph.node_of[blocks.joints] < 0).sum(axis=1)
    weights: Doubles = np.array([_NODE_WEIGHT, _END_WEIGHT, _BEND_WEIGHT])[long_ends]
    return weights


def _shorten(blocks: Blocks, weights: Doubles, places: Doubles, stopped: Callable[[], bool] | None) -> Doubles:
    steps = _WORK // (blocks.count + len(blocks.left) + len(blocks.above))
    if stopped is None and steps < blocks.count * _USEFUL:
        return places
    nothing = _Anchors(np.empty(0, np.int64), np.empty(0), np.empty(0))
    return _minimise(blocks, weights, places, nothing, steps=steps, stopped=stopped)


@dataclass(frozen=True, slots=True)
class _Anchors:
    """Blocks, where they want to be, and how much."""

    blocks: Ints
    places: Doubles
    weights: Doubles


def _minimise(
    blocks: Blocks,
    weights: Doubles,
    places: Doubles,
    anchors: _Anchors,
    *,
    steps: int,
    stopped: Callable[[], bool] | None = None,
) -> Doubles:
    """The network simplex over blocks. One place more stands for what the places of anchors count from."""
    line = Line(
        costs=np.zeros(blocks.count + 1),
        left=blocks.left,
        right=blocks.right,
        gaps=blocks.gaps,
        a=np.concatenate((blocks.above, anchors.blocks)),
        b=np.concatenate((blocks.below, np.full(len(anchors.blocks), blocks.count))),
        offsets=np.concatenate((blocks.offsets, anchors.places)),
        weights=np.concatenate((weights, anchors.weights)),
    )
    return minimise(line, np.append(places, 0.0), steps=steps, stopped=stopped)[:-1]


def _one_for_each_block(blocks: Blocks, kept: Doubles) -> Ints:
    """Of the vertices with a place to keep the middle one of each block."""
    known = np.flatnonzero(~np.isnan(kept))
    known = known[np.lexsort((kept[known], blocks.of[known]))]
    starts = np.flatnonzero(np.diff(blocks.of[known], prepend=-1))
    sizes = np.diff(np.append(starts, len(known)))
    vertices: Ints = known[starts + sizes // 2]
    return vertices
