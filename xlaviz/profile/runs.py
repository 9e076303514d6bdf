"""Which execution of which program an op event belongs to."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Mapping, Sequence
from itertools import accumulate, pairwise

from xlaviz.profile.events import RunWindow
from xlaviz.profile.host import EAGER, EXECUTE, STEP, Span, Thunk

_APPROXIMATE = "This TensorFlow version marks no executions: a run is the time of the {name} event around its ops."
_NO_WINDOWS = "The file marks no executions: all op events of a program count as one run."
_OVERLAP = "Executions of one program overlap in time: which of them an op belongs to is a guess."


class Intervals:
    """Intervals by start, asked for the one a moment falls into: the one that started last."""

    def __init__(self, spans: Sequence[tuple[int, int]]) -> None:
        self._order = sorted(range(len(spans)), key=lambda index: spans[index])
        self._starts = [spans[index][0] for index in self._order]
        self._ends = [spans[index][1] for index in self._order]
        self._reach = list(accumulate(self._ends, max))

    def find(self, moment_ps: int) -> int | None:
        """The index of the span, as it was passed in."""
        position = bisect_right(self._starts, moment_ps) - 1
        while position >= 0 and self._reach[position] > moment_ps:
            if self._ends[position] > moment_ps:
                return self._order[position]
            position -= 1
        return None


def run_windows(
    spans: Mapping[str, Sequence[Span]], thunks: Sequence[Thunk]
) -> tuple[tuple[RunWindow, ...], tuple[str, ...]]:
    """The executions in order of their start, and sentences for the user where they had to be approximated.

    `thunks` in order of their start. The windows are the 'CpuExecutable::ExecuteAsyncOnStream' events; in TensorFlow
    2.18 to 2.20, which write none, the 'EagerKernelExecute' or else the 'xlaviz_step' events that hold ops; and
    without any of them one window for each program, from its first op's start to its last op's end.
    """
    if not thunks:
        return (), ()
    windows = _execute_windows(spans.get(EXECUTE, ()), thunks)
    notes = []
    for name in (EAGER, STEP):
        if not windows:
            windows = _enclosing_windows(spans.get(name, ()), thunks)
            notes = [_APPROXIMATE.format(name=name)]
    if not windows:
        windows = _whole_windows(thunks)
        notes = [_NO_WINDOWS]
    windows.sort(key=lambda window: window.start_ps)
    if _overlap(windows):
        notes.append(_OVERLAP)
    return tuple(windows), tuple(notes)


def assign_runs(thunks: Iterable[Thunk], windows: Sequence[RunWindow]) -> list[int | None]:
    """For each op the index of the window of its own program in which it started."""
    indices: dict[int, list[int]] = {}
    for index, window in enumerate(windows):
        indices.setdefault(window.program_id, []).append(index)
    intervals = {
        program_id: Intervals([(windows[index].start_ps, windows[index].end_ps) for index in own])
        for program_id, own in indices.items()
    }
    runs: list[int | None] = []
    for thunk in thunks:
        own = intervals.get(thunk.program_id)
        found = own.find(thunk.start_ps) if own is not None else None
        runs.append(indices[thunk.program_id][found] if found is not None else None)
    return runs


def _execute_windows(spans: Sequence[Span], thunks: Sequence[Thunk]) -> list[RunWindow]:
    """A span names no program; its first thunk runs on the thread that called, so that one's program it is.

    A program may hand even its first thunk to another thread: then the first op anywhere in the span decides.
    """
    by_lane: dict[str, list[Thunk]] = {}
    for thunk in thunks:
        by_lane.setdefault(thunk.lane, []).append(thunk)
    starts = {lane: [thunk.start_ps for thunk in own] for lane, own in by_lane.items()}
    all_starts = [thunk.start_ps for thunk in thunks]
    windows = []
    for span in spans:
        first = _first_inside(span, by_lane.get(span.lane, ()), starts.get(span.lane, ()))
        first = first or _first_inside(span, thunks, all_starts)
        if first is not None:
            windows.append(RunWindow(first.program_id, span.start_ps, span.end_ps))
    return windows


def _first_inside(span: Span, thunks: Sequence[Thunk], starts_ps: Sequence[int]) -> Thunk | None:
    position = bisect_left(starts_ps, span.start_ps)
    return thunks[position] if position < len(thunks) and starts_ps[position] < span.end_ps else None


def _enclosing_windows(spans: Sequence[Span], thunks: Iterable[Thunk]) -> list[RunWindow]:
    """One window for each program that has an op in a span (a step may run several)."""
    intervals = Intervals([(span.start_ps, span.end_ps) for span in spans])
    found = dict.fromkeys((intervals.find(thunk.start_ps), thunk.program_id) for thunk in thunks)
    return [
        RunWindow(program_id, spans[index].start_ps, spans[index].end_ps)
        for index, program_id in found
        if index is not None
    ]


def _whole_windows(thunks: Iterable[Thunk]) -> list[RunWindow]:
    found: dict[int, tuple[int, int]] = {}
    for thunk in thunks:
        start_ps, end_ps = found.get(thunk.program_id, (thunk.start_ps, thunk.returned_ps))
        found[thunk.program_id] = start_ps, max(end_ps, thunk.returned_ps)
    return [RunWindow(program_id, start_ps, end_ps) for program_id, (start_ps, end_ps) in found.items()]


def _overlap(windows: Sequence[RunWindow]) -> bool:
    """True where two windows of one program, given in order of their start, overlap."""
    by_program: dict[int, list[RunWindow]] = {}
    for window in windows:
        by_program.setdefault(window.program_id, []).append(window)
    return any(left.end_ps > right.start_ps for own in by_program.values() for left, right in pairwise(own))
