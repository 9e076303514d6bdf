"""One run as it went: which instruction ran when, on which lane."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

_Int = npt.NDArray[np.int32]
_Float = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Timeline:
    """The op events of run number `run` of `runs`, each a span; arrays are of one length, in order of start.

    `start_us` and `end_us` count from the run's start. `lane` numbers `lanes` (threads, streams, cores), `code` numbers
    `names` and `opcodes`. `depth` is 0 for what stands alone and one more inside each while, conditional or call of
    the same lane. `exact` is False where the end was inferred. `coverage` is the part of the run in which an op ran.
    `medians_us` are the medians of one execution over all runs, by code.
    """

    run: int
    runs: int
    duration_us: float
    coverage: float
    lanes: tuple[str, ...]
    names: tuple[str, ...]
    opcodes: tuple[str, ...]
    medians_us: _Float
    code: _Int
    lane: _Int
    depth: _Int
    start_us: _Float
    end_us: _Float
    exact: npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Executions:
    """Every execution of one kernel: `run` is the number of its run, `duration_us` its time; arrays of one length."""

    name: str
    run: _Int
    duration_us: _Float
    exact: npt.NDArray[np.bool_]
