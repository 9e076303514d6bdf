"""The table of kernels: what it adds up to, what each kernel costs, and what it says where the module is not there."""

from __future__ import annotations

import csv
import io

import numpy as np
import pytest
from helpers.modules import module_of
from profile_builder import GpuBuilder, SpaceBuilder, TpuBuilder, hlo_module

from xlaviz.profile.kernel_csv import kernel_csv
from xlaviz.profile.kernels import Kernel, KernelTable, kernel_table, typical_runs
from xlaviz.profile.peaks import NO_PEAKS, Peaks
from xlaviz.profile.profile import Profile, read_profile

COSTS = module_of("""
fused { p = f32[8,4] parameter(0)
  neg.1 = f32[8,4] negate(p), metadata={op_name="net/neg;net/more"}
  ROOT exp.2 = f32[8,4] exponential(neg.1), metadata={op_name="net/exp"} }

body { b = f32[8,4] parameter(0)
  ROOT tanh.3 = f32[8,4] tanh(b) }

condition { c = f32[8,4] parameter(0)
  ROOT less.4 = pred[] constant(true) }

ENTRY main { x = f32[8,16] parameter(0)
  y = f32[16,4] parameter(1)
  dot.5 = f32[8,4] dot(x, y), lhs_contracting_dims={1}, rhs_contracting_dims={0}, metadata={op_name="net/dot"}
  fusion.6 = f32[8,4] fusion(dot.5), kind=kLoop, calls=fused
  while.7 = f32[8,4] while(fusion.6), condition=condition, body=body
  call.8 = f32[8,4] custom-call(while.7), custom_call_target="anything"
  ROOT copy.9 = f32[8,4] copy(call.8) }
""")
GRAPH = {
    "main": [("x", "parameter", (), ()), ("dot.1", "custom-call", ("x",), ()), ("add.2", "fusion", ("dot.1",), ())]
}


def read(builder: SpaceBuilder) -> Profile:
    return read_profile(builder.serialized(), file="a.xplane.pb")


def kernels(table: KernelTable) -> dict[str, Kernel]:
    return {kernel.name: kernel for kernel in table.kernels}


def costs_table() -> KernelTable:
    """A run of 100 nanoseconds: dot 20, fusion 30, loop 25 with 10 of its body, custom call 5, copy 10."""
    builder = SpaceBuilder()
    builder.run(0, 100)
    for name, start, end in (
        ("dot.5", 0, 20), ("fusion.6", 20, 50), ("while.7", 50, 75), ("tanh.3", 60, 70), ("call.8", 75, 80),
        ("copy.9", 80, 90),
    ):  # fmt: skip
        builder.op(name, start, end, logged=end - 1)
    return kernel_table(read(builder), 7, COSTS)


def test_flops_bytes_and_what_follows_from_them() -> None:
    dot = kernels(costs_table())["dot.5"]
    assert dot.flops == 2 * 8 * 4 * 16
    assert dot.bytes == 4 * (8 * 16 + 16 * 4 + 8 * 4)
    assert dot.flops_per_s == pytest.approx(1024 / 20e-9)
    assert dot.bytes_per_s == pytest.approx(896 / 20e-9)
    assert dot.intensity == pytest.approx(1024 / 896)


def test_a_fusion_costs_its_bodys_arithmetic_and_its_own_bytes() -> None:
    fusion = kernels(costs_table())["fusion.6"]
    assert (fusion.flops, fusion.bytes) == (32, 2 * 4 * 32)  # exp is a transcendental, no flop
    assert (fusion.opcode, fusion.fusion_kind) == ("fusion", "kLoop")
    assert fusion.op_names == ("net/neg", "net/more", "net/exp")


@pytest.mark.parametrize("name", ["while.7", "call.8"])
def test_what_cannot_be_known_is_none(name: str) -> None:
    found = kernels(costs_table())[name]
    assert (found.flops, found.flops_per_s, found.intensity) == (None, None, None)


def test_a_loop_has_no_bytes_of_its_own() -> None:
    assert kernels(costs_table())["while.7"].bytes is None


def test_a_copy_computes_nothing() -> None:
    copy = kernels(costs_table())["copy.9"]
    assert (copy.flops, copy.intensity) == (0, 0)


@pytest.mark.parametrize(
    ("flops", "moved", "peaks", "bound"),
    [
        (100.0, 10.0, Peaks(1000.0, 100.0), "compute"),
        (99.0, 10.0, Peaks(1000.0, 100.0), "memory"),
        (0.0, 10.0, Peaks(1000.0, 100.0), "memory"),
        (None, 10.0, Peaks(1000.0, 100.0), ""),
        (100.0, None, Peaks(1000.0, 100.0), ""),
        (100.0, 0.0, Peaks(1000.0, 100.0), ""),
        (100.0, 10.0, Peaks(1000.0, None), ""),
        (100.0, 10.0, NO_PEAKS, ""),
    ],
)
def test_which_roof_is_the_lower_one(flops: float | None, moved: float | None, peaks: Peaks, bound: str) -> None:
    kernel = Kernel("a", "dot", 1, 1.0, 1.0, 1.0, 1.0, 1.0, 0.1, True, False, flops=flops, bytes=moved)
    assert kernel.bound_by(peaks) == bound


@pytest.mark.parametrize(("p10", "p90", "is_spread"), [(0.8, 1.3, False), (0.7, 1.3, True), (1.0, 1.0, False)])
def test_times_that_lie_too_far_apart(p10: float, p90: float, is_spread: bool) -> None:
    assert Kernel("a", "dot", 9, 1.0, p10, p90, p10, 1.0, 0.1, True, False).is_spread is is_spread


def test_a_kernel_without_time_has_no_rates() -> None:
    kernel = Kernel("a", "dot", 1, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, True, True, flops=5.0, bytes=5.0)
    assert (kernel.flops_per_s, kernel.bytes_per_s, kernel.is_spread) == (None, None, False)


def test_self_times_and_the_rest_add_up_to_the_run() -> None:
    table = costs_table()
    found = kernels(table)
    assert {name: kernel.self_per_run_us for name, kernel in found.items()} == pytest.approx(
        {"dot.5": 0.02, "fusion.6": 0.03, "while.7": 0.015, "tanh.3": 0.01, "call.8": 0.005, "copy.9": 0.01}
    )
    assert table.unattributed_us == pytest.approx(0.01)
    assert sum(kernel.share for kernel in table.kernels) == pytest.approx(0.9)
    assert (found["while.7"].total_per_run_us, found["while.7"].median_us) == pytest.approx((0.025, 0.025))
    assert found["while.7"].op_names == ()


def test_the_csv_adds_up_and_leaves_empty_what_is_not_known() -> None:
    rows = {row["name"]: row for row in csv.DictReader(io.StringIO(kernel_csv(costs_table())))}
    assert list(rows)[-1] == "unattributed"
    assert sum(float(row["share"]) for row in rows.values()) == pytest.approx(1)
    assert sum(float(row["self_per_run_us"]) for row in rows.values()) == pytest.approx(0.1)
    assert (rows["dot.5"]["flops"], rows["dot.5"]["op_names"], rows["dot.5"]["exact"]) == ("1024", "net/dot", "true")
    assert (rows["while.7"]["flops"], rows["while.7"]["bound_by"]) == ("", "")
    assert rows["fusion.6"]["op_names"] == "net/neg;net/more;net/exp"


def without_module(*, damaged: bool) -> Profile:
    builder = SpaceBuilder()
    builder.run(0, 100)
    builder.op("dot.1", 10, 50, logged=49)
    builder.op("add.2", 50, 90)
    if damaged:
        builder.embed(hlo_module(GRAPH))
        metadata = builder.space.planes[1].event_metadata[7]
        metadata.stats[0].bytes_value = metadata.stats[0].bytes_value[:-3]
    return read(builder)


@pytest.mark.parametrize("damaged", [False, True])
def test_without_a_sound_module_the_times_are_there_all_the_same(damaged: bool) -> None:
    profile = without_module(damaged=damaged)
    table = kernel_table(profile, 7, None)
    assert [(k.name, k.opcode, k.median_us, k.exact) for k in table.kernels] == [
        ("add.2", "", pytest.approx(0.05), False),
        ("dot.1", "", pytest.approx(0.04), True),
    ]
    assert (table.unmatched, table.unmatched_names) == (2, ("add.2", "dot.1"))
    assert table.coverage == pytest.approx(0.9)
    assert [kernel.flops for kernel in table.kernels] == [None, None]
    assert (7 in profile.modules) is damaged
    assert profile.modules.sound(7) is None


def gpus() -> GpuBuilder:
    """Two of them, the second one slower, each with a copy of its own."""
    builder = GpuBuilder()
    builder.embed(hlo_module(GRAPH, name="jit_f"))
    for number in (0, 1):
        gpu = builder.device(number)
        thread = str(number)
        for run in range(3):
            start = run * 1000
            builder.execution(start, start + 20, thread=thread)
            length = 100 * (number + 1)
            builder.kernel(gpu, "dot.1", start + 1, start + 100, start + 100 + length, thread=thread)
            builder.kernel(gpu, "add.2", start + 2, start + 400, start + 450, thread=thread)
            builder.event(f"copy {number}", start + 500, start + 510 + number, lane="Stream #9", plane=gpu)
    return builder


def test_all_devices_or_one() -> None:
    profile = read(gpus())
    both = kernel_table(profile, 7, profile.modules[7])
    second = kernel_table(profile, 7, profile.modules[7], "/device:GPU:1")
    assert (both.runs, second.runs) == (6, 3)
    assert both.devices == second.devices == ("/device:GPU:0", "/device:GPU:1")
    assert (both.device, second.device) == ("", "/device:GPU:1")
    assert kernels(both)["dot.1"].median_us == pytest.approx(0.15)
    assert (kernels(second)["dot.1"].runs, kernels(second)["dot.1"].median_us) == (3, pytest.approx(0.2))
    assert second.run_us == pytest.approx(0.35)
    assert second.coverage == pytest.approx(250 / 350)


def test_a_device_that_ran_nothing_has_an_empty_table() -> None:
    profile = read(gpus())
    table = kernel_table(profile, 7, profile.modules[7], "/device:GPU:5")
    assert (table.runs, table.kernels, table.coverage, table.run_us) == (0, (), 0.0, 0.0)


def test_what_is_no_instruction_is_listed_apart_by_device() -> None:
    profile = read(gpus())
    both = kernel_table(profile, 7, profile.modules[7])
    assert [(o.name, o.device, o.count, o.median_us, o.total_us) for o in both.others] == [
        ("copy 1", "/device:GPU:1", 3, pytest.approx(0.011), pytest.approx(0.033)),
        ("copy 0", "/device:GPU:0", 3, pytest.approx(0.010), pytest.approx(0.030)),
    ]
    first = kernel_table(profile, 7, profile.modules[7], "/device:GPU:0")
    assert [other.name for other in first.others] == ["copy 0"]
    assert not {"copy 0", "copy 1"} & set(kernels(both))


def test_kernels_whose_launch_is_not_in_the_file_are_one_run_for_each_device_and_program() -> None:
    builder = GpuBuilder()
    for number in (0, 1):
        gpu = builder.device(number)
        for program_id in (7, 8):
            for start in (100, 200):
                builder.kernel(gpu, "dot.1", 1, start + program_id, start + program_id + 50, program_id=program_id)
    profile = read(builder)
    assert len(profile.runs) == 4
    assert sorted({(run.program_id, run.device) for run in profile.runs}) == sorted(
        (program, f"/device:GPU:{number}") for program in (7, 8) for number in (0, 1)
    )
    assert {run.end_ps - run.start_ps for run in profile.runs} == {150_000}


def test_a_gpu_with_derived_lines_only_says_so_and_shows_them() -> None:
    builder = GpuBuilder()
    builder.embed(hlo_module(GRAPH, name="jit_f"))
    gpu = builder.device(0)
    for start in (0, 200):
        builder.event("jit_f(7)", start, start + 100, lane="XLA Modules", plane=gpu)
        builder.event("dot.1", start + 10, start + 60, lane="XLA Ops", plane=gpu)
        builder.event("add.2", start + 60, start + 90, lane="XLA Ops", plane=gpu)
        builder.event("Steps 1", start, start + 100, lane="Steps", plane=gpu)
    builder.event("stray", 150, 160, lane="XLA Ops", plane=gpu)
    profile = read(builder)
    (note,) = profile.notes
    assert note.startswith("a.xplane.pb holds no kernels, only the lines xprof derived from them")
    table = kernel_table(profile, 7, profile.modules[7])
    assert (table.runs, table.coverage, table.unmatched) == (2, pytest.approx(0.8), 0)
    assert [(kernel.name, kernel.runs) for kernel in table.kernels] == [("dot.1", 2), ("add.2", 2)]
    assert [device.label for device in profile.devices] == ["NVIDIA GPU 0"]


def test_derived_lines_beside_kernels_are_left_out() -> None:
    builder = gpus()
    gpu = next(plane for plane in builder.space.planes if plane.name == "/device:GPU:0")
    builder.event("jit_f(7)", 0, 900, lane="XLA Modules", plane=gpu)
    builder.event("dot.1", 10, 800, lane="XLA Ops", plane=gpu)
    profile = read(builder)
    assert (len(profile.events), len(profile.runs), profile.notes) == (12, 6, ())


def test_tpus_count_the_runs_of_each() -> None:
    builder = TpuBuilder()
    builder.embed(hlo_module(GRAPH, name="jit_f"))
    for number in (0, 1):
        tpu = builder.device(number)
        for start in (0, 100):
            builder.execution(tpu, start, start + 100)
            builder.on_tpu(tpu, "dot.1", start, start + 50 + 10 * number)
    profile = read(builder)
    assert kernel_table(profile, 7, profile.modules[7]).runs == 4
    one = kernel_table(profile, 7, profile.modules[7], "/device:TPU:1")
    assert (one.runs, one.coverage) == (2, pytest.approx(0.6))


def test_of_a_gpus_profile_the_hosts_own_ops_are_left_out() -> None:
    """The host's events of a GPU's program are launches; what XLA ran on the CPU beside it is not shown."""
    builder = gpus()
    builder.run(0, 100)
    builder.op("dot.1", 10, 50, logged=49)
    assert {event.device for event in read(builder).events} == {"/device:GPU:0", "/device:GPU:1"}


def test_of_many_runs_those_of_the_middle_half_are_typical() -> None:
    assert typical_runs(np.array([5.0, 1.0, 9.0, 4.0, 100.0, 6.0, 5.5, 2.0])).tolist() == [0, 3, 5, 6]
    assert typical_runs(np.array([3.0, 1.0, 2.0])).tolist() == [0, 1, 2]
    assert typical_runs(np.array([7.0])).tolist() == [0]


def test_branches_that_take_turns_share_a_run_between_them() -> None:
    """By the medians over the runs both would take no time, and all of it would be unattributed."""
    builder = SpaceBuilder()
    builder.embed(
        hlo_module({"main": [("x", "parameter", (), ()), ("a.1", "fusion", ("x",), ()), ("b.2", "fusion", ("x",), ())]})
    )
    for run in range(9):
        builder.run(run * 1000, run * 1000 + 100)
        if run % 3:
            builder.op(f"{'ab'[run % 3 - 1]}.{run % 3}", run * 1000, run * 1000 + 98, logged=run * 1000 + 97)
        else:
            builder.op("a.1", run * 1000, run * 1000 + 40, logged=run * 1000 + 39)
            builder.op("b.2", run * 1000 + 40, run * 1000 + 98, logged=run * 1000 + 97)
    profile = read_profile(builder.serialized(), file="p")
    found = kernel_table(profile, 7, profile.modules[7])
    assert sum(kernel.share for kernel in found.kernels) == pytest.approx(0.98)
    assert found.unattributed_us == pytest.approx(0.002)
    assert min(kernel.share for kernel in found.kernels) > 0.2


def test_executions_that_overlap_take_nothing_from_each_other() -> None:
    builder = SpaceBuilder()
    builder.embed(hlo_module({"main": [("x", "parameter", (), ()), ("a.1", "fusion", ("x",), ())]}))
    for thread, start in (("one", 0), ("two", 50)):
        builder.run(start, start + 100, lane=thread)
        builder.op("a.1", start, start + 100, logged=start + 99, lane=thread)
    profile = read_profile(builder.serialized(), file="p")
    (kernel,) = kernel_table(profile, 7, profile.modules[7]).kernels
    assert kernel.share == pytest.approx(1.0)


def test_a_run_launches_the_kernels_in_its_loops_and_not_the_loops() -> None:
    builder = SpaceBuilder()
    body = [("b", "parameter", (), ()), ("dot.1", "dot", ("b",), ())]
    main = [("x", "parameter", (), ()), ("while.1", "while", ("x",), ("body",)), ("add.2", "fusion", ("while.1",), ())]
    builder.embed(hlo_module({"body": body, "main": main}))
    for run in (0, 1000):
        builder.run(run, run + 100)
        builder.op("while.1", run, run + 50, logged=run + 49)
        for start in (5, 15, 25, 35):
            builder.op("dot.1", run + start, run + start + 8, logged=run + start + 7)
        builder.op("add.2", run + 60, run + 70, logged=run + 69)
    profile = read_profile(builder.serialized(), file="p")
    assert kernel_table(profile, 7, profile.modules[7]).launches_per_run == 5
