"""Each way a capture fails ends in one sentence that names the file, the function or the line, and leaves nothing."""

from __future__ import annotations

import stat
import sys
import tempfile
from pathlib import Path

import pytest
from helpers.captures import Capture

from xlaviz.base.errors import WorkFailedError, XlavizError

pytestmark = pytest.mark.tensorflow

FUNCTIONS = """
import keras
import tensorflow as tf

SIZE = 3
model = keras.Sequential([keras.layers.Dense(4)])

@tf.function
def train_step(x):
    return x + 1

def plain(x, y):
    return x * y
"""


@pytest.fixture(autouse=True)
def _leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> object:
    work = tmp_path / "temporary"
    work.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(work))
    yield
    assert list(work.iterdir()) == []
    assert not [path for path in tmp_path.iterdir() if "xlaviz" in path.name]


@pytest.mark.parametrize(
    ("program", "target", "args", "status", "says"),
    [
        pytest.param("def f(:\n  pass", "f", [], 2, "user.py is not valid Python: ", id="syntax"),
        pytest.param("a = 1\x00", "f", [], 2, "user.py is not ", id="binary"),
        pytest.param(
            "def g():\n  return 1 / 0\ng()", "f", [], 1, "user.py, line 2, in g: division by zero", id="import"
        ),
        pytest.param("import no_such_thing", "f", [], 1, "no_such_thing", id="missing module"),
        pytest.param("raise SystemExit(0)", "f", [], 1, "user.py ended the program", id="exit"),
        pytest.param(
            FUNCTIONS, "trainstep", [], 2, "model (Keras model), train_step (tf.function), plain (f", id="name"
        ),
        pytest.param(
            "import tensorflow as tf\n\n@tf.function\ndef f(x):\n  return tf.strings.as_string(x)",
            "f",
            ["f32[2]"],
            1,
            "f in user.py returns a string, which XLA cannot compile.",
            id="returns a string",
        ),
        pytest.param(FUNCTIONS, "SIZE", [], 2, "'SIZE' in user.py is a int", id="not callable"),
        pytest.param(FUNCTIONS, "plain", [], 2, "Nothing says what inputs plain in user.py takes", id="no inputs"),
        pytest.param(
            FUNCTIONS,
            "plain",
            ["f32[2]"],
            2,
            "plain in user.py takes (x, y), which does not fit the 1 given",
            id="count",
        ),
        pytest.param(FUNCTIONS, "plain", ["f32[2]", "f32[3]"], 1, "user.py, line 13, in plain", id="shapes"),
        pytest.param(
            "import tensorflow as tf\ndef f(x):\n  return tf.strings.as_string(x)",
            "f",
            ["f32[2]"],
            1,
            "XLA cannot compile the op AsString at user.py, line 3, in f",
            id="unsupported",
        ),
        pytest.param(
            "import tensorflow as tf\n@tf.function\ndef f(x):\n  if x[0] > 0:\n    raise ValueError('no')\n  return x",
            "f",
            ["f32[2]"],
            1,
            "f in user.py raised ValueError at user.py, line 5, in f: no.",
            id="raises",
        ),
        pytest.param(
            "import sys\ndef f(x):\n  sys.exit(3)",
            "f",
            ["f32[2]"],
            1,
            "The program raised SystemExit",
            id="exit in the function",
        ),
        pytest.param(
            "import keras\nclass Layer(keras.layers.Layer):\n  def call(self, x):\n    return x + missing\nf = Layer()",
            "f",
            ["f32[2]"],
            1,
            "f in user.py raised NameError at user.py, line 4, in call: name 'missing' is not defined.",
            id="Keras layer",
        ),
        pytest.param("import os\nos.abort()", "f", [], 1, "ended by SIGABRT while importing user.py", id="crash"),
    ],
)
def test_sentence(capture: Capture, program: str, target: str, args: list[str], status: int, says: str) -> None:
    with pytest.raises(XlavizError) as caught:
        capture(program, target, *args)
    assert says in caught.value.message
    assert "\n" not in caught.value.message
    assert caught.value.exit_status == status
    # Only the user's own frames: neither TensorFlow's nor the tool's.
    assert "site-packages" not in caught.value.detail or "SIGABRT" in says
    assert "child" not in caught.value.detail


def test_a_python_without_tensorflow(capture: Capture, tmp_path: Path) -> None:
    bare = tmp_path / "bare-python"
    bare.write_text(f'#!/bin/sh\nexec {sys.executable} -S -E "$@"\n')
    bare.chmod(bare.stat().st_mode | stat.S_IXUSR)
    with pytest.raises(WorkFailedError, match="has no TensorFlow"):
        capture("def f(): pass", "f", python=str(bare))


def test_an_unknown_xla_flag(capture: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XLA_FLAGS", "--xla_no_such_flag=1")
    with pytest.raises(WorkFailedError, match=r"while compiling f: Unknown flag in XLA_FLAGS: --xla_no_such_flag=1\.$"):
        capture("def f(x): return x + 1", "f", "f32[2]")


def test_an_old_tensorflow(capture: Capture, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "tensorflow.py").write_text("__version__ = '2.16.2'")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    with pytest.raises(WorkFailedError, match=r"has TensorFlow 2\.16\.2; 2\.18 or later is needed"):
        capture("def f(): pass", "f")
