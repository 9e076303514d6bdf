"""What can be captured besides a tf.function, and where its inputs come from."""

from __future__ import annotations

import importlib
import tempfile
from pathlib import Path
from types import ModuleType

import pytest
from helpers.captures import STAGES, Capture, Captured

from xlaviz.capture import runner
from xlaviz.capture.request import CaptureRequest

PROGRAM = """
import os
import keras
import tensorflow as tf

print('{"stage": "made up", "text": "by the user"}')
os.write(1, b"and more of it")
tf.config.run_functions_eagerly(True)

sides = [keras.Input((8,), name="a"), keras.Input((4,), name="b")]
two_inputs = keras.Model(sides, keras.layers.Dense(3)(keras.layers.Concatenate()(sides)))

class Unbuilt(keras.Model):
    def __init__(self):
        super().__init__()
        self.dense = keras.layers.Dense(2)
        self.optimizer_ = keras.optimizers.Adam()

    def call(self, x):
        return self.dense(x)

    def step(self, x):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(self(x) ** 2)
        gradients = tape.gradient(loss, self.trainable_variables)
        self.optimizer_.apply_gradients(zip(gradients, self.trainable_variables))
        return {"loss": loss, "nothing": None}

unbuilt = Unbuilt()

@tf.function(jit_compile=True)
def inner(x):
    return tf.cond(tf.reduce_sum(x) > 0, lambda: tf.exp(x), lambda: x)

class Module(tf.Module):
    @tf.function(jit_compile=True, input_signature=[tf.TensorSpec([None, 6]), tf.TensorSpec([], tf.int32)])
    def __call__(self, x, n):
        y = inner(x)
        for _ in tf.range(n):
            y = tf.tanh(y)
        return y

module = Module()

def static(x, training):
    return x + 1.0 if training else x

def xlaviz_inputs():
    return {"static": (tf.ones([3]), True)}

if os.environ.get("SAVE_MODEL_TO"):
    tf.saved_model.save(module, os.environ["SAVE_MODEL_TO"])
"""


def facts(captured: Captured) -> tuple[str, list[str], list[str]]:
    target = captured.manifest["target"]
    return target["kind"], target["args"], target["outputs"]


@pytest.mark.tensorflow
@pytest.mark.parametrize(
    ("target", "args", "expected"),
    [
        ("two_inputs", [], ("Keras model", ["f32[32,8]", "f32[32,4]"], ["f32[32,3]"])),
        ("two_inputs", ["f32[2,8]", "f32[2,4]"], ("Keras model", ["f32[2,8]", "f32[2,4]"], ["f32[2,3]"])),
        ("unbuilt.step", ["f32[5,4]"], ("bound method", ["f32[5,4]"], ["f32[]"])),
        ("static", [], ("function", ["f32[3]", "True"], ["f32[3]"])),
    ],
)
def test_targets(capture: Capture, target: str, args: list[str], expected: tuple[str, list[str], list[str]]) -> None:
    captured = capture(PROGRAM, target, *args)
    assert facts(captured) == expected
    assert captured.manifest["timings"]["no_xla_error"] is None
    assert captured.stages == STAGES  # what the program prints is not taken for progress


@pytest.mark.tensorflow
def test_loops_nested_functions_and_a_saved_model(
    capture: Capture, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "with space").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "with space"))
    saved = tmp_path / "saved"
    monkeypatch.setenv("SAVE_MODEL_TO", str(saved))
    captured = capture(PROGRAM, "module", exact=True)
    assert facts(captured) == ("callable object", ["f32[32,6]", "s32[]"], ["f32[32,6]"])
    assert captured.manifest["environment"]["intra_op_threads"] == captured.manifest["peaks"]["threads"] == 1
    assert captured.manifest["timings"]["no_xla_error"] is None
    found = captured.json("tracebacks.json")
    lines = {name: found["frames"][found["stacks"][stack][0]][1] for name, stack in found["ops"].items()}
    text = PROGRAM.splitlines()
    assert "tf.tanh" in text[lines["while/Tanh"] - 1]
    assert "tf.exp" in text[next(line for name, line in lines.items() if name.endswith("cond/Exp")) - 1]

    again = tmp_path / "saved.xlaviz"
    runner.run_capture(CaptureRequest(saved, "", again, runs=5), lambda progress: None)
    restored = Captured(again)
    assert facts(restored) == ("SavedModel signature", ["s32[]", "f32[32,6]"], ["f32[32,6]"])
    # Its functions were saved with jit_compile=True, which cannot be taken out of them.
    assert restored.manifest["timings"]["no_xla_call_us"] is None
    assert "even without jit_compile" in restored.manifest["timings"]["no_xla_error"]
    assert restored.manifest["comparison"]["error"] == restored.manifest["timings"]["no_xla_error"]
    assert "profile/no_xla.xplane.pb" not in restored.names


@pytest.fixture
def pack(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The child's module: the child finds its modules by their plain names."""
    monkeypatch.syspath_prepend(str(Path(runner.__file__).parent))
    return importlib.import_module("child_pack")


def test_lost_snapshots_are_read_from_the_log(pack: ModuleType) -> None:
    name = "module_0000.a_inference_long.0013.dot-library-passes.after_pipeline-start.before_dot_decomposer.hlo.pb"
    log = (
        f"E0000 dump.cc:253] Could not write XLA debug data to /tmp/d/{name}: INVALID_ARGUMENT: /tmp/d/{name}; "
        "File name too long\nI0000 something else\n"
    )
    assert pack.lost_snapshots(log) == [{"file": name, "reason": "File name too long"}]
    assert pack.lost_snapshots("nothing") == []


def test_the_newest_module_of_the_wrapper_is_the_executed_one(pack: ModuleType, tmp_path: Path) -> None:
    old = "module_0001.a_inference_f_1__.1.before_optimizations.hlo.pb"
    for file in (
        old,
        "module_0002.a_inference_f_9__.2.before_optimizations.hlo.pb",
        "module_0003.other.before_optimizations.hlo.pb",
    ):
        (tmp_path / file).touch()
    assert pack.executed_module(str(tmp_path), [old]) == {"name": "a_inference_f_9__.2", "id": 2}
