"""Whether XLA pays: the verdict, each figure, and why one is missing."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from helpers.timing_tables import kernel, table

from xlaviz.hlo.buffers import MemoryUse
from xlaviz.profile.tf_ops import TfOp, TfOps
from xlaviz.timing.pays import NO_CAPTURE, Evidence, xla_report
from xlaviz.timing.pays_compile import SLOWEST, PassTime, break_even_calls
from xlaviz.timing.report import Figure, Report
from xlaviz.timing.report_text import report_json, report_text

FAST, SLOW = [100.0, 110.0, 90.0, 105.0], [300.0, 310.0, 290.0, 305.0]
FIRST = {"trace_s": 0.5, "compile_s": 1.5, "no_xla_trace_s": 0.3, "no_xla_first_call_s": 0.2}
TABLE = table(
    kernel("while.1", 5.0, "while"),
    kernel("dot.2", 60.0, "dot", runs=40),
    kernel("fusion.3", 20.0),
)
NO_XLA = TfOps(10, 300.0, 8.0, (TfOp("net/MatMul", "MatMul", 2.0, 200.0), TfOp("net/Relu", "Relu", 1.0, 40.0)))
MEMORY = MemoryUse(10_000, 4_000, 3_000, 500, 2_500, 1_000)
PASSES = (
    PassTime("HLO passes", "fusion", 30.0),
    PassTime("HLO passes", "dce", 1.0),
    PassTime("backend", "Codegen", 60.0),
    PassTime("", "odd", 9.0),
)
OUTPUT = {
    "name": "output", "dtype": "float32", "shape": [2, 3], "max_abs": 1e-6, "max_rel": 2e-7, "max_ulps": 1,
    "rtol": 1e-5, "atol": 1e-6, "within": True, "differing": 2, "beyond": 0, "elements": 6, "note": "",
}  # fmt: skip


def evidence(xla: list[float] = FAST, no_xla: list[float] | None = SLOW, **fields: Any) -> Evidence:
    manifest = {
        "timings": {**FIRST, "xla_call_us": xla, "no_xla_call_us": no_xla},
        "recompilations": {"tracing_count": 1, "compiled": 1},
        "memory": {"xla_allocator_peak_bytes": 1024, "no_xla_peak_bytes": 4096, "reason": ""},
        "comparison": {"outputs": [OUTPUT], "variables": [], "error": None, "repeatable": True, "random_ops": []},
    }
    made = Evidence("net", manifest, TABLE, NO_XLA, TfOps(10, 100.0, 0.0, ()), 1.0, MEMORY, PASSES, ("",), {})
    changed = {key: fields.pop(key) for key in tuple(fields) if key in manifest}
    return replace(made, manifest={**manifest, **changed}, **fields)


def figures(report: Report) -> dict[str, Figure]:
    return {figure.key: figure for section in report.sections for figure in section.figures}


def figure(key: str, **fields: Any) -> Figure:
    return figures(xla_report(evidence(**fields)))[key]


def test_a_function_that_xla_makes_faster() -> None:
    report = xla_report(evidence())
    assert report.title == "Does XLA pay for net?"
    assert report.pays is True
    # 1.5 s more before the first call, 200 µs less in each.
    assert report.verdict == (
        "Yes: XLA makes a call 2.95 times faster and has paid for its compilation after 6,500 calls"
        " (102.5 µs a call with XLA, 302.5 µs without)."
    )
    assert (report.calls.xla_us, report.calls.no_xla_us) == (tuple(FAST), tuple(SLOW))


def test_one_that_xla_makes_slower() -> None:
    report = xla_report(evidence(SLOW, FAST))
    assert report.pays is False
    assert report.verdict.startswith("No: XLA makes a call 2.95 times slower (302.5 µs a call with XLA")
    assert figures(report)["break_even_calls"].xla == "never"
    assert figures(report)["call_us"].is_warning


def test_a_small_difference_is_none() -> None:
    report = xla_report(evidence([100.0] * 5, [104.0] * 5))
    assert (report.pays, report.verdict[:23]) == (None, "It makes no difference:")


def test_series_that_overlap_decide_nothing() -> None:
    report = xla_report(evidence([80.0, 100.0, 160.0], [70.0, 120.0, 150.0]))
    assert report.pays is None
    assert report.verdict.startswith("Not to be said for sure:")


def test_series_of_which_one_is_wide_and_the_other_narrow_are_still_told_apart() -> None:
    assert xla_report(evidence([100.0, 101.0, 102.0], [90.0, 200.0, 300.0])).pays is True


@pytest.mark.parametrize(
    ("manifest", "reason"),
    [
        ({}, NO_CAPTURE),
        ({"timings": {"xla_call_us": FAST}}, "the capture did not run it"),
        ({"timings": {"xla_call_us": FAST, "no_xla_error": "it needs XLA"}}, "it needs XLA"),
    ],
)
def test_without_a_comparison_the_verdict_says_why(manifest: dict[str, Any], reason: str) -> None:
    report = xla_report(Evidence("net", manifest))
    assert (report.verdict, report.pays) == (f"Not to be said: {reason}.", None)
    assert reason in figures(report)["break_even_calls"].missing
    assert reason in figures(report)["outputs"].missing


def test_what_is_missing_says_why_and_has_no_numbers() -> None:
    found = figures(xla_report(Evidence("net", missing={"table": "no times", "memory": "no proto", "passes": "none"})))
    assert {key: one.missing for key, one in found.items()} == {
        "call_us": NO_CAPTURE,
        "kernels_us": "no times",
        "trace": "none",
        "compile": "none",
        "break_even_calls": NO_CAPTURE,
        "recompilations": "none",
        "passes_ms": "none",
        "kernels": "no times",
        "outside": NO_CAPTURE,
        "program_bytes": "no proto",
        "allocator_bytes": "not recorded",
        "outputs": NO_CAPTURE,
    }
    assert {(one.xla, one.no_xla, one.value) for one in found.values()} == {("", "", None)}


def test_every_figure_that_is_there_says_how_it_was_measured() -> None:
    for one in figures(xla_report(evidence())).values():
        assert all((one.how, one.xla, not one.missing, one.value is not None)), one


@pytest.mark.parametrize(
    ("timings", "saved_us", "calls"),
    [
        (FIRST, 200.0, 6500),
        (FIRST, 1e9, 1),
        (FIRST, 0.0, None),
        (FIRST, -5.0, None),
        (FIRST, None, None),
        ({**FIRST, "compile_s": 0.0}, 200.0, 1),  # nothing to pay for
        ({**FIRST, "no_xla_trace_s": None}, 200.0, 6500),
        ({}, 200.0, None),
    ],
)
def test_calls_after_which_compilation_is_paid_for(
    timings: dict[str, Any], saved_us: float | None, calls: int | None
) -> None:
    assert break_even_calls(timings, saved_us) == calls


def test_it_is_never_said_that_nothing_is_saved_where_first_calls_were_not_timed() -> None:
    timings = {"xla_call_us": FAST, "no_xla_call_us": SLOW, "trace_s": 0.5, "compile_s": 1.5}
    report = xla_report(evidence(timings=timings))
    assert figures(report)["break_even_calls"].missing.startswith("the capture did not time")
    assert report.verdict.startswith("Yes: XLA makes a call 2.95 times faster (")


def test_one_call_is_no_calls() -> None:
    report = xla_report(evidence(timings={**FIRST, "compile_s": 0.0, "xla_call_us": FAST, "no_xla_call_us": SLOW}))
    assert "after 1 call (" in report.verdict
    assert figures(report)["break_even_calls"].xla == "1 call"


def test_time_per_call() -> None:
    found = figure("call_us")
    assert (found.ratio, found.is_warning) == ("2.95×", False)
    assert found.value == {
        "xla": {"median_us": 102.5, "p10_us": 93.0, "p90_us": 108.5, "calls": 4},
        "no_xla": {"median_us": 302.5, "p10_us": 293.0, "p90_us": 308.5, "calls": 4},
        "speedup": 2.9512,
    }


def test_time_in_kernels() -> None:
    found = figure("kernels_us")
    assert found.value == {"xla": 90.0, "program_us": 100.0, "coverage": 0.9, "no_xla": 240.0}
    assert (found.xla, found.no_xla) == ("90.0 µs", "≥ 240.0 µs")


def test_what_tensorflow_runs_beside_xla_counts_with_xlas_kernels() -> None:
    assert figure("kernels").value == {"xla": 5.0, "no_xla": 8.0}
    assert figure("kernels").ratio == "≥ 1.60×"
    beside = TfOps(10, 100.0, 3.0, (TfOp("net/Print", "PrintV2", 3.0, 30.0),))
    found = figure("kernels", beside=beside, programs=2.0)
    assert found.value == {"xla": 8.0, "no_xla": 8.0}
    assert "3 of them TensorFlow's own" in found.how
    assert "of 2 programs the main one's alone" in found.how


def test_ops_that_fell_outside() -> None:
    ops = (TfOp("net/Print", "PrintV2", 1.0, 30.0), TfOp("rare", "Assert", 0.0, 0.0))
    found = figure("outside", beside=TfOps(10, 100.0, 1.0, ops))
    assert (found.value, found.xla, found.is_warning) == (["net/Print (PrintV2)"], "1, 30.0 µs a call", True)
    assert (figure("outside").xla, figure("outside").is_warning) == ("none", False)


def test_many_ops_outside_are_named_in_part() -> None:
    ops = tuple(TfOp(f"op{number}", "Add", 1.0, 1.0) for number in range(8))
    found = figure("outside", beside=TfOps(10, 100.0, 8.0, ops))
    assert found.how.endswith("op4 (Add) and 3 more")
    assert len(found.value) == 8  # type: ignore[arg-type]


@pytest.mark.parametrize(("programs", "is_warning"), [(1.0, False), (3.0, True)])
def test_programs_of_a_call(programs: float, is_warning: bool) -> None:
    found = figure("programs", programs=programs)
    assert (found.value, found.xla, found.is_warning) == (programs, f"{programs:g}", is_warning)


def test_passes_by_pipeline_and_the_slowest() -> None:
    report = xla_report(evidence())
    value = figures(report)["passes_ms"].value
    assert value["total_ms"] == 100.0  # type: ignore[index]
    assert value["pipelines"] == {"backend": 60.0, "HLO passes": 31.0, "other": 9.0}  # type: ignore[index]
    assert [one["name"] for one in value["slowest"]] == ["Codegen", "fusion", "odd", "dce"]  # type: ignore[index]
    bars = next(section.bars for section in report.sections if section.key == "compile")
    assert [(bar.label, bar.value, bar.is_part) for bar in bars] == [
        ("backend", 60.0, False), ("Codegen", 60.0, True), ("HLO passes", 31.0, False), ("fusion", 30.0, True),
        ("dce", 1.0, True), ("other", 9.0, False), ("odd", 9.0, True),
    ]  # fmt: skip


def test_a_pipeline_of_no_weight_has_no_bar() -> None:
    many = tuple(PassTime("big", f"pass{number}", 10.0) for number in range(SLOWEST))
    report = xla_report(evidence(passes=(*many, PassTime("small", "tiny", 0.1))))
    bars = next(section.bars for section in report.sections if section.key == "compile")
    assert "small" not in {bar.label for bar in bars}
    assert figures(report)["passes_ms"].value["pipelines"]["small"] == 0.1  # type: ignore[index]


@pytest.mark.parametrize(
    ("found", "compilations", "words", "is_warning"),
    [
        ({"tracing_count": 1, "compiled": 1}, ("",), "once", False),
        ({"tracing_count": 2, "compiled": 2}, ("f32[2]", "f32[3]"), "twice, 1 more than needed for one shape", True),
        ({}, ("a", "b", "c"), "3 times, 2 more than needed for one shape", True),
        ({"compiled": 4}, ("",), "4 times, 3 more than needed for one shape", True),
    ],
)
def test_recompilations(found: dict[str, int], compilations: tuple[str, ...], words: str, is_warning: bool) -> None:
    made = figure("recompilations", recompilations=found, compilations=compilations)
    assert (made.xla, made.is_warning) == (words, is_warning)
    if len(compilations) > 1:
        assert "; ".join(compilations) in made.how


def test_the_page_is_json_and_text() -> None:
    report = xla_report(evidence())
    found = json.loads(json.dumps(report_json(report), allow_nan=False))
    assert list(found["sections"]) == ["calls", "compile", "kernels", "memory", "numerics"]
    assert found["sections"]["compile"]["break_even_calls"]["value"] == 6500
    assert report.verdict.split(" (")[0] in report_text(report)


def test_an_empty_capture_is_a_page_of_reasons() -> None:
    report = xla_report(Evidence("net"))
    assert json.dumps(report_json(report), allow_nan=False)
    assert "not measured" in report_text(report)


def test_an_exact_capture_says_that_it_ran_on_one_thread() -> None:
    manifest = {"environment": {"exact": True}, "timings": {"xla_call_us": [1.0, 2.0], "no_xla_call_us": [3.0]}}
    found = xla_report(Evidence("f", manifest)).sections[0].figures[0]
    assert found.how.endswith("on one thread, as --exact asks for")
    assert "one thread" not in xla_report(Evidence("f", {**manifest, "environment": {}})).sections[0].figures[0].how
