"""Whether XLA pays: what a capture measured with and without it, as a page of figures that say how they were got."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from xlaviz.base.units import share_text, time_text
from xlaviz.hlo.buffers import MemoryUse
from xlaviz.profile.kernels import KernelTable
from xlaviz.profile.tf_ops import TfOps
from xlaviz.timing.pays_compile import PassTime, break_even_calls, compile_section
from xlaviz.timing.pays_results import memory_section, numerics_section
from xlaviz.timing.report import CallTimes, Figure, Report, Section

_EVEN = 0.05
"""Less than this part of the time is no difference: two series of calls of the same function differ by as much."""

_CHEAP = "TensorFlow records no event for an op it takes for cheap"
NO_CAPTURE = "only a capture by xlaviz runs the function without XLA, and this is none"


@dataclass(frozen=True)
class Evidence:
    """What is known of a function. `manifest` is the capture's, empty for a document of another kind; `table` its
    kernels under XLA; `no_xla` what TensorFlow ran without XLA, `beside` what it ran itself although XLA compiled the
    function, `programs` how many compiled programs one call ran; `passes` the compilation; `compilations` what sets
    each compilation of the function apart. None or empty where not known, for the reason in `missing` by field."""

    title: str
    manifest: Mapping[str, Any] = field(default_factory=dict)
    table: KernelTable | None = None
    no_xla: TfOps | None = None
    beside: TfOps | None = None
    programs: float = 0.0
    memory: MemoryUse | None = None
    passes: Sequence[PassTime] = ()
    compilations: Sequence[str] = ()
    missing: Mapping[str, str] = field(default_factory=dict)

    @property
    def timings(self) -> Mapping[str, Any]:
        timings: Mapping[str, Any] = self.manifest.get("timings", {})
        return timings

    @property
    def why_no_comparison(self) -> str:
        """Why nothing was measured without XLA."""
        return str(self.timings.get("no_xla_error") or "the capture did not run it") if self.manifest else NO_CAPTURE


def xla_report(evidence: Evidence) -> Report:
    """The whole page."""
    calls = CallTimes(*(tuple(_numbers(evidence.timings.get(key))) for key in ("xla_call_us", "no_xla_call_us")))
    verdict, pays = _verdict(evidence, calls)
    sections = (
        _calls_section(evidence, calls),
        compile_section(
            evidence.timings,
            evidence.passes,
            break_even=break_even_calls(evidence.timings, _saved_us(calls)),
            recompilations=evidence.manifest.get("recompilations", {}),
            compilations=evidence.compilations,
            missing=evidence.missing.get("passes", NO_CAPTURE),
            why_no_comparison=evidence.why_no_comparison,
        ),
        _kernels_section(evidence),
        memory_section(evidence.memory, evidence.manifest.get("memory"), evidence.missing.get("memory", "")),
        numerics_section(evidence.manifest.get("comparison"), evidence.why_no_comparison),
    )
    return Report(f"Does XLA pay for {evidence.title}?", verdict, pays, calls, sections)


def _numbers(values: object) -> list[float]:
    return [float(value) for value in values if isinstance(value, int | float)] if isinstance(values, list) else []


def _saved_us(calls: CallTimes) -> float | None:
    """What a call saves by XLA, by the medians; None where one is not known."""
    if not calls.xla_us or not calls.no_xla_us:
        return None
    return float(np.median(calls.no_xla_us) - np.median(calls.xla_us))


def _verdict(evidence: Evidence, calls: CallTimes) -> tuple[str, bool | None]:
    saved_us = _saved_us(calls)
    if saved_us is None:
        return f"Not to be said: {evidence.why_no_comparison}.", None
    with_us, without_us = float(np.median(calls.xla_us)), float(np.median(calls.no_xla_us))
    numbers = f"{time_text(with_us)} a call with XLA, {time_text(without_us)} without"
    if abs(saved_us) < _EVEN * max(with_us, without_us):
        return f"It makes no difference: {numbers}.", None
    if _overlap(calls):
        return f"Not to be said for sure: {numbers}, but the two series of calls overlap too far.", None
    if saved_us < 0:
        return f"No: XLA makes a call {with_us / without_us:.2f} times slower ({numbers}).", False
    needed = break_even_calls(evidence.timings, saved_us)
    after = "" if needed is None else f" and has paid for its compilation after {needed:,} call{'s' * (needed != 1)}"
    return f"Yes: XLA makes a call {without_us / with_us:.2f} times faster{after} ({numbers}).", True


def _overlap(calls: CallTimes) -> bool:
    """Whether the median of one series lies within the other's middle 80 %."""
    ours, theirs = (np.percentile(series, [10, 50, 90]) for series in (calls.xla_us, calls.no_xla_us))
    return bool(theirs[0] <= ours[1] <= theirs[2] or ours[0] <= theirs[1] <= ours[2])


def _calls_section(evidence: Evidence, calls: CallTimes) -> Section:
    return Section("calls", "Time per call", (_call_figure(evidence, calls), _inside_figure(evidence)))


def _call_figure(evidence: Evidence, calls: CallTimes) -> Figure:
    label = "one call"
    if not calls.xla_us:
        return Figure("call_us", label, missing=NO_CAPTURE)
    saved_us = _saved_us(calls)
    count = len(calls.xla_us)
    how = f"median (10 % to 90 %) of {count} calls each, on the clock, from Python until every result was there"
    if saved_us is None:
        how = f"median (10 % to 90 %) of {count} calls; without XLA not measured: {evidence.why_no_comparison}"
    if evidence.manifest.get("environment", {}).get("exact"):
        how += "; on one thread, as --exact asks for"
    ratio = float(np.median(calls.no_xla_us) / np.median(calls.xla_us)) if calls.no_xla_us else None
    return Figure(
        key="call_us",
        label=label,
        xla=_spread_text(calls.xla_us),
        no_xla=_spread_text(calls.no_xla_us),
        ratio="" if ratio is None else f"{ratio:.2f}×",
        how=how,
        is_warning=ratio is not None and ratio < 1 - _EVEN,
        value={"xla": _spread(calls.xla_us), "no_xla": _spread(calls.no_xla_us), "speedup": _rounded(ratio)},
    )


def _spread(times_us: Sequence[float]) -> dict[str, float] | None:
    if not times_us:
        return None
    p10, median, p90 = (round(float(value), 3) for value in np.percentile(times_us, [10, 50, 90]))
    return {"median_us": median, "p10_us": p10, "p90_us": p90, "calls": len(times_us)}


def _spread_text(times_us: Sequence[float]) -> str:
    if not times_us:
        return ""
    p10, median, p90 = np.percentile(times_us, [10, 50, 90])
    return f"{time_text(median)} ({time_text(p10)} to {time_text(p90)})"


def _rounded(value: float | None, digits: int = 4) -> float | None:
    return None if value is None or not math.isfinite(value) else round(value, digits)


def _inside_figure(evidence: Evidence) -> Figure:
    table, no_xla = evidence.table, evidence.no_xla
    label = "in kernels, when profiled"
    if table is None or not table.runs:
        return Figure("kernels_us", label, missing=evidence.missing.get("table", "there is no profile of it"))
    kernels_us = table.coverage * table.run_us
    without_us = sum(op.per_run_us for op in no_xla.ops) if no_xla is not None else None
    how = f"from the profile of {table.runs} runs: kernels cover {share_text(table.coverage)} of XLA's program"
    if without_us is not None:
        how += f"; without XLA the times of the recorded ops added up, those that ran side by side too; {_CHEAP}"
    how += "; recording takes 2 to 4 µs a kernel, which counts where they are short"
    how += _why_not_without(evidence)
    return Figure(
        key="kernels_us",
        label=label,
        xla=time_text(kernels_us),
        no_xla=f"≥ {time_text(without_us)}" if without_us is not None else "",
        how=how,
        value={
            "xla": _rounded(kernels_us),
            "program_us": _rounded(table.run_us),
            "coverage": _rounded(table.coverage),
            "no_xla": _rounded(without_us),
        },
    )


def _why_not_without(evidence: Evidence) -> str:
    why = evidence.missing.get("no_xla", "") if evidence.no_xla is None else ""
    return f"; without XLA not known: {why.rstrip('.')}" if why else ""


def _kernels_section(evidence: Evidence) -> Section:
    return Section("kernels", "What runs in a call", (_count_figure(evidence), *_outside_figures(evidence)))


def _count_figure(evidence: Evidence) -> Figure:
    table, no_xla = evidence.table, evidence.no_xla
    label = "kernels launched"
    if table is None or not table.runs:
        return Figure("kernels", label, missing=evidence.missing.get("table", "there is no profile of it"))
    beside = evidence.beside.kernels_per_run if evidence.beside is not None else 0.0
    ours = table.launches_per_run + beside
    theirs = no_xla.kernels_per_run if no_xla is not None else None
    return Figure(
        key="kernels",
        label=label,
        xla=f"{ours:,.0f}",
        no_xla=f"≥ {theirs:,.0f}" if theirs is not None else "",
        ratio=f"≥ {theirs / ours:.2f}×" if theirs and theirs > ours > 0 else "",
        how=f"{_counted(evidence, beside)}{_why_not_without(evidence)}",
        value={"xla": _rounded(ours), "no_xla": _rounded(theirs)},
    )


def _counted(evidence: Evidence, beside: float) -> str:
    how = "events per call; loops and calls count with what runs inside them"
    if evidence.no_xla is not None:
        how += f"; {_CHEAP}"
    if beside:
        how += f"; {beside:,.0f} of them TensorFlow's own"
    return f"{how}; of {evidence.programs:g} programs the main one's alone" if evidence.programs > 1 else how


def _outside_figures(evidence: Evidence) -> tuple[Figure, ...]:
    """What jit_compile left to TensorFlow, and into how many programs XLA's part fell."""
    beside = evidence.beside
    if beside is None:
        missing = evidence.missing.get("beside", NO_CAPTURE)
        return (Figure("outside", "ops outside XLA", missing=missing),)
    names = [f"{op.name} ({op.type})" for op in beside.ops if op.per_run > 0]
    spent_us = sum(op.per_run_us for op in beside.ops if op.per_run > 0)
    outside = Figure(
        key="outside",
        label="ops outside XLA",
        xla="none" if not names else f"{len(names)}, {time_text(spent_us)} a call",
        how="TensorFlow ops in the profile of the compiled calls" + (f": {_listed(names)}" if names else ""),
        is_warning=bool(names),
        value=names,
    )
    programs = Figure(
        key="programs",
        label="compiled programs",
        xla=f"{evidence.programs:g}",
        how="executions of XLA programs in one call; more than one means that the function fell into parts",
        is_warning=evidence.programs > 1,
        value=evidence.programs,
    )
    return (outside, programs) if evidence.programs else (outside,)


def _listed(names: Sequence[str], most: int = 5) -> str:
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more
