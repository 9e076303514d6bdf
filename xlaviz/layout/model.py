"""What goes into a layout and what comes out: sizes and edges in, places and routes out, plain arrays."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from xlaviz.base.errors import WorkFailedError

Floats = npt.NDArray[np.float32]
Point = tuple[float, float]


@dataclass(frozen=True, slots=True)
class LayoutInput:
    """Boxes to place. A frame comes before what it holds; `parents` is -1 at the top.

    `widths`/`heights` of a frame are its least size: the width of its title, the height of its title bar. `keys` name
    the boxes, each once; by them a box is found again in another drawing.
    """

    widths: tuple[float, ...]
    heights: tuple[float, ...]
    parents: tuple[int, ...]
    frames: frozenset[int]
    ports: frozenset[int]
    edges: tuple[tuple[int, int], ...]
    keys: tuple[Hashable, ...] = ()


@dataclass(frozen=True, slots=True)
class Places:
    """`boxes`: (n, 4) left, top, width, height in pixels, y down, the drawing starting at 0, 0.

    `routes`: for each edge the points of its cubic Bezier curve, (1 + 3k, 2), from source to target; (0, 2) where an
    edge is not drawn. `is_seeded`: they keep to an earlier drawing, and are final.
    """

    boxes: Floats
    routes: tuple[Floats, ...]
    is_seeded: bool = False

    @property
    def size_px(self) -> tuple[float, float]:
        if not len(self.boxes):
            return 0.0, 0.0
        right, bottom = (self.boxes[:, :2] + self.boxes[:, 2:]).max(axis=0)
        return float(right), float(bottom)


@dataclass(frozen=True, slots=True)
class LevelInput:
    """One flat graph: the direct children of a frame. `ports` go to the first rank.

    `ends` are (edge, at source, at target) for edges that come from or go to something inside a box: how far right of
    the box's middle they start and end there.
    """

    sizes: tuple[tuple[float, float], ...]
    edges: tuple[tuple[int, int], ...]
    ports: tuple[int, ...] = ()
    ends: tuple[tuple[int, float, float], ...] = ()


@dataclass(frozen=True, slots=True)
class LevelPlaces:
    """Centres of a level's boxes and Bezier points of its edges, the level's own corner at 0, 0."""

    centres: tuple[tuple[float, float], ...]
    routes: tuple[tuple[tuple[float, float], ...], ...]
    width: float
    height: float


@dataclass(frozen=True, slots=True)
class Seed:
    """What an earlier drawing says about a level: middles of boxes and curves of edges, by their numbers, the level's
    own corner at 0, 0. `same`: nothing has changed, and this is how it was."""

    places: Mapping[int, Point]
    routes: Mapping[int, Sequence[Point]]
    same: LevelPlaces | None = None


class LayoutTooLargeError(WorkFailedError):
    """The graph has more boxes than the engine can place in reasonable time."""


@dataclass(frozen=True, slots=True)
class Engine:
    """What places flat graphs. `places_ends`: it gives every edge its own place along a box's top, and keeps to `ends`;
    else that is left to the caller. `lay_out_seeded` is there where it can keep an earlier layout."""

    name: str
    lay_out_levels: Callable[[Sequence[LevelInput]], list[LevelPlaces]]
    places_ends: bool
    lay_out_seeded: Callable[[LevelInput, Seed], LevelPlaces] | None = None
