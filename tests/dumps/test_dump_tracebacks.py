"""The user's lines behind the ops."""

from __future__ import annotations

import json
from contextlib import closing
from pathlib import Path

import pytest

from xlaviz.dumps.document import open_document
from xlaviz.dumps.tracebacks import read_tracebacks

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


@pytest.mark.parametrize("data", [None, b"", b"{", b"[]", b'{"frames": 3}', b'{"ops": {"a": 7}}', b'{"frames": [[1]]}'])
def test_what_is_damaged_tells_nothing(data: bytes | None) -> None:
    assert read_tracebacks(data).places == {}


def test_a_real_capture(matmul_bundle: Path) -> None:
    with closing(open_document(matmul_bundle)) as document:
        module = document.read_module(document.main_sequence.snapshots[0])
        (dot,) = (i for i in module.entry_computation.instructions if i.opcode == "dot")
        file, _, line = document.tracebacks.place_of(dot.metadata.op_name).rpartition(":")
    assert file.endswith("matmul.py")
    assert int(line) > 0
