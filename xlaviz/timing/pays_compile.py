"""What XLA costs before the first call: tracing, compiling, compiling again."""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from xlaviz.base.units import share_text, time_text
from xlaviz.timing.report import Bar, Figure, Section

_TRACING = "Python building the graph; which of the two is traced first, here XLA's, converts the code too"
_FIRST_CALL = (
    "the call that compiles, its own work included, while every pass is dumped and profiled; "
    "without XLA TensorFlow optimizes the graph in it"
)
SLOWEST = 8
"""Passes listed at most."""


@dataclass(frozen=True, slots=True)
class PassTime:
    """One pass of the compilation, or a phase of the backend; none of them holds another."""

    pipeline: str
    name: str
    time_ms: float


def without_nested(passes: Sequence[PassTime]) -> list[PassTime]:
    """The passes; of one that runs a pipeline of its name only what that leaves, so that nothing counts twice."""
    inside: dict[str, float] = defaultdict(float)
    whole: dict[str, float] = defaultdict(float)
    for one in passes:
        inside[_plain(one.pipeline)] += one.time_ms
        whole[_plain(one.name)] += one.time_ms
    found = []
    for one in passes:
        name = _plain(one.name)
        if name in inside and name != _plain(one.pipeline) and whole[name]:
            rest = max(1 - inside[name] / whole[name], 0.0)
            one = replace(one, time_ms=one.time_ms * rest)
        found.append(one)
    return [one for one in found if one.time_ms > 0]


def _plain(name: str) -> str:
    return re.sub(r"[^A-Za-z0-9]+", "_", name)


def break_even_calls(timings: Mapping[str, Any], saved_us: float | None) -> int | None:
    """After how many calls the time of the first one (more than it takes without XLA) has been saved; None where it
    never is, or is not known. Tracing is the same Python in both cases; which is traced first takes longer."""
    first_s = _first_times_s(timings)
    if saved_us is None or saved_us <= 0 or first_s is None:
        return None
    compile_s, no_xla_first_s = first_s
    extra_us = (compile_s - no_xla_first_s) * 1e6
    return max(math.ceil(extra_us / saved_us), 1)


def _first_times_s(timings: Mapping[str, Any]) -> list[float] | None:
    """The first call with XLA, then without; None where one of the two is not known."""
    keys = ("compile_s", "no_xla_first_call_s")
    values = [float(value) for key in keys if isinstance(value := timings.get(key), int | float)]
    return values if len(values) == len(keys) else None


def compile_section(
    timings: Mapping[str, Any],
    passes: Sequence[PassTime],
    *,
    break_even: int | None,
    recompilations: Mapping[str, Any],
    compilations: Sequence[str],
    missing: str,
    why_no_comparison: str,
) -> Section:
    """`missing` says why there are no `passes`; `compilations` what sets each compilation of the function apart."""
    figures = (
        _pair(timings, "trace", "tracing", "trace_s", "no_xla_trace_s", _TRACING, missing),
        _pair(
            timings, "compile", "first call", "compile_s", "no_xla_first_call_s",
            _FIRST_CALL, missing,
        ),
        _break_even(timings, break_even, why_no_comparison),
        _recompilations(recompilations, compilations, missing),
        _pass_figure(passes, missing),
    )  # fmt: skip
    return Section("compile", "Before the first call", figures, tuple(_bars(passes)))


def _pair(timings: Mapping[str, Any], key: str, label: str, ours: str, theirs: str, how: str, missing: str) -> Figure:
    xla, no_xla = timings.get(ours), timings.get(theirs)
    if not isinstance(xla, int | float):
        return Figure(key, label, missing=missing)
    return Figure(
        key=key,
        label=label,
        xla=time_text(xla * 1e6),
        no_xla=time_text(no_xla * 1e6) if isinstance(no_xla, int | float) else "",
        how=f"on the clock, once: {how}",
        value={"xla_s": xla, "no_xla_s": no_xla},
    )


def _break_even(timings: Mapping[str, Any], calls: int | None, why_no_comparison: str) -> Figure:
    label = "paid for after"
    if not timings or not timings.get("no_xla_call_us"):
        return Figure("break_even_calls", label, missing=why_no_comparison)
    if _first_times_s(timings) is None:
        return Figure("break_even_calls", label, missing="the capture did not time the first calls with and without")
    how = "the first call with XLA, less that without, over what a call saves by the medians"
    if calls is None:
        return Figure("break_even_calls", label, xla="never", how=f"a call saves nothing; {how}", is_warning=True)
    return Figure("break_even_calls", label, xla=f"{calls:,} call{'s' * (calls != 1)}", how=how, value=calls)


def _recompilations(found: Mapping[str, Any], compilations: Sequence[str], missing: str) -> Figure:
    label = "compiled"
    traced, compiled = found.get("tracing_count"), found.get("compiled")
    count = max(compiled if isinstance(compiled, int) else 0, len(compilations))
    if not count:
        return Figure("recompilations", label, missing=missing)
    apart = f": {'; '.join(compilations)}" if len(compilations) > 1 and any(compilations) else ""
    how = f"modules of the function that XLA wrote{apart}"
    if isinstance(traced, int):
        how += f"; traced {_times(traced)}"
    words = f"{_times(count)}" + ("" if count == 1 else f", {count - 1} more than needed for one shape")
    value = {"compiled": count, "traced": traced}
    return Figure("recompilations", label, xla=words, how=how, is_warning=count > 1, value=value)


def _times(count: int) -> str:
    return {1: "once", 2: "twice"}.get(count, f"{count} times")


def _pass_figure(passes: Sequence[PassTime], missing: str) -> Figure:
    if not passes:
        return Figure("passes_ms", "in XLA's passes", missing=missing)
    total_ms = sum(one.time_ms for one in passes)
    slowest = sorted(passes, key=lambda one: -one.time_ms)[:SLOWEST]
    return Figure(
        key="passes_ms",
        label="in XLA's passes",
        xla=time_text(total_ms * 1e3),
        how=f"profile of the first call: {len(passes)} passes and phases of the backend",
        value={
            "total_ms": round(total_ms, 3),
            "pipelines": {name: round(ms, 3) for name, ms in _by_pipeline(passes).items()},
            "slowest": [
                {"pipeline": one.pipeline, "name": one.name, "time_ms": round(one.time_ms, 3)} for one in slowest
            ],
        },
    )


def _by_pipeline(passes: Sequence[PassTime]) -> dict[str, float]:
    """Milliseconds by pipeline, the longest first."""
    found: dict[str, float] = defaultdict(float)
    for one in passes:
        found[one.pipeline or "other"] += one.time_ms
    return dict(sorted(found.items(), key=lambda item: -item[1]))


def _bars(passes: Sequence[PassTime]) -> list[Bar]:
    """Each pipeline of some weight, and below it its slowest passes."""
    total_ms = sum(one.time_ms for one in passes)
    slowest = sorted(passes, key=lambda one: -one.time_ms)[:SLOWEST]
    bars = []
    for pipeline, time_ms in _by_pipeline(passes).items():
        parts = [one for one in slowest if (one.pipeline or "other") == pipeline]
        if not parts and time_ms < 0.02 * total_ms:
            continue
        bars.append(Bar(pipeline, time_ms, f"{time_text(time_ms * 1e3)} · {share_text(time_ms / total_ms)}"))
        bars += [Bar(one.name, one.time_ms, time_text(one.time_ms * 1e3), is_part=True) for one in parts]
    return bars
