"""From op events to a table of kernels: medians, shares, coverage. Never a mean: the times have long tails."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from xlaviz.hlo.model import HloInstruction, HloModule
from xlaviz.profile.events import OpEvent, RunWindow
from xlaviz.profile.peaks import NO_PEAKS, Peaks
from xlaviz.profile.profile import Profile

NEAR_FLOOR_US = 5.0
"""Recording costs 2 to 4 us per thunk: the time of a kernel shorter than this is mostly the profiler's own."""

WIDE_SPREAD = 0.5
"""From which (p90 - p10) / median on a kernel's times are marked as too wide."""

_CONTROL_FLOW = frozenset({"while", "conditional", "call"})
_PS_PER_US = 1e6

_Int = npt.NDArray[np.int64]
_Float = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class OtherKernel:
    """What ran on a device and is no HLO instruction: copies, other libraries. Times are microseconds."""

    name: str
    device: str
    count: int
    median_us: float
    total_us: float


@dataclass(frozen=True, slots=True)
class Kernel:
    """One HLO instruction that left events. Times are microseconds.

    `runs` is the number of executions: an instruction in a loop's body counts once for each iteration, and one that
    launches several kernels on a GPU once for each of them. `median_us`,
    `p10_us`, `p90_us` and `min_us` are of one execution, from start to end. `self_us` is the median of one
    execution without the instructions of the computations it calls (a while without its body); for any other
    opcode it is `median_us`. `share` is the self time of all its executions in a run over the run's time, the
    median over runs (0..1; kernels that overlap can add up to more than 1).

    `exact` means that the end of every execution was recorded, none inferred. `near_floor` marks a median under
    NEAR_FLOOR_US.
    """

    name: str
    opcode: str
    runs: int
    median_us: float
    p10_us: float
    p90_us: float
    min_us: float
    self_us: float
    share: float
    exact: bool
    near_floor: bool
    fusion_kind: str = ""
    op_names: tuple[str, ...] = ()
    self_per_run_us: float = 0.0
    total_per_run_us: float = 0.0
    flops: float | None = None
    bytes: float | None = None

    @property
    def is_spread(self) -> bool:
        """Whether the times lie too far apart for the median to say much."""
        return self.median_us > 0 and (self.p90_us - self.p10_us) / self.median_us > WIDE_SPREAD

    @property
    def flops_per_s(self) -> float | None:
        return self.flops / self.median_us * 1e6 if self.flops is not None and self.median_us > 0 else None

    @property
    def bytes_per_s(self) -> float | None:
        return self.bytes / self.median_us * 1e6 if self.bytes is not None and self.median_us > 0 else None

    @property
    def intensity(self) -> float | None:
        """FLOPs per byte."""
        return self.flops / self.bytes if self.flops is not None and self.bytes else None

    def bound_by(self, peaks: Peaks) -> str:
        """`compute` or `memory`, whichever of the two roofs is lower at this intensity; empty where one is unknown."""
        if self.intensity is None or peaks.ridge is None:
            return ""
        return "compute" if self.intensity >= peaks.ridge else "memory"


@dataclass(frozen=True, slots=True)
class KernelTable:
    """The kernels of one program, the largest share first.

    `runs` is the number of executions of the program, counted on each device for itself.
    `coverage` is the part of an execution's time in which at least one op ran, the median over runs (0..1);
    `coverage_per_run` has the runs in order of time. A run whose coverage is low was disturbed by something else
    on the machine. `run_us` is the median time of an execution. `unmatched` counts the op events that are
    no instruction of the module, under `unmatched_names`; `outside` those that lie in no run. Neither kind is in
    any other figure of the table.
    """

    program_id: int
    runs: int
    run_us: float
    coverage: float
    coverage_per_run: tuple[float, ...]
    unmatched: int
    unmatched_names: tuple[str, ...]
    outside: int
    kernels: tuple[Kernel, ...]
    unattributed_us: float = 0.0
    device: str = ""
    devices: tuple[str, ...] = ()
    peaks: Peaks = NO_PEAKS
    others: tuple[OtherKernel, ...] = ()
    notes: tuple[str, ...] = ()


def kernel_table(profile: Profile, program_id: int, module: HloModule) -> KernelTable:
    """The table of the program's op events, joined to the module's instructions by name.

    Pass the module the program ran as (`profile.modules[program_id]`, or the after-optimizations dump of the same
    compilation): one compiled again for inspection names its instructions otherwise, and they count as unmatched.
    """
    windows = [(index, run) for index, run in enumerate(profile.runs) if run.program_id == program_id]
    positions = {index: position for position, (index, _) in enumerate(windows)}
    own = [event for event in profile.events if event.program_id == program_id]
    unmatched = [event.hlo_op for event in own if event.hlo_op not in module.computation_of]
    inside = [event for event in own if event.run in positions and event.hlo_op in module.computation_of]
    columns = _Columns(inside, positions)
    run_ps = _run_durations_ps([run for _, run in windows])
    coverage = _coverage(columns, [run for _, run in windows])
    return KernelTable(
        program_id=program_id,
        runs=len(windows),
        run_us=float(np.median(run_ps)) / _PS_PER_US if windows else 0.0,
        coverage=float(np.median(coverage)) if windows else 0.0,
        coverage_per_run=tuple(coverage.tolist()),
        unmatched=len(unmatched),
        unmatched_names=tuple(sorted(set(unmatched))),
        outside=sum(event.run is None for event in own),
        kernels=_kernels(columns, module, run_ps),
    )


class _Columns:
    """Events as arrays, in order of (run, start). `code` numbers the instruction, `run` the table's runs."""

    def __init__(self, events: Sequence[OpEvent], positions: dict[int, int]) -> None:
        in_runs = ((positions[event.run], event) for event in events if event.run is not None)
        ordered = sorted(in_runs, key=lambda pair: (pair[0], pair[1].start_ps))
        self.names = list(dict.fromkeys(event.hlo_op for _, event in ordered))
        codes = {name: code for code, name in enumerate(self.names)}
        self.code: _Int = np.array([codes[event.hlo_op] for _, event in ordered], np.int64)
        self.run: _Int = np.array([run for run, _ in ordered], np.int64)
        self.start_ps: _Int = np.array([event.start_ps for _, event in ordered], np.int64)
        self.end_ps: _Int = np.array([event.end_ps for _, event in ordered], np.int64)
        self.exact: npt.NDArray[np.bool_] = np.array([event.exact for _, event in ordered], np.bool_)

    def run_slice(self, run: int) -> slice:
        first, last = np.searchsorted(self.run, [run, run + 1])
        return slice(int(first), int(last))


def union_ps(start_ps: _Int, end_ps: _Int) -> int:
    """The time covered by intervals given in order of their start; where they overlap it counts once."""
    if not len(start_ps):
        return 0
    reach = np.maximum.accumulate(end_ps)
    before = np.concatenate((start_ps[:1], reach[:-1]))
    return int(np.sum(reach - np.maximum(np.minimum(start_ps, reach), before)))


def _run_durations_ps(windows: Sequence[RunWindow]) -> _Float:
    return np.array([max(window.end_ps - window.start_ps, 1) for window in windows], np.float64)


def _coverage(columns: _Columns, windows: Sequence[RunWindow]) -> _Float:
    """Per run: the union of the op intervals, clipped to the window, over the window."""
    covered = []
    for run, window in enumerate(windows):
        own = columns.run_slice(run)
        covered.append(union_ps(columns.start_ps[own], np.minimum(columns.end_ps[own], window.end_ps)))
    return np.array(covered, np.float64) / _run_durations_ps(windows)


def _kernels(columns: _Columns, module: HloModule, run_ps: _Float) -> tuple[Kernel, ...]:
    total_ps = columns.end_ps - columns.start_ps
    self_ps = _self_times_ps(columns, module)
    cells = columns.code * len(run_ps) + columns.run
    per_run = np.bincount(cells, weights=self_ps, minlength=len(columns.names) * len(run_ps))
    shares = np.median(per_run.reshape(len(columns.names), -1) / run_ps, axis=1) if columns.names else np.zeros(0)
    by_code = np.argsort(columns.code, kind="stable")
    bounds = np.searchsorted(columns.code[by_code], np.arange(len(columns.names) + 1))
    kernels = []
    for code, name in enumerate(columns.names):
        instruction = module.instruction(name)
        if instruction is not None:
            own = by_code[bounds[code] : bounds[code + 1]]
            exact = bool(columns.exact[own].all())
            kernels.append(_kernel(instruction, total_ps[own], self_ps[own], float(shares[code]), exact))
    return tuple(sorted(kernels, key=lambda kernel: (-kernel.share, kernel.name)))


def _kernel(instruction: HloInstruction, total_ps: _Int, self_ps: _Int, share: float, exact: bool) -> Kernel:
    p10, median, p90 = (float(value) for value in np.percentile(total_ps, [10, 50, 90]) / _PS_PER_US)
    return Kernel(
        name=instruction.name,
        opcode=instruction.opcode,
        runs=len(total_ps),
        median_us=median,
        p10_us=p10,
        p90_us=p90,
        min_us=float(total_ps.min()) / _PS_PER_US,
        self_us=float(np.median(self_ps)) / _PS_PER_US,
        share=share,
        exact=exact,
        near_floor=median < NEAR_FLOOR_US,
    )


def _self_times_ps(columns: _Columns, module: HloModule) -> _Int:
    """Per event its duration, for a while, conditional or call less the union of the events inside it.

    Inside are the events of the instructions of its called computations, transitively, that start within it.
    """
    self_ps: _Int = columns.end_ps - columns.start_ps
    for code, name in enumerate(columns.names):
        instruction = module.instruction(name)
        if instruction is None or instruction.opcode not in _CONTROL_FLOW:
            continue
        called = _called_instructions(module, instruction.called_computations)
        is_inside = np.array([other in called for other in columns.names])[columns.code]
        inner = np.flatnonzero(is_inside)
        for event in np.flatnonzero(columns.code == code):
            self_ps[event] -= _inside_ps(columns, int(event), inner)
    return self_ps


def _inside_ps(columns: _Columns, event: int, inner: _Int) -> int:
    """The union of the inner events that start within this one, cut off at its end."""
    start_ps, end_ps = columns.start_ps[event], columns.end_ps[event]
    own = columns.run_slice(int(columns.run[event]))
    inner = inner[slice(*np.searchsorted(inner, [own.start, own.stop]))]
    inner = inner[slice(*np.searchsorted(columns.start_ps[inner], [start_ps, end_ps]))]
    return union_ps(columns.start_ps[inner], np.minimum(columns.end_ps[inner], end_ps))


def _called_instructions(module: HloModule, computations: Iterable[str]) -> frozenset[str]:
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
