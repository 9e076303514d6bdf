"""Counting crossings between neighbouring ranks, many ranks at once."""

from __future__ import annotations

import numpy as np

from xlaviz.layout.layered.proper import Ints, Proper, Side

_FEW = 200
"""Edges that are compared each with each."""


def count_crossings(graph: Proper, positions: Ints, ranks: range | None = None) -> int:
    """Crossings of a drawing with the vertices of each rank in the order of `positions`; of the edges at `ranks` only.

    Two edges between the same ranks cross where their ends are in opposite order, so crossings are inversions (Barth,
    Juenger, Mutzel 2002).
    """
    return int(_inversions(*_ends_in_order(graph, positions, ranks))[1].sum())


def crossings_by_rank(graph: Proper, positions: Ints) -> Ints:
    """Crossings below each rank."""
    counts = np.zeros(graph.rank_count, np.int64)
    np.add.at(counts, *_inversions(*_ends_in_order(graph, positions, None)))
    return counts


def _ends_in_order(graph: Proper, positions: Ints, ranks: range | None) -> tuple[Ints, Ints]:
    """Rank and place of the lower end of each edge, by rank, upper end and lower end."""
    first, last = (max(0, ranks.start - 1), ranks.stop) if ranks else (0, graph.rank_count)
    start, stop = graph.offsets[first], graph.offsets[min(last, graph.rank_count)]
    below = graph.down.neighbours[graph.down.starts[start] : graph.down.starts[stop]]
    above = np.arange(start, stop).repeat(graph.down.degrees[start:stop])
    upper, lower, rank = positions[above], positions[below], graph.rank[above]
    width = int(lower.max(initial=0)) + 1
    in_order = ((rank * graph.width + upper) * width + lower).argsort()
    return rank, lower[in_order]


def _inversions(groups: Ints, values: Ints) -> tuple[Ints, Ints]:
    """Pairs of `values` in falling order within each group, as groups and numbers to add up.

    `groups` must be sorted. A radix sort from the highest bit that counts as it goes: values that agree in all bits
    above are out of order where a 1 comes before a 0.
    """
    bits = int(values.max(initial=0)).bit_length()
    keys = _out_of_order((groups << bits) | values)
    groups = keys >> bits
    if len(keys) <= _FEW:  # of two keys in falling order both are of one group
        return groups, np.triu(keys[:, None] > keys).sum(axis=1)
    places = np.arange(len(keys))
    found = np.zeros(len(keys), np.int64)
    for bit in range(bits - 1, -1, -1):
        ones = (keys >> bit) & 1
        prefix = keys >> (bit + 1)
        starts = np.flatnonzero(np.concatenate(([True], prefix[1:] != prefix[:-1])))
        sizes = np.diff(np.append(starts, len(keys)))
        before = np.cumsum(ones) - ones
        ones_before = before - np.repeat(before[starts], sizes)
        zero = ones == 0
        found += np.where(zero, ones_before, 0)
        after_zeros = np.repeat(starts + sizes - np.add.reduceat(ones, starts), sizes)
        moved = np.empty_like(keys)
        moved[np.where(zero, places - ones_before, after_zeros + ones_before)] = keys
        keys = moved
    return groups, found


def _out_of_order(keys: Ints) -> Ints:
    """Those that something greater comes before or something smaller after."""
    greater = np.maximum.accumulate(keys) > keys
    smaller = np.minimum.accumulate(keys[::-1])[::-1] < keys
    return keys[greater | smaller]


def swap_gains(side: Side, positions: Ints, left: Ints, right: Ints) -> Ints:
    """For pairs of neighbours on a rank: how many crossings towards one side go away when they change places."""
    first, second = side.only[left], side.only[right]
    gains: Ints = np.sign(positions[first] - positions[second])
    rest = (np.minimum(first, second) < 0).nonzero()[0]
    if len(rest):
        gains[rest] = _swap_gains_of_many(side, positions, left[rest], right[rest])
    return gains


def _swap_gains_of_many(side: Side, positions: Ints, left: Ints, right: Ints) -> Ints:
    """The same for vertices with any number of neighbours: each of the left against each of the right."""
    left_degree, right_degree = side.degrees[left], side.degrees[right]
    products = left_degree * right_degree
    gains = np.zeros(len(left), np.int64)
    some = products.nonzero()[0]
    if len(some):
        counts = products[some]
        ends = counts.cumsum()
        pair = some.repeat(counts)
        first, second = np.divmod(np.arange(ends[-1]) - (ends - counts).repeat(counts), right_degree[pair])
        ends_of_left = positions[side.neighbours[side.starts[left[pair]] + first]]
        ends_of_right = positions[side.neighbours[side.starts[right[pair]] + second]]
        gains[some] = np.add.reduceat(np.sign(ends_of_left - ends_of_right), ends - counts)
    return gains
