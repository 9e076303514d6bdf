"""Making an order better for as long as one likes: shake some ranks, sort them anew, keep what has fewer crossings."""

from __future__ import annotations

from collections.abc import Callable
from itertools import count

import numpy as np

from xlaviz.layout.layered.crossings import count_crossings, crossings_by_rank
from xlaviz.layout.layered.order import Order, exchange, improve, sweep
from xlaviz.layout.layered.proper import Ints, Proper

_FIRST_SWEEPS = 60
_SHAKES = (0.6, 2.0, 6.0)
"""How far vertices are thrown, in places."""
_SWEEPS = 6
_SURVEY = 32
"""Tries after which to look again where the crossings are."""
_MOST_VERTICES = 100_000
"""Vertices in one stretch: a try must not take long."""


def refine(graph: Proper, order: Order, stopped: Callable[[], bool], random: np.random.Generator) -> Order:
    """Iterated local search over stretches of ranks, of all lengths, near where the crossings are."""
    order = improve(graph, order, _FIRST_SWEEPS, stopped)
    longest = min(1.0, _MOST_VERTICES / graph.count) * graph.rank_count + 2
    for number in count():
        if stopped():
            break
        if number % _SURVEY == 0:
            below = crossings_by_rank(graph, order.positions).cumsum()
        if not below[-1]:
            break
        middle = int(np.searchsorted(below, random.integers(below[-1]), "right"))
        reach = int(2 ** random.uniform(1.0, np.log2(longest)))
        ranks = range(max(0, middle - reach), min(graph.rank_count, middle + reach + 2))
        order = _retry(graph, order, ranks, random, number)
    return order


def _retry(graph: Proper, order: Order, ranks: range, random: np.random.Generator, number: int) -> Order:
    """Shake and sort one stretch of ranks; take over the best that comes by, if it is better."""
    stretch = slice(graph.offsets[ranks.start], graph.offsets[ranks.stop])
    positions = order.positions.copy()
    _shake(graph, positions, stretch, random, _SHAKES[number % len(_SHAKES)])
    before = least = count_crossings(graph, order.positions, ranks)
    best = None
    for turn in range(_SWEEPS):
        sweep(graph, positions, ranks, downwards=(number + turn) % 2 == 0)
        exchange(graph, positions, ranks)
        crossings = count_crossings(graph, positions, ranks)
        if crossings < least:
            least, best = crossings, positions[stretch].copy()
    if best is None:
        return order
    positions = order.positions.copy()
    positions[stretch] = best
    return Order(positions, order.crossings - before + least)


def _shake(graph: Proper, positions: Ints, stretch: slice, random: np.random.Generator, amount: float) -> None:
    rank = graph.rank[stretch]
    keys = positions[stretch] + random.normal(0.0, amount, len(rank))
    moved = np.empty(len(rank), np.int64)
    moved[np.lexsort((keys, rank))] = np.arange(stretch.start, stretch.stop) - np.array(graph.offsets)[rank]
    positions[stretch] = moved
