"""Reading only some of the runs of a file that is too large to read whole."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

LARGE_BYTES = 50 * 1024 * 1024
"""Of a file above this size as many runs are read as make up this much."""

_SEED = 0  # the same file is read the same way each time


@dataclass(frozen=True)
class Sample:
    """Which moments are read: all where `kept` is `total`, the number of executions; else those between `starts_ps` and
    `ends_ps`, which lie apart."""

    starts_ps: tuple[int, ...] = ()
    ends_ps: tuple[int, ...] = ()
    kept: int = 0
    total: int = 0

    @property
    def is_whole(self) -> bool:
        return self.kept == self.total

    def holds(self, moment_ps: int) -> bool:
        """Whether what starts at a moment is read."""
        if self.kept == self.total:
            return True
        position = bisect_right(self.starts_ps, moment_ps) - 1
        return position >= 0 and moment_ps < self.ends_ps[position]

    def holds_window(self, start_ps: int, end_ps: int) -> bool:
        """Whether all of an execution is read: one that overlaps another may be in part."""
        if self.kept == self.total:
            return True
        position = bisect_right(self.starts_ps, start_ps) - 1
        return position >= 0 and end_ps <= self.ends_ps[position]


def sampled(windows: Sequence[tuple[int, int]], share: float) -> Sample:
    """That share of the windows (start, end), at least one, drawn at random: every n-th would miss programs that take
    turns. A window that lies within those drawn is kept, too."""
    total = len(windows)
    if share >= 1 or total < 2:
        return Sample(kept=total, total=total)
    chosen = np.random.default_rng(_SEED).choice(total, max(round(share * total), 1), replace=False)
    starts: list[int] = []
    ends: list[int] = []
    for start, end in sorted(windows[index] for index in chosen):
        if ends and start <= ends[-1]:
            ends[-1] = max(ends[-1], end)
        else:
            starts.append(start)
            ends.append(end)
    found = Sample(tuple(starts), tuple(ends), 0, total)
    return replace(found, kept=sum(found.holds_window(start, end) for start, end in windows))
