"""What the starting side checks and reads, without TensorFlow."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from xlaviz.base.errors import WorkFailedError, XlavizError
from xlaviz.capture.child_spec import Spec, parse_spec
from xlaviz.capture.listing import candidates
from xlaviz.capture.progress import parse_progress
from xlaviz.capture.request import CaptureRequest, check, command, parse_target
from xlaviz.capture.runner import run_capture


@pytest.mark.parametrize(
    ("text", "spec"),
    [
        ("f32[32,784]", Spec("float32", (32, 784))),
        (" i32[ 4, 5 ] ", Spec("int32", (4, 5))),
        ("int32[4]", Spec("int32", (4,))),
        ("f32[]", Spec("float32", ())),
        ("pred[2]", Spec("bool", (2,))),
        ("bf16[0]", Spec("bfloat16", (0,))),
    ],
)
def test_specs(text: str, spec: Spec) -> None:
    assert parse_spec(text) == spec


def test_spec_is_written_as_hlo_writes_it() -> None:
    assert str(parse_spec("int64[2,3]")) == "s64[2,3]"


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("f32[32,", "TYPE[SIZE,SIZE,...]"),
        ("f32", "TYPE[SIZE,SIZE,...]"),
        ("f33[2]", "unknown type 'f33'"),
        ("f32[2,]", "not a whole number"),
        ("f32[-1]", "not a whole number"),
        ("f32[?]", "not a whole number"),
    ],
)
def test_wrong_specs_say_what_is_expected(text: str, says: str) -> None:
    with pytest.raises(ValueError, match="input spec") as caught:
        parse_spec(text)
    assert says in str(caught.value)


def test_targets(tmp_path: Path) -> None:
    assert parse_target("a/step.py:model.call") == (Path("a/step.py"), "model.call")
    assert parse_target(r"C:\work\step.py:f") == (Path(r"C:\work\step.py"), "f")
    assert parse_target(str(tmp_path)) == (tmp_path, "")
    assert parse_target(f"{tmp_path}:serve") == (tmp_path, "serve")


@pytest.mark.parametrize("text", ["step.py", r"C:\work\step.py", "step.py:", "step.py:f(x)", ":f", "step.py:a..b"])
def test_wrong_targets(text: str) -> None:
    with pytest.raises(XlavizError):
        parse_target(text)


def test_the_child_is_asked_with_absolute_paths(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    request = CaptureRequest(Path("step.py"), "f", Path("a.xlaviz"), ("f32[2]",), python="/usr/bin/some-python")
    python, child, text = command(request, Path("work"))
    asked = json.loads(text)
    assert python == "/usr/bin/some-python"
    assert Path(child).is_file()
    assert asked["file"] == str(tmp_path / "step.py")
    assert Path(asked["partial"]).parent == tmp_path
    assert asked["args"] == ["f32[2]"]


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"file": Path("missing.py")}, "no file missing.py"),
        ({"args": ("f32[2",)}, "f32[2"),
        ({"runs": 0}, "1 run or more"),
        ({"out": Path("nowhere") / "a.xlaviz"}, "does not exist"),
        ({"out": Path()}, "cannot be written"),
        ({"python": "no-such-python"}, "no-such-python"),
    ],
)
def test_wrong_requests_fail_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, change: dict[str, object], says: str
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("step.py").touch()
    given: dict[str, object] = {"file": Path("step.py"), "target": "f", "out": Path("a.xlaviz"), **change}
    request = CaptureRequest(**given)  # type: ignore[arg-type]
    with pytest.raises(XlavizError) as caught:
        check(request)
    assert says in str(caught.value)
    assert caught.value.exit_status == 2


def test_candidates_of_a_file(tmp_path: Path) -> None:
    file = tmp_path / "step.py"
    file.write_text(
        "import keras\nimport tensorflow as tf\nSIZE = int(3)\nmodel = keras.Sequential([])\n"
        "def helper(x): ...\ndef _private(): ...\ndef xlaviz_inputs(): ...\n"
        "@tf.function(jit_compile=True)\ndef step(x): ...\n@tf.function\ndef plain(x): ...\n"
        "fast = tf.function(helper)\nclass Layer: ...\n"
    )
    found = [(candidate.name, candidate.kind, candidate.line) for candidate in candidates(file)]
    assert found == [
        ("step", "tf.function", 9),
        ("plain", "tf.function", 11),
        ("fast", "tf.function", 12),
        ("helper", "function", 5),
        ("model", "object", 4),
    ]


@pytest.mark.parametrize("data", [b"def f(:", b"\x00\x01", b"\xff\xfe\xfa"])
def test_a_file_that_is_not_python_has_no_candidates(tmp_path: Path, data: bytes) -> None:
    file = tmp_path / "step.py"
    file.write_bytes(data)
    with pytest.raises(XlavizError, match=r"step\.py is not"):
        candidates(file)


def test_progress_lines() -> None:
    progress = parse_progress('{"stage": "profiling", "text": "Run 2 of 30", "done": 2, "total": 30}\n')
    assert progress is not None
    assert (progress.stage, progress.done, progress.total, progress.error) == ("profiling", 2, 30, None)
    assert parse_progress("anything else") is None
    assert parse_progress("[1, 2]") is None


@pytest.mark.parametrize(("kind", "status"), [("no-target", 2), ("unsupported", 1)])
def test_a_failure_says_whose_fault_it_is(kind: str, status: int) -> None:
    fields = {"stage": "failed", "kind": kind, "message": "It broke.", "hint": "Mend it.", "detail": "line 1"}
    progress = parse_progress(json.dumps(fields))
    assert progress is not None
    assert progress.error is not None
    assert str(progress.error) == "It broke. Mend it."
    assert (progress.error.exit_status, progress.error.detail) == (status, "line 1")


def test_a_program_that_is_not_python_is_named(tmp_path: Path) -> None:
    (tmp_path / "step.py").touch()
    request = CaptureRequest(tmp_path / "step.py", "f", tmp_path / "a.xlaviz", python="true")
    with pytest.raises(WorkFailedError, match="true could not run the capture"):
        run_capture(request, lambda progress: None)
    assert [path.name for path in tmp_path.iterdir()] == ["step.py"]
