"""The GPU adapter: planes '/device:GPU:N' as XLA's CUDA and ROCm tracers write them."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np

from xlaviz.profile.events import EventColumns, Ints, Op, OpEvents, RunWindow
from xlaviz.profile.others import OtherEvents
from xlaviz.profile.progress import TICK, Report
from xlaviz.profile.runs import Intervals
from xlaviz.profile.sampling import Sample, sampled
from xlaviz.profile.xplane import Event, Line, Plane, integer

_POSITIVE = 2**63 - 1  # of 64 bits what a column holds
_EXECUTE = "GpuExecutable::ExecuteThunks"
STREAM = "Stream"
PLANE = "/device:GPU:"


@dataclass(slots=True)
class _Launches:
    """Kernels on the devices, and the number each shares with the host's call that launched it. `executions` has the
    start of the execution by that number, `sample` which of them are read."""

    executions: dict[int, int]
    sample: Sample
    columns: EventColumns = field(default_factory=EventColumns)
    correlation_id: array[int] = field(default_factory=lambda: array("q"))
    others: OtherEvents = field(default_factory=OtherEvents)

    def is_read(self, correlation_id: int) -> bool:
        start_ps = self.executions.get(correlation_id)
        return start_ps is None or self.sample.holds(start_ps)


def read_gpu(
    planes: Sequence[Plane], *, share: float, report: Report
) -> tuple[OpEvents, tuple[RunWindow, ...], OtherEvents, Sample]:
    """The kernels of HLO instructions on all GPUs and the executions, both in order of their start, and what ran there
    without an instruction (copies, other libraries). With a `share` below 1 only the kernels of that part of the
    executions are kept, where the file marks any.

    Every kernel is an event of its own: an instruction may launch several. The lines xprof derives from the streams are
    left out.

    The device marks no executions. Kernels launched inside one 'GpuExecutable::ExecuteThunks' of the host, found by
    their correlation ids, are one run for each device; its window reaches from the first one's start to the
    last one's end. Kernels whose launch is not in the file form one run for each device and program.
    """
    lines = [(p, line) for p in planes if p.name.startswith(PLANE) for line in p.lines if line.name.startswith(STREAM)]
    executions = _executions(planes) if lines else {}
    starts = [(start_ps, start_ps + 1) for start_ps in dict.fromkeys(executions.values())]
    found = _Launches(executions, sampled(starts, share))
    total = sum(line.event_count for _, line in lines) or 1
    done = 0
    for plane, line in lines:
        text = f"reading {plane.name} {line.name}"
        _read_stream(plane, line, found, lambda count, before=done, text=text: report((before + count) / total, text))  # type: ignore[misc]
        done += line.event_count
    if not len(found.columns):
        return found.columns.finished(np.zeros(0, np.int64)), (), found.others, found.sample
    keys = _run_keys(found)
    order = np.argsort(np.array(found.columns.start_ps), kind="stable")
    runs = {key: number for number, key in enumerate(dict.fromkeys(keys[row] for row in order.tolist()))}
    events = found.columns.finished(np.array([runs[key] for key in keys], np.int64))
    return events, _windows(events, len(runs)), found.others, found.sample


def _run_keys(found: _Launches) -> list[tuple[int, int, int | None]]:
    """For each kernel its device, its program and the execution that launched it."""
    programs = [op.program_id for op in found.columns.ops]
    rows = zip(found.columns.device, found.columns.op, found.correlation_id, strict=True)
    return [(device, programs[op], found.executions.get(number)) for device, op, number in rows]


def _read_stream(plane: Plane, line: Line, found: _Launches, tick: Callable[[int], None]) -> None:
    lane = f"{plane.name} {line.name}"
    ids, names = plane.stat_ids, plane.event_names
    hlo_op_id, program_key, module_key = ids.get("hlo_op"), ids.get("program_id"), ids.get("hlo_module")
    correlation_key = ids.get("correlation_id")
    for count, event in enumerate(line.events(frozenset(names))):
        if count % TICK == 0:
            tick(count)
        hlo_op = module = ""
        program_id = None
        correlation_id = 0
        for stat in event.proto.stats:
            key = stat.metadata_id
            if key == hlo_op_id:
                hlo_op = plane.text(stat)
            elif key == program_key:
                program_id = integer(stat)
            elif key == module_key:
                module = plane.text(stat)
            elif key == correlation_key:
                correlation_id = integer(stat)
        correlation_id &= _POSITIVE
        symbol = names[event.metadata_id]
        if hlo_op and program_id is not None:
            if not found.is_read(correlation_id):
                continue
            op = Op(program_id, hlo_op, module)
            found.columns.add(op, event.start_ps, event.end_ps, lane=lane, device=plane.name, symbol=symbol)
            found.correlation_id.append(correlation_id)
        else:
            found.others.add(symbol, plane.name, event.end_ps - event.start_ps)


def _executions(planes: Iterable[Plane]) -> dict[int, int]:
    """Correlation id -> the start of the execution that launched it.

    A thread's launches and its executions stand on lines of different names, and threads drive several devices at
    once: launches belong to the line whose executions hold most of them.
    """
    spans: list[list[tuple[int, int]]] = []
    launches: list[list[tuple[int, int]]] = []
    for plane in planes:
        if plane.name == "/host:CPU":
            execute = plane.metadata_ids(lambda name: name == _EXECUTE)
            others = plane.metadata_ids(lambda name: name != _EXECUTE)
            for line in plane.lines:
                spans.append([(event.start_ps, event.end_ps) for event in line.events(execute)])
                numbers = ((_correlation_id(plane, event), event) for event in line.events(others))
                launches.append([(number, event.start_ps) for number, event in numbers if number is not None])
    lines = [(own, Intervals(own)) for own in spans if own]
    found: dict[int, int] = {}
    for line_launches in launches:
        most: dict[int, int] = {}
        for own, intervals in lines:
            held = _held(line_launches, own, intervals)
            most = held if len(held) > len(most) else most
        found |= most
    return found


def _held(
    launches: Iterable[tuple[int, int]], spans: Sequence[tuple[int, int]], intervals: Intervals
) -> dict[int, int]:
    """Correlation id -> start of the span the launch lies in, for those that lie in one."""
    held = ((number, intervals.find(start_ps)) for number, start_ps in launches)
    return {number: spans[index][0] for number, index in held if index is not None}


def _windows(events: OpEvents, count: int) -> tuple[RunWindow, ...]:
    """The window of each run, by its number; runs are numbered in order of their first kernel."""
    first = np.full(count, np.iinfo(np.int64).max)
    last = np.zeros(count, np.int64)
    np.minimum.at(first, events.run, events.start_ps)
    np.maximum.at(last, events.run, events.end_ps)
    row: Ints = np.zeros(count, np.int64)
    row[events.run] = np.arange(len(events))
    return tuple(
        RunWindow(
            events.ops[events.op[row[run]]].program_id,
            int(first[run]),
            int(last[run]),
            events.devices[events.device[row[run]]],
        )
        for run in range(count)
    )


def _correlation_id(plane: Plane, event: Event) -> int | None:
    key = plane.stat_ids.get("correlation_id")
    found = next((integer(stat) for stat in event.proto.stats if stat.metadata_id == key), None)
    return found & _POSITIVE if found is not None else None
