"""`print`: HLO text that other tools, and xlaviz itself, read again."""

from __future__ import annotations

import subprocess
import sys
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from cli_process import environment, refused, xlaviz

from xlaviz.dumps.document import open_document
from xlaviz.hlo.text import read_hlo_text


@pytest.mark.parametrize(("option", "index"), [((), -1), (("--pass", "before"), 0), (("--pass", "6"), 6)])
def test_what_is_printed_reads_as_the_snapshot(matmul_bundle: Path, option: tuple[str, ...], index: int) -> None:
    ran = xlaviz("print", matmul_bundle, *option)
    assert (ran.status, ran.err) == (0, "")
    (printed,) = read_hlo_text(ran.out, file="printed")
    with closing(open_document(matmul_bundle)) as document:
        read = document.read_module(document.main_sequence.snapshots[index])
    assert printed == replace(read, id=None)


def test_a_text_file_is_printed_again(tmp_path: Path) -> None:
    """A file without header, entry or root: what is printed has them."""
    file = tmp_path / "a.hlo"
    file.write_text("main { x = f32[2] parameter(0)\n y = f32[2] negate(x) }")
    ran = xlaviz("print", file)
    assert ran.status == 0
    assert "ENTRY %main" in ran.out
    assert "ROOT %y = f32[2] negate(%x)" in ran.out


@pytest.mark.parametrize("snapshot", ["26", "-1", "middle"])
def test_no_such_snapshot(matmul_bundle: Path, snapshot: str) -> None:
    assert f"no snapshot '{snapshot}'" in refused("print", matmul_bundle, f"--pass={snapshot}")


def test_no_such_module(matmul_bundle: Path) -> None:
    assert "'nothing' is no module of" in refused("print", matmul_bundle, "--module", "nothing")


def test_a_reader_that_stops_early(matmul_bundle: Path) -> None:
    command = f"'{sys.executable}' -m xlaviz print '{matmul_bundle}' | head -1"
    done = subprocess.run(command, shell=True, env=environment(), capture_output=True, text=True, check=False)
    assert done.stdout.startswith("HloModule ")
    assert done.stderr == ""


def test_recompilations_stand_together(tmp_path: Path) -> None:
    for id_, (name, width) in enumerate((("f", 3), ("g", 2), ("f", 4))):
        text = f"HloModule {name}\n\nENTRY main {{ ROOT x = f32[2,{width}] parameter(0) }}\n"
        (tmp_path / f"module_{id_:04d}.{name}.before_optimizations.txt").write_text(text)
        (tmp_path / f"module_{id_:04d}.{name}.ptx").write_text("")
    ran = xlaviz("info", tmp_path)
    lines = [line for line in ran.out.splitlines() if "instructions" not in line]
    assert lines == [
        "f: compiled 2 times",
        "module 0  f  arg0 f32[2,3]",
        "     with PTX (1)",
        "module 2  f  arg0 f32[2,4]",
        "     with PTX (1)",
        "module 1  g",
        "     with PTX (1)",
    ]
