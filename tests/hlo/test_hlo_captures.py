"""Text and proto of every snapshot that TensorFlow dumps of the examples and of a small transformer are one module."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from xlaviz.hlo.model import HloModule
from xlaviz.hlo.read import read_hlo

pytestmark = pytest.mark.tensorflow

EXAMPLES = Path(__file__).parents[2] / "assets" / "examples"

TRANSFORMER = """
import keras
import tensorflow as tf

def block(x):
    attended = keras.layers.MultiHeadAttention(2, 8)(x, x)
    x = keras.layers.LayerNormalization()(x + attended)
    hidden = keras.layers.Dense(32, activation="gelu")(x)
    return keras.layers.LayerNormalization()(x + keras.layers.Dense(16)(hidden))

inputs = keras.Input((6, 16))
model = keras.Model(inputs, block(block(inputs)))
optimizer = keras.optimizers.SGD()

@tf.function(jit_compile=True)
def train_step(x):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(model(x, training=True) ** 2)
    gradients = tape.gradient(loss, model.trainable_variables)
    for variable, gradient in zip(model.trainable_variables, gradients):
        variable.assign_sub(0.1 * gradient)
    return loss

train_step(tf.ones([2, 6, 16]))
"""


@pytest.fixture(scope="module")
def dump(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """All four programs run in one process, dumped as text and as proto."""
    folder = tmp_path_factory.mktemp("dump")
    files = [str(EXAMPLES / f"{name}.py") for name in ("matmul", "dense_layer", "train_step")]
    program = f"import runpy\nfor file in {files}: runpy.run_path(file, run_name='__main__')\n{TRANSFORMER}"
    flags = f"--xla_dump_to={folder} --xla_dump_hlo_pass_re=.* --xla_dump_hlo_as_proto --xla_dump_hlo_as_text"
    environment = os.environ | {"XLA_FLAGS": flags, "TF_CPP_MIN_LOG_LEVEL": "2"}
    subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, check=True)
    return folder


def test_text_equals_proto(dump: Path) -> None:
    protos = sorted(dump.glob("*.hlo.pb"))
    modules = {proto.name.partition(".")[0] for proto in protos}
    assert len(modules) >= 4
    assert len(protos) > 25 * 4
    for proto in protos:
        text = proto.with_name(proto.name.removesuffix(".hlo.pb") + ".txt")
        from_proto, from_text = read(proto), read(text)
        # Only the text says what it was compiled for: alias_passthrough_params, num_partitions.
        shared = {key: value for key, value in from_text.attributes.items() if key in from_proto.attributes}
        assert replace(from_text, attributes=shared) == replace(from_proto, id=None), proto.name
        for left, right in zip(literals(from_proto), literals(from_text), strict=True):
            assert left == right or "{...}" in right, proto.name


def read(file: Path) -> HloModule:
    (module,) = read_hlo(file.read_bytes(), file=file.name)
    return module


def literals(module: HloModule) -> Iterator[str]:
    return (instruction.literal for computation in module.computations for instruction in computation.instructions)
