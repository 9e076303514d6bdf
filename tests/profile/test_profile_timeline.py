"""One run as it went, and every execution of one kernel. Times in nanoseconds from the line's start."""

from __future__ import annotations

import random
from itertools import pairwise

import numpy as np
import pytest
from profile_builder import GpuBuilder, SpaceBuilder, TpuBuilder, hlo_module

from xlaviz.profile.kernels import kernel_table
from xlaviz.profile.profile import Profile, read_profile
from xlaviz.profile.timeline import Timeline, executions, timeline

LOOP = {
    "body": [("b", "parameter", (), ()), ("dot.1", "dot", ("b",), ())],
    "condition": [("c", "parameter", (), ()), ("less.1", "fusion", ("c",), ())],
    "main": [
        ("x", "parameter", (), ()),
        ("while.1", "while", ("x",), ("body", "condition")),
        ("add.2", "fusion", ("while.1",), ()),
    ],
}


def read(builder: SpaceBuilder) -> Profile:
    return read_profile(builder.serialized(), file="a.xplane.pb")


def shown(builder: SpaceBuilder, *, device: str = "", run: int | None = None) -> Timeline:
    profile = read(builder)
    found = timeline(profile, 7, profile.modules[7], device, run)
    assert found is not None
    return found


def spans(found: Timeline) -> list[tuple[str, str, int, int, int]]:
    """Name, lane, depth, start and end in nanoseconds of the run."""
    return [
        (
            found.names[found.code[index]],
            found.lanes[found.lane[index]],
            int(found.depth[index]),
            round(found.start_us[index] * 1000),
            round(found.end_us[index] * 1000),
        )
        for index in range(len(found.code))
    ]


def three_runs() -> SpaceBuilder:
    """They take 100, 300 and 200."""
    builder = SpaceBuilder()
    builder.embed(hlo_module(LOOP))
    for start, length in ((0, 100), (1000, 300), (2000, 200)):
        builder.run(start, start + length)
        builder.op("while.1", start + 10, start + 60, logged=start + 59)
        builder.op("dot.1", start + 15, start + 35, logged=start + 34)
        builder.op("dot.1", start + 35, start + 55, logged=start + 54)
        builder.op("add.2", start + 60, start + length, logged=start + length - 1, lane="worker")
    return builder


def test_the_run_whose_time_is_the_median_is_shown() -> None:
    found = shown(three_runs())
    assert (found.run, found.runs, found.duration_us) == (2, 3, 0.2)
    assert found.coverage == pytest.approx(190 / 200)
    assert spans(found) == [
        ("while.1", "python/1", 0, 10, 60),
        ("dot.1", "python/1", 1, 15, 35),
        ("dot.1", "python/1", 1, 35, 55),
        ("add.2", "worker/2", 0, 60, 200),
    ]
    assert dict(zip(found.names, found.opcodes, strict=True)) == {"while.1": "while", "dot.1": "dot", "add.2": "fusion"}
    medians = dict(zip(found.names, found.medians_us, strict=True))
    assert medians == pytest.approx({"while.1": 0.05, "dot.1": 0.02, "add.2": 0.14})
    assert found.exact.all()


@pytest.mark.parametrize(("asked", "given", "duration_us"), [(0, 0, 0.1), (1, 1, 0.3), (-4, 0, 0.1), (99, 2, 0.2)])
def test_a_run_by_its_number(asked: int, given: int, duration_us: float) -> None:
    found = shown(three_runs(), run=asked)
    assert (found.run, found.duration_us) == (given, duration_us)


def test_an_inferred_end_is_marked() -> None:
    builder = SpaceBuilder()
    builder.embed(hlo_module(LOOP))
    builder.run(0, 100)
    builder.op("add.2", 10, 12)
    found = shown(builder)
    assert (spans(found)[0][4], found.exact.tolist()) == (100, [False])


def test_a_program_without_runs_has_no_timeline() -> None:
    builder = SpaceBuilder()
    builder.event("MatMul", 0, 10)
    assert timeline(read(builder), 7, None) is None


def test_without_its_module_a_program_has_a_timeline_without_opcodes() -> None:
    builder = SpaceBuilder()
    builder.run(0, 100)
    builder.op("dot.1", 10, 50, logged=49)
    found = timeline(read(builder), 7, None)
    assert found is not None
    assert (found.names, found.opcodes) == (("dot.1",), ("",))


@pytest.mark.parametrize("seed", range(15))
def test_spans_of_one_row_of_a_lane_never_overlap(seed: int) -> None:
    source = random.Random(seed)
    builder = SpaceBuilder()
    builder.embed(hlo_module(LOOP))
    builder.run(0, 300)
    for start in sorted(source.choices(range(200), k=30)):
        end = start + source.choice((1, 5, 60))
        builder.op("add.2", start, end, logged=end, lane=source.choice(("a", "b")))
    found = shown(builder)
    rows: dict[tuple[int, int], list[tuple[float, float]]] = {}
    for index in range(len(found.code)):
        rows.setdefault((found.lane[index], found.depth[index]), []).append(
            (found.start_us[index], found.end_us[index])
        )
    for own in rows.values():
        own.sort()
        assert all(left[1] <= right[0] for left, right in pairwise(own))
    for lane in set(found.lane.tolist()):
        # No more rows than spans at one moment.
        own = [index for index in range(len(found.code)) if found.lane[index] == lane]
        most = max(sum(found.start_us[o] <= found.start_us[i] < found.end_us[o] for o in own) for i in own)
        assert max(found.depth[index] for index in own) + 1 == most


def test_of_two_that_start_together_the_longer_one_holds_the_other() -> None:
    builder = SpaceBuilder()
    builder.embed(hlo_module(LOOP))
    builder.run(0, 100)
    builder.op("dot.1", 0, 20, logged=19)
    builder.op("while.1", 0, 60, logged=59)
    assert [(name, depth) for name, _, depth, *_ in spans(shown(builder))] == [("dot.1", 1), ("while.1", 0)]


def test_a_device_shows_its_own_runs() -> None:
    builder = GpuBuilder()
    builder.embed(hlo_module(LOOP, name="jit_f"))
    first, second = builder.device(0), builder.device(1)
    for thread, gpu in (("1", first), ("2", second)):
        builder.execution(0, 10, thread=thread)
        length = 30 * int(thread)
        builder.kernel(gpu, "add.2", 1, 100, 100 + length, thread=thread)
        builder.kernel(gpu, "add.2", 2, 120, 150, thread=thread, stream="Stream #2")
    found = shown(builder, device="/device:GPU:1")
    assert (found.runs, found.lanes) == (1, ("/device:GPU:1 Stream #1", "/device:GPU:1 Stream #2"))
    assert [span[2:] for span in spans(found)] == [(0, 0, 60), (0, 20, 50)]
    assert shown(builder).runs == 2


def test_a_copy_under_way_on_a_tpu_is_in_the_timeline_and_no_kernel() -> None:
    builder = TpuBuilder()
    builder.embed(hlo_module(LOOP, name="jit_f"))
    tpu = builder.device(0)
    for start, length in ((0, 80), (100, 60), (200, 70)):
        builder.execution(tpu, start, start + 100)
        builder.on_tpu(tpu, "add.2", start + 20, start + 50)
        builder.copy_under_way(tpu, "dot.1", start + 10, start + 10 + length)
    profile = read(builder)
    found = timeline(profile, 7, profile.modules[7], run=1)
    assert found is not None
    assert spans(found) == [
        ("dot.1", "/device:TPU:0 Async XLA Ops", 0, 10, 70),
        ("add.2", "/device:TPU:0 XLA Ops", 0, 20, 50),
    ]
    assert found.coverage == pytest.approx(0.3)
    assert dict(zip(found.names, found.medians_us, strict=True)) == pytest.approx({"dot.1": 0.07, "add.2": 0.03})
    assert [kernel.name for kernel in kernel_table(profile, 7, profile.modules[7]).kernels] == ["add.2"]


def test_executions_of_a_kernel_are_in_order_of_time() -> None:
    profile = read(three_runs())
    found = executions(profile, 7, profile.modules[7], "add.2")
    assert found is not None
    assert found.run.tolist() == [0, 1, 2]
    assert found.duration_us.tolist() == pytest.approx([0.04, 0.24, 0.14])
    assert found.exact.tolist() == [True] * 3
    assert executions(profile, 7, profile.modules[7], "less.1") is None


@pytest.mark.parametrize(("name", "durations"), [("add.2", [0.015, 0.02]), ("dot.1", [0.01, 0.005, 0.02])])
def test_executions_on_a_gpu_are_of_all_kernels_of_an_instruction_but_for_loops(
    name: str, durations: list[float]
) -> None:
    builder = GpuBuilder()
    builder.embed(hlo_module(LOOP, name="jit_f"))
    gpu = builder.device(0)
    builder.execution(0, 10)
    builder.execution(20, 30)
    for launched, start, end in ((1, 100, 110), (2, 120, 125), (21, 200, 220)):
        builder.kernel(gpu, name, launched, start, end)
    profile = read(builder)
    found = executions(profile, 7, profile.modules[7], name)
    assert found is not None
    assert found.duration_us.tolist() == pytest.approx(durations)
    table = kernel_table(profile, 7, profile.modules[7])
    assert table.kernels[0].runs == len(durations)
    assert table.kernels[0].median_us == pytest.approx(float(np.median(durations)))
