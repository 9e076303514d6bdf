"""Op events as executions: which run, how much of it their own, several kernels of one instruction as one."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from xlaviz.hlo.model import HloModule
from xlaviz.profile.events import Bools, Ints, OpEvents

CONTROL_FLOW = frozenset({"while", "conditional", "call"})


class RunColumns:
    """Events of one program as arrays, in order of (run, start). `code` numbers `names`, `run` the table's runs."""

    def __init__(self, events: OpEvents, run: Ints) -> None:
        order = np.argsort(run, kind="stable")  # events are in order of start
        by_name: dict[str, int] = {}
        codes = np.array([by_name.setdefault(op.hlo_op, len(by_name)) for op in events.ops], np.int64)
        raw = codes[events.op[order]] if len(events) else np.zeros(0, np.int64)
        used, self.code = np.unique(raw, return_inverse=True)
        all_names = list(by_name)
        self.names = [all_names[code] for code in used]
        self.run = run[order]
        self.start_ps = events.start_ps[order]
        self.end_ps = events.end_ps[order]
        self.exact = events.exact[order]
        self.symbol = events.symbol[order]
        self.is_device = bool(len(events)) and events.devices[events.device[0]] != "CPU"
        self.device = events.device[order]

    def run_slice(self, run: int) -> slice:
        first, last = np.searchsorted(self.run, [run, run + 1])
        return slice(int(first), int(last))


@dataclass(frozen=True)
class Executions:
    """Executions of instructions, by columns of one length."""

    code: Ints
    run: Ints
    total_ps: Ints
    self_ps: Ints
    exact: Bools


def merged(columns: RunColumns, total_ps: Ints, self_ps: Ints, module: HloModule | None) -> Executions:
    """Each event an execution; on a GPU or TPU all kernels of an instruction in a run together, for it launches
    several. Not so in a loop, where they may be of several iterations. Those of one instruction are in order of time.
    """
    everything = Executions(columns.code, columns.run, total_ps, self_ps, columns.exact)
    if not columns.is_device or module is None:
        return everything
    in_loops = loop_instructions(module)
    is_single = ~np.array([name in in_loops for name in columns.names], np.bool_)[columns.code]
    # Events in loops get a group of their own each, behind those of the runs.
    own = (columns.run.max(initial=0) + 1) * len(columns.names) + np.arange(len(columns.code))
    group = np.where(is_single, columns.run * len(columns.names) + columns.code, own)
    _, first, inverse = np.unique(group, return_index=True, return_inverse=True)
    count = len(first)
    return Executions(
        columns.code[first],
        columns.run[first],
        np.bincount(inverse, weights=total_ps, minlength=count).astype(np.int64),
        np.bincount(inverse, weights=self_ps, minlength=count).astype(np.int64),
        np.bincount(inverse, weights=~columns.exact, minlength=count) == 0,
    )


def loop_instructions(module: HloModule) -> frozenset[str]:
    """The names of all instructions that a while calls, in whatever depth."""
    every = (instruction for computation in module.computations for instruction in computation.instructions)
    bodies = (called for one in every if one.opcode == "while" for called in one.called_computations)
    return called_instructions(module, bodies)


def union_ps(start_ps: Ints, end_ps: Ints) -> int:
    """The time covered by intervals given in order of their start; where they overlap it counts once."""
    if not len(start_ps):
        return 0
    reach = np.maximum.accumulate(end_ps)
    before = np.concatenate((start_ps[:1], reach[:-1]))
    return int(np.sum(reach - np.maximum(np.minimum(start_ps, reach), before)))


def self_times_ps(columns: RunColumns, module: HloModule | None) -> Ints:
    """Per event its duration, for a while, conditional or call less the union of the events inside it.

    Inside are the events of the instructions of its called computations, transitively, that start within it.
    """
    self_ps: Ints = columns.end_ps - columns.start_ps
    for code, name in enumerate(columns.names):
        instruction = module.instruction(name) if module is not None else None
        if module is None or instruction is None or instruction.opcode not in CONTROL_FLOW:
            continue
        called = called_instructions(module, instruction.called_computations)
        is_inside = np.array([other in called for other in columns.names])[columns.code]
        inner = _Inner(columns, np.flatnonzero(is_inside))
        for event in np.flatnonzero(columns.code == code).tolist():
            run, start_ps, end_ps = int(columns.run[event]), int(columns.start_ps[event]), int(columns.end_ps[event])
            self_ps[event] -= inner.union_ps(run, start_ps, end_ps)
    return self_ps


def divided_times_ps(columns: RunColumns, self_ps: Ints, module: HloModule | None) -> Ints:
    """Per event its part of the time on the clock: while several kernels of a run are under way, each counts for as
    much less. What another execution does at the same time takes nothing away.

    A while, conditional or call keeps its self time: what is inside has taken its part of the rest.
    """
    divided = self_ps.copy()
    own = np.flatnonzero(is_leaf(columns, module)[columns.code])
    if len(own):
        # Runs may overlap: each is moved to where it has the clock to itself.
        run, start_ps, end_ps = columns.run[own], columns.start_ps[own], columns.end_ps[own]
        first = np.flatnonzero(np.diff(run, prepend=-1))  # events are in order of run
        lengths_ps = np.maximum.reduceat(end_ps, first) - start_ps[first] + 1
        moved_ps = np.cumsum(lengths_ps) - lengths_ps - start_ps[first]
        moved_ps = moved_ps[np.searchsorted(run[first], run)]
        divided[own] = _shared_ps(start_ps + moved_ps, end_ps + moved_ps)
    return divided


def is_leaf(columns: RunColumns, module: HloModule | None) -> Bools:
    """By code, whether an instruction is a kernel, and no loop or call around others."""
    found = (module.instruction(name) if module is not None else None for name in columns.names)
    return np.array([one is None or one.opcode not in CONTROL_FLOW for one in found], np.bool_)


def _shared_ps(start_ps: Ints, end_ps: Ints) -> Ints:
    """For each interval the integral over it of 1 / (intervals at that moment)."""
    moments = np.concatenate((start_ps, end_ps))
    order = np.argsort(moments, kind="stable")
    change = np.where(order < len(start_ps), 1, -1)
    at_once = np.cumsum(change)[:-1]
    gaps = np.diff(moments[order])
    grown = np.concatenate(([0.0], np.cumsum(gaps / np.maximum(at_once, 1))))
    place = np.empty(len(order), np.int64)
    place[order] = np.arange(len(order))
    shared_ps: Ints = np.rint(grown[place[len(start_ps) :]] - grown[place[: len(start_ps)]]).astype(np.int64)
    return shared_ps


class _Inner:
    """Events inside others, gathered once: a loop may run a million times."""

    def __init__(self, columns: RunColumns, events: Ints) -> None:
        self._run = columns.run[events]
        self._start_ps = columns.start_ps[events]
        self._end_ps = columns.end_ps[events]
        self._bounds: dict[int, tuple[int, int]] = {}

    def union_ps(self, run: int, start_ps: int, end_ps: int) -> int:
        """The union of those of a run that start within an interval, cut off at its end."""
        if run not in self._bounds:
            first, last = np.searchsorted(self._run, [run, run + 1])
            self._bounds[run] = int(first), int(last)
        first, last = self._bounds[run]
        low, high = first + np.searchsorted(self._start_ps[first:last], [start_ps, end_ps])
        return union_ps(self._start_ps[low:high], np.minimum(self._end_ps[low:high], end_ps))


def called_instructions(module: HloModule, computations: Iterable[str]) -> frozenset[str]:
    """The names of all instructions in these computations and in those they call."""
    seen: set[str] = set()
    pending = list(computations)
    names: set[str] = set()
    while pending:
        computation = module.by_name.get(pending.pop())
        if computation is None or computation.name in seen:
            continue
        seen.add(computation.name)
        for instruction in computation.instructions:
            names.add(instruction.name)
            pending.extend(instruction.called_computations)
    return frozenset(names)
