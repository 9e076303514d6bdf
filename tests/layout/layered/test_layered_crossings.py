"""Crossings: counted right, and as few as can be where that is known."""

from __future__ import annotations

import random
from itertools import combinations, pairwise

import numpy as np
import pytest
from layered_graphs import crossings, random_level

from xlaviz.layout.layered import lay_out_level
from xlaviz.layout.layered.crossings import count_crossings, crossings_by_rank, swap_gains
from xlaviz.layout.layered.order import depth_first_order, first_order
from xlaviz.layout.layered.proper import make_proper
from xlaviz.layout.layered.ranks import assign_ranks
from xlaviz.layout.layered.refine import refine
from xlaviz.layout.model import LevelInput

BOX = (60.0, 22.0)


def level_of(count: int, edges: list[tuple[int, int]]) -> LevelInput:
    return LevelInput((BOX,) * count, tuple(edges))


def proper_of(level: LevelInput):
    edges = sorted({edge for edge in level.edges if edge[0] != edge[1]})
    return make_proper(assign_ranks(len(level.sizes), edges), edges, longest=1000)


def slow_count(graph, positions) -> int:
    steps = list(zip(graph.above.tolist(), graph.below.tolist(), strict=True))
    return sum(
        graph.rank[a] == graph.rank[c] and (positions[a] - positions[c]) * (positions[b] - positions[d]) < 0
        for (a, b), (c, d) in combinations(steps, 2)
    )


@pytest.mark.parametrize("seed", range(20))
def test_counting_agrees_with_looking_at_every_pair(seed: int) -> None:
    graph = proper_of(random_level(seed, most=30))
    positions = depth_first_order(graph, from_sinks=seed % 2 == 0)
    expected = slow_count(graph, positions)
    assert count_crossings(graph, positions) == expected
    assert crossings_by_rank(graph, positions).sum() == expected


def test_counting_many_edges_agrees_too() -> None:
    random_ = random.Random(0)
    edges = sorted({(random_.randrange(40), 40 + random_.randrange(40)) for _ in range(600)})
    graph = make_proper([0] * 40 + [1] * 40, edges, longest=9)
    positions = np.arange(80) % 40
    assert count_crossings(graph, positions) == slow_count(graph, positions)


@pytest.mark.parametrize("seed", range(10))
def test_an_exchange_gains_what_it_says(seed: int) -> None:
    graph = proper_of(random_level(seed, most=30))
    positions = depth_first_order(graph, from_sinks=True)
    order = np.lexsort((positions, graph.rank))
    pairs = [(a, b) for a, b in pairwise(order) if graph.rank[a] == graph.rank[b]]
    for a, b in pairs:
        left, right = np.array([a]), np.array([b])
        gain = swap_gains(graph.up, positions, left, right) + swap_gains(graph.down, positions, left, right)
        swapped = positions.copy()
        swapped[[a, b]] = swapped[[b, a]]
        assert count_crossings(graph, positions) - count_crossings(graph, swapped) == gain[0]


@pytest.mark.parametrize("seed", range(10))
def test_orders_are_counted_as_they_are_and_refining_does_not_make_them_worse(seed: int) -> None:
    graph = proper_of(random_level(seed, most=80))
    order = first_order(graph)
    assert order.crossings == count_crossings(graph, order.positions)
    tries = iter(range(60))
    better = refine(graph, order, lambda: next(tries) >= 50, np.random.default_rng(0))
    assert better.crossings == count_crossings(graph, better.positions) <= order.crossings
    for start, stop in zip(graph.offsets, graph.offsets[1:], strict=False):
        assert sorted(better.positions[start:stop]) == list(range(stop - start))


@pytest.mark.parametrize("turned", [False, True])
def test_a_tree_has_none(turned: bool) -> None:
    random_ = random.Random(5)
    edges = [(random_.randrange(max(0, node - 8), node), node) for node in range(1, 80)]
    level = level_of(80, [(b, a) for a, b in edges] if turned else edges)
    assert crossings(level, lay_out_level(level)) == 0


def test_two_by_two_has_one() -> None:
    level = level_of(4, [(0, 2), (0, 3), (1, 2), (1, 3)])
    assert crossings(level, lay_out_level(level)) == 1


def test_three_by_three_has_nine() -> None:
    level = level_of(6, [(a, b) for a in range(3) for b in range(3, 6)])
    assert crossings(level, lay_out_level(level)) == 9


def test_a_ladder_has_none() -> None:
    edges = [(n, n + 1) for n in range(11)] + [(n, n + 1) for n in range(12, 23)]
    edges += [(n, n + 13) for n in range(0, 11, 2)]
    level = level_of(24, edges)
    assert crossings(level, lay_out_level(level)) == 0


def test_residual_blocks_have_none() -> None:
    """A chain with a way round every three of its nodes, as in a transformer."""
    edges = [(n, n + 1) for n in range(30)] + [(n, n + 3) for n in range(0, 28, 3)]
    level = level_of(31, edges)
    assert crossings(level, lay_out_level(level)) == 0
