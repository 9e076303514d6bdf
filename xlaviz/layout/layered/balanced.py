"""Places for blocks after Brandes and Koepf (2001): four extreme layouts, and the middle of them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from xlaviz.layout.layered.blocks import Blocks
from xlaviz.layout.layered.proper import Doubles, Ints, Proper

_Onwards = list[list[tuple[int, float]]]


def balanced(graph: Proper, positions: Ints, blocks: Blocks) -> Doubles:
    """In each of the four every node stands in line with a median neighbour above or below, as far left or right as
    there is room. The long edges are straight already, which leaves few pieces and few edges to look at.
    """
    mirrored = replace(blocks, left=blocks.right, right=blocks.left)
    layouts = []
    for downwards in (True, False):
        layouts.append(_extreme(graph, positions, blocks, downwards=downwards))
        layouts.append(-_extreme(graph, positions.max() - positions, mirrored, downwards=downwards))
    return _middle(layouts)


def _extreme(graph: Proper, positions: Ints, blocks: Blocks, *, downwards: bool) -> Doubles:
    """Blocks in line with a median neighbour on the rank before, all as far left as there is room."""
    roots = np.array(_align(blocks, _medians(graph, positions, blocks, downwards=downwards)), np.int64)
    return _compact(blocks, roots)


_Median = tuple[int, int, list[tuple[int, int]]]
"""Of a vertex: its rank, its block, and place and block of its one or two middle neighbours."""


def _medians(graph: Proper, positions: Ints, blocks: Blocks, *, downwards: bool) -> list[_Median]:
    """Vertices with edges not yet straight, rank by rank from the left."""
    vertices, others = blocks.joints[:, ::-1].T if downwards else blocks.joints.T
    if not len(vertices):
        return []
    width = int(positions.max()) + 1
    rank = graph.rank[vertices] if downwards else graph.rank_count - graph.rank[vertices]
    in_order = np.argsort((rank * width + positions[vertices]) * width + positions[others])
    vertices, others = vertices[in_order], others[in_order]
    free = blocks.free[in_order].tolist()
    place, block = positions[others].tolist(), blocks.of[others].tolist()
    firsts = np.flatnonzero(np.concatenate(([True], vertices[1:] != vertices[:-1])))
    sizes = np.diff(np.append(firsts, len(vertices))).tolist()
    heads = vertices[firsts]
    found: list[_Median] = []
    for first, size, head_rank, head in zip(
        firsts.tolist(), sizes, graph.rank[heads].tolist(), blocks.of[heads].tolist(), strict=True
    ):
        middle = range(first + (size - 1) // 2, first + size // 2 + 1)
        found.append((head_rank, head, [(place[at], block[at]) for at in middle if free[at]]))
    return found


def _align(blocks: Blocks, medians: list[_Median]) -> list[int]:
    """For each block the first of the line it stands in. Lines do not cross: the first from the left has its way."""
    root = list(range(blocks.count))
    taken, row = -1, -1
    for rank, block, candidates in medians:
        if rank != row:
            taken, row = -1, rank
        for place, other in candidates:
            if place > taken:
                root[block] = root[other]
                taken = place
                break
    return root


def pushed_right(blocks: Blocks, roots: Ints, least: Doubles) -> tuple[list[float], list[int], _Onwards]:
    """Lines of blocks at their `least` places or as far right of there as those left of them make necessary.

    Besides the places of the lines, the lines in an order from the left and for each those right of it, with gaps.
    """
    count = blocks.count
    left, right, gaps = roots[blocks.left].tolist(), roots[blocks.right].tolist(), blocks.gaps.tolist()
    onwards: _Onwards = [[] for _ in range(count)]
    waiting = [0] * count
    for before, after, gap in zip(left, right, gaps, strict=True):
        onwards[before].append((after, gap))
        waiting[after] += 1
    x: list[float] = least.tolist()
    ready = [line for line in range(count) if not waiting[line]]
    for line in ready:
        at = x[line]
        for after, gap in onwards[line]:
            if at + gap > x[after]:
                x[after] = at + gap
            waiting[after] -= 1
            if not waiting[after]:
                ready.append(after)
    return x, ready, onwards


def _compact(blocks: Blocks, roots: Ints) -> Doubles:
    """Lines as far left as their neighbours allow, then pulled right again where the next one leaves room."""
    x, order, onwards = pushed_right(blocks, roots, np.zeros(blocks.count))
    for line in reversed(order):
        if onwards[line]:
            x[line] = max(x[line], min([x[after] - gap for after, gap in onwards[line]]))
    return np.array(x, np.float64)[roots]


def _middle(layouts: list[Doubles]) -> Doubles:
    """The mean of the two middle ones of four layouts, all moved to where the narrowest stands."""
    narrowest = min(layouts, key=lambda x: float(np.ptp(x)))
    low, high = narrowest.min(), narrowest.max()
    moved = [x + (low - x.min() if number % 2 == 0 else high - x.max()) for number, x in enumerate(layouts)]
    middle: Doubles = np.sort(moved, axis=0)[1:3].mean(axis=0)
    return middle
