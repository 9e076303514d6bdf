"""Stability: an earlier layout is kept as far as it can be."""

from __future__ import annotations

import random
from statistics import median

import pytest
from layered_graphs import overlapping, random_level

from xlaviz.layout.layered import lay_out_level, layouts
from xlaviz.layout.model import LevelInput, LevelPlaces


def module(seed: int, count: int = 200) -> LevelInput:
    """Something like a program: a backbone, constants beside it, now and then a long way back."""
    random_ = random.Random(seed)
    edges: list[tuple[int, int]] = []
    backbone = [0]
    for node in range(1, count):
        if random_.random() < 0.4:
            edges.append((backbone[-1], node))
            if len(backbone) > 9 and random_.random() < 0.3:
                edges.append((random_.choice(backbone[:-5]), node))
            backbone.append(node)
    for node in range(1, count):
        if node not in backbone:
            edges.append((node, random_.choice(backbone[1:])))
    return LevelInput(tuple((random_.uniform(60, 160), 22.0) for _ in range(count)), tuple(sorted(set(edges))))


def moves(old: LevelPlaces, new: LevelPlaces, kept: dict[int, int]) -> list[float]:
    """How far boxes went, but for what all did."""
    steps = [
        (new.centres[now][0] - old.centres[before][0], new.centres[now][1] - old.centres[before][1])
        for before, now in kept.items()
    ]
    x, y = median(x for x, _ in steps), median(y for _, y in steps)
    return sorted(((a - x) ** 2 + (b - y) ** 2) ** 0.5 for a, b in steps)


@pytest.mark.parametrize("seed", range(4))
def test_the_same_graph_stays_where_it_is(seed: int) -> None:
    level = module(seed)
    old = lay_out_level(level)
    new = lay_out_level(level, seed=dict(enumerate(old.centres)), seed_routes=dict(enumerate(old.routes)))
    distances = moves(old, new, {node: node for node in range(len(level.sizes))})
    assert median(distances) == 0
    assert distances[int(len(distances) * 0.95)] < 20


@pytest.mark.parametrize("seed", range(6))
def test_a_small_change_moves_little(seed: int) -> None:
    level = module(seed)
    old = lay_out_level(level)
    random_ = random.Random(seed)
    gone = set(random_.sample([source for source, _ in level.edges if source % 3], 3))
    kept = {node: number for number, node in enumerate(n for n in range(len(level.sizes)) if n not in gone)}
    edges = [(kept[a], kept[b]) for a, b in level.edges if a in kept and b in kept]
    new_node = len(kept)
    edges += [(new_node, random_.choice(edges)[1]), (random_.choice(edges)[0], new_node + 1)]
    changed = LevelInput((*(level.sizes[node] for node in kept), (90.0, 22.0), (70.0, 22.0)), tuple(edges))
    number = {edge: index for index, edge in enumerate(changed.edges)}
    routes = {
        number[kept[a], kept[b]]: route
        for (a, b), route in zip(level.edges, old.routes, strict=True)
        if a in kept and b in kept
    }
    new = lay_out_level(changed, seed={kept[n]: old.centres[n] for n in kept}, seed_routes=routes)
    assert overlapping(changed, new) == []
    assert median(moves(old, new, kept)) < 40


@pytest.mark.parametrize("seed", range(20))
def test_any_seed_leads_to_a_sound_layout(seed: int) -> None:
    random_ = random.Random(seed)
    level = random_level(seed, cycles=seed % 2 == 0, ports=seed % 3 == 0)
    nodes = random_.sample(range(len(level.sizes)), random_.randint(1, len(level.sizes)))
    places = {node: (random_.uniform(0, 900), random_.uniform(0, 900)) for node in nodes}
    found = lay_out_level(level, seed=places)
    assert overlapping(level, found) == []
    assert found == lay_out_level(level, seed=places)


def test_a_seeded_layout_is_final() -> None:
    level = module(1, 60)
    old = lay_out_level(level)
    assert len(list(layouts(level, seed=dict(enumerate(old.centres)), refine_s=0.2))) == 1
