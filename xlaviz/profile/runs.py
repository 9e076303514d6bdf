"""Which execution of which program an op event belongs to."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from itertools import accumulate, pairwise

import numpy as np
import numpy.typing as npt

from xlaviz.profile.events import NO_RUN, Ints, RunWindow, integers
from xlaviz.profile.host import EAGER, EXECUTE, STEP, HostEvents, Span

_APPROXIMATE = "This TensorFlow version marks no executions: a run is the time of the {name} event around its ops."
NO_WINDOWS = "The file marks no executions: all op events of a program count as one run."
_OVERLAP = "Executions of one program overlap in time: which of them an op belongs to is a guess."


class Intervals:
    """Intervals by start, asked for the one a moment falls into: the one that started last."""

    def __init__(self, spans: Sequence[tuple[int, int]]) -> None:
        self._order = sorted(range(len(spans)), key=lambda index: spans[index])
        self._starts = [spans[index][0] for index in self._order]
        self._ends = [spans[index][1] for index in self._order]
        self._reach = list(accumulate(self._ends, max))

    def find_all(self, moments_ps: Ints) -> Ints:
        """For each moment what `find` says, -1 for None."""
        if not self._order:
            return np.full(len(moments_ps), -1)
        if any(end > start for end, start in zip(self._ends, self._starts[1:], strict=False)):  # some overlap
            found = (self.find(moment) for moment in moments_ps.tolist())
            return np.array([-1 if index is None else index for index in found], np.int64)
        position = np.searchsorted(self._starts, moments_ps, side="right") - 1
        is_inside = (position >= 0) & (np.array(self._ends)[position] > moments_ps)
        return np.where(is_inside, np.array(self._order)[position], -1)

    def find(self, moment_ps: int) -> int | None:
        """The index of the span, as it was passed in."""
        position = bisect_right(self._starts, moment_ps) - 1
        while position >= 0 and self._reach[position] > moment_ps:
            if self._ends[position] > moment_ps:
                return self._order[position]
            position -= 1
        return None


def run_windows(host: HostEvents) -> tuple[tuple[RunWindow, ...], tuple[str, ...]]:
    """The executions in order of their start, and sentences for the user where they had to be approximated.

    The windows are the 'CpuExecutable::ExecuteAsyncOnStream' events; in TensorFlow 2.18 to 2.20, which write none, the
    'EagerKernelExecute' or else the 'xlaviz_step' events that hold ops; and without any of them one window for each
    program, from its first op's start to its last op's end. Those that the sample holds only in part are no windows.
    """
    if not len(host.columns):
        return (), ()
    thunks = _Thunks(host)
    is_in = host.sample.holds_window
    spans = {name: [span for span in own if is_in(span.start_ps, span.end_ps)] for name, own in host.spans.items()}
    windows = _execute_windows(spans[EXECUTE], thunks)
    notes = []
    for name in (EAGER, STEP):
        if not windows:
            windows = _enclosing_windows(spans[name], thunks)
            notes = [_APPROXIMATE.format(name=name)]
    if not windows:
        windows = _whole_windows(thunks)
        notes = [NO_WINDOWS]
    windows.sort(key=lambda window: window.start_ps)
    if _overlap(windows):
        notes.append(_OVERLAP)
    return tuple(windows), tuple(notes)


class _Thunks:
    """What the windows need of the thunks: columns in order of start."""

    def __init__(self, host: HostEvents) -> None:
        columns, order = host.columns, host.order
        ids = np.array([op.program_id for op in columns.ops], np.uint64)
        self.program_id = ids[integers(columns.op)][order]
        self.start_ps = integers(columns.start_ps)[order]
        self.returned_ps = integers(columns.end_ps)[order]
        lane = integers(columns.lane)[order]
        self.of_lane = {name: np.flatnonzero(lane == number) for name, number in columns.lanes.items()}

    def first_inside(self, span: Span, among: Ints | None) -> int | None:
        """The program of the first thunk that starts within a span, of those given or of all."""
        starts_ps = self.start_ps if among is None else self.start_ps[among]
        position = int(np.searchsorted(starts_ps, span.start_ps))
        if position == len(starts_ps) or starts_ps[position] >= span.end_ps:
            return None
        return int(self.program_id[position if among is None else among[position]])


def assign_runs(program_id: npt.NDArray[np.uint64], start_ps: Ints, windows: Sequence[RunWindow]) -> Ints:
    """For each op, given by its program and its start, the index of the window of its own program in which it started,
    or NO_RUN."""
    found = np.full(len(start_ps), NO_RUN)
    indices: dict[int, list[int]] = {}
    for index, window in enumerate(windows):
        indices.setdefault(window.program_id, []).append(index)
    for program, own in indices.items():
        rows = np.flatnonzero(program_id == np.uint64(program))
        intervals = Intervals([(windows[index].start_ps, windows[index].end_ps) for index in own])
        position = intervals.find_all(start_ps[rows])
        found[rows] = np.where(position >= 0, np.array(own)[position], NO_RUN)
    return found


def _execute_windows(spans: Sequence[Span], thunks: _Thunks) -> list[RunWindow]:
    """A span names no program; its first thunk runs on the thread that called, so that one's program it is.

    A program may hand even its first thunk to another thread: then the first op anywhere in the span decides.
    """
    nothing = np.zeros(0, np.int64)
    windows = []
    for span in spans:
        program_id = thunks.first_inside(span, thunks.of_lane.get(span.lane, nothing))
        if program_id is None:
            program_id = thunks.first_inside(span, None)
        if program_id is not None:
            windows.append(RunWindow(program_id, span.start_ps, span.end_ps))
    return windows


def _enclosing_windows(spans: Sequence[Span], thunks: _Thunks) -> list[RunWindow]:
    """One window for each program that has an op in a span (a step may run several)."""
    found = Intervals([(span.start_ps, span.end_ps) for span in spans]).find_all(thunks.start_ps)
    pairs = dict.fromkeys(zip(found.tolist(), thunks.program_id.tolist(), strict=True))
    return [RunWindow(program, spans[index].start_ps, spans[index].end_ps) for index, program in pairs if index >= 0]


def _whole_windows(thunks: _Thunks) -> list[RunWindow]:
    windows = []
    for program_id in np.unique(thunks.program_id):
        own = thunks.program_id == program_id
        start_ps, end_ps = int(thunks.start_ps[own].min()), int(thunks.returned_ps[own].max())
        windows.append(RunWindow(int(program_id), start_ps, end_ps))
    return windows


def _overlap(windows: Sequence[RunWindow]) -> bool:
    """True where two windows of one program, given in order of their start, overlap."""
    by_program: dict[int, list[RunWindow]] = {}
    for window in windows:
        by_program.setdefault(window.program_id, []).append(window)
    return any(left.end_ps > right.start_ps for own in by_program.values() for left, right in pairwise(own))
