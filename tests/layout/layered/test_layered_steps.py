"""The steps one by one: cycles, ranks, the network simplex, places of a long edge."""

from __future__ import annotations

import itertools
import random

import numpy as np
import pytest
from layered_graphs import random_level

from xlaviz.layout.layered.acyclic import make_acyclic
from xlaviz.layout.layered.components import apart, connected_parts, pack
from xlaviz.layout.layered.proper import make_proper
from xlaviz.layout.layered.ranks import assign_ranks
from xlaviz.layout.layered.simplex import Line, minimise


@pytest.mark.parametrize("seed", range(30))
def test_turned_edges_leave_no_cycle(seed: int) -> None:
    level = random_level(seed, cycles=True, ports=seed % 2 == 0)
    graph = make_acyclic(len(level.sizes), level.edges, level.ports)
    assert len(set(graph.edges)) == len(graph.edges)
    ranks = assign_ranks(graph.count, graph.edges, level.ports)
    assert all(ranks[source] < ranks[target] for source, target in graph.edges)
    for edge, index, flipped in zip(level.edges, graph.of_edge, graph.flipped, strict=True):
        if index >= 0:
            assert graph.edges[index] == (edge[::-1] if flipped else edge)


def test_an_acyclic_graph_is_left_alone() -> None:
    edges = [(0, 1), (1, 2), (0, 2)]
    graph = make_acyclic(3, edges)
    assert graph.edges == tuple(edges)
    assert not any(graph.flipped)


@pytest.mark.parametrize("seed", range(20))
def test_ranks_are_as_close_as_any(seed: int) -> None:
    random_ = random.Random(seed)
    count = random_.randint(2, 6)
    edges = [(a, b) for a in range(count) for b in range(a + 1, count) if random_.random() < 0.5]
    ranks = assign_ranks(count, edges)
    least = min(
        sum(tried[b] - tried[a] for a, b in edges)
        for tried in itertools.product(range(count), repeat=count)
        if all(tried[a] < tried[b] for a, b in edges)
    )
    assert sum(ranks[b] - ranks[a] for a, b in edges) == least


def test_ports_are_alone_on_rank_0() -> None:
    ranks = assign_ranks(5, [(0, 2), (2, 3), (4, 3)], ports=[0, 1])
    assert [node for node, rank in enumerate(ranks) if rank == 0] == [0, 1]


def test_old_ranks_are_kept_where_edges_allow() -> None:
    edges = [(0, 1), (1, 2), (3, 2)]
    assert assign_ranks(4, edges, old={0: 0, 1: 4, 2: 6, 3: 1}) == [0, 4, 6, 1]
    assert assign_ranks(3, [(0, 1), (1, 2)], old={0: 0, 2: 1}) == [0, 1, 2]


@pytest.mark.parametrize("seed", range(40))
def test_the_simplex_finds_the_least(seed: int) -> None:
    random_ = random.Random(seed)
    count = random_.randint(2, 4)
    line = _random_line(random_, count)
    start = np.zeros(count)
    for node in range(count):
        for left, right, gap in zip(line.left, line.right, line.gaps, strict=True):
            if right == node:
                start[node] = max(start[node], start[left] + gap)
    found = minimise(line, start, steps=1000)
    assert (found[line.right] - found[line.left] >= line.gaps).all()
    tried = [np.array(x, float) for x in itertools.product(range(8), repeat=count)]
    least = min(_cost(line, x) for x in tried if (x[line.right] - x[line.left] >= line.gaps).all())
    assert _cost(line, found) == pytest.approx(least)


def _random_line(random_: random.Random, count: int) -> Line:
    pairs = [(a, b) for a in range(count) for b in range(a + 1, count) if random_.random() < 0.5]
    joined = [random_.sample(range(count), 2) for _ in range(random_.randint(1, 6))]
    return Line(
        costs=np.zeros(count),
        left=np.array([a for a, _ in pairs], np.int64),
        right=np.array([b for _, b in pairs], np.int64),
        gaps=np.array([random_.randint(1, 2) for _ in pairs], float),
        a=np.array([a for a, _ in joined]),
        b=np.array([b for _, b in joined]),
        offsets=np.array([random_.randint(-1, 1) for _ in joined], float),
        weights=np.array([random_.randint(1, 4) for _ in joined], float),
    )


def _cost(line: Line, x: np.ndarray) -> float:
    return float((line.weights * np.abs(x[line.b] + line.offsets - x[line.a])).sum())


def test_a_long_edge_has_a_vertex_on_each_rank_it_passes() -> None:
    graph = make_proper([0, 1, 4], [(0, 1), (1, 2), (0, 2)], longest=9)
    assert np.bincount(graph.rank).tolist() == [1, 2, 2, 2, 1]
    assert [len(graph.path[a:b]) for a, b in itertools.pairwise(graph.path_starts)] == [2, 4, 5]
    short = make_proper([0, 1, 4], [(0, 1), (1, 2), (0, 2)], longest=3)
    assert np.diff(short.path_starts).tolist() == [2, 4, 0]


def test_connected_parts() -> None:
    assert connected_parts(6, [(4, 1), (1, 5), (2, 3)]) == [[0], [1, 4, 5], [2, 3]]


@pytest.mark.parametrize("seed", range(10))
def test_packed_parts_do_not_overlap(seed: int) -> None:
    random_ = random.Random(seed)
    sizes = [(random_.uniform(1, 900), random_.uniform(1, 900)) for _ in range(random_.randint(1, 40))]
    assert all(apart(sizes, pack(sizes, 10.0)))


def test_of_two_parts_that_overlap_the_larger_one_stays() -> None:
    assert apart([(10, 10), (20, 10), (10, 10)], [(0, 0), (9, 9), (29, 0)]) == [False, True, True]
