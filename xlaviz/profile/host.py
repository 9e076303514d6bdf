"""The CPU adapter: what TensorFlow 2.18 to 2.21 writes to the plane '/host:CPU'.

Every XLA thunk leaves one event named as the HLO instruction, with the stats hlo_op, hlo_module and program_id,
on whichever thread ran it: a line is never "the stream". From 2.20 on a thunk is also a producer (stat _p) and an
event 'end: <name>' (stat _c, the same number) follows when it is done. From 2.21 on every execution of a program
lies inside one 'CpuExecutable::ExecuteAsyncOnStream' that lasts until the outputs are ready.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from xlaviz.profile.events import EventColumns, Ints, Op, integers
from xlaviz.profile.progress import TICK, Report
from xlaviz.profile.sampling import Sample, sampled
from xlaviz.profile.wire import signed
from xlaviz.profile.xplane import Event, Line, Plane, integer

EXECUTE = "CpuExecutable::ExecuteAsyncOnStream"
EAGER = "EagerKernelExecute"
STEP = "xlaviz_step"
DEVICE = "CPU"

_WINDOW_NAMES = (EXECUTE, EAGER, STEP)
_END = "end: "
_NOISE = "ThreadpoolListener::"
NO_PRODUCER = -1


class Span(NamedTuple):
    """A host event that may hold an execution. Picoseconds."""

    start_ps: int
    end_ps: int
    lane: str


@dataclass(slots=True)
class HostEvents:
    """`columns` holds the thunks as written: their `end_ps` is when the call returned, which is not always when the
    work was done. `producer` is the number a thunk's end event carries, NO_PRODUCER where the TensorFlow version writes
    none. `ended` and `ended_ps` are those numbers and the end events' starts. `spans`: event name -> its spans.
    """

    columns: EventColumns = field(default_factory=EventColumns)
    producer: array[int] = field(default_factory=lambda: array("q"))
    ended: array[int] = field(default_factory=lambda: array("q"))
    ended_ps: array[int] = field(default_factory=lambda: array("q"))
    spans: dict[str, list[Span]] = field(default_factory=lambda: {name: [] for name in _WINDOW_NAMES})
    sample: Sample = field(default_factory=Sample)

    @property
    def order(self) -> Ints:
        """The thunks' rows in order of start."""
        return np.argsort(integers(self.columns.start_ps), kind="stable")


def read_host(planes: Sequence[Plane], *, share: float, report: Report) -> HostEvents:
    """The op events, end events and possible run windows of all '/host:CPU' planes.

    With a `share` below 1 only the thunks and ends inside that share of the executions are read; all where no more than
    one execution is marked.
    """
    found = HostEvents()
    host = [plane for plane in planes if plane.name == "/host:CPU"]
    for plane in host:
        windows = plane.metadata_ids(lambda name: name in _WINDOW_NAMES)
        for line in plane.lines:
            for event in line.events(windows):
                span = Span(event.start_ps, event.end_ps, line.lane)
                found.spans[plane.event_names[event.metadata_id]].append(span)
    marks = next((found.spans[name] for name in (EXECUTE, STEP, EAGER) if found.spans[name]), [])
    found.sample = sampled([(span.start_ps, span.end_ps) for span in marks], share)
    lines = [(plane, line) for plane in host for line in plane.lines]
    total = sum(line.event_count for _, line in lines) or 1
    done = 0
    readers = {id(plane): _PlaneReader(plane, found) for plane in host}
    for plane, line in lines:
        readers[id(plane)].read(line, lambda count, before=done: report((before + count) / total, "reading events"))  # type: ignore[misc]
        done += line.event_count
    return found


class _PlaneReader:
    """Reads the stats of an event by their ids: this runs once for every event of the file."""

    def __init__(self, plane: Plane, found: HostEvents) -> None:
        self._plane, self._found = plane, found
        ids = plane.stat_ids
        self._hlo_op = ids.get("hlo_op")
        self._hlo_module = ids.get("hlo_module")
        self._program_id = ids.get("program_id")
        self._producer = ids.get("_p")
        self._consumer = ids.get("_c")
        self._correlation_id = ids.get("correlation_id")
        self._ends = plane.metadata_ids(lambda name: name.startswith(_END))
        skipped = plane.metadata_ids(lambda name: name.startswith(_NOISE) or name in _WINDOW_NAMES)
        self._wanted = plane.metadata_ids(lambda name: True) - skipped

    def read(self, line: Line, tick: Callable[[int], None]) -> None:
        is_in = self._found.sample.holds
        for count, event in enumerate(line.events(self._wanted)):
            if count % TICK == 0:
                tick(count)
            if not event.proto.stats or not is_in(event.start_ps):
                continue
            if event.metadata_id in self._ends:
                self._read_end(event)
            else:
                self._read_thunk(event, line.lane)

    def _read_end(self, event: Event) -> None:
        for stat in event.proto.stats:
            if stat.metadata_id == self._consumer:
                self._found.ended.append(signed(integer(stat)))
                self._found.ended_ps.append(event.start_ps)
                return

    def _read_thunk(self, event: Event, lane: str) -> None:
        """Nothing for an event without hlo_op and program_id, and for the launch of a GPU kernel (correlation_id)."""
        hlo_op = hlo_module = ""
        program_id = None
        producer = NO_PRODUCER
        for stat in event.proto.stats:
            key = stat.metadata_id
            if key == self._hlo_op:
                hlo_op = self._plane.text(stat)
            elif key == self._program_id:
                program_id = integer(stat)
            elif key == self._hlo_module:
                hlo_module = self._plane.text(stat)
            elif key == self._producer:
                producer = signed(integer(stat))
            elif key == self._correlation_id:
                return
        if hlo_op and program_id is not None:
            op = Op(program_id, hlo_op, hlo_module)
            self._found.columns.add(op, event.start_ps, event.end_ps, lane=lane, device=DEVICE)
            self._found.producer.append(producer)
