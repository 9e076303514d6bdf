"""The GPU adapter: planes '/device:GPU:N' as XLA's CUDA and ROCm tracers write them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from xlaviz.profile.events import OpEvent, RunWindow
from xlaviz.profile.runs import Intervals
from xlaviz.profile.xplane import Event, Plane, integer

_EXECUTE = "GpuExecutable::ExecuteThunks"
_STREAM = "Stream"


@dataclass(frozen=True, slots=True)
class _Launch:
    """A kernel on the device, and the number it shares with the host's call that launched it."""

    op: OpEvent
    device: str
    correlation_id: int


def read_gpu(planes: Sequence[Plane]) -> tuple[tuple[OpEvent, ...], tuple[RunWindow, ...]]:
    """The kernels of HLO instructions on all GPUs, and the executions, both in order of their start.

    Every kernel is an event of its own: an instruction may launch several. Kernels without an instruction
    (copies, other libraries) are left out, and so are the lines xprof derives from the streams.

    The device marks no executions. Kernels launched inside one 'GpuExecutable::ExecuteThunks' of the host, found by
    their correlation ids, are one run for each device; its window reaches from the first one's start to the
    last one's end. Kernels whose launch is not in the file form one run for each device and program.
    """
    launches = [launch for plane in planes if plane.name.startswith("/device:GPU:") for launch in _launches(plane)]
    if not launches:
        return (), ()
    launches.sort(key=lambda launch: launch.op.start_ps)
    executions = _executions(planes)
    keys = [(launch.device, launch.op.program_id, executions.get(launch.correlation_id)) for launch in launches]
    runs = {key: index for index, key in enumerate(dict.fromkeys(keys))}
    events = tuple(replace(launch.op, run=runs[key]) for launch, key in zip(launches, keys, strict=True))
    return events, _windows(events)


def _launches(plane: Plane) -> Iterator[_Launch]:
    everything = plane.metadata_ids(lambda name: True)
    for line in plane.lines:
        if line.name.startswith(_STREAM):
            for event in line.events(everything):
                stats = plane.stats(event.proto.stats)
                hlo_op, program_id = stats.get("hlo_op"), _number(plane, event, "program_id")
                if isinstance(hlo_op, str) and program_id is not None:
                    lane = f"{plane.name} {line.name}"
                    module = str(stats.get("hlo_module", ""))
                    op = OpEvent(program_id, hlo_op, module, event.start_ps, event.end_ps, lane, None, True)
                    yield _Launch(op, plane.name, _number(plane, event, "correlation_id") or 0)


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
                numbers = ((_number(plane, event, "correlation_id"), event) for event in line.events(others))
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


def _windows(events: Iterable[OpEvent]) -> tuple[RunWindow, ...]:
    """The window of each run, by its number; runs are numbered in order of their first kernel."""
    found: dict[int, RunWindow] = {}
    for event in events:
        if event.run is not None:
            known = found.setdefault(event.run, RunWindow(event.program_id, event.start_ps, event.end_ps))
            found[event.run] = replace(known, end_ps=max(known.end_ps, event.end_ps))
    return tuple(found.values())


def _number(plane: Plane, event: Event, name: str) -> int | None:
    key = plane.stat_ids.get(name)
    return next((integer(stat) for stat in event.proto.stats if stat.metadata_id == key), None)
