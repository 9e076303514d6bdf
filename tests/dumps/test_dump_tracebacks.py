"""The user's lines behind the ops."""

from __future__ import annotations

import json
from contextlib import closing
from pathlib import Path

import pytest

from xlaviz.dumps.document import open_document
from xlaviz.dumps.tracebacks import Frame, read_tracebacks

STORED = {
    "version": 1,
    "frames": [["step.py", 3, "f"], ["step.py", 9, "main"]],
    "stacks": [[0, 1], []],
    "ops": {"dense/MatMul": 0, "nowhere": 1},
}


def test_lines_of_ops() -> None:
    tracebacks = read_tracebacks(json.dumps(STORED).encode())
    assert tracebacks.place_of("dense/MatMul") == "step.py:3"
    assert tracebacks.place_of("other;dense/MatMul") == "step.py:3"
    assert tracebacks.place_of("nowhere") == ""
    assert tracebacks.places_of(["dense/MatMul", "nowhere", "", "x"]) == {"dense/MatMul": "step.py:3"}


def test_whole_stacks() -> None:
    stored = STORED | {"frames": [["step.py", 3, "f", "2 frames of keras"], ["step.py", 9, "main"]]}
    tracebacks = read_tracebacks(json.dumps(stored).encode())
    stack = (Frame("step.py", 3, "f", "2 frames of keras"), Frame("step.py", 9, "main"))
    assert tracebacks.stacks == {"dense/MatMul": stack}
    assert tracebacks.stack_of("other;dense/MatMul") == stack
    assert tracebacks.stack_of("nowhere") == ()


@pytest.mark.parametrize("data", [None, b"", b"{", b"[]", b'{"frames": 3}', b'{"ops": {"a": 7}}', b'{"frames": [[1]]}'])
def test_what_is_damaged_tells_nothing(data: bytes | None) -> None:
    assert read_tracebacks(data).places == {}


def test_a_real_capture(matmul_bundle: Path) -> None:
    with closing(open_document(matmul_bundle)) as document:
        module = document.read_module(document.main_sequence.snapshots[0])
        (dot,) = (i for i in module.entry_computation.instructions if i.opcode == "dot")
        file, _, line = document.tracebacks.place_of(dot.metadata.op_name).rpartition(":")
        (frame,) = document.tracebacks.stack_of(dot.metadata.op_name)
        text = document.source_text(file)
        assert document.source_text(__file__) is None
    assert file.endswith("matmul.py")
    assert int(line) == frame.line > 0
    assert frame.function
    assert text is not None
    assert "matmul" in text.splitlines()[frame.line - 1]
