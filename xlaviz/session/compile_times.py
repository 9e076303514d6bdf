"""What the profile of the compilation says of the passes: how long each took, and those that changed nothing."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from xlaviz.dumps.document import COMPILE_PROFILE
from xlaviz.dumps.sequence import PassSequence, Snapshot
from xlaviz.profile.compilation import PassEvent, read_compilation
from xlaviz.session.documents import Report, opened_at

_BACKEND = "CpuCompiler::RunBackend"
_BACKEND_DEPTH = 2
"""How deep the phases behind the passes are worth listing: below are hundreds of LLVM modules."""
_MATCH = 1000.0
"""What a matched snapshot counts for; the logarithm of a time only decides between equal matches."""


@dataclass(frozen=True, slots=True)
class PassRow:
    """A pass as it ran. `index` is the snapshot it left, None where it changed nothing."""

    pipeline: str
    name: str
    index: int | None
    time_ms: float | None


@dataclass(frozen=True, slots=True)
class CompileTimes:
    """All passes in the order they ran, each snapshot once, and the phases of the backend after them."""

    rows: tuple[PassRow, ...]
    total_ms: float

    @property
    def of_snapshots(self) -> Mapping[int, float]:
        return {row.index: row.time_ms for row in self.rows if row.index is not None and row.time_ms is not None}


@dataclass(frozen=True, slots=True)
class _Moment:
    """When a dump may have been written: a pipeline's start, or a pass's end."""

    at_ps: int
    key: tuple[str, str]
    event: PassEvent


def compile_times(report: Report, path: Path, sequence: PassSequence) -> CompileTimes | None:
    """The passes of this module's compilation; None where the document has no profile of it."""
    document = opened_at(path).document
    data = document.read_member(COMPILE_PROFILE) if document.manifest else None
    if data is None or sequence.last_index == 0:
        return None
    report(0.1, "reading compile times")
    found = []
    for compilation in _compilations(read_compilation(data, file=f"{COMPILE_PROFILE} in {path.name}")):
        matched = match_snapshots(sequence.snapshots, compilation)
        found.append((len(matched), compilation, matched))
    count, compilation, matched = max(found, key=lambda one: one[0], default=(0, (), {}))
    if not count:
        return None
    total_ps = sum(event.duration_ps for event in compilation if event.depth == 0)
    return CompileTimes(tuple(_rows(sequence.snapshots, compilation, matched)), total_ps / 1e9)


def _compilations(events: Sequence[PassEvent]) -> Iterator[tuple[PassEvent, ...]]:
    """The events of each module: another begins where a pipeline of the top comes a second time."""
    seen: set[str] = set()
    current: list[PassEvent] = []
    for event in events:
        if event.depth == 0:
            if event.name in seen:
                yield tuple(current)
                seen, current = set(), []
            seen.add(event.name)
        current.append(event)
    if current:
        yield tuple(current)


def match_snapshots(snapshots: Sequence[Snapshot], events: Sequence[PassEvent]) -> dict[int, PassEvent]:
    """Snapshot's index -> the event that left it: as many as can be had in order.

    Where a pass ran several times in a row, the longest run is taken: one that changes something takes its time, and
    so does writing the dump.
    """
    moments = sorted(_moments(events), key=lambda moment: moment.at_ps)
    keys = [_key(snapshot) for snapshot in snapshots]
    best = [[0.0] * (len(moments) + 1) for _ in range(len(keys) + 1)]
    for row, key in enumerate(keys, 1):
        above, here = best[row - 1], best[row]
        for column, moment in enumerate(moments, 1):
            here[column] = max(here[column - 1], above[column])
            if moment.key == key:
                here[column] = max(here[column], above[column - 1] + _MATCH + _weight(moment))
    found: dict[int, PassEvent] = {}
    row, column = len(keys), len(moments)
    while row and column:
        if best[row][column] == best[row][column - 1]:
            column -= 1
        elif best[row][column] == best[row - 1][column]:
            row -= 1
        else:
            row, column = row - 1, column - 1
            found[snapshots[row].index] = moments[column].event
    return found


def _moments(events: Sequence[PassEvent]) -> Iterator[_Moment]:
    for event in events:
        yield _Moment(event.start_ps, (_plain(event.name), ""), event)
        if event.pipelines:
            yield _Moment(event.start_ps + event.duration_ps, (_plain(event.pipelines[-1]), _plain(event.name)), event)


def _weight(moment: _Moment) -> float:
    return math.log1p(moment.event.duration_ps / 1e6) if moment.key[1] else 0.0


def _key(snapshot: Snapshot) -> tuple[str, str]:
    return _plain(snapshot.pipeline), _plain(snapshot.pass_name)


def _plain(name: str) -> str:
    """A name as a dump's file has it."""
    return re.sub(r"[^A-Za-z0-9]+", "_", name)


def _rows(
    snapshots: Sequence[Snapshot], events: Sequence[PassEvent], matched: Mapping[int, PassEvent]
) -> Iterator[PassRow]:
    """Snapshots, and between them what ran and left none."""
    left = {id(event) for event in matched.values()}
    pipelines = {(*event.pipelines, event.name)[: depth + 1] for event in events for depth in range(event.depth)}
    idle = [e for e in events if id(e) not in left and _is_listed(e, is_pipeline=(*e.pipelines, e.name) in pipelines)]
    idle.sort(key=_end_ps)
    for snapshot in snapshots:
        before_ps = _known_after(snapshot, snapshots, matched)
        while idle and _end_ps(idle[0]) <= before_ps and _BACKEND not in idle[0].pipelines:
            yield _idle_row(idle.pop(0))
        event = matched.get(snapshot.index)
        time_ms = event.duration_ps / 1e9 if event is not None and snapshot.pass_name else None
        yield PassRow(snapshot.pipeline, "", snapshot.index, time_ms)
    yield from map(_idle_row, idle)


def _known_after(snapshot: Snapshot, snapshots: Sequence[Snapshot], matched: Mapping[int, PassEvent]) -> float:
    """Until when everything that ran is known to have run before this snapshot."""
    event = matched.get(snapshot.index)
    if event is not None:
        return _end_ps(event) if snapshot.pass_name else event.start_ps
    if snapshot is snapshots[-1]:
        return math.inf
    following = (matched[later.index] for later in snapshots[snapshot.index + 1 :] if later.index in matched)
    return next((event.start_ps for event in following), 0) if snapshot.index else 0


def _is_listed(event: PassEvent, *, is_pipeline: bool) -> bool:
    """Passes and the main phases of the backend; not the rounds of a pipeline, which are no passes of their own."""
    if _BACKEND in event.pipelines:
        return event.depth == _BACKEND_DEPTH
    return event.depth > 0 and not is_pipeline and event.name != event.pipelines[-1]


def _end_ps(event: PassEvent) -> int:
    return event.start_ps + event.duration_ps


def _idle_row(event: PassEvent) -> PassRow:
    pipeline = "backend" if _BACKEND in event.pipelines else event.pipelines[-1].replace(" ", "_")
    return PassRow(pipeline, event.name, None, event.duration_ps / 1e9)
