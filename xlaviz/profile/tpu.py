"""The TPU adapter: planes '/device:TPU:N' with the lines 'XLA Modules' and 'XLA Ops'."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from xlaviz.profile.events import OpEvent, RunWindow
from xlaviz.profile.runs import Intervals
from xlaviz.profile.xplane import UINT64, Plane, integer

_MODULE = re.compile(r"(.*)\((\d+)\)")


def read_tpu(planes: Sequence[Plane]) -> tuple[tuple[OpEvent, ...], tuple[RunWindow, ...]]:
    """The ops of all cores and the executions, both in order of their start.

    An execution is an event 'NAME(PROGRAM ID)' on the line 'XLA Modules'; each core's counts. The line
    'Async XLA Ops' (copies under way) overlaps the ops and is no busy time: it is left out.
    """
    runs: list[tuple[RunWindow, list[OpEvent]]] = []
    outside: list[OpEvent] = []
    for plane in planes:
        if plane.name.startswith("/device:TPU:"):
            own, names = _windows(plane)
            numbers = Intervals([(window.start_ps, window.end_ps) for window in own])
            inside: list[list[OpEvent]] = [[] for _ in own]
            for op in _ops(plane):
                op = replace(op, hlo_module=names.get(op.program_id, ""))
                number = numbers.find(op.start_ps)
                (outside if number is None else inside[number]).append(op)
            runs += zip(own, inside, strict=True)
    runs.sort(key=lambda run: run[0].start_ps)
    numbered = [replace(op, run=number) for number, (_, ops) in enumerate(runs) for op in ops]
    events = sorted(numbered + outside, key=lambda event: event.start_ps)
    return tuple(events), tuple(window for window, _ in runs)


def _windows(plane: Plane) -> tuple[list[RunWindow], dict[int, str]]:
    """The executions on one core, and the programs' names."""
    windows: list[RunWindow] = []
    names: dict[int, str] = {}
    everything = plane.metadata_ids(lambda name: True)
    for line in plane.lines:
        for event in line.events(everything) if line.name == "XLA Modules" else ():
            match = _MODULE.fullmatch(plane.event_names[event.metadata_id])
            if match is not None:
                program_id = int(match[2]) & UINT64
                names[program_id] = match[1]
                windows.append(RunWindow(program_id, event.start_ps, event.end_ps))
    return windows, names


def _ops(plane: Plane) -> list[OpEvent]:
    """An op's event is named by its whole HLO line; the instruction's name and program stand in the metadata."""
    key = plane.stat_ids.get("program_id")
    found: dict[int, tuple[str, int]] = {}
    for metadata_id, metadata in plane.event_metadata():
        for stat in metadata.stats:
            if stat.metadata_id == key and metadata.display_name:
                found[metadata_id] = metadata.display_name, integer(stat)
    ops: list[OpEvent] = []
    for line in plane.lines:
        for event in line.events(frozenset(found)) if line.name == "XLA Ops" else ():
            name, program_id = found[event.metadata_id]
            lane = f"{plane.name} {line.name}"
            ops.append(OpEvent(program_id, name, "", event.start_ps, event.end_ps, lane, None, True))
    return ops
