"""The CPU adapter: what TensorFlow 2.18 to 2.21 writes to the plane '/host:CPU'.

Every XLA thunk leaves one event named as the HLO instruction, with the stats hlo_op, hlo_module and program_id,
on whichever thread ran it: a line is never "the stream". From 2.20 on a thunk is also a producer (stat _p) and an
event 'end: <name>' (stat _c, the same number) follows when it is done. From 2.21 on every execution of a program
lies inside one 'CpuExecutable::ExecuteAsyncOnStream' that lasts until the outputs are ready.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from xlaviz.profile.xplane import Event, Plane, integer

EXECUTE = "CpuExecutable::ExecuteAsyncOnStream"
EAGER = "EagerKernelExecute"
STEP = "xlaviz_step"

_WINDOW_NAMES = (EXECUTE, EAGER, STEP)
_END = "end: "
_NOISE = "ThreadpoolListener::"


@dataclass(slots=True)
class Thunk:
    """An op event as written: `returned_ps` is when the call returned, which is not always when the work was done.

    `producer` is the number its end event carries, None where the TensorFlow version writes no end events.
    """

    program_id: int
    hlo_op: str
    hlo_module: str
    start_ps: int
    returned_ps: int
    lane: str
    producer: int | None


@dataclass(frozen=True, slots=True)
class Span:
    """A host event that may hold an execution. Picoseconds."""

    start_ps: int
    end_ps: int
    lane: str


@dataclass(slots=True)
class HostEvents:
    """`ends_ps`: producer number -> start of its end event. `spans`: event name -> its spans."""

    thunks: list[Thunk] = field(default_factory=list)
    ends_ps: dict[int, int] = field(default_factory=dict)
    spans: dict[str, list[Span]] = field(default_factory=lambda: {name: [] for name in _WINDOW_NAMES})


def read_host(planes: Iterable[Plane]) -> HostEvents:
    """The op events, end events and possible run windows of all '/host:CPU' planes, in order of their start."""
    found = HostEvents()
    for plane in planes:
        if plane.name == "/host:CPU":
            _read_plane(plane, found)
    found.thunks.sort(key=lambda thunk: thunk.start_ps)
    return found


def _read_plane(plane: Plane, found: HostEvents) -> None:
    consumer = plane.stat_ids.get("_c")
    thunks = _ThunkReader(plane)
    names = plane.event_names
    wanted = plane.metadata_ids(lambda name: not name.startswith(_NOISE))
    ends = plane.metadata_ids(lambda name: name.startswith(_END))
    windows = plane.metadata_ids(lambda name: name in _WINDOW_NAMES)
    for line in plane.lines:
        for event in line.events(wanted):
            if event.metadata_id in ends:
                number = next((integer(stat) for stat in event.proto.stats if stat.metadata_id == consumer), None)
                if number is not None:
                    found.ends_ps[number] = event.start_ps
            elif event.metadata_id in windows:
                span = Span(event.start_ps, event.end_ps, line.lane)
                found.spans[names[event.metadata_id]].append(span)
            elif event.proto.stats:
                thunk = thunks.read(event, line.lane)
                if thunk is not None:
                    found.thunks.append(thunk)


class _ThunkReader:
    """Reads the stats of an op event by their ids: this runs once for every event of the file."""

    def __init__(self, plane: Plane) -> None:
        self._plane = plane
        ids = plane.stat_ids
        self._hlo_op = ids.get("hlo_op")
        self._hlo_module = ids.get("hlo_module")
        self._program_id = ids.get("program_id")
        self._producer = ids.get("_p")
        self._correlation_id = ids.get("correlation_id")

    def read(self, event: Event, lane: str) -> Thunk | None:
        """None for an event without hlo_op and program_id, and for the launch of a GPU kernel (correlation_id)."""
        hlo_op = hlo_module = ""
        program_id = producer = None
        for stat in event.proto.stats:
            key = stat.metadata_id
            if key == self._hlo_op:
                hlo_op = self._plane.text(stat)
            elif key == self._program_id:
                program_id = integer(stat)
            elif key == self._hlo_module:
                hlo_module = self._plane.text(stat)
            elif key == self._producer:
                producer = integer(stat)
            elif key == self._correlation_id:
                return None
        if not hlo_op or program_id is None:
            return None
        return Thunk(program_id, hlo_op, hlo_module, event.start_ps, event.end_ps, lane, producer)
