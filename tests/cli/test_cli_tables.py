"""`info` and `kernels`: the same numbers as the files hold, for people and for scripts."""

from __future__ import annotations

import json
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest
from cli_process import environment, xlaviz

from xlaviz import __version__
from xlaviz.dumps.document import open_document

TEXT = "HloModule {name}\n\nENTRY main {{ x = f32[] parameter(0)\n ROOT y = f32[] negate(x) }}\n"


def test_info_as_json_is_what_the_dump_holds(matmul_bundle: Path) -> None:
    ran = xlaviz("info", matmul_bundle, "--json")
    assert (ran.status, ran.err) == (0, "")
    (module,) = json.loads(ran.out)["modules"]
    assert set(module) == {"name", "id", "backend", "snapshots"}
    assert (module["id"], module["backend"]) == (0, "cpu")
    with closing(open_document(matmul_bundle)) as document:
        sequence = document.main_sequence
        assert module["name"] == sequence.name
        expected = []
        for snapshot in sequence.snapshots:
            read = document.read_module(snapshot)
            expected.append(
                {
                    "index": snapshot.index,
                    "label": snapshot.label,
                    "pass_name": snapshot.pass_name,
                    "pipeline": snapshot.pipeline,
                    "computations": len(read.computations),
                    "instructions": read.instruction_count,
                }
            )
    assert module["snapshots"] == expected
    assert [s["index"] for s in module["snapshots"]] == list(range(26))
    assert "fusion" in {s["pass_name"] for s in module["snapshots"]}


def test_info_for_people(matmul_bundle: Path) -> None:
    ran = xlaviz("info", matmul_bundle)
    lines = ran.out.splitlines()
    assert (ran.status, ran.err, len(lines)) == (0, "", 27)
    assert lines[0].startswith("module 0  a_inference_f_")
    assert lines[1].endswith("before optimizations")
    assert lines[-1].endswith("after optimizations")
    assert any(line.endswith("fusion  (HLO_passes_after_layout_assignment)") for line in lines)


def test_info_shows_a_gap_where_it_is(tmp_path: Path) -> None:
    for state in ("before_optimizations", "0000.p.after_a.before_b", "0003.p.after_c.before_d"):
        (tmp_path / f"module_0001.f.{state}.txt").write_text(TEXT.format(name="f"))
    lines = xlaviz("info", tmp_path).out.splitlines()
    assert "? 2 snapshots are missing" in lines[3]
    assert lines[4].endswith("c  (p)")


def test_info_of_several_modules(tmp_path: Path) -> None:
    (tmp_path / "all.hlo").write_text("".join(TEXT.format(name=name) for name in ("f", "g")))
    modules = json.loads(xlaviz("info", tmp_path / "all.hlo", "--json").out)["modules"]
    assert [(m["name"], m["snapshots"][0]["instructions"]) for m in modules] == [("f", 2), ("g", 2)]


def test_kernels_as_json(matmul_bundle: Path) -> None:
    ran = xlaviz("kernels", matmul_bundle, "--json")
    assert (ran.status, ran.err) == (0, "")
    table = json.loads(ran.out)
    assert set(table) == {"coverage", "unmatched", "runs", "kernels"}
    assert (table["unmatched"], table["runs"]) == (0, 10)
    assert 0.5 < table["coverage"] <= 1
    with closing(open_document(matmul_bundle)) as document:
        module = document.read_module(document.main_sequence.snapshots[-1])
    for kernel in table["kernels"]:
        assert set(kernel) == {
            "name",
            "opcode",
            "runs",
            "median_us",
            "p10_us",
            "p90_us",
            "share",
            "exact",
            "flops",
            "bytes",
        }
        assert module.entry_computation.by_name[kernel["name"]].opcode == kernel["opcode"]
        assert 0 < kernel["p10_us"] <= kernel["median_us"] <= kernel["p90_us"]
    assert [k["opcode"] for k in table["kernels"]].count("dot") == 1
    shares = [k["share"] for k in table["kernels"]]
    assert shares == sorted(shares, reverse=True)
    assert sum(shares) <= 1.0001


def test_kernels_for_people(matmul_bundle: Path) -> None:
    ran = xlaviz("kernels", matmul_bundle, "--module", "0")
    assert (ran.status, ran.err) == (0, "")
    head, columns, first, *_ = ran.out.splitlines()
    assert head.startswith("10 runs of ")
    assert columns.split() == ["kernel", "opcode", "runs", "median", "µs", "p10", "p90", "share", "FLOP/s", "B/s"]
    assert first.split()[1] == "dot"
    assert ran.out.splitlines()[-1].split() == ["unattributed", "0.3%"]
    assert "upper bound" not in ran.out


def test_an_output_that_knows_no_greek(matmul_bundle: Path) -> None:
    ran = xlaviz("kernels", matmul_bundle, variables={"PYTHONIOENCODING": "ascii"})
    assert (ran.status, ran.err) == (0, "")
    assert "median ?s" in ran.out


@pytest.mark.parametrize("command", [["info"], ["info", "--json"], ["kernels"], ["--help"]])
def test_a_reader_that_goes_away_is_no_failure(command: list[str], matmul_bundle: Path) -> None:
    """As `| head -1`, only that the reader is gone for certain before the first line."""
    paths = [] if command == ["--help"] else [str(matmul_bundle)]
    with subprocess.Popen(
        [sys.executable, "-m", "xlaviz", *command, *paths],
        env=environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        errors = process.stderr.read()
    assert (process.returncode, errors) == (0, "")


def test_version_and_help() -> None:
    assert xlaviz("--version").out == f"xlaviz {__version__}\n"
    ran = xlaviz("--help")
    assert (ran.status, ran.err) == (0, "")
    for command in ("demo", "capture", "info", "kernels", "export"):
        assert f"\n    {command} " in ran.out
        assert xlaviz(command, "--help").out.startswith(f"usage: xlaviz {command} ")
