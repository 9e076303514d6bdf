"""What every adapter makes of a profile: op events, and the executions of a program they fall into."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class OpEvent:
    """One execution of one HLO instruction. Times are absolute picoseconds.

    `run` is the index of its window in `Profile.runs`, or None outside every window. `exact` is False where the
    event marks only the hand-over to other threads and `end_ps` was inferred (an upper bound).
    """

    program_id: int
    hlo_op: str
    hlo_module: str
    start_ps: int
    end_ps: int
    lane: str
    run: int | None
    exact: bool


@dataclass(frozen=True, slots=True)
class RunWindow:
    """One execution of one program, from the call to the moment its outputs were ready, in picoseconds."""

    program_id: int
    start_ps: int
    end_ps: int
