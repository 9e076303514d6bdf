"""The memory a call needs, and how far its results are from those without XLA."""

from __future__ import annotations

import json
from typing import Any

import pytest

from xlaviz.hlo.buffers import MemoryUse
from xlaviz.timing.pays_results import memory_section, numerics_section
from xlaviz.timing.report import Figure, Section

MEMORY = MemoryUse(10_000, 4_000, 3_000, 500, 2_500, 1_000)
OUTPUT = {
    "name": "output", "dtype": "float32", "shape": [2, 3], "max_abs": 1e-6, "max_rel": 2e-7, "max_ulps": 1,
    "rtol": 1e-5, "atol": 1e-6, "within": True, "differing": 2, "beyond": 0, "elements": 6, "note": "",
}  # fmt: skip


def figures(section: Section) -> dict[str, Figure]:
    return {figure.key: figure for figure in section.figures}


def compared(*outputs: dict[str, Any], **fields: Any) -> dict[str, Figure]:
    whole = {"outputs": list(outputs), "variables": [], "error": None, "repeatable": True, "random_ops": []}
    section = numerics_section(whole | fields, "no comparison")
    assert json.dumps([figure.value for figure in section.figures], allow_nan=False)
    return figures(section)


def test_the_programs_buffers() -> None:
    found = figures(memory_section(MEMORY, None, ""))["program_bytes"]
    assert found.xla == "9.8 KiB"
    assert found.value == {
        "total": 10_000, "parameters": 4_000, "outputs": 3_000, "temporary": 2_500, "constants": 500, "aliased": 1_000,
    }  # fmt: skip
    assert "1000 B of them in donated arguments" in found.how


@pytest.mark.parametrize(
    ("given", "said"), [("no proto", "no proto"), ("", "the module comes without a buffer assignment")]
)
def test_a_program_without_a_buffer_assignment(given: str, said: str) -> None:
    assert figures(memory_section(None, None, given))["program_bytes"].missing == said


def test_the_allocators_peaks_beside_each_other() -> None:
    peaks = {"xla_allocator_peak_bytes": 1024, "no_xla_peak_bytes": 4096, "reason": ""}
    found = figures(memory_section(None, peaks, ""))["allocator_bytes"]
    assert (found.xla, found.no_xla, found.ratio) == ("1.0 KiB", "4.0 KiB", "4.00×")
    assert found.value == {"xla": 1024, "no_xla": 4096}


@pytest.mark.parametrize(
    ("peaks", "missing", "xla"),
    [
        (None, "not recorded", ""),
        ({"xla_allocator_peak_bytes": None, "no_xla_peak_bytes": None, "reason": "no stats"}, "no stats", ""),
        ({"xla_allocator_peak_bytes": None, "no_xla_peak_bytes": None}, "the device has no statistics", ""),
        ({"xla_allocator_peak_bytes": None, "no_xla_peak_bytes": 5, "reason": "odd"}, "", "unknown"),
    ],
)
def test_an_allocator_without_statistics(peaks: dict[str, Any] | None, missing: str, xla: str) -> None:
    found = figures(memory_section(None, peaks, ""))["allocator_bytes"]
    assert (found.missing, found.xla, found.ratio) == (missing, xla, "")
    assert "odd" in found.how or not xla


def test_a_result_that_differs_within_what_is_tolerated() -> None:
    found = compared(OUTPUT)["output"]
    assert (found.xla, found.is_warning) == ("1e-06, relative 2e-07, 1 ULP", False)
    assert "result float32[2,3]: 2 of 6 elements differ; tolerated: 1e-06 + 1e-05" in found.how
    assert found.value["max_ulps"] == 1  # type: ignore[index]


def test_a_result_that_is_equal() -> None:
    found = compared(OUTPUT | {"differing": 0, "max_abs": 0.0, "max_rel": 0.0, "max_ulps": 0})["output"]
    assert (found.xla, found.is_warning) == ("equal", False)


def test_a_result_that_differs_too_much_is_a_warning_with_its_note() -> None:
    found = compared(OUTPUT | {"within": False, "beyond": 2, "max_ulps": 1234, "note": "Random."})["output"]
    assert found.is_warning
    assert found.xla.startswith("1e-06, relative 2e-07, 1,234 ULPs")
    assert found.how.endswith("Random.")


def test_a_result_without_a_distance() -> None:
    """A NaN on one side alone."""
    found = compared(OUTPUT | {"max_abs": None, "max_rel": None, "max_ulps": None, "within": False})["output"]
    assert (found.xla.startswith("unknown, relative unknown"), found.is_warning) == (True, True)


def variable(name: str, max_abs: float, *, within: bool = True, atol: float = 1e-8) -> dict[str, Any]:
    return OUTPUT | {"name": name, "max_abs": max_abs, "within": within, "atol": atol}


def test_variables_that_differ_most_come_first_and_the_rest_is_one_line() -> None:
    variables = [variable(f"w{number}", number * 1e-9) for number in range(9)]
    variables += [variable("far", 1e-12, within=False), variable("exact", 1e-9, atol=0.0)]
    found = compared(OUTPUT, variables=variables)
    assert list(found) == ["output", "far", "exact", "w8", "w7", "w6", "w5", "other_variables", "repeatable"]
    rest = found["other_variables"]
    assert (rest.value, rest.label, rest.is_warning) == ({"count": 5, "within": 5}, "5 more variables", False)
    assert "variable float32" in found["w8"].how


def test_variables_beyond_what_is_tolerated_among_the_rest_are_a_warning() -> None:
    found = compared(variables=[variable(f"w{number}", 1e-3, within=False) for number in range(8)])
    assert found["other_variables"].is_warning
    assert found["other_variables"].value == {"count": 2, "within": 0}


@pytest.mark.parametrize(
    ("fields", "xla", "is_warning"),
    [
        ({"repeatable": True}, "yes", False),
        ({"repeatable": False}, "no", True),
        ({"repeatable": False, "random_ops": ["RandomUniform"]}, "no", False),
    ],
)
def test_whether_it_repeats(fields: dict[str, Any], xla: str, is_warning: bool) -> None:
    found = compared(OUTPUT, **fields)["repeatable"]
    assert (found.xla, found.is_warning) == (xla, is_warning)
    assert ("RandomUniform" in found.how) is bool(fields.get("random_ops"))


def test_a_comparison_that_stopped_half_way_shows_what_there_is() -> None:
    found = compared(OUTPUT, error="Out of memory.", repeatable=None)
    assert found["output"].xla
    assert found["repeatable"].missing == "Out of memory."


@pytest.mark.parametrize(
    ("comparison", "reason"),
    [(None, "no comparison"), ({}, "no comparison"), ({"error": "It failed.", "outputs": []}, "It failed.")],
)
def test_without_a_comparison_the_reason_is_given(comparison: dict[str, Any] | None, reason: str) -> None:
    (found,) = numerics_section(comparison, "no comparison").figures
    assert (found.missing, found.xla, found.value) == (reason, "", None)
