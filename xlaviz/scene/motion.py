"""Boxes on their way from where they were to where they are now: the eyes follow what moves, and lose what jumps."""

from __future__ import annotations

from collections.abc import Hashable

import numpy as np
from PySide6.QtCore import QPointF

from xlaviz.graph.model import DrawnGraph
from xlaviz.layout.model import Floats, Places

DURATION_MS = 250
MAX_BOXES = 600
"""Above it a frame takes too long to look like a motion."""

_LEAST_PX = 1.0


class Motion:
    """From one drawing to the next. `shift` is by how much the view moved along; what was not there before starts where
    the frame round it was."""

    def __init__(
        self, old: DrawnGraph, old_places: Places, graph: DrawnGraph, places: Places, shift: QPointF | None = None
    ) -> None:
        self._places = places
        self._start = places.boxes.copy()
        moved = np.array((shift.x(), shift.y(), 0, 0) if shift is not None else (0, 0, 0, 0), np.float32)
        known = dict(zip(_keys(old), old_places.boxes + moved, strict=True))
        self._common = 0
        for index, key in enumerate(_keys(graph)):
            before = known.get(key)
            if before is not None:
                self._start[index] = before
                self._common += 1
            else:
                self._start[index] = self._beginning(graph, index)
        self._sources = np.array([edge.source for edge in graph.edges], np.intp)
        self._targets = np.array([edge.target for edge in graph.edges], np.intp)

    def _beginning(self, graph: DrawnGraph, index: int) -> Floats:
        """A new box moves with the frame it stands in."""
        box, parent = self._places.boxes[index].copy(), graph.nodes[index].parent
        if parent >= 0:
            box[:2] += self._start[parent, :2] - self._places.boxes[parent, :2]
        return np.asarray(box, np.float32)

    @property
    def is_worth_it(self) -> bool:
        """Whether there is something to follow: boxes that were there before, and not all in their places."""
        return self._common > 0 and bool(np.abs(self._start - self._places.boxes).max() > _LEAST_PX)

    def places(self, share: float) -> Places:
        """Where everything is when `share` of the way, 0 to 1, is done. Curves bend along with their ends."""
        boxes = self._places.boxes
        now = (boxes + (self._start - boxes) * (1.0 - share)).astype(np.float32)
        middles, ends = _middles(now) - _middles(boxes), _bottoms(now) - _bottoms(boxes)
        routes = []
        for edge, route in enumerate(self._places.routes):
            along = np.linspace(0.0, 1.0, len(route), dtype=np.float32)[:, None]
            source, target = ends[self._sources[edge]], middles[self._targets[edge]]
            routes.append((route + source * (1.0 - along) + target * along).astype(np.float32))
        return Places(now, tuple(routes))


def _keys(graph: DrawnGraph) -> list[Hashable]:
    """What makes two boxes of two drawings the same: the name, and which of several of that name."""
    seen: dict[str, int] = {}
    keys: list[Hashable] = []
    for node in graph.nodes:
        seen[node.instruction] = seen.get(node.instruction, 0) + 1
        keys.append((node.instruction, seen[node.instruction]))
    return keys


def _middles(boxes: Floats) -> Floats:
    """Of the upper sides, where edges end."""
    return boxes[:, :2] + boxes[:, 2:] * np.array((0.5, 0.0), np.float32)


def _bottoms(boxes: Floats) -> Floats:
    return boxes[:, :2] + boxes[:, 2:] * np.array((0.5, 1.0), np.float32)
