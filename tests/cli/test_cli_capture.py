"""`capture` and `demo` as processes, with the real TensorFlow."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from cli_process import refused, xlaviz

pytestmark = pytest.mark.tensorflow

PROGRAM = """
import tensorflow as tf

@tf.function(jit_compile=True)
def good(x):
    return tf.nn.relu(x) + 1.0

@tf.function(jit_compile=True)
def bad(x):
    return tf.strings.length(tf.strings.as_string(x))
"""


@pytest.fixture
def program(tmp_path: Path) -> Path:
    path = tmp_path / "user.py"
    path.write_text(PROGRAM)
    return path


def test_a_capture_prints_the_bundles_path_and_its_progress(program: Path) -> None:
    ran = xlaviz("capture", "user.py:good", "--arg", "f32[8]", "--runs", "2", cwd=program.parent)
    assert (ran.status, ran.out) == (0, "good.xlaviz\n")
    stages = ran.err.splitlines()
    assert stages[0] == "Importing TensorFlow"
    assert stages[-1].startswith("Wrote ")
    assert len(set(stages)) == len(stages), "a line a stage where nobody watches"
    (module, *_) = json.loads(xlaviz("info", program.parent / "good.xlaviz", "--json").out)["modules"]
    assert module["snapshots"][-1]["label"] == "after optimizations"


def test_a_quiet_capture_that_fails_leaves_nothing(program: Path) -> None:
    ran = xlaviz("capture", "user.py:bad", "--arg", "f32[8]", "--quiet", cwd=program.parent)
    assert (ran.status, ran.out) == (1, "")
    assert ran.err.startswith("xlaviz: ")
    assert "AsString" in ran.err
    assert [path.name for path in program.parent.iterdir() if path.name != "__pycache__"] == ["user.py"]


def test_a_name_that_is_not_in_the_file(program: Path) -> None:
    sentence = refused("capture", "user.py:goood", "--arg", "f32[8]", "--quiet", cwd=program.parent)
    assert "goood" in sentence
    assert "good" in sentence.split("goood")[1]


def test_the_demo_without_a_display_leaves_everything_in_a_folder(tmp_path: Path) -> None:
    ran = xlaviz("demo", "--example", "matmul", "--out", "shown", cwd=tmp_path)
    assert ran.status == 0, ran.err
    written = [Path(line) for line in ran.out.splitlines()]
    assert written[0] == Path("shown/matmul.xlaviz")
    assert {path.suffix for path in written} == {".xlaviz", ".png", ".svg", ".pdf"}
    for path in written:
        assert (tmp_path / path).stat().st_size > 1000
    assert sorted(tmp_path.joinpath("shown").iterdir()) == sorted(tmp_path / path for path in written)
