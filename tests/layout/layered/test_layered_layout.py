"""What holds for every layout: boxes apart, edges downwards and clear of boxes, the same result each time."""

from __future__ import annotations

import itertools
import random
from dataclasses import replace

import numpy as np
import pytest
from layered_graphs import boxes, overlapping, points_along, random_level

from xlaviz.layout.layered import lay_out_level, lay_out_levels, layouts
from xlaviz.layout.layered.acyclic import make_acyclic
from xlaviz.layout.model import LevelInput

SEEDS = range(60)
BOX = (100.0, 22.0)


@pytest.mark.parametrize("seed", SEEDS)
def test_boxes_do_not_overlap_and_fill_the_drawing(seed: int) -> None:
    level = random_level(seed, cycles=seed % 3 == 0, ports=seed % 4 == 0)
    places = lay_out_level(level)
    assert overlapping(level, places) == []
    around = boxes(level, places)
    assert (around[:, :2] >= -1e-6).all()
    assert (around[:, 2:] <= np.array((places.width, places.height)) + 1e-6).all()


@pytest.mark.parametrize("seed", SEEDS)
def test_edges_lead_down_but_those_that_close_a_cycle(seed: int) -> None:
    level = random_level(seed, cycles=seed % 2 == 0)
    around = boxes(level, lay_out_level(level))
    flipped = make_acyclic(len(level.sizes), level.edges).flipped
    for (source, target), up in zip(level.edges, flipped, strict=True):
        if source != target:
            upper, lower = (target, source) if up else (source, target)
            assert around[upper, 3] < around[lower, 1]


@pytest.mark.parametrize("seed", SEEDS)
def test_routes_end_on_the_borders_of_their_boxes(seed: int) -> None:
    level = random_level(seed, cycles=seed % 2 == 0, ports=seed % 5 == 0)
    places = lay_out_level(level)
    around = boxes(level, places)
    assert len(places.routes) == len(level.edges)
    for (source, target), route in zip(level.edges, places.routes, strict=True):
        assert len(route) % 3 == 1
        assert len(route) >= 4
        assert np.isfinite(route).all()
        for node, (x, y) in ((source, route[0]), (target, route[-1])):
            assert around[node, 0] - 1e-6 <= x <= around[node, 2] + 1e-6
            assert min(abs(y - around[node, 1]), abs(y - around[node, 3])) < 1e-6
        pieces = np.linalg.norm(np.diff(np.array(route)[::3], axis=0), axis=1)
        assert (pieces > 0.1).all()
        assert route[-1] != route[-2]


@pytest.mark.parametrize("seed", SEEDS)
def test_routes_keep_clear_of_other_boxes(seed: int) -> None:
    level = random_level(seed, most=40)
    places = lay_out_level(level)
    left, top, right, bottom = boxes(level, places).T[:, :, None]
    for (source, target), route in zip(level.edges, places.routes, strict=True):
        x, y = points_along(route).T
        inside = (x > left + 1e-6) & (x < right - 1e-6) & (y > top + 1e-6) & (y < bottom - 1e-6)
        assert set(np.flatnonzero(inside.any(axis=1)).tolist()) <= {source, target}
        assert (np.diff(y) >= -1e-6).all()


@pytest.mark.parametrize("seed", range(12))
def test_the_same_graph_has_the_same_layout(seed: int) -> None:
    level = random_level(seed, cycles=True, ports=True)
    assert lay_out_level(level) == lay_out_level(level)


@pytest.mark.parametrize("seed", range(12))
def test_refining_keeps_what_must_hold(seed: int) -> None:
    level = random_level(seed, most=120)
    found = list(layouts(level, refine_s=0.1))
    assert found[0] == lay_out_level(level)
    assert len(found) <= 2
    assert overlapping(level, found[-1]) == []


def test_nothing_to_place() -> None:
    places = lay_out_level(LevelInput((), ()))
    assert (places.centres, places.routes, places.width, places.height) == ((), (), 0.0, 0.0)


def test_one_box_fills_its_level() -> None:
    places = lay_out_level(LevelInput((BOX,), ()))
    assert (places.centres, places.width, places.height) == (((50.0, 11.0),), *BOX)


def test_a_self_loop_leaves_the_box_and_comes_back() -> None:
    (route,) = lay_out_level(LevelInput((BOX,), ((0, 0),))).routes
    assert route[0] == (50.0, 22.0)
    assert route[-1] == (50.0, 0.0)
    assert points_along(route)[:, 0].max() > 100.0


def test_parallel_edges_each_have_a_route() -> None:
    places = lay_out_level(LevelInput((BOX, BOX), ((0, 1), (0, 1))))
    assert places.routes[0] == places.routes[1]


def test_a_chain_is_straight() -> None:
    level = LevelInput(tuple((60.0 + 7 * n, 22.0) for n in range(8)), tuple((n, n + 1) for n in range(7)))
    assert len({x for x, _ in lay_out_level(level).centres}) == 1


@pytest.mark.parametrize("seed", range(20))
def test_ports_stand_alone_on_the_first_rank(seed: int) -> None:
    level = random_level(seed, ports=True)
    around = boxes(level, lay_out_level(level))
    ports, others = [*level.ports], [node for node in range(len(level.sizes)) if node not in level.ports]
    if others:
        assert around[ports, 3].max() < around[others, 1].min()


def test_nodes_without_edges_stand_in_rows() -> None:
    level = LevelInput((BOX,) * 100, ())
    places = lay_out_level(level)
    assert overlapping(level, places) == []
    assert 0.5 < places.width / places.height < 4


def test_parts_that_no_edge_joins_stand_side_by_side() -> None:
    chain = [(n, n + 1) for n in range(9)]
    edges = tuple((a + 10 * part, b + 10 * part) for part in range(12) for a, b in chain)
    level = LevelInput((BOX,) * 120, edges)
    places = lay_out_level(level)
    assert overlapping(level, places) == []
    assert 0.4 < places.width / places.height < 4


def test_edges_into_one_box_end_apart_in_the_order_they_come_from() -> None:
    level = LevelInput((BOX,) * 6, tuple((n, 5) for n in range(5)))
    places = lay_out_level(level)
    ends = sorted((places.centres[n][0], places.routes[n][-1][0]) for n in range(5))
    assert all(after[1] - before[1] >= 8 for before, after in itertools.pairwise(ends))


def test_a_box_wider_than_everything_else() -> None:
    level = LevelInput(((9000.0, 22.0), *[BOX] * 10), tuple((0, n) for n in range(1, 11)))
    assert lay_out_level(level).width == pytest.approx(9000.0)


def test_several_levels_at_once() -> None:
    levels = [random_level(seed) for seed in range(5)]
    assert lay_out_levels(levels) == [lay_out_level(level) for level in levels]


def test_an_edge_can_lead_to_a_place_within_a_box() -> None:
    ends = ((0, 0.0, 150.0), (1, -80.0, 40.0))
    places = lay_out_level(LevelInput(((400.0, 200.0), BOX, (300.0, 90.0)), ((1, 0), (0, 2)), ends=ends))
    (frame, *_), (into, out) = places.centres, places.routes
    assert into[-1] == (frame[0] + 150, frame[1] - 100)
    assert out[0] == (frame[0] - 80, frame[1] + 100)
    assert out[-1][0] == places.centres[2][0] + 40
    assert {x for x, _ in into} == {into[0][0]}
    assert {x for x, _ in out} == {out[0][0]}


@pytest.mark.parametrize("seed", range(20))
def test_places_within_boxes_change_no_rule(seed: int) -> None:
    level = random_level(seed, cycles=True)
    random_ = random.Random(seed)
    ends = tuple(
        (edge, random_.uniform(-0.4, 0.4) * level.sizes[a][0], random_.uniform(-0.4, 0.4) * level.sizes[b][0])
        for edge, (a, b) in enumerate(level.edges)
        if random_.random() < 0.5
    )
    places = lay_out_level(replace(level, ends=ends))
    assert overlapping(level, places) == []
    assert all(np.isfinite(route).all() for route in places.routes)
