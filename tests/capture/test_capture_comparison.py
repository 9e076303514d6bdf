"""With XLA and without: what a bundle says of it, and that the user's variables are left as they were."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from helpers.captures import TARGETS, Capture, Captured

from xlaviz.profile.xplane_pb2 import XSpace

pytestmark = pytest.mark.tensorflow

NO_XLA = "profile/no_xla.xplane.pb"

STEP = """
import atexit, collections, json, os
import tensorflow as tf

Pair = collections.namedtuple("Pair", "mean nothing")
weight = tf.Variable([1.0, 2.0], name="weight")
never = tf.Variable(3.0, name="never")
steps = tf.Variable(7, name="steps")
generator = tf.random.Generator.from_seed(5)
if os.environ.get("VALUES_TO"):
    def write():
        values = [steps.numpy().item(), weight.numpy().tolist(), generator.state.numpy().tolist()]
        with open(os.environ["VALUES_TO"], "w") as file:
            json.dump([values, found], file)
    found = [steps.numpy().item(), weight.numpy().tolist(), generator.state.numpy().tolist()]
    atexit.register(write)

def step(x):
    steps.assign_add(1)
    weight.assign(weight * 0.9 + x * never)
    drawn = generator.normal([3])
    return {"drawn": drawn, "parts": [tf.exp(x), Pair(tf.reduce_mean(weight), None)], "steps": steps.read_value()}

def noisy(x):
    return x + tf.random.normal([100])

traced = []

def once(x):
    if traced:
        raise ValueError("it can be traced once")
    traced.append(x)
    return x + 1.0
"""


def entries(captured: Captured, kind: str) -> dict[str, dict[str, Any]]:
    found: list[dict[str, Any]] = captured.manifest["comparison"][kind]
    return {entry["name"]: entry for entry in found}


@pytest.mark.parametrize("name", TARGETS)
def test_the_examples_agree(captured: Callable[[str], Captured], name: str) -> None:
    comparison = captured(name).manifest["comparison"]
    assert comparison["error"] is None
    assert comparison["repeatable"] is True
    assert comparison["random_ops"] == []
    (output,) = comparison["outputs"]
    assert output["name"] == "output"
    assert output["elements"] == {"matmul": 1, "dense_layer": 512, "train_step": 1}[name]
    variables = comparison["variables"]
    # Two layers of two variables, two slots of each, and the step count; the learning rate is not changed.
    assert len(variables) == (13 if name == "train_step" else 0)
    for entry in [output, *variables]:
        assert entry["within"] is True, entry
        assert entry["repeat_max_abs"] == 0
        assert 0 <= entry["differing"] <= entry["elements"]
        assert (entry["max_abs"] == 0) == (entry["max_rel"] == 0) == (entry["differing"] == 0)
        assert (entry["max_ulps"] is None) == (entry["dtype"] == "int64")
        exact = entry["dtype"] == "int64"
        assert (entry["rtol"], entry["atol"]) == (
            (0, 0) if exact else (1e-5, 1e-6) if entry is output else (1e-4, 1e-8)
        )


def test_what_is_compared_was_compiled_once_and_not_at_all(captured: Callable[[str], Captured]) -> None:
    """XLA fuses and reorders, so some of a training step's 200,000 numbers differ in their last digits."""
    assert any(entry["differing"] for entry in entries(captured("train_step"), "variables").values())
    iteration = entries(captured("train_step"), "variables")["adam/iteration"]
    assert (iteration["differing"], iteration["max_ulps"], iteration["dtype"]) == (0, None, "int64")


@pytest.mark.parametrize("name", TARGETS)
def test_times_and_compilations(captured: Callable[[str], Captured], name: str) -> None:
    manifest = captured(name).manifest
    timings = manifest["timings"]
    assert len(timings["xla_warmup_us"]) == manifest["warmups"] == 3
    assert timings["no_xla_trace_s"] > 0
    assert timings["no_xla_first_call_s"] > 0
    assert timings["no_xla_error"] is None
    assert manifest["recompilations"] == {"tracing_count": 1, "compiled": 1}


@pytest.mark.parametrize("name", TARGETS)
def test_memory_and_peaks(captured: Callable[[str], Captured], name: str) -> None:
    memory, peaks = captured(name).manifest["memory"], captured(name).manifest["peaks"]
    assert set(memory) == {"no_xla_peak_bytes", "xla_allocator_peak_bytes", "reason"}
    assert memory["reason"].startswith("TensorFlow's ")
    assert peaks["flops_per_s"] > 1e8
    assert peaks["bytes_per_s"] > 1e8
    assert peaks["threads"] >= 1
    assert "Measured with TensorFlow" in peaks["how"]


@pytest.mark.parametrize("name", TARGETS)
def test_the_profile_without_xla_joins_the_tracebacks(captured: Callable[[str], Captured], name: str) -> None:
    space = XSpace()
    space.ParseFromString(captured(name).read(NO_XLA))
    plane = next(plane for plane in space.planes if plane.name == "/host:CPU")
    kinds = [plane.event_metadata[event.metadata_id] for line in plane.lines for event in line.events]
    counts = Counter(kind.name for kind in kinds)
    assert counts["xlaviz_step"] == 6
    ops = {kind.name for kind in kinds if kind.display_name and kind.name.endswith(f":{kind.display_name}")}
    assert any("MatMul" in op for op in ops)
    known = captured(name).json("tracebacks.json")["ops"]
    assert {op for op in ops if op.rpartition(":")[0] not in known} == set()


def test_a_step_leaves_its_variables_as_they_were(
    capture: Capture, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("VALUES_TO", str(tmp_path / "values.json"))
    captured = capture(STEP, "step", "f32[2]")
    at_exit, at_first = json.loads((tmp_path / "values.json").read_text())
    assert at_exit == at_first
    assert at_exit[0] == 7
    outputs, variables = entries(captured, "outputs"), entries(captured, "variables")
    assert list(outputs) == ["output['drawn']", "output['parts'][0]", "output['parts'][1].mean", "output['steps']"]
    assert (outputs["output['steps']"]["differing"], outputs["output['steps']"]["dtype"]) == (0, "int32")
    assert outputs["output['parts'][0]"]["within"] is True
    assert list(variables) == ["StateVar", "steps", "weight"]  # `never` is read only
    assert variables["weight"]["within"] is True
    comparison = captured.manifest["comparison"]
    assert "RngReadAndSkip" in comparison["random_ops"]
    assert comparison["repeatable"] is True  # the generator is put back as well


def test_random_numbers_that_are_others_in_each_run(capture: Capture) -> None:
    captured = capture(STEP, "noisy", "f32[100]")
    comparison = captured.manifest["comparison"]
    assert comparison["random_ops"] == ["RandomStandardNormal"]
    assert comparison["error"] is None
    (output,) = comparison["outputs"]
    assert output["within"] is False
    assert output["differing"] > 50
    assert "other ones in every run" in output["note"]


def test_where_it_cannot_run_without_xla(capture: Capture) -> None:
    captured = capture(STEP, "once", "f32[2]")
    manifest = captured.manifest
    assert "it can be traced once" in manifest["timings"]["no_xla_error"]
    assert manifest["timings"]["no_xla_call_us"] is manifest["timings"]["no_xla_trace_s"] is None
    assert NO_XLA not in captured.names
    assert manifest["comparison"]["error"] == manifest["timings"]["no_xla_error"]
    assert manifest["comparison"]["outputs"] == []
    assert manifest["memory"]["no_xla_peak_bytes"] is None
    assert manifest["peaks"]["flops_per_s"] > 0
    assert len(manifest["timings"]["xla_call_us"]) == 5


BROKEN = """
import tensorflow as tf

def broken(*args, **kwargs):
    raise RuntimeError("broken on purpose")

tf.is_tensor = tf.linalg.matmul = tf.config.experimental.get_memory_info = broken
variable = tf.Variable(1.0)

def f(x):
    return x + variable
"""


def test_what_cannot_be_measured_says_why_and_loses_nothing(capture: Capture) -> None:
    captured = capture(BROKEN, "f", "f32[2]")
    manifest = captured.manifest
    assert "broken on purpose" in manifest["comparison"]["error"]
    assert "broken on purpose" in manifest["memory"]["reason"]
    assert "broken on purpose" in manifest["peaks"]["how"]
    assert manifest["peaks"]["flops_per_s"] is manifest["peaks"]["bytes_per_s"] is None
    assert manifest["memory"]["xla_allocator_peak_bytes"] is None
    assert manifest["timings"]["no_xla_error"] is None
    assert {"profile/run.xplane.pb", NO_XLA} <= set(captured.names)
