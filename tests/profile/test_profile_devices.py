"""Hand-made GPU and TPU profiles. Times in nanoseconds from the line's start."""

from __future__ import annotations

import pytest
from profile_builder import GpuBuilder, SpaceBuilder, hlo_module

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
