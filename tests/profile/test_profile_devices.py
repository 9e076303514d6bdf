"""Hand-made GPU and TPU profiles. Times in nanoseconds from the line's start."""

from __future__ import annotations

import pytest
from profile_builder import GpuBuilder, Instruction, SpaceBuilder, TpuBuilder, hlo_module

from xlaviz.base.errors import XlavizError
from xlaviz.profile.kernels import kernel_table
from xlaviz.profile.profile import Profile, read_profile

MODULE = {
    "main": [("x", "parameter", (), ()), ("dot.1", "custom-call", ("x",), ()), ("add.2", "fusion", ("dot.1",), ())]
}


def read(builder: SpaceBuilder) -> Profile:
    return read_profile(builder.serialized(), file="a.xplane.pb")


def test_gpu_kernels_belong_to_the_execution_that_launched_them() -> None:
    builder = GpuBuilder()
    builder.embed(hlo_module(MODULE, name="jit_f"))
    gpu = builder.device(0)
    builder.run(0, 10, name="GpuExecutable::ExecuteThunks")
    builder.run(20, 30, name="GpuExecutable::ExecuteThunks")
    builder.kernel(gpu, "dot.1", 1, 100, 150)
    builder.kernel(gpu, "dot.1", 2, 150, 160)
    builder.kernel(gpu, "add.2", 3, 170, 200)
    builder.kernel(gpu, "dot.1", 21, 210, 310)
    builder.event("memcpy", 400, 500, lane="Stream #1", plane=gpu)
    profile = read(builder)
    assert [event.run for event in profile.events] == [0, 0, 0, 1]
    table = kernel_table(profile, 7, profile.modules[7])
    assert table.coverage_per_run == pytest.approx((0.9, 1.0))
    assert [(kernel.name, kernel.runs) for kernel in table.kernels] == [("dot.1", 2), ("add.2", 1)]
    assert table.kernels[0].share == pytest.approx(0.8)


def test_gpus_driven_by_two_threads_at_once_keep_their_own_runs() -> None:
    builder = GpuBuilder()
    first, second = builder.device(0), builder.device(1)
    builder.run(0, 50, name="GpuExecutable::ExecuteThunks", lane="a")
    builder.run(60, 90, name="GpuExecutable::ExecuteThunks", lane="a")
    builder.run(5, 80, name="GpuExecutable::ExecuteThunks", lane="b")
    for launched in (1, 10, 70):
        builder.kernel(first, "dot.1", launched, launched + 100, launched + 105, thread="1")
    for launched in (6, 40, 55, 75):
        builder.kernel(second, "dot.1", launched, launched + 100, launched + 105, thread="2")
    runs = {(event.lane.split(" ")[0], event.start_ps // 1000 - 1100): event.run for event in read(builder).events}
    assert runs["/device:GPU:0", 1] == runs["/device:GPU:0", 10] != runs["/device:GPU:0", 70]
    assert len({runs["/device:GPU:1", launched] for launched in (6, 40, 55, 75)}) == 1


def test_tpu_ops_are_named_by_their_metadata_and_timed_by_their_module() -> None:
    builder = SpaceBuilder()
    builder.embed(hlo_module(MODULE, name="jit_f"), program_id=-5)
    tpu = builder.space.planes.add(name="/device:TPU:0")
    builder.event(f"jit_f({2**64 - 5})", 0, 100, lane="XLA Modules", plane=tpu)
    builder.event("%dot.1 = f32[] custom-call(x)", 10, 60, lane="XLA Ops", plane=tpu)
    builder.event("%dot.1 = f32[] custom-call(x)", 0, 100, lane="Async XLA Ops", plane=tpu)
    metadata = next(m for m in tpu.event_metadata.values() if m.name.startswith("%dot.1"))
    metadata.display_name = "dot.1"
    tpu.stat_metadata[1].name = "program_id"
    metadata.stats.add(metadata_id=1, uint64_value=2**64 - 5)
    profile = read(builder)
    assert profile.programs == {2**64 - 5: "jit_f"}
    events = [(event.hlo_op, event.run, event.exact, event.is_busy) for event in profile.events]
    assert events == [("dot.1", 0, True, False), ("dot.1", 0, True, True)]
    table = kernel_table(profile, 2**64 - 5, profile.modules[2**64 - 5])
    assert (table.coverage, table.unmatched) == (pytest.approx(0.5), 0)


# Lines that xprof derived


OTHER = {"main": [("x", "parameter", (), ()), ("add.2", "fusion", ("x",), ())]}


def derived(*modules: dict[str, list[Instruction]], ops: tuple[str, ...] = ("dot.1", "add.2")) -> SpaceBuilder:
    """Ops of 10 ns on each of two GPUs that mark no executions, and what the file carries: programs 0, 1, …"""
    builder = SpaceBuilder()
    for program_id, module in enumerate(modules):
        builder.embed(hlo_module(module, name=f"jit_{program_id}"), program_id=program_id)
    for gpu in (builder.space.planes.add(name=f"/device:GPU:{number}") for number in range(2)):
        for number, op in enumerate(ops):
            builder.event(op, 20 * number, 20 * number + 10, lane="XLA Ops", plane=gpu)
    return builder


def test_derived_ops_are_of_the_program_that_alone_has_them_all() -> None:
    profile = read(derived(OTHER, MODULE))
    assert profile.programs == {1: "jit_1"}
    assert [(run.device, run.end_ps - run.start_ps) for run in profile.runs] == [
        ("/device:GPU:0", 30_000),
        ("/device:GPU:1", 30_000),
    ]
    table = kernel_table(profile, 1, profile.modules[1], "/device:GPU:1")
    assert (table.runs, table.unmatched, table.outside) == (1, 0, 0)
    assert {kernel.name: kernel.median_us for kernel in table.kernels} == pytest.approx({"dot.1": 0.01, "add.2": 0.01})
    assert [note.split(":")[0] for note in table.notes] == [
        "a.xplane.pb holds no kernels, only the lines xprof derived from them",
        "The file marks no executions",
    ]


@pytest.mark.parametrize(
    "builder",
    [derived(), derived(OTHER), derived(MODULE, MODULE), derived(MODULE, OTHER, ops=("add.2",))],
    ids=["no module", "not all of them", "two have them", "two have the one"],
)
def test_derived_ops_that_could_be_of_any_program_are_of_none(builder: SpaceBuilder) -> None:
    profile = read(builder)
    assert (profile.programs, len(profile.events)) == ({}, 0)
    (note,) = profile.notes
    assert note.startswith("a.xplane.pb holds no kernels, only lines xprof derived from them, with ")
    with pytest.raises(XlavizError, match="nothing in it tells which program these are of"):
        profile.main_program()


def test_derived_ops_that_name_their_program_are_taken_at_their_word() -> None:
    builder = derived(MODULE, MODULE)
    gpus = [plane for plane in builder.space.planes if plane.name.startswith("/device:")]
    for program_id, gpu in enumerate(gpus):
        for event in gpu.lines[0].events:
            builder.stat(event, "hlo_op", "dot.1", plane=gpu)
            builder.stat(event, "program_id", program_id + 7, plane=gpu)
            builder.stat(event, "hlo_module", f"jit_g{program_id}", plane=gpu)
    profile = read(builder)
    assert profile.programs == {7: "jit_g0", 8: "jit_g1"}
    assert {event.hlo_op for event in profile.events} == {"dot.1"}
    assert [(run.program_id, run.device) for run in profile.runs] == [(7, "/device:GPU:0"), (8, "/device:GPU:1")]


def test_a_tpu_that_marks_no_executions_has_one_run_of_each_program() -> None:
    builder = TpuBuilder()
    tpu = builder.device(0)
    for program_id in (7, 9):
        builder.embed(hlo_module(MODULE, name=f"jit_{program_id}"), program_id=program_id)
        builder.on_tpu(tpu, "dot.1", 100 * program_id, 100 * program_id + 30, program_id=program_id)
        builder.on_tpu(tpu, "add.2", 100 * program_id + 40, 100 * program_id + 90, program_id=program_id)
    profile = read(builder)
    assert profile.programs == {7: "jit_7", 9: "jit_9"}
    assert profile.notes == ("The file marks no executions: all op events of a program count as one run.",)
    table = kernel_table(profile, 9, profile.modules[9])
    assert (table.runs, table.run_us, table.outside) == (1, pytest.approx(0.09), 0)
