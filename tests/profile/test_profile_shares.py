"""What kernels take of a run: coverage, shares, self times. Times in nanoseconds from the line's start."""

from __future__ import annotations

import pytest
from cpu_profiles import LOOP, build, kernel, read, table


def test_overlapping_ops_count_once_in_coverage_and_divide_the_time_they_share() -> None:
    builder = build()
    builder.run(0, 100)
    builder.op("dot.1", 10, 50, logged=49)
    builder.op("copy.3", 30, 60, logged=59, lane="worker")
    found = table(read(builder))
    assert found.coverage == pytest.approx(0.5)
    assert kernel(found, "dot.1").share == pytest.approx(0.3)
    assert kernel(found, "copy.3").share == pytest.approx(0.2)
    assert [k.name for k in found.kernels] == ["dot.1", "copy.3"]
    assert [k.total_per_run_us for k in found.kernels] == pytest.approx([0.040, 0.030])
    assert found.unattributed_us == pytest.approx(0.050)


def test_self_time_of_a_loop_leaves_out_what_ran_inside_it() -> None:
    builder = build(LOOP)
    builder.run(0, 100)
    builder.op("while.1", 0, 80, logged=79)
    for start in (10, 30, 50):
        builder.op("dot.1", start, start + 10, logged=start + 9)
        builder.op("less.1", start + 5, start + 15, logged=start + 14, lane="worker")
    found = table(read(builder))
    loop, body = kernel(found, "while.1"), kernel(found, "dot.1")
    assert (loop.median_us, loop.self_us, loop.share) == pytest.approx((0.080, 0.035, 0.35))
    assert (body.runs, body.median_us, body.share) == (3, pytest.approx(0.010), pytest.approx(0.225))
    assert found.coverage == pytest.approx(0.8)


def test_self_time_of_nested_loops_leaves_out_each_level_once() -> None:
    builder = build(
        {
            "inner": [("i", "parameter", (), ()), ("dot.1", "dot", ("i",), ())],
            "outer": [("o", "parameter", (), ()), ("while.2", "while", ("o",), ("inner",))],
            "main": [("x", "parameter", (), ()), ("while.1", "while", ("x",), ("outer",))],
        }
    )
    builder.run(0, 100)
    builder.op("while.1", 0, 90, logged=89)
    builder.op("while.2", 10, 50, logged=49)
    builder.op("dot.1", 20, 30, logged=29)
    builder.op("dot.1", 60, 70, logged=69)  # its own loop's event was not recorded
    found = table(read(builder))
    assert kernel(found, "while.2").self_us == pytest.approx(0.030)
    assert kernel(found, "while.1").self_us == pytest.approx(0.040)


def test_op_that_outlasts_its_loop_and_its_run_is_cut_at_their_ends() -> None:
    builder = build(LOOP)
    builder.run(0, 50)
    builder.op("while.1", 0, 40, logged=39)
    builder.op("dot.1", 10, 70, logged=69, lane="worker")
    found = table(read(builder))
    assert kernel(found, "while.1").self_us == pytest.approx(0.010)
    assert found.coverage == 1.0


def test_op_after_a_short_execution_belongs_to_the_long_one_around_it() -> None:
    builder = build()
    builder.run(0, 100, lane="first")
    builder.run(10, 20, lane="second")
    for start, lane in ((5, "first"), (12, "second"), (50, "first")):
        builder.op("copy.3", start, start + 3, logged=start + 2, lane=lane)
    assert [event.run for event in read(builder).events] == [0, 1, 0]


def test_share_is_that_of_all_runs_and_a_run_without_the_kernel_counts_as_none() -> None:
    builder = build()
    for run, length in enumerate((10, 40, 0)):
        builder.run(run * 1000, run * 1000 + 100)
        builder.op("dot.1", run * 1000, run * 1000 + 50, logged=run * 1000 + 49)
        if length:
            builder.op("copy.3", run * 1000 + 50, run * 1000 + 50 + length, logged=run * 1000 + 51)
    found = table(read(builder))
    assert (found.runs, kernel(found, "copy.3").runs) == (3, 2)
    assert kernel(found, "copy.3").share == pytest.approx(50 / 300)
    assert found.unattributed_us == pytest.approx(0.100 * (1 - 200 / 300))
    assert found.coverage_per_run == pytest.approx((0.6, 0.9, 0.5))
    assert found.coverage == pytest.approx(0.6)


def test_exact_and_near_floor_say_how_far_to_trust_a_kernel() -> None:
    builder = build()
    builder.run(0, 50_000)
    builder.op("dot.1", 10, 12)
    builder.op("add.2", 20_010, 20_020, logged=20_019)
    found = table(read(builder))
    assert [(k.name, k.exact, k.near_floor) for k in found.kernels] == [("dot.1", False, False), ("add.2", True, True)]


def test_event_outside_every_run_is_counted_and_left_out() -> None:
    builder = build()
    builder.run(0, 100)
    builder.op("dot.1", 10, 50, logged=49)
    builder.op("dot.1", 200, 900, logged=899)
    found = table(read(builder))
    assert found.outside == 1
    assert kernel(found, "dot.1").runs == 1


def test_op_event_that_is_no_instruction_of_the_module_is_reported() -> None:
    builder = build()
    builder.run(0, 100)
    builder.op("dot.1", 10, 50, logged=49)
    builder.op("ghost.9", 60, 70, logged=69)
    found = table(read(builder))
    assert (found.unmatched, found.unmatched_names) == (1, ("ghost.9",))
    assert [k.name for k in found.kernels] == ["dot.1"]
