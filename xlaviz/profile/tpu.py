"""The adapter for lines that name HLO ops themselves: 'XLA Modules', 'XLA Ops' and 'Async XLA Ops'.

TPUs write them ('/device:TPU:N'). For a GPU xprof derives the first two from the streams' kernels; where a file has
only those, they are read too.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from xlaviz.profile.events import NO_RUN, EventColumns, Op, OpEvents, RunWindow
from xlaviz.profile.modules import EmbeddedModules, embedded_programs
from xlaviz.profile.progress import Report
from xlaviz.profile.runs import NO_WINDOWS, Intervals
from xlaviz.profile.sampling import Sample, sampled
from xlaviz.profile.xplane import UINT64, Event, Plane, integer

_MODULE = re.compile(r"(.*)\((\d+)\)")
_MODULES, OPS, _ASYNC = "XLA Modules", "XLA Ops", "Async XLA Ops"


@dataclass(frozen=True)
class OpLines:
    """What these lines hold: the ops and the executions, both in order of their start, and sentences for the user."""

    events: OpEvents
    runs: tuple[RunWindow, ...]
    sample: Sample
    notes: tuple[str, ...] = ()


class _Row(NamedTuple):
    """An event of an op, before it is known which program that is of."""

    hlo_op: str
    start_ps: int
    end_ps: int
    lane: str
    is_busy: bool


@dataclass(slots=True)
class _Found:
    """What was read so far. `row_run` numbers `runs`, NO_RUN for rows outside every one."""

    columns: EventColumns = field(default_factory=EventColumns)
    row_run: array[int] = field(default_factory=lambda: array("q"))
    runs: list[RunWindow] = field(default_factory=list)
    is_unmarked: bool = False


def read_op_lines(planes: Sequence[Plane], prefix: str, *, share: float, report: Report) -> OpLines:
    """The ops of all devices whose plane begins with `prefix`. The other planes are asked for the programs' modules.

    An execution is an event 'NAME(PROGRAM ID)' on the line 'XLA Modules'; each device's counts. On a device that has
    none all ops of a program count as one run. The line 'Async XLA Ops' (copies under way) overlaps the ops and is no
    busy time. With a `share` below 1 only that part of the executions is read.
    """
    devices = [(plane, *_windows(plane)) for plane in planes if plane.name.startswith(prefix)]
    embedded = embedded_programs(planes) if not all(own for _, own, _ in devices) else {}
    modules = EmbeddedModules({id_: program.hlo_proto for id_, program in embedded.items()}, file="")
    found = _Found()
    kept = total = 0
    for number, (plane, own, names) in enumerate(devices):
        report(number / len(devices), f"reading {plane.name}")
        # The same draw for each device: where all run the same, the same executions are read.
        sample = sampled([(window.start_ps, window.end_ps) for window in own], share)
        kept, total = kept + sample.kept, total + sample.total
        if own:
            inside = [window for window in own if sample.holds_window(window.start_ps, window.end_ps)]
            _read_marked(plane, found, inside, names, sample)
        else:
            _read_unmarked(plane, found, {id_: program.name for id_, program in embedded.items()}, modules)
    order = sorted(range(len(found.runs)), key=lambda index: found.runs[index].start_ps)
    number_of = np.full(len(order) + 1, NO_RUN)  # the last one is for rows outside every run
    number_of[order] = np.arange(len(order))
    events = found.columns.finished(number_of[np.array(found.row_run, np.int64)])
    notes = (NO_WINDOWS,) if found.is_unmarked else ()
    return OpLines(events, tuple(found.runs[index] for index in order), Sample(kept=kept, total=total), notes)


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


def _read_marked(
    plane: Plane, found: _Found, windows: Sequence[RunWindow], names: dict[int, str], sample: Sample
) -> None:
    """An op that does not name its program is of that of the execution it lies in."""
    intervals = Intervals([(window.start_ps, window.end_ps) for window in windows])
    first_row = len(found.columns)
    for row in _read_ops(plane, found.columns, names, sample):
        index = intervals.find(row.start_ps)
        if index is not None:
            _add(found.columns, plane, row, windows[index].program_id, names)
    inside = intervals.find_all(np.array(found.columns.start_ps[first_row:], np.int64))
    found.row_run.extend(np.where(inside >= 0, inside + len(found.runs), NO_RUN).tolist())
    found.runs += windows


def _read_unmarked(plane: Plane, found: _Found, names: dict[int, str], modules: EmbeddedModules) -> None:
    """Ops that do not name their program are of the one whose module alone has them all; else nobody knows."""
    first_row = len(found.columns)
    unnamed = _read_ops(plane, found.columns, names, Sample())
    owner = _owner({row.hlo_op for row in unnamed if row.is_busy}, modules)
    if owner is not None:
        for row in unnamed:
            _add(found.columns, plane, row, owner, names)
    columns = found.columns
    if len(columns) > first_row:
        found.is_unmarked = True
        every_op = list(columns.ops)
        programs = np.array([every_op[op].program_id for op in columns.op[first_row:]], np.uint64)
        starts_ps, ends_ps = (np.array(column[first_row:], np.int64) for column in (columns.start_ps, columns.end_ps))
        ids, number = np.unique(programs, return_inverse=True)
        found.row_run.extend((number + len(found.runs)).tolist())
        found.runs += (
            RunWindow(id_, int(starts_ps[number == place].min()), int(ends_ps[number == place].max()), plane.name)
            for place, id_ in enumerate(ids.tolist())
        )


def _owner(hlo_ops: Collection[str], modules: EmbeddedModules) -> int | None:
    """The one program whose module has all these instructions, None where there is none or are several."""
    sound = {id_: embedded.module for id_ in modules if (embedded := modules.sound(id_)) is not None}
    owners = [id_ for id_, module in sound.items() if all(name in module.computation_of for name in hlo_ops)]
    return owners[0] if hlo_ops and len(owners) == 1 else None


def _read_ops(plane: Plane, columns: EventColumns, names: dict[int, str], sample: Sample) -> list[_Row]:
    """An op's event on a TPU is named by its whole HLO line; the instruction's name and program stand in the metadata.
    One that xprof derived is named by the instruction, unless it says more itself. Returned are those without program.
    """
    known = _ops_of_metadata(plane)
    everything = frozenset(plane.event_names)
    unnamed: list[_Row] = []
    for line in plane.lines:
        if line.name not in (OPS, _ASYNC):
            continue
        lane = f"{plane.name} {line.name}"
        for event in line.events(everything):
            if not sample.holds(event.start_ps):
                continue
            name, program_id = known.get(event.metadata_id, ("", None))
            if line.name == _ASYNC or program_id is None:
                own_name, own_program = _own_op(plane, event, names)
                name, program_id = own_name or name, own_program if program_id is None else program_id
            name = name or plane.event_names[event.metadata_id]
            row = _Row(name, event.start_ps, event.end_ps, lane, line.name == OPS)
            if program_id is None:
                unnamed.append(row)
            else:
                _add(columns, plane, row, program_id, names)
    return unnamed


def _add(columns: EventColumns, plane: Plane, row: _Row, program_id: int, names: dict[int, str]) -> None:
    op = Op(program_id, row.hlo_op, names.get(program_id, ""))
    columns.add(op, row.start_ps, row.end_ps, lane=row.lane, device=plane.name, is_busy=row.is_busy)


def _own_op(plane: Plane, event: Event, names: dict[int, str]) -> tuple[str, int | None]:
    """The instruction and the program that the event itself names, as that of a copy under way and those of a GPU's
    kernels do; the program's name goes to `names`."""
    ids = plane.stat_ids
    stats = {stat.metadata_id: stat for stat in event.proto.stats}
    op, program, module = (stats.get(ids.get(name, -1)) for name in ("hlo_op", "program_id", "hlo_module"))
    program_id = integer(program) if program is not None else None
    if program_id is not None and module is not None:
        names.setdefault(program_id, plane.text(module))
    return plane.text(op) if op is not None else "", program_id


def _ops_of_metadata(plane: Plane) -> dict[int, tuple[str, int]]:
    key = plane.stat_ids.get("program_id")
    found: dict[int, tuple[str, int]] = {}
    for metadata_id, metadata in plane.event_metadata():
        for stat in metadata.stats:
            if stat.metadata_id == key and metadata.display_name:
                found[metadata_id] = metadata.display_name, integer(stat)
    return found
