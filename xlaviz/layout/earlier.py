"""What an earlier drawing says about a new one, level by level."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from xlaviz.layout.levels import PADDING_PX, Level, Levels, split
from xlaviz.layout.model import LayoutInput, LevelInput, LevelPlaces, Places, Point, Seed

COMMON_AT_LEAST = 0.5
"""Share of a level's boxes that both drawings must have: with less there is little to keep, and keeping it would only
stand in the way of a good layout."""

_SAME_RANK_PX = 2.0
_SAME_SIZE_PX = 0.5

Doubles = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Drawing:
    """A layout and what it is one of. The keys of its boxes say which of them a later drawing has again."""

    inputs: LayoutInput
    places: Places


def nearest(drawings: Iterable[Drawing], inputs: LayoutInput) -> Drawing | None:
    """The drawing that has most of the boxes; None where none has any."""
    keys = set(inputs.keys)
    common = [(len(keys.intersection(each.inputs.keys)), each) for each in drawings]
    count, found = max(common, key=lambda pair: pair[0], default=(0, None))
    return found if count else None


class Earlier:
    """An earlier drawing, ready to be asked about the levels of a new one."""

    def __init__(self, drawing: Drawing, inputs: LayoutInput, levels: Levels) -> None:
        self.drawing, self.inputs, self.levels = drawing, inputs, levels
        self.old_levels = split(drawing.inputs)
        self.old_frame: dict[Hashable, int] = {drawing.inputs.keys[frame]: frame for frame in drawing.inputs.frames}
        self.boxes: Doubles = drawing.places.boxes.astype(np.float64)

    def seed(self, frame: int, level: LevelInput) -> Seed | None:
        """What the level in `frame` keeps; None where the earlier drawing has too little of it."""
        old_frame = self.old_frame.get(self.inputs.keys[frame]) if frame >= 0 else -1
        if old_frame is None:
            return None
        old, new = self.old_levels[old_frame], self.levels[frame]
        child_of = {self.drawing.inputs.keys[child]: child for child in old.children}
        found = [child_of.get(self.inputs.keys[child]) for child in new.children]
        common = {place: child for place, child in enumerate(found) if child is not None}
        if not common or len(common) < COMMON_AT_LEAST * max(len(new.children), len(old.children)):
            return None
        corner = self._corner(old_frame)
        routes = self._routes(old, new)
        if self._is_same(old, found, level, routes):
            return Seed({}, {}, self._as_it_was(old_frame, old, corner))
        boxes = self.boxes[old.children] - (*corner, 0.0, 0.0)
        now = {child: level.sizes[place][1] for place, child in common.items()}
        knots = _closed_up(boxes, np.array([now.get(child, np.nan) for child in old.children]))
        middles = self.boxes[:, :2] + self.boxes[:, 2:] / 2 - corner
        places = dict(zip(common, _points(middles[list(common.values())], knots), strict=True))
        return Seed(places, {edge: _points(route - corner, knots) for edge, route in routes.items()})

    def _corner(self, old_frame: int) -> Point:
        if old_frame < 0:
            return 0.0, 0.0
        left, top, _, _ = self.boxes[old_frame].tolist()
        return left + PADDING_PX, top + self.drawing.inputs.heights[old_frame] + PADDING_PX

    def _routes(self, old: Level, new: Level) -> dict[int, Doubles]:
        """The old routes of the new level's edges, by their numbers in it."""
        of_pair = {}
        keys = self.drawing.inputs.keys
        for edge, start, end in old.edges:
            if len(self.drawing.places.routes[edge]):
                of_pair[keys[start], keys[end]] = self._within(edge, start, end)
        keys = self.inputs.keys
        pairs = ((number, of_pair.get((keys[start], keys[end]))) for number, (_, start, end) in enumerate(new.edges))
        return {number: route for number, route in pairs if route is not None}

    def _is_same(self, old: Level, found: list[int | None], level: LevelInput, routes: dict[int, Doubles]) -> bool:
        """Whether nothing at all has changed: the same boxes in the same order, sizes and edges."""
        if found != old.children or len(old.edges) != len(level.edges) or len(routes) != len(level.edges):
            return False
        place = {child: number for number, child in enumerate(old.children)}
        if tuple((place[start], place[end]) for _, start, end in old.edges) != level.edges:
            return False
        return bool((np.abs(self.boxes[old.children, 2:] - level.sizes) < _SAME_SIZE_PX).all())

    def _as_it_was(self, old_frame: int, old: Level, corner: Point) -> LevelPlaces:
        middles = self.boxes[old.children, :2] + self.boxes[old.children, 2:] / 2 - corner
        if old_frame < 0:
            width, height = self.drawing.places.size_px
        else:
            _, _, width, height = self.boxes[old_frame].tolist()
            width, height = width - 2 * PADDING_PX, height - self.drawing.inputs.heights[old_frame] - 2 * PADDING_PX
        routes = (self._within(edge, start, end) - corner for edge, start, end in old.edges)
        return LevelPlaces(
            centres=tuple(map(tuple, middles.tolist())),
            routes=tuple(tuple(map(tuple, route.tolist())) for route in routes),
            width=width,
            height=height,
        )

    def _within(self, edge: int, start: int, end: int) -> Doubles:
        """A route without the pieces that lead on into frames."""
        source, target = self.drawing.inputs.edges[edge]
        route = self.drawing.places.routes[edge].astype(np.float64)
        return route[3 * (start != source) : len(route) - 3 * (end != target)]


def _points(points: Doubles, knots: tuple[Doubles, Doubles]) -> list[Point]:
    return list(zip(points[:, 0].tolist(), np.interp(points[:, 1], *knots).tolist(), strict=True))


def _closed_up(boxes: Doubles, heights: Doubles) -> tuple[Doubles, Doubles]:
    """Heights in the old level, and where they come to lie once each of its ranks is as high as its boxes are now
    (`heights`, not a number for those that are gone): what was below a frame that closed moves up with its bottom."""
    tops, bottoms = boxes[:, 1], boxes[:, 1] + boxes[:, 3]
    order = np.argsort(tops + bottoms)
    middles = (tops + bottoms)[order] / 2
    firsts = np.flatnonzero(np.diff(middles, prepend=-np.inf) > _SAME_RANK_PX)
    tops, bottoms = np.minimum.reduceat(tops[order], firsts), np.maximum.reduceat(bottoms[order], firsts)
    now = np.fmax.reduceat(heights[order], firsts)
    growth = np.where(np.isnan(now), 0.0, now - (bottoms - tops))
    if not growth.any() or (tops[1:] < bottoms[:-1]).any():  # or parts beside each other, each with ranks of its own
        ends = np.array([tops.min(), bottoms.max()])
        return ends, ends
    down = np.concatenate(([0.0], np.cumsum(growth)))
    before = np.column_stack((tops, bottoms)).ravel()
    return before, np.column_stack((tops + down[:-1], bottoms + down[1:])).ravel()
