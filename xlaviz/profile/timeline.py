"""One run as it went: which instruction ran when, on which lane."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from xlaviz.hlo.model import HloModule
from xlaviz.profile.events import PS_PER_US, Ints, OpEvents
from xlaviz.profile.executions import merged, union_ps
from xlaviz.profile.profile import Profile
from xlaviz.profile.program_events import program_events

_Int = npt.NDArray[np.int32]
_Float = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Timeline:
    """The op events of run number `run` of `runs`, each a span; arrays are of one length, in order of start.

    `start_us` and `end_us` count from the run's start. `lane` numbers `lanes` (threads, streams, cores), `code` numbers
    `names` and `opcodes`. `depth` is 0 for what stands alone and one more inside each while, conditional or call of
    the same lane. `exact` is False where the end was inferred. `coverage` is the part of the run in which an op ran.
    `medians_us` are the medians of one span over all runs, by code.
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


def timeline(
    profile: Profile, program_id: int, module: HloModule | None, device: str = "", run: int | None = None
) -> Timeline | None:
    """One run of the program: number `run`, or the one whose time is the median. None where there is no run.

    Spans of a lane that overlap, as those of a loop and its body do, get a depth each. What goes on beside the ops, as
    copies do, is shown, too.
    """
    found = program_events(profile, program_id, module, device)
    if not found.windows:
        return None
    lengths = [window.end_ps - window.start_ps for window in found.windows]
    if run is None:
        run = sorted(range(len(lengths)), key=lengths.__getitem__)[len(lengths) // 2]
    run = min(max(run, 0), len(lengths) - 1)
    window = found.windows[run]
    index = next(i for i, one in enumerate(profile.runs) if one is window)
    events = profile.events.where(profile.events.run == index)
    names, code = _named(events.op, [op.hlo_op for op in events.ops])
    lanes, lane = _named(events.lane, list(events.lanes))
    busy = events.is_busy
    covered_ps = union_ps(events.start_ps[busy], np.minimum(events.end_ps[busy], window.end_ps))
    instructions = [module.instruction(name) if module is not None else None for name in names]
    return Timeline(
        run=run,
        runs=len(found.windows),
        duration_us=max(lengths[run], 1) / PS_PER_US,
        coverage=covered_ps / max(lengths[run], 1),
        lanes=tuple(lanes),
        names=tuple(names),
        opcodes=tuple(one.opcode if one is not None else "" for one in instructions),
        medians_us=_medians_us(profile.events.where(profile.events.of_program(program_id)), names),
        code=code.astype(np.int32),
        lane=lane.astype(np.int32),
        depth=_depths(lane, events.start_ps, events.end_ps),
        start_us=(events.start_ps - window.start_ps) / PS_PER_US,
        end_us=(events.end_ps - window.start_ps) / PS_PER_US,
        exact=events.exact,
    )


def executions(
    profile: Profile, program_id: int, module: HloModule | None, name: str, device: str = ""
) -> Executions | None:
    """All executions of a kernel in the program's runs, in order of time; None where it has none."""
    columns = program_events(profile, program_id, module, device).columns
    if name not in columns.names:
        return None
    total_ps = columns.end_ps - columns.start_ps
    found = merged(columns, total_ps, total_ps, module)
    own = found.code == columns.names.index(name)
    return Executions(name, found.run[own].astype(np.int32), found.total_ps[own] / PS_PER_US, found.exact[own])


def _named(numbers: Ints, names: list[str]) -> tuple[list[str], Ints]:
    """The names that are used, in order of their first use, and the numbers among those."""
    used, first, inverse = np.unique(numbers, return_index=True, return_inverse=True)
    order = np.argsort(first)
    place = np.empty(len(used), np.int64)
    place[order] = np.arange(len(used))
    return [names[used[index]] for index in order], place[inverse]


def _medians_us(events: OpEvents, names: list[str]) -> _Float:
    """By name, of all the program's events."""
    by_op = np.argsort(events.op, kind="stable")
    durations_ps = (events.end_ps - events.start_ps)[by_op]
    bounds = np.searchsorted(events.op[by_op], np.arange(len(events.ops) + 1))
    wanted = set(names)
    spans: dict[str, list[Ints]] = {}
    for code, op in enumerate(events.ops):
        if op.hlo_op in wanted:
            spans.setdefault(op.hlo_op, []).append(durations_ps[bounds[code] : bounds[code + 1]])
    return np.array([float(np.median(np.concatenate(spans[name]))) / PS_PER_US for name in names], np.float64)


def _depths(lane: Ints, start_ps: Ints, end_ps: Ints) -> _Int:
    """For spans in order of start the first row of their lane that is free."""
    ends: dict[int, list[int]] = {}
    depths = np.zeros(len(lane), np.int32)
    # Of two that start together the longer one holds the other.
    for index in np.lexsort((-end_ps, start_ps)).tolist():
        rows = ends.setdefault(int(lane[index]), [])
        start, end = int(start_ps[index]), int(end_ps[index])
        row = next((number for number, until in enumerate(rows) if until <= start), len(rows))
        if row == len(rows):
            rows.append(end)
        else:
            rows[row] = end
        depths[index] = row
    return depths
