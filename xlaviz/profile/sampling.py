"""Reading only some of the runs of a file that is too large to read whole."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

LARGE_BYTES = 50 * 1024 * 1024
"""Of a file above this size as many runs are read as make up this much."""

_SEED = 0  # the same file is read the same way each time


@dataclass(frozen=True)
class Sample:
    """Which moments are read. `kept` of `total` executions; all of them where the two are equal."""

    starts_ps: tuple[int, ...] = ()
    ends_ps: tuple[int, ...] = ()
    kept: int = 0
    total: int = 0

    @property
    def is_whole(self) -> bool:
        return self.kept == self.total

    def holds(self, moment_ps: int) -> bool:
        """Whether a moment lies in an execution that is read."""
        if self.kept == self.total:
            return True
        position = bisect_right(self.starts_ps, moment_ps) - 1
        return position >= 0 and moment_ps < self.ends_ps[position]


def sampled(windows: Sequence[tuple[int, int]], share: float) -> Sample:
    """That share of the windows (start, end), at least one, drawn at random: every n-th would miss programs that take
    turns. Windows that overlap are kept together."""
    if share >= 1 or len(windows) < 2:
        return Sample(kept=len(windows), total=len(windows))
    chosen = np.random.default_rng(_SEED).choice(len(windows), max(round(share * len(windows)), 1), replace=False)
    starts: list[int] = []
    ends: list[int] = []
    for start, end in sorted(windows[index] for index in chosen):
        if ends and start < ends[-1]:
            ends[-1] = max(ends[-1], end)
        else:
            starts.append(start)
            ends.append(end)
    return Sample(tuple(starts), tuple(ends), len(chosen), len(windows))
