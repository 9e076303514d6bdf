"""Telling whether a dumped module is the program of a profile."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest
from profile_builder import hlo_module

from xlaviz.dumps.agreement import agrees
from xlaviz.dumps.files import FolderFiles
from xlaviz.dumps.sequence import pass_sequences

NAMES = [f"op.{number}" for number in range(10)]
PROTO = hlo_module({"main": [(name, "parameter", (), ()) for name in NAMES]}).SerializeToString()
TEXT = "HloModule f\n\nENTRY %main {\n" + "\n".join(f"  %{name} = f32[2] parameter(0)" for name in NAMES[:-1])


def asked(folder: Path, file: str, data: bytes, expected: list[str]) -> bool | None:
    (folder / file).write_bytes(data)
    (sequence,) = pass_sequences([file])
    return agrees(frozenset(expected), FolderFiles(folder), sequence)


@pytest.mark.parametrize(
    ("ending", "data"),
    [
        ("hlo.pb", PROTO),
        ("hlo.pb.gz", gzip.compress(PROTO)),
        ("txt", f"{TEXT}\n  ROOT %{NAMES[-1]} = f32[2] parameter(9)\n}}\n".encode()),
    ],
)
def test_forms_of_a_dump(tmp_path: Path, ending: str, data: bytes) -> None:
    file = f"module_0003.f.cpu_after_optimizations.{ending}"
    assert asked(tmp_path, file, data, NAMES) is True
    assert asked(tmp_path, file, data, NAMES[:3]) is True
    assert asked(tmp_path, file, data, [*NAMES, "copy.1"]) is True  # a backend may add some behind its dump
    assert asked(tmp_path, file, data, [*NAMES, "copy.1", "copy.2"]) is False
    assert asked(tmp_path, file, data, []) is None


@pytest.mark.parametrize(
    ("file", "data"),
    [
        ("module_0003.f.before_optimizations.hlo.pb", PROTO),
        ("module_0003.f.cpu_after_optimizations.hlo.pb", PROTO[:-3]),
        ("module_0003.f.cpu_after_optimizations.hlo.pb.gz", gzip.compress(PROTO)[:-9]),
        ("module_0003.f.cpu_after_optimizations.txt", b"nothing of the kind"),
        ("module_0003.f.cpu_after_optimizations.pbtxt", b"hlo_module {}"),
    ],
)
def test_what_cannot_be_told(tmp_path: Path, file: str, data: bytes) -> None:
    assert asked(tmp_path, file, data, NAMES) is None
