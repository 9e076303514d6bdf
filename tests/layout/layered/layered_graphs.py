"""Graphs made at random, and what must hold for every layout of them."""

from __future__ import annotations

import random
from collections.abc import Sequence

import numpy as np

from xlaviz.layout.model import LevelInput, LevelPlaces

Point = tuple[float, float]


def random_level(seed: int, *, most: int = 60, cycles: bool = False, ports: bool = False) -> LevelInput:
    """Chains, joins and long edges in changing shares; boxes of all sizes; some nodes alone."""
    random_ = random.Random(seed)
    count = random_.randint(1, most)
    sizes = tuple((random_.uniform(1, 220), random_.choice((22.0, 22.0, random_.uniform(1, 90)))) for _ in range(count))
    reach = random_.choice((2, 5, count))
    edges = []
    for target in range(1, count):
        for _ in range(random_.choice((0, 1, 1, 1, 2, 3))):
            edges.append((max(0, target - random_.randint(1, reach)), target))
    if cycles and count > 2:
        edges += [(random_.randrange(count), random_.randrange(count)) for _ in range(random_.randint(1, 6))]
        edges += random_.choices(edges, k=2)
    random_.shuffle(edges)
    chosen = tuple(sorted(random_.sample(range(count), min(count, 4)))) if ports else ()
    return LevelInput(sizes, tuple(edges), chosen)


def boxes(level: LevelInput, places: LevelPlaces) -> np.ndarray:
    """Left, top, right, bottom of each box."""
    middles, sizes = np.array(places.centres).reshape(-1, 2), np.array(level.sizes).reshape(-1, 2)
    return np.hstack((middles - sizes / 2, middles + sizes / 2))


def overlapping(level: LevelInput, places: LevelPlaces) -> list[tuple[int, int]]:
    around = boxes(level, places)
    left, top, right, bottom = around.T
    apart = 1e-6
    both = (left[:, None] < right - apart) & (left < right[:, None] - apart)
    both &= (top[:, None] < bottom - apart) & (top < bottom[:, None] - apart)
    return [(a, b) for a, b in np.argwhere(both).tolist() if a < b]


def points_along(route: Sequence[Point], each: int = 12) -> np.ndarray:
    """Points on a curve of cubic Bezier pieces."""
    at = np.linspace(0, 1, each)[:, None]
    control = np.array(route)
    pieces = []
    for start in range(0, len(control) - 1, 3):
        a, b, c, d = control[start : start + 4]
        pieces.append(a * (1 - at) ** 3 + 3 * b * at * (1 - at) ** 2 + 3 * c * at**2 * (1 - at) + d * at**3)
    return np.vstack(pieces)


def crossings(level: LevelInput, places: LevelPlaces) -> int:
    """Proper crossings of the straight lines between the middles of boxes."""
    lines = [(np.array(places.centres[a]), np.array(places.centres[b])) for a, b in level.edges]

    def side(a: np.ndarray, b: np.ndarray, c: np.ndarray) -> float:
        return float(np.sign(round((b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]), 6)))

    return sum(
        side(a, b, c) * side(a, b, d) < 0 and side(c, d, a) * side(c, d, b) < 0
        for number, (a, b) in enumerate(lines)
        for c, d in lines[number + 1 :]
    )
