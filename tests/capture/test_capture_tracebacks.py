"""The user's lines behind the ops: in other files and folders of the user's too, with the libraries' frames folded."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from helpers.captures import Capture, Captured

pytestmark = pytest.mark.tensorflow

LAYERS = """
import keras
import tensorflow as tf

class Squash(keras.layers.Layer):
    def build(self, shape):
        self.scale = self.add_weight(shape=(), initializer="ones", name="scale")

    def call(self, x):
        return tf.tanh(x) * self.scale
"""

BESIDE = """
import tensorflow as tf

class Head:
    def loss(self, x):
        return tf.reduce_mean(tf.nn.softmax(x))
"""

PROGRAM = """
import os, sys
sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "elsewhere", "..", "elsewhere"))
import keras
import tensorflow as tf
from beside import Head
from mine.layers import Squash

inputs = keras.Input((4,))
model = keras.Model(inputs, keras.layers.Dense(3, name="last")(Squash(name="squash")(inputs)))
head = Head()
optimizer = keras.optimizers.SGD()
optimizer.build(model.trainable_variables)

def step(x):
    with tf.GradientTape() as tape:
        y = model(x)
        loss = head.loss(y)
    gradients = tape.gradient(loss, model.trainable_variables)
    optimizer.apply_gradients(zip(gradients, model.trainable_variables))
    return loss
"""


def test_other_files_of_the_user(capture: Capture, tmp_path: Path) -> None:
    package = tmp_path / "elsewhere" / "mine"
    package.mkdir(parents=True)
    (package / "__init__.py").touch()
    (package / "layers.py").write_text(LAYERS)
    (tmp_path / "beside.py").write_text(BESIDE)
    captured = capture(PROGRAM, "step", "f32[2,4]")
    found = captured.json("tracebacks.json")
    texts = {entry["path"]: captured.read(entry["member"]).decode() for entry in captured.manifest["sources"]}
    assert set(texts) == {str(tmp_path / "user.py"), str(tmp_path / "beside.py"), str(package / "layers.py")}

    def lines(ending: str) -> list[tuple[str, str]]:
        """The lines behind the one op whose name ends so, innermost first, and what was folded below each."""
        (name,) = (name for name in found["ops"] if f"/{name}".endswith(ending))
        frames = [found["frames"][number] for number in found["stacks"][found["ops"][name]]]
        return [(texts[file].splitlines()[line - 1].strip(), folded) for file, line, _, folded in frames]

    (call, in_call), (model, in_model) = lines("squash_1/Tanh")
    assert (call, model) == ("return tf.tanh(x) * self.scale", "y = model(x)")
    assert in_call.startswith("tensorflow · ")
    assert in_model.startswith("keras · ")
    ((dense, in_dense),) = lines("/functional_1/last_1/MatMul")
    assert dense == "y = model(x)"
    assert in_dense.startswith("keras, tensorflow · ")
    assert [line for line, _ in lines("/Softmax")] == [
        "return tf.reduce_mean(tf.nn.softmax(x))",
        "loss = head.loss(y)",
    ]
    assert [line for line, _ in lines("gradient_tape/functional_1/last_1/MatMul/MatMul_1")] == [
        "gradients = tape.gradient(loss, model.trainable_variables)"
    ]
    updates = [name for name in found["ops"] if "SGD" in name or "sgd" in name]
    assert updates
    for name in updates:
        file, line, _, _ = found["frames"][found["stacks"][found["ops"][name]][0]]
        assert "optimizer.apply_gradients" in texts[file].splitlines()[line - 1]


def test_frames_of_the_example_are_its_own(captured: Callable[[str], Captured]) -> None:
    found = captured("train_step").json("tracebacks.json")
    assert {Path(file).name for file, *_ in found["frames"]} == {"train_step.py"}
    assert {function for _, _, function, _ in found["frames"]} == {"train_step"}
    for *_, folded in found["frames"]:
        packages, _, count = folded.partition(" · ")
        assert set(packages.split(", ")) <= {"keras", "tensorflow", "Python"}
        assert count.endswith((" frame", " frames"))
