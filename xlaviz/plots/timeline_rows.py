"""The rows of a timeline, and what of them is worth drawing at a scale. Arrays only, no widgets."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from xlaviz.profile.timeline import Timeline

WIDE_PX = 1.5
"""Spans from this width on are drawn each for itself, narrower ones as the density of their pixels."""

_Int = npt.NDArray[np.int64]
_Float = npt.NDArray[np.float64]


@dataclass(frozen=True)
class SpanRow:
    """The spans of one lane at one depth, in order of start. `spans` numbers the timeline's; `reach_us` is the latest
    end so far, which grows where ends do not.
    """

    lane: int
    spans: _Int
    start_us: _Float
    end_us: _Float
    reach_us: _Float

    def within(self, left_us: float, right_us: float) -> slice:
        """The spans that can be seen between two times."""
        first = int(np.searchsorted(self.reach_us, left_us, side="left"))
        return slice(first, int(np.searchsorted(self.start_us, right_us, side="right")))

    def at(self, time_us: float, near_us: float) -> int | None:
        """The span at a time or at most `near_us` away, the one that started last; None where there is a gap."""
        own = self.within(time_us - near_us, time_us + near_us)
        hits = np.flatnonzero(self.end_us[own] >= time_us - near_us)
        if not len(hits):
            return None
        hit = own.start + int(hits[-1])
        exact = own.start + hits[(self.start_us[own][hits] <= time_us) & (self.end_us[own][hits] >= time_us)]
        return int(self.spans[int(exact[-1]) if len(exact) else hit])


@dataclass(frozen=True)
class Density:
    """What lies in pixel columns: `column`, the `family` that fills most of it, and the part of it that is filled
    (0..1); arrays of one length, empty columns left out.
    """

    column: _Int
    family: _Int
    filled: _Float


def rows_of(timeline: Timeline) -> tuple[SpanRow, ...]:
    """Lane by lane, in each from the outermost depth inwards; a lane without spans has one empty row."""
    rows = []
    for lane in range(len(timeline.lanes)):
        is_own = timeline.lane == lane
        deepest = int(timeline.depth[is_own].max(initial=0))
        for depth in range(deepest + 1):
            spans = np.flatnonzero(is_own & (timeline.depth == depth))
            start_us, end_us = timeline.start_us[spans], timeline.end_us[spans]
            rows.append(SpanRow(lane, spans, start_us, end_us, np.maximum.accumulate(end_us)))
    return tuple(rows)


def density(left_px: _Float, width_px: _Float, family: _Int, families: int) -> Density:
    """Spans narrower than a pixel or two, put together; each counts in the pixel it starts in."""
    column = np.floor(left_px).astype(np.int64)
    first = int(column.min(initial=0))
    columns = int(column.max(initial=0)) - first + 1
    cells = (column - first) * families + family
    filled = np.bincount(cells, weights=width_px, minlength=columns * families).reshape(columns, families)
    kept = np.flatnonzero(np.bincount(column - first, minlength=columns))
    parts = np.minimum(filled[kept].sum(axis=1), 1.0)
    return Density(kept + first, np.argmax(filled[kept], axis=1), parts)
