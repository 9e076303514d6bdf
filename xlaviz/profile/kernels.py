"""From op events to a table of kernels: medians, shares, coverage. Never a mean: the times have long tails."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from xlaviz.hlo.costs import CostModel
from xlaviz.hlo.model import HloInstruction, HloModule
from xlaviz.hlo.op_names import op_names
from xlaviz.profile.events import PS_PER_US, Ints, RunWindow
from xlaviz.profile.executions import (
    CONTROL_FLOW,
    RunColumns,
    divided_times_ps,
    is_leaf,
    loop_instructions,
    merged,
    self_times_ps,
    union_ps,
)
from xlaviz.profile.others import OtherKernel as OtherKernel
from xlaviz.profile.peaks import NO_PEAKS, Peaks
from xlaviz.profile.profile import Profile
from xlaviz.profile.program_events import program_events

NEAR_FLOOR_US = 5.0
"""Recording costs 2 to 4 us per thunk: the time of a kernel shorter than this is mostly the profiler's own."""

WIDE_SPREAD = 0.5
"""From which (p90 - p10) / median on a kernel's times are marked as too wide."""


_Float = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Kernel:
    """One HLO instruction that left events. Times are microseconds.

    `runs` is the number of executions: an instruction in a loop's body counts once for each iteration. `median_us`,
    `p10_us`, `p90_us` and `min_us` are of one execution, from start to end; of one that launches several kernels on a
    GPU, their sum. `self_us` is the median of one execution without the instructions of the computations it calls (a
    while without its body); for any other opcode it is `median_us`. `self_per_run_us` and `total_per_run_us` are of all
    executions in a typical run: their part of the `typical_runs` taken together, scaled to the median time of a run.
    Where kernels of a run are under way at the same time, that time is divided equally among them in `self_per_run_us`:
    with what is left of a run, they add up to its time. `share` is this over the time of a run (0..1).

    `exact` means that the end of every execution was recorded, none inferred. `near_floor` marks a median under
    NEAR_FLOOR_US. `flops` and `bytes` are what one execution does by the cost model (`hlo.costs`), None where that
    cannot know. `op_names` are the TensorFlow ops in it. `opcode` is empty where the module is not known.
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
    on the machine. `run_us` is the median time of an execution. `unattributed_us` is what the kernels' self times per
    run leave of it. `launches_per_run` is the median number of kernels in a run. `unmatched` counts the op events that
    are no instruction of the module, under `unmatched_names`; `outside` those that lie in no run. Neither kind is in
    any other figure of the table, unless there is no module to match them with.

    `device` is the one whose events these are, empty for all; `devices` are those the program ran on. `others` is what
    ran there and is no instruction. `peaks` are the device's, `notes` sentences for the user.
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
    launches_per_run: float = 0.0
    device: str = ""
    devices: tuple[str, ...] = ()
    peaks: Peaks = NO_PEAKS
    others: tuple[OtherKernel, ...] = ()
    notes: tuple[str, ...] = ()


def kernel_table(profile: Profile, program_id: int, module: HloModule | None, device: str = "") -> KernelTable:
    """The table of the program's op events, joined to the module's instructions by name.

    Pass the module the program ran as (`profile.modules[program_id]`, or the after-optimizations dump of the same
    compilation): one compiled again for inspection names its instructions otherwise, and they count as unmatched.
    Without a module every event counts as unmatched, and the kernels are listed by their names all the same.
    """
    found = program_events(profile, program_id, module, device)
    columns, events = found.columns, found.events
    unmatched = found.unmatched if module is not None else np.ones(len(events), np.bool_)
    run_ps = _run_durations_ps(found.windows)
    coverage = _coverage(columns, found.windows)
    kernels = _kernels(columns, module, run_ps)
    run_us = float(np.median(run_ps)) / PS_PER_US if len(run_ps) else 0.0
    devices = dict.fromkeys(run.device for run in profile.runs if run.program_id == program_id)
    shown = [one for one in profile.devices if one.name == device or (not device and one.name in devices)]
    return KernelTable(
        program_id=program_id,
        runs=len(found.windows),
        run_us=run_us,
        coverage=float(np.median(coverage)) if len(coverage) else 0.0,
        coverage_per_run=tuple(coverage.tolist()),
        unmatched=int(unmatched.sum()),
        unmatched_names=tuple(sorted({events.ops[op].hlo_op for op in np.unique(events.op[unmatched])})),
        outside=int(found.is_outside.sum()),
        kernels=kernels,
        unattributed_us=run_us - sum(kernel.self_per_run_us for kernel in kernels),
        launches_per_run=_launches_per_run(columns, module, len(found.windows)),
        device=device,
        devices=tuple(devices),
        peaks=shown[0].peaks if shown else NO_PEAKS,
        others=tuple(other for other in profile.others if device in ("", other.device)),
        notes=profile.notes,
    )


def _launches_per_run(columns: RunColumns, module: HloModule | None, runs: int) -> float:
    """How many kernels a run launches, the median; loops and calls count with what they launch."""
    if not runs or not len(columns.code):
        return 0.0
    return float(np.median(np.bincount(columns.run[is_leaf(columns, module)[columns.code]], minlength=runs)))


def _run_durations_ps(windows: Sequence[RunWindow]) -> _Float:
    return np.array([max(window.end_ps - window.start_ps, 1) for window in windows], np.float64)


def _coverage(columns: RunColumns, windows: Sequence[RunWindow]) -> _Float:
    """Per run: the union of the op intervals, clipped to the window, over the window."""
    covered = []
    for run, window in enumerate(windows):
        own = columns.run_slice(run)
        covered.append(union_ps(columns.start_ps[own], np.minimum(columns.end_ps[own], window.end_ps)))
    return np.array(covered, np.float64) / _run_durations_ps(windows)


def _kernels(columns: RunColumns, module: HloModule | None, run_ps: _Float) -> tuple[Kernel, ...]:
    if not len(columns.code):
        return ()
    self_ps = self_times_ps(columns, module)
    executions = merged(columns, columns.end_ps - columns.start_ps, self_ps, module)
    divided_ps = merged(columns, self_ps, divided_times_ps(columns, self_ps, module), module).self_ps
    shape = len(columns.names), len(run_ps)
    cells = executions.code * len(run_ps) + executions.run
    typical = typical_runs(run_ps)
    own, total = (
        np.bincount(cells, weights=times, minlength=shape[0] * shape[1]).reshape(shape)[:, typical].sum(axis=1)
        / run_ps[typical].sum()
        for times in (divided_ps, executions.total_ps)
    )
    run_us = float(np.median(run_ps)) / PS_PER_US
    unknown = set(_split_in_loops(columns, module))
    costs = CostModel(module) if module is not None else None
    by_code = np.argsort(executions.code, kind="stable")
    bounds = np.searchsorted(executions.code[by_code], np.arange(len(columns.names) + 1))
    kernels = []
    for code, name in enumerate(columns.names):
        rows = by_code[bounds[code] : bounds[code + 1]]
        times = _times(executions.total_ps[rows], executions.self_ps[rows])
        instruction = module.instruction(name) if module is not None else None
        kernels.append(
            Kernel(
                name=name,
                runs=len(rows),
                share=float(own[code]),
                exact=bool(executions.exact[rows].all()),
                near_floor=times["median_us"] < NEAR_FLOOR_US,
                self_per_run_us=float(own[code]) * run_us,
                total_per_run_us=float(total[code]) * run_us,
                **times,
                **_about(module, instruction, costs if name not in unknown else None),
            )
        )
    return tuple(sorted(kernels, key=lambda kernel: (-kernel.share, kernel.name)))


def typical_runs(run_ps: _Float) -> Ints:
    """The runs of the middle half by time, all where there are fewer than four: what is said of a run as a whole is
    said of these together, so that its parts add up and a disturbed run says nothing."""
    quarter = len(run_ps) // 4
    return np.sort(np.argsort(run_ps, kind="stable")[quarter : len(run_ps) - quarter])


def _split_in_loops(columns: RunColumns, module: HloModule | None) -> Iterator[str]:
    """Instructions in a loop on a GPU that launch several kernels: which of them are of one iteration is not known, nor
    what one kernel does of their work."""
    if columns.is_device and module is not None:
        in_loops = loop_instructions(module)
        for code, name in enumerate(columns.names):
            if name in in_loops and len(np.unique(columns.symbol[columns.code == code])) > 1:
                yield name


def _times(total_ps: Ints, self_ps: Ints) -> dict[str, Any]:
    p10, median, p90 = (float(value) for value in np.percentile(total_ps, [10, 50, 90]) / PS_PER_US)
    return {
        "median_us": median,
        "p10_us": p10,
        "p90_us": p90,
        "min_us": float(total_ps.min()) / PS_PER_US,
        "self_us": float(np.median(self_ps)) / PS_PER_US,
    }


def _about(module: HloModule | None, instruction: HloInstruction | None, costs: CostModel | None) -> dict[str, Any]:
    """What the module says of a kernel's instruction."""
    if module is None or instruction is None:
        return {"opcode": ""}
    about: dict[str, Any] = {
        "opcode": instruction.opcode,
        "fusion_kind": instruction.attributes.get("kind", "") if instruction.opcode == "fusion" else "",
        "op_names": _ops_within(module, instruction),
    }
    if costs is not None and not _is_wait(instruction.opcode):
        cost = costs.cost(instruction.name)
        about |= {"flops": cost.flops, "bytes": cost.bytes_accessed} if cost is not None else {}
    return about


def _is_wait(opcode: str) -> bool:
    """Whether an instruction's time is not that of its work: a loop's kernels do it, and what goes on beside the ops is
    only begun and awaited."""
    return opcode in CONTROL_FLOW or opcode.endswith(("-start", "-done", "-update"))


def _ops_within(module: HloModule, instruction: HloInstruction) -> tuple[str, ...]:
    """The names of the framework's ops behind a kernel, those of a fusion's body too, each once."""
    found: dict[str, None] = {}
    pending = [instruction]
    seen: set[str] = set()
    while pending:
        one = pending.pop()
        found |= dict.fromkeys(op_names(one))
        if one.opcode not in CONTROL_FLOW:
            for called in one.called_computations:
                if called in module.by_name and called not in seen:
                    seen.add(called)
                    pending.extend(reversed(module.by_name[called].instructions))
    return tuple(found)
