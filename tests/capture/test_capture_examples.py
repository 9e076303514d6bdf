"""The shipped examples, captured as a user would, and what is in their bundles."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable

import pytest
from helpers.captures import STAGES, TARGETS, Captured

from xlaviz.hlo.hlo_pb2 import HloModuleProto, HloProto
from xlaviz.profile.xplane_pb2 import XPlane, XSpace

pytestmark = [pytest.mark.tensorflow, pytest.mark.parametrize("name", TARGETS)]


def module(captured: Captured, stage: str) -> HloModuleProto:
    executed = captured.manifest["module"]
    proto = HloProto()
    proto.ParseFromString(captured.read(f"dump/module_{executed['id']:04d}.{executed['name']}.{stage}.hlo.pb"))
    return proto.hlo_module


def host_events(captured: Captured, member: str) -> Counter[str]:
    space = XSpace()
    space.ParseFromString(captured.read(member))
    plane: XPlane = next(plane for plane in space.planes if plane.name == "/host:CPU")
    return Counter(plane.event_metadata[event.metadata_id].name for line in plane.lines for event in line.events)


def test_manifest(captured: Callable[[str], Captured], name: str) -> None:
    manifest = captured(name).manifest
    assert (manifest["format"], manifest["version"], manifest["runs"]) == ("xlaviz-bundle", 1, 6)
    assert (manifest["target"]["name"], manifest["target"]["kind"]) == (TARGETS[name], "tf.function")
    assert manifest["tracing_count"] == 1
    assert manifest["lost_snapshots"] == []
    assert manifest["module"]["name"].startswith("a_inference_f_")
    environment = manifest["environment"]
    assert environment["tensorflow"].startswith("2.")
    assert "--xla_dump_hlo_as_proto" in environment["xla_flags"]
    timings = manifest["timings"]
    assert len(timings["xla_call_us"]) == 6
    assert timings["compile_s"] > 0


def test_inputs_and_outputs(captured: Callable[[str], Captured], name: str) -> None:
    target = captured(name).manifest["target"]
    expected = {
        "matmul": (["f32[1000,1000]", "f32[1000,1000]"], ["f32[]"]),
        "dense_layer": (["f32[512,1024]"], ["s64[512]"]),
        "train_step": (["f32[256,784]", "s32[256]"], ["f32[]"]),
    }
    assert (target["args"], target["outputs"]) == expected[name]


def test_no_snapshot_is_missing(captured: Callable[[str], Captured], name: str) -> None:
    executed = captured(name).manifest["module"]["name"]
    numbers = [int(m[1]) for n in captured(name).names if executed in n and (m := re.search(r"\.(\d{4})\.[^.]+\.", n))]
    assert sorted(numbers) == list(range(len(numbers)))
    assert len(numbers) > 10
    before, after = module(captured(name), "before_optimizations"), module(captured(name), "cpu_after_optimizations")
    assert before.id == after.id == captured(name).manifest["module"]["id"]


def test_without_xla_nothing_is_compiled(captured: Callable[[str], Captured], name: str) -> None:
    timings = captured(name).manifest["timings"]
    assert timings["no_xla_error"] is None
    assert len(timings["no_xla_call_us"]) == 6
    assert sum(n.endswith(".before_optimizations.hlo.pb") for n in captured(name).names) == 1


def test_the_profile_is_of_the_executed_module(captured: Callable[[str], Captured], name: str) -> None:
    events = host_events(captured(name), "profile/run.xplane.pb")
    assert events["xlaviz_step"] == 6
    after = module(captured(name), "cpu_after_optimizations")
    instructions = {i.name for c in after.computations for i in c.instructions}
    assert any(events[instruction] >= 6 for instruction in instructions)


def test_the_compile_profile_has_the_passes(captured: Callable[[str], Captured], name: str) -> None:
    events = host_events(captured(name), "profile/compile.xplane.pb")
    assert {"algsimp", "fusion", "cse", "layout-assignment"} <= set(events)


def test_every_op_name_leads_to_a_line_of_the_example(captured: Callable[[str], Captured], name: str) -> None:
    found = captured(name).json("tracebacks.json")
    names = {
        i.metadata.op_name for c in module(captured(name), "before_optimizations").computations for i in c.instructions
    }
    names -= {"", "XLA_Args", "XLA_Retvals"}
    assert names
    for op_name in names:
        known = [part for part in op_name.split(";") if part in found["ops"]]
        assert known, op_name
        stack = [found["frames"][index] for index in found["stacks"][found["ops"][known[0]]]]
        assert stack[0][0].endswith(f"{name}.py")
    source = captured(name).manifest["sources"][0]
    text = captured(name).read(source["member"]).decode()
    assert all(frame[1] <= text.count("\n") for frame in found["frames"] if frame[0] == source["path"])


def test_progress(captured: Callable[[str], Captured], name: str) -> None:
    assert captured(name).stages == STAGES


def test_weights_are_parameters_of_the_program(captured: Callable[[str], Captured], name: str) -> None:
    """A layer built wrongly would draw its weights anew in every call, and its variables would never be trained."""
    before = module(captured(name), "before_optimizations")
    entry = next(c for c in before.computations if c.id == before.entry_computation_id)
    # Inputs and variables: 3 layers of 2, or 2 layers of 2 with two slots each, step count and learning rate.
    assert (
        sum(i.opcode == "parameter" for i in entry.instructions)
        == {"matmul": 2, "dense_layer": 7, "train_step": 16}[name]
    )
    assert not any("random" in i.metadata.op_name for c in before.computations for i in c.instructions)
