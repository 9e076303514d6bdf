"""One layout for both sides of a step, so that what a pass left alone does not move."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np

from xlaviz.graph.model import DrawnGraph
from xlaviz.layout.earlier import Drawing, nearest
from xlaviz.layout.model import LayoutInput, Places
from xlaviz.layout.place import EngineName, layout_input, place

COMMON_AT_LEAST = 0.6
"""Share of boxes both sides must have for a union to read better than two layouts."""

HOLES_AT_MOST = 2.0
"""Times the area of a layout anew that one may have which keeps to the step before."""
_QUICK_BOXES = 2_000
"""Boxes up to which a layout anew to compare with takes a moment only."""

EdgeKey = tuple[int, int, int]


@dataclass(frozen=True, slots=True)
class StepPlaces:
    """Places of both sides, and the layouts they are from: one that both share, or the left's and the right's."""

    left: Places
    right: Places
    drawings: tuple[Drawing, ...]

    @property
    def is_shared(self) -> bool:
        return len(self.drawings) == 1


def place_step(
    left: DrawnGraph, right: DrawnGraph, engine: EngineName = "xlaviz", earlier: Sequence[Drawing] = ()
) -> StepPlaces:
    """Places of both sides: shared where most boxes are on both, else each for itself, the right one like the left.

    They keep to that one of the `earlier` drawings that has most of their boxes.
    """
    step = Step.of(left, right)
    if step is None:
        one, other = layout_input(left), layout_input(right)
        first = Drawing(one, place(one, engine, nearest(earlier, one)))
        second = Drawing(other, place(other, engine, nearest((*earlier, first), other)))
        return StepPlaces(first.places, second.places, (first, second))
    return step.sides(_place_near(step.inputs, engine, nearest(earlier, step.inputs)))


def _place_near(inputs: LayoutInput, engine: EngineName, earlier: Drawing | None) -> Places:
    """Near to an earlier drawing, until what has gone since has left more holes than anybody wants to look at."""
    kept = place(inputs, engine, earlier)
    if not kept.is_seeded or len(inputs.keys) > _QUICK_BOXES:
        return kept
    anew = place(inputs, engine)
    return anew if _area(kept) > HOLES_AT_MOST * _area(anew) else kept


def _area(places: Places) -> float:
    width, height = places.size_px
    return width * height


@dataclass(frozen=True, slots=True)
class Step:
    """Two graphs as one. `left` and `right` have each box's and each edge's number in it."""

    inputs: LayoutInput
    left: tuple[list[int], list[int]]
    right: tuple[list[int], list[int]]

    @classmethod
    def of(cls, left: DrawnGraph, right: DrawnGraph) -> Step | None:
        """None where the graphs have too little in common."""
        sides = (left, layout_input(left)), (right, layout_input(right))
        one, other = (inputs for _, inputs in sides)
        common = len(set(one.keys).intersection(other.keys))
        if common < COMMON_AT_LEAST * max(_comparable(one, other), _comparable(other, one), 1):
            return None
        order = dict.fromkeys((*one.keys, *other.keys))  # frames still before what they hold
        place_of = {key: number for number, key in enumerate(order)}
        boxes = [[place_of[key] for key in inputs.keys] for _, inputs in sides]
        edges: dict[EdgeKey, int] = {}
        of_edges = [
            [edges.setdefault((index[e.source], index[e.target], e.operand), len(edges)) for e in graph.edges]
            for (graph, _), index in zip(sides, boxes, strict=True)
        ]
        inputs = _united((one, other), boxes, tuple(order), edges)
        return cls(inputs, (boxes[0], of_edges[0]), (boxes[1], of_edges[1]))

    def sides(self, places: Places) -> StepPlaces:
        def of_side(boxes: list[int], edges: list[int]) -> Places:
            found = places.boxes[boxes] if boxes else np.zeros((0, 4), np.float32)
            return Places(found, tuple(places.routes[edge] for edge in edges), places.is_seeded)

        return StepPlaces(of_side(*self.left), of_side(*self.right), (Drawing(self.inputs, places),))


def _comparable(side: LayoutInput, other: LayoutInput) -> int:
    """How many boxes there are on one side, without those in frames that are closed on the other."""
    open_there = {other.keys[frame] for frame in other.frames}
    return sum(1 for parent in side.parents if parent < 0 or side.keys[parent] in open_there)


def _united(
    sides: Sequence[LayoutInput], boxes: Sequence[list[int]], keys: tuple[Hashable, ...], edges: dict[EdgeKey, int]
) -> LayoutInput:
    """Every box with the larger of its sizes. What is open on one side alone is a frame, on the other side an empty
    one."""
    frames = frozenset(index[frame] for side, index in zip(sides, boxes, strict=True) for frame in side.frames)
    widths, heights, parents = [0.0] * len(keys), [0.0] * len(keys), [-1] * len(keys)
    for side, index in zip(sides, boxes, strict=True):
        for own, united in enumerate(index):
            widths[united] = max(widths[united], side.widths[own])
            parents[united] = index[side.parents[own]] if side.parents[own] >= 0 else -1
            if own in side.frames or united not in frames:  # a frame's is that of its title bar
                heights[united] = max(heights[united], side.heights[own])
    return LayoutInput(
        tuple(widths),
        tuple(heights),
        tuple(parents),
        frames,
        frozenset(index[port] for side, index in zip(sides, boxes, strict=True) for port in side.ports),
        tuple((source, target) for source, target, _ in edges),
        keys,
    )
