"""The adapter for lines that name HLO ops themselves: 'XLA Modules', 'XLA Ops' and 'Async XLA Ops'.

TPUs write them ('/device:TPU:N'). For a GPU xprof derives the first two from the streams' kernels; where a file has
only those, they are read too.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Sequence

import numpy as np

from xlaviz.profile.events import NO_RUN, EventColumns, Op, OpEvents, RunWindow
from xlaviz.profile.progress import Report
from xlaviz.profile.runs import Intervals
from xlaviz.profile.sampling import Sample, sampled
from xlaviz.profile.xplane import UINT64, Event, Line, Plane, integer

_MODULE = re.compile(r"(.*)\((\d+)\)")
_MODULES, OPS, _ASYNC = "XLA Modules", "XLA Ops", "Async XLA Ops"


def read_op_lines(
    planes: Sequence[Plane], prefix: str, *, share: float, report: Report
) -> tuple[OpEvents, tuple[RunWindow, ...], Sample]:
    """The ops of all devices whose plane begins with `prefix`, and the executions, both in order of their start.

    An execution is an event 'NAME(PROGRAM ID)' on the line 'XLA Modules'; each device's counts. The line
    'Async XLA Ops' (copies under way) overlaps the ops and is no busy time. With a `share` below 1 only that part of
    the executions is read.
    """
    devices = [plane for plane in planes if plane.name.startswith(prefix)]
    columns = EventColumns()
    starts: list[tuple[int, RunWindow]] = []  # each run's rows are numbered once all runs are known
    row_runs: array[int] = array("q")
    kept = total = 0
    for number, plane in enumerate(devices):
        report(number / len(devices), f"reading {plane.name}")
        own, names = _windows(plane)
        # The same draw for each device: where all run the same, the same executions are read.
        sample = sampled([(window.start_ps, window.end_ps) for window in own], share)
        kept, total = kept + sample.kept, total + sample.total
        own = [window for window in own if sample.holds_window(window.start_ps, window.end_ps)]
        intervals = Intervals([(window.start_ps, window.end_ps) for window in own])
        first_row = len(columns)
        _read_ops(plane, columns, own, names, intervals, sample)
        inside = intervals.find_all(np.array(columns.start_ps[first_row:], np.int64))
        row_runs.extend(np.where(inside >= 0, inside + len(starts), NO_RUN).tolist())
        starts += [(window.start_ps, window) for window in own]
    order = sorted(range(len(starts)), key=lambda index: starts[index][0])
    number_of = np.full(len(starts) + 1, NO_RUN)  # the last one is for rows outside every run
    number_of[order] = np.arange(len(order))
    events = columns.finished(number_of[np.array(row_runs, np.int64)])
    return events, tuple(starts[index][1] for index in order), Sample(kept=kept, total=total)


def _windows(plane: Plane) -> tuple[list[RunWindow], dict[int, str]]:
    """The executions on one device, and the programs' names."""
    windows: list[RunWindow] = []
    names: dict[int, str] = {}
    everything = frozenset(plane.event_names)
    for line in plane.lines:
        for event in line.events(everything) if line.name == _MODULES else ():
            match = _MODULE.fullmatch(plane.event_names[event.metadata_id])
            if match is not None:
                program_id = int(match[2]) & UINT64
                names[program_id] = match[1]
                windows.append(RunWindow(program_id, event.start_ps, event.end_ps, plane.name))
    return windows, names


def _read_ops(
    plane: Plane,
    columns: EventColumns,
    windows: Sequence[RunWindow],
    names: dict[int, str],
    intervals: Intervals,
    sample: Sample,
) -> None:
    """An op's event on a TPU is named by its whole HLO line; the instruction's name and program stand in the metadata.
    One that xprof derived is named by the instruction, and its program is that of the execution it lies in."""
    known = _ops_of_metadata(plane)
    everything = frozenset(plane.event_names)
    for line in plane.lines:
        if line.name not in (OPS, _ASYNC):
            continue
        for event in line.events(everything):
            if not sample.holds(event.start_ps):
                continue
            name, program_id = known.get(event.metadata_id, ("", None))
            if line.name == _ASYNC:
                name = _async_name(plane, event) or name
            if program_id is None:
                index = intervals.find(event.start_ps)
                name = name or plane.event_names[event.metadata_id]
                program_id = windows[index].program_id if index is not None else None
            if program_id is not None and name:
                op = Op(program_id, name, names.get(program_id, ""))
                lane, busy = _lane(plane, line), line.name == OPS
                columns.add(op, event.start_ps, event.end_ps, lane=lane, device=plane.name, is_busy=busy)


def _lane(plane: Plane, line: Line) -> str:
    return f"{plane.name} {line.name}"


def _async_name(plane: Plane, event: Event) -> str:
    """The instruction behind a copy under way, whose event is named by what kind of copy it is."""
    key = plane.stat_ids.get("hlo_op")
    return next((plane.text(stat) for stat in event.proto.stats if stat.metadata_id == key), "")


def _ops_of_metadata(plane: Plane) -> dict[int, tuple[str, int]]:
    key = plane.stat_ids.get("program_id")
    found: dict[int, tuple[str, int]] = {}
    for metadata_id, metadata in plane.event_metadata():
        for stat in metadata.stats:
            if stat.metadata_id == key and metadata.display_name:
                found[metadata_id] = metadata.display_name, integer(stat)
    return found
