"""Large files: some executions are read, each of them whole, and the profile says so."""

from __future__ import annotations

import random

import pytest
from profile_builder import GpuBuilder, SpaceBuilder, TpuBuilder, hlo_module

from xlaviz.profile.kernels import kernel_table
from xlaviz.profile.profile import Profile, read_profile
from xlaviz.profile.sampling import sampled

OPS = {"main": [("x", "parameter", (), ()), ("dot.1", "dot", ("x",), ()), ("add.2", "fusion", ("dot.1",), ())]}
RUNS = 200


def steps(*, programs: int = 1, runs: int = RUNS) -> SpaceBuilder:
    """Executions of some programs that take turns, each of two ops over 90 of 100 nanoseconds."""
    builder = SpaceBuilder()
    for program in range(programs):
        builder.embed(hlo_module(OPS, name=f"f{program}"), program_id=program)
    for run in range(runs):
        start, program = run * 1000, run % programs
        builder.run(start, start + 100)
        builder.op("dot.1", start + 5, start + 55, logged=start + 54, program_id=program, module=f"f{program}")
        builder.op("add.2", start + 55, start + 95, logged=start + 94, program_id=program, module=f"f{program}")
    return builder


def read(builder: SpaceBuilder, share: float) -> Profile:
    data = builder.serialized()
    return read_profile(data, file="a.pb", large_bytes=round(len(data) * share))


def test_a_small_file_is_read_whole_without_a_word() -> None:
    profile = read(steps(), 1.0)
    assert (len(profile.runs), len(profile.events), profile.notes) == (RUNS, 2 * RUNS, ())


def test_of_a_large_file_whole_executions_are_read_and_counted_in_a_note() -> None:
    builder = steps()
    profile = read(builder, 0.25)
    assert len(profile.runs) == RUNS // 4
    assert [event.run for event in profile.events] == [run for run in range(RUNS // 4) for _ in range(2)]
    table = kernel_table(profile, 0, profile.modules[0])
    assert table.coverage_per_run == pytest.approx([0.9] * (RUNS // 4))
    assert (table.outside, table.unmatched) == (0, 0)
    size = round(len(builder.serialized()) / 1e6)
    sentence = f"a.pb is large ({size} MB): {RUNS // 4} of its {RUNS} executions were read, drawn at random."
    assert profile.notes == table.notes == (sentence,)


def test_the_same_file_is_read_the_same_way() -> None:
    assert read(steps(), 0.1).runs == read(steps(), 0.1).runs


@pytest.mark.parametrize("programs", [2, 3, 4])
def test_programs_that_take_turns_are_all_there(programs: int) -> None:
    profile = read(steps(programs=programs), 0.25)
    assert sorted(profile.programs.values()) == [f"f{program}" for program in range(programs)]


def test_at_least_one_execution_is_read() -> None:
    profile = read(steps(runs=5), 0.001)
    assert (len(profile.runs), len(profile.events)) == (1, 2)


def test_a_single_execution_is_read_whole() -> None:
    profile = read(steps(runs=1), 0.001)
    assert (len(profile.runs), len(profile.events), profile.notes) == (1, 2, ())


def test_a_file_without_any_mark_is_read_whole() -> None:
    builder = SpaceBuilder()
    builder.embed(hlo_module(OPS))
    for start in range(0, 1000, 10):
        builder.op("dot.1", start, start + 10, producer=False)
    profile = read(builder, 0.001)
    assert len(profile.events) == 100
    assert [note for note in profile.notes if "marks no executions" in note] == list(profile.notes)


def test_steps_serve_where_executions_are_not_marked() -> None:
    builder = SpaceBuilder()
    builder.embed(hlo_module(OPS))
    for start in range(0, 10_000, 100):
        builder.event("xlaviz_step", start, start + 90)
        builder.event("EagerKernelExecute", start + 10, start + 80)
        builder.op("add.2", start + 20, start + 60, producer=False)
    profile = read(builder, 0.2)
    assert (len(profile.runs), len(profile.events)) == (20, 20)
    assert [note for note in profile.notes if "20 of its 100 executions" in note]


def test_executions_that_overlap_are_whole_or_left_out() -> None:
    """Two threads run programs at the same time: what is drawn of one holds a part of the other."""
    builder = SpaceBuilder()
    builder.embed(hlo_module(OPS))
    for run in range(RUNS):
        for lane, start in (("a", run * 1000), ("b", run * 1000 + 60)):
            builder.run(start, start + 100, lane=lane)
            builder.op("dot.1", start, start + 50, logged=start + 49, lane=lane)
            builder.op("add.2", start + 50, start + 100, logged=start + 99, lane=lane)
    profile = read(builder, 0.2)
    assert {window.end_ps - window.start_ps for window in profile.runs} == {100_000}
    table = kernel_table(profile, 7, profile.modules[7])
    assert set(table.coverage_per_run) == {1.0}
    assert table.outside == 0
    assert len(profile.runs) >= 2 * RUNS // 5
    assert [note for note in profile.notes if f"{len(profile.runs)} of its {2 * RUNS} executions" in note]


def test_of_several_tpus_the_same_whole_steps_are_read() -> None:
    builder = TpuBuilder()
    builder.embed(hlo_module(OPS, name="jit_f"))
    for number in range(4):
        tpu = builder.device(number)
        for run in range(RUNS):
            start = run * 100 + 20 * number  # a step begins on one before it has ended on the other
            builder.execution(tpu, start, start + 100)
            builder.on_tpu(tpu, "dot.1", start, start + 60)
            builder.on_tpu(tpu, "add.2", start + 60, start + 100)
    profile = read(builder, 0.1)
    drawn: dict[int, list[int]] = {}
    for run in profile.runs:
        device = int(run.device[-1])
        drawn.setdefault(device, []).append((run.start_ps // 1000 - 1000 - 20 * device) // 100)
    assert len(drawn[0]) == RUNS // 10
    assert [drawn[device] for device in range(4)] == [drawn[0]] * 4
    assert set(kernel_table(profile, 7, profile.modules[7]).coverage_per_run) == {1.0}
    assert [note for note in profile.notes if f"{4 * RUNS // 10} of its {4 * RUNS} executions" in note]


def test_a_sample_against_the_windows_themselves() -> None:
    source = random.Random(1)
    for _ in range(200):
        starts = [source.randrange(100) for _ in range(source.randint(2, 12))]
        windows = [(start, start + source.randint(1, 30)) for start in starts]
        sample = sampled(windows, source.choice((0.1, 0.5, 0.9)))
        whole = [window for window in windows if sample.holds_window(*window)]
        assert sample.kept == len(whole) >= 1
        for moment in range(140):
            inside = any(start <= moment < end for start, end in whole)
            assert sample.holds(moment) is (inside or sample.is_whole)


def test_of_a_large_gpu_profile_the_kernels_of_some_executions_are_kept() -> None:
    builder = GpuBuilder()
    gpu = builder.device(0)
    for run in range(20):
        builder.run(run * 100, run * 100 + 10, name="GpuExecutable::ExecuteThunks")
        builder.kernel(gpu, "dot.1", run * 100 + 1, run * 100 + 20, run * 100 + 60)
        builder.kernel(gpu, "add.2", run * 100 + 2, run * 100 + 60, run * 100 + 90)
    data = builder.serialized()
    found = read_profile(data, file="g.xplane.pb", large_bytes=len(data) // 2)
    assert len(found.runs) == 10
    assert len(found.events) == 20
    assert "10 of its 20 executions were read" in " ".join(found.notes)
    assert {len([event for event in found.events if event.run == run]) for run in range(10)} == {2}
