"""Parts that no edge joins are laid out alone and packed side by side."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from xlaviz.layout.layered.acyclic import Edge

PART_GAP_PX = 40.0
_ASPECT = 1.5
"""Width to height that a packed drawing should come near to."""

Size = tuple[float, float]
Corner = tuple[float, float]


def connected_parts(count: int, edges: Sequence[Edge]) -> list[list[int]]:
    """Nodes of each connected part, in order; the parts by their first node."""
    above = list(range(count))

    def top(node: int) -> int:
        while above[node] != node:
            above[node] = above[above[node]]
            node = above[node]
        return node

    for source, target in edges:
        one, other = top(source), top(target)
        above[max(one, other)] = min(one, other)
    parts: dict[int, list[int]] = {}
    for node in range(count):
        parts.setdefault(top(node), []).append(node)
    return list(parts.values())


def pack(sizes: Sequence[Size], gap: float) -> list[Corner]:
    """Corners of rectangles that do not overlap: on shelves or in columns, whichever fills a window better."""
    if not sizes:
        return []
    turned = [(height, width) for width, height in sizes]
    shelves = _shelves(sizes, gap, _ASPECT)
    columns = [(x, y) for y, x in _shelves(turned, gap, 1 / _ASPECT)]
    return min(shelves, columns, key=lambda corners: _extent(sizes, corners))


def apart(sizes: Sequence[Size], corners: Sequence[Corner]) -> list[bool]:
    """Which of these rectangles to keep so that none overlap: the larger of two that do."""
    left, top = np.array(corners, np.float64).reshape(-1, 2).T
    right, bottom = left + [width for width, _ in sizes], top + [height for _, height in sizes]
    kept = np.zeros(len(sizes), bool)
    for number in sorted(range(len(sizes)), key=lambda number: -sizes[number][0] * sizes[number][1]):
        beside = (left >= right[number]) | (right <= left[number]) | (top >= bottom[number]) | (bottom <= top[number])
        kept[number] = bool((beside | ~kept).all())
    return kept.tolist()


def _shelves(sizes: Sequence[Size], gap: float, aspect: float) -> list[Corner]:
    """From the highest to the lowest, left to right, a new shelf where the present one is full."""
    area = sum((width + gap) * (height + gap) for width, height in sizes)
    limit = max(max(width for width, _ in sizes), float((area * aspect) ** 0.5))
    corners: list[Corner] = [(0.0, 0.0)] * len(sizes)
    x = y = shelf = 0.0
    for index in sorted(range(len(sizes)), key=lambda index: -sizes[index][1]):
        width, height = sizes[index]
        if x > 0 and x + width > limit:
            x, y, shelf = 0.0, y + shelf + gap, 0.0
        corners[index] = (x, y)
        x += width + gap
        shelf = max(shelf, height)
    return corners


def _extent(sizes: Sequence[Size], corners: Sequence[Corner]) -> float:
    """The side of a window of the wanted shape that holds everything."""
    right = max(x + width for (x, _), (width, _) in zip(corners, sizes, strict=True))
    bottom = max(y + height for (_, y), (_, height) in zip(corners, sizes, strict=True))
    return max(right / _ASPECT, bottom)
