"""The page as text and as JSON."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from xlaviz.timing.report import Bar, CallTimes, Figure, Report, Section
from xlaviz.timing.report_text import report_json, report_text

HOW = "30 calls each after 5 to warm up, alternating, wall clock around the call, on a machine that others use too"
MEDIAN = Figure("median", "median", "428.1 µs", "1.3 ms", "3.0×", HOW, value={"xla_us": 428.1, "no_xla_us": 1290.0})
SPREAD = Figure(
    "spread", "p10 – p90", "401.2 – 512.9 µs", "1.2 – 1.5 ms", "", "of the same calls", value=[401.2, 512.9]
)
NOISE = Figure("noise", "spread too wide", "p90/p10 1.28", how="other programs ran", is_warning=True, value=1.28)
PEAK = Figure("peak", "peak memory without XLA", missing="the CPU allocator of TensorFlow keeps no statistics " * 3)
SEEN = Figure(
    "seen", "recompilations", "none in 41 calls with one signature: f32[32,784], s32[32]", how="counted", value=0
)
BARS = (Bar("backend", 847.0, "847.0 ms · 77.1%"), Bar("Codegen", 423.5, "423.5 ms", is_part=True))
REPORT = Report(
    "Does XLA pay? train_step",
    "Yes: a call takes 428.1 µs with XLA and 1.3 ms without. Compilation has paid for itself after 1,492 calls. " * 2,
    True,
    CallTimes((1.0,), (2.0,)),
    (
        Section("time", "Time per call", (MEDIAN, SPREAD, NOISE)),
        Section("compile", "Tracing and compiling", (PEAK, SEEN), BARS),
    ),
)


def line_with(text: str, words: str) -> str:
    (found,) = (line for line in text.splitlines() if words in line)
    return found


@pytest.mark.parametrize("width", [100, 110, 120])
def test_no_line_is_longer_than_the_width(width: int) -> None:
    lines = report_text(REPORT, width).splitlines()
    assert width - 12 < max(map(len, lines)) <= width
    assert all(line == line.rstrip() for line in lines)


def test_every_word_is_there_once_the_lines_are_joined() -> None:
    text = report_text(REPORT)
    for words in (
        REPORT.title,
        "TIME PER CALL",
        "with XLA",
        "without",
        "ratio",
        "how measured",
        "3.0×",
        "1.2 – 1.5 ms",
    ):
        assert words in text
    for sentence in (REPORT.verdict, HOW, PEAK.missing):
        assert all(word in text for word in sentence.split())


def test_numbers_stand_under_one_another() -> None:
    text = report_text(REPORT)
    heading = line_with(text, "TIME PER CALL")
    end = heading.index("with XLA") + len("with XLA")
    rows = {"  median": "428.1 µs", "  p10 – p90": "512.9 µs", "! spread": "1.28"}
    for label, number in rows.items():
        assert line_with(text, label)[:end].endswith(number)
    assert line_with(text, "of the same calls").index("of the") == heading.index("how measured")


def test_a_section_with_nothing_to_compare_has_no_such_columns() -> None:
    assert "with XLA" not in line_with(report_text(REPORT), "TRACING AND COMPILING")


def test_warnings_bear_a_sign_and_what_is_missing_its_reason() -> None:
    text = report_text(REPORT)
    assert line_with(text, "spread too wide").startswith("! spread")
    assert sum(line.startswith("!") for line in text.splitlines()) == 1
    assert "not measured: the CPU allocator" in line_with(text, "peak memory without XLA")


def test_a_long_answer_runs_across_the_columns() -> None:
    assert "none in 41 calls with one signature" in line_with(report_text(REPORT), "recompilations")


def test_a_range_in_brackets_stands_below_its_median() -> None:
    figure = replace(MEDIAN, xla="428.1 µs (401.2 µs to 512.9 µs)", no_xla="1.3 ms (1.2 ms to 1.5 ms)")
    lines = report_text(replace(REPORT, sections=(Section("time", "Time", (figure,)),))).splitlines()
    first = next(place for place, line in enumerate(lines) if "median" in line)
    assert lines[first].split()[:5] == ["median", "428.1", "µs", "1.3", "ms"]
    assert lines[first + 1].lstrip().startswith("(401.2 µs to 512.9 µs)  ")
    assert "  (1.2 ms to 1.5 ms)  " in lines[first + 1]


def test_bars_are_as_long_as_their_values_and_parts_stand_in() -> None:
    text = report_text(REPORT)
    whole, part = line_with(text, "backend"), line_with(text, "Codegen")
    assert whole.count("█") == 2 * part.count("█") > 0
    assert part.index("Codegen") == whole.index("backend") + 2


def test_the_json_holds_values_how_and_missing_by_key() -> None:
    found = json.loads(json.dumps(report_json(REPORT)))
    assert (found["title"], found["pays"]) == (REPORT.title, True)
    assert found["verdict"] == REPORT.verdict
    assert found["sections"]["time"]["median"] == {"value": MEDIAN.value, "how": HOW, "missing": ""}
    assert found["sections"]["compile"]["peak"] == {"value": None, "how": "", "missing": PEAK.missing}


def test_an_empty_report_is_its_verdict() -> None:
    empty = replace(REPORT, verdict="It was not measured.", pays=None, sections=())
    assert report_text(empty) == f"{REPORT.title}\n\nIt was not measured.\n"
    assert report_json(empty)["pays"] is None


def test_a_long_name_goes_on_in_the_next_line_after_one_of_its_parts() -> None:
    name = "adam/sequential_block1_batch_normalization_1_gamma_momentum"
    figure = Figure("name", name, "0.0071", how="p90/p10 of this", value=1)
    text = report_text(replace(REPORT, sections=(Section("numerics", "Results", (figure,)),)))
    rows = [line[:28].strip() for line in text.partition("RESULTS")[2].splitlines()[1:]]
    rows = [row for row in rows if row]
    assert "".join(rows) == name
    assert len(rows) > 1
    assert all(row.endswith(("_", "/")) for row in rows[:-1])
    assert "p90/p10 of this" in text
