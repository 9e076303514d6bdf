"""What XLA changes besides the time: the memory a call needs, and the numbers that come out."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from xlaviz.base.units import bytes_text
from xlaviz.hlo.buffers import MemoryUse
from xlaviz.timing.report import Figure, Section

_VARIABLES = 6
"""Variables listed at most, those that differ most first."""


def memory_section(memory: MemoryUse | None, allocator: Mapping[str, Any] | None, missing: str) -> Section:
    """`allocator` is the manifest's `memory`."""
    return Section("memory", "Memory", (_program_figure(memory, missing), _allocator_figure(allocator)))


def _program_figure(memory: MemoryUse | None, missing: str) -> Figure:
    label = "the program's buffers"
    if memory is None:
        return Figure("program_bytes", label, missing=missing or "the module comes without a buffer assignment")
    parts = (
        f"arguments {bytes_text(memory.parameter_bytes)}, results {bytes_text(memory.output_bytes)}"
        f" ({bytes_text(memory.aliased_bytes)} of them in donated arguments),"
        f" temporary {bytes_text(memory.temp_bytes)}, constants {bytes_text(memory.constant_bytes)}"
    )
    return Figure(
        key="program_bytes",
        label=label,
        xla=bytes_text(memory.total_bytes),
        how=f"XLA's buffer assignment, all that is allocated at once at the peak: {parts}",
        value={
            "total": memory.total_bytes,
            "parameters": memory.parameter_bytes,
            "outputs": memory.output_bytes,
            "temporary": memory.temp_bytes,
            "constants": memory.constant_bytes,
            "aliased": memory.aliased_bytes,
        },
    )


def _allocator_figure(allocator: Mapping[str, Any] | None) -> Figure:
    label = "peak of the allocator"
    if not allocator:
        return Figure("allocator_bytes", label, missing="not recorded")
    ours, theirs = allocator.get("xla_allocator_peak_bytes"), allocator.get("no_xla_peak_bytes")
    reason = str(allocator.get("reason") or "")
    if not isinstance(ours, int) and not isinstance(theirs, int):
        return Figure("allocator_bytes", label, missing=reason or "the device has no statistics")
    how = "TensorFlow's allocator of the device, its highest mark in one call"
    return Figure(
        key="allocator_bytes",
        label=label,
        xla=bytes_text(ours) if isinstance(ours, int) else "unknown",
        no_xla=bytes_text(theirs) if isinstance(theirs, int) else "unknown",
        ratio=f"{theirs / ours:.2f}×" if isinstance(ours, int) and isinstance(theirs, int) and ours else "",
        how=f"{how}. {reason}" if reason else how,
        value={"xla": ours, "no_xla": theirs},
    )


def numerics_section(comparison: Mapping[str, Any] | None, why_no_comparison: str) -> Section:
    """`comparison` is the manifest's: the same state, once with XLA and once without."""
    title = "Largest difference between the results with and without"
    if not comparison or (comparison.get("error") and not comparison.get("outputs")):
        why = str((comparison or {}).get("error") or why_no_comparison)
        return Section("numerics", title, (Figure("outputs", "results", missing=why),))
    outputs, variables = (_entries(comparison.get(key)) for key in ("outputs", "variables"))
    figures = [_difference(one, "result") for one in outputs]
    variables = sorted(variables, key=lambda one: (bool(one.get("within")), -_excess(one)))
    figures += [_difference(one, "variable") for one in variables[:_VARIABLES]]
    if len(variables) > _VARIABLES:
        figures.append(_rest(variables[_VARIABLES:]))
    return Section("numerics", title, (*figures, _repeatable(comparison)))


def _entries(values: object) -> list[Mapping[str, Any]]:
    return [value for value in _list(values) if isinstance(value, dict)]


def _excess(one: Mapping[str, Any]) -> float:
    """The largest difference in units of what is tolerated."""
    largest, atol = one.get("max_abs"), one.get("atol")
    if not isinstance(largest, int | float) or not isinstance(atol, int | float):
        return 0.0
    return float(largest) / atol if atol else (math.inf if largest else 0.0)


def _difference(one: Mapping[str, Any], kind: str) -> Figure:
    is_same = not one.get("differing")
    words = "equal" if is_same else f"{_number(one.get('max_abs'))}, relative {_number(one.get('max_rel'))}"
    if not is_same and isinstance(one.get("max_ulps"), int):
        words += f", {one['max_ulps']:,} ULP{'s' * (one['max_ulps'] != 1)}"
    shape = ",".join(map(str, _list(one.get("shape"))))
    beyond = f", {_count(one.get('beyond'))} by more than is tolerated" if one.get("beyond") else ""
    count = f"{_count(one.get('differing'))} of {_count(one.get('elements'))} elements differ{beyond}"
    how = f"{kind} {one.get('dtype')}[{shape}]: {count}; "
    how += f"tolerated: {_tolerance(one.get('atol'), one.get('rtol'))}"
    note = one.get("note")
    return Figure(
        key=str(one.get("name")),
        label=str(one.get("name")),
        xla=words,
        how=f"{how}. {note}" if note else how,
        is_warning=not one.get("within"),
        value={
            key: one.get(key) for key in ("max_abs", "max_rel", "max_ulps", "rtol", "atol", "within", "beyond", "dtype")
        },
    )


def _rest(variables: Sequence[Mapping[str, Any]]) -> Figure:
    within = sum(bool(one.get("within")) for one in variables)
    words = f"all {within} within" if within == len(variables) else f"{within} of {len(variables)} within"
    return Figure(
        key="other_variables",
        label=f"{len(variables)} more variables",
        xla=f"{words} what is tolerated",
        how="variables after the call; those that differ less than the ones above",
        is_warning=within < len(variables),
        value={"count": len(variables), "within": within},
    )


def _repeatable(comparison: Mapping[str, Any]) -> Figure:
    label = "the same when run again"
    random_ops = _list(comparison.get("random_ops"))
    drawn = f" It draws random numbers ({', '.join(map(str, random_ops))})." if random_ops else ""
    known = comparison.get("repeatable")
    if known is None:
        return Figure("repeatable", label, missing=str(comparison.get("error") or "not run twice"))
    return Figure(
        key="repeatable",
        label=label,
        xla="yes" if known else "no",
        how=f"run twice with XLA from the same variables.{drawn}",
        is_warning=not known and not random_ops,
        value=bool(known),
    )


def _list(value: object) -> list[object]:
    return value if isinstance(value, list) else []


def _count(value: object) -> str:
    return f"{value:,}" if isinstance(value, int) else "an unknown number"


def _tolerance(atol: object, rtol: object) -> str:
    return f"{_number(atol)} + {_number(rtol)} × the value" if atol or rtol else "nothing"


def _number(value: object) -> str:
    if not isinstance(value, int | float):
        return "unknown"
    return f"{value:,.0f}" if value >= 100 or value == int(value) else f"{value:.2g}"
