"""Moves pieces sideways, within the room their neighbours leave, to where their edges become short and straight."""

from __future__ import annotations

import numpy as np

from xlaviz.layout.layered.blocks import Blocks
from xlaviz.layout.layered.proper import Doubles, Ints

_ROUNDS = 2
_Links = list[list[tuple[int, float]]]


def straighten(blocks: Blocks, weights: Doubles, places: Doubles) -> Doubles:
    """The weighted sideways lengths of the edges made smaller one piece at a time, to and fro: linear in all."""
    x: list[float] = places.tolist()
    before = _links(blocks.count, blocks.right, blocks.left, blocks.gaps)
    after = _links(blocks.count, blocks.left, blocks.right, blocks.gaps)
    joined: list[list[tuple[int, float, float]]] = [[] for _ in range(blocks.count)]
    for above, below, offset, weight in zip(
        blocks.above.tolist(), blocks.below.tolist(), blocks.offsets.tolist(), weights.tolist(), strict=True
    ):
        joined[above].append((below, offset, weight))
        joined[below].append((above, -offset, weight))
    order = [block for block in np.argsort(places, kind="stable").tolist() if joined[block]]
    for number in range(_ROUNDS):
        for block in order if number % 2 == 0 else reversed(order):
            at = x[block]
            want = _median([(x[other] + offset, weight) for other, offset, weight in joined[block]], at)
            if want < at:
                x[block] = min(at, max([want, *[x[other] + gap for other, gap in before[block]]]))
            elif want > at:
                x[block] = max(at, min([want, *[x[other] - gap for other, gap in after[block]]]))
    return np.array(x)


def _median(values: list[tuple[float, float]], at: float) -> float:
    """The place nearest to `at` of those that make the weighted sum of distances least."""
    if len(values) == 1:
        return values[0][0]
    values.sort()
    half = sum([weight for _, weight in values]) / 2
    for number, (value, weight) in enumerate(values):
        half -= weight
        if half <= 0:
            low, high = value, values[number + 1][0] if half == 0 else value
            return min(max(at, low), high)
    return at


def _links(count: int, source: Ints, target: Ints, amounts: Doubles) -> _Links:
    links: _Links = [[] for _ in range(count)]
    for one, other, amount in zip(source.tolist(), target.tolist(), amounts.tolist(), strict=True):
        links[one].append((other, amount))
    return links
