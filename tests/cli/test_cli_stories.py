"""`passes`, `diff`, `history` and `origins`: what people ask of a dump, answered from the command line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from cli_process import refused, xlaviz

HEADER = "HloModule emb\n\n"
ADD = "add {\n  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n  ROOT sum = f32[] add(a, b)\n}\n\n"
DIMS = "update_window_dims={1}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}"
META = ', metadata={op_name="emb/scatter"}'

SCATTER = (
    HEADER
    + ADD
    + f"""ENTRY e {{
  t = f32[100,8] parameter(0)
  i = s32[16,1] parameter(1)
  u = f32[16,8] parameter(2)
  s = f32[100,8] scatter(t, i, u), {DIMS}, index_vector_dim=1, to_apply=add{META}
  ROOT out = (f32[100,8]) tuple(s)
}}
"""
)  # fmt: skip

STATE = "(s32[], f32[100,8], s32[16,1], f32[16,8])"
EXPANDED = (
    HEADER
    + f"""body {{
  p = {STATE} parameter(0)
  n = s32[] get-tuple-element(p), index=0
  table = f32[100,8] get-tuple-element(p), index=1
  ids = s32[16,1] get-tuple-element(p), index=2
  rows = f32[16,8] get-tuple-element(p), index=3
  zero = s32[] constant(0)
  row = f32[1,8] dynamic-slice(rows, n, zero), dynamic_slice_sizes={{1,8}}{META}
  updated = f32[100,8] dynamic-update-slice(table, row, n, zero){META}
  one = s32[] constant(1)
  next = s32[] add(n, one)
  ROOT state = {STATE} tuple(next, updated, ids, rows)
}}

condition {{
  q = {STATE} parameter(0)
  m = s32[] get-tuple-element(q), index=0
  count = s32[] constant(16)
  ROOT less = pred[] compare(m, count), direction=LT
}}

ENTRY e {{
  t = f32[100,8] parameter(0)
  i = s32[16,1] parameter(1)
  u = f32[16,8] parameter(2)
  start = s32[] constant(0)
  init = {STATE} tuple(start, t, i, u)
  w = {STATE} while(init), condition=condition, body=body{META}
  g = f32[100,8] get-tuple-element(w), index=1
  ROOT out = (f32[100,8]) tuple(g)
}}
"""
)


def dump(folder: Path, before: str, *steps: tuple[str, str]) -> Path:
    """A dump folder: the module before, and after each pass of these names."""
    (folder / "module_0000.emb.before_optimizations.txt").write_text(before)
    for number, (pass_name, text) in enumerate(steps):
        (folder / f"module_0000.emb.{number:04}.p.after_{pass_name}.before_next.txt").write_text(text)
    return folder


@pytest.fixture
def scatter(tmp_path: Path) -> Path:
    return dump(tmp_path, SCATTER, ("scatter_expander", EXPANDED))


def answer(*arguments: str | Path) -> Any:
    ran = xlaviz(*arguments, "--json")
    assert (ran.status, ran.err) == (0, ""), ran
    return json.loads(ran.out)


def lines(*arguments: str | Path) -> list[str]:
    ran = xlaviz(*arguments)
    assert (ran.status, ran.err) == (0, ""), ran
    return ran.out.splitlines()


def test_passes(scatter: Path) -> None:
    first, second = answer("passes", scatter)["passes"]
    assert first == {
        "index": 0,
        "label": "before optimizations",
        "pipeline": "",
        "pass_name": "",
        "instructions": 8,
        **dict.fromkeys(("added", "removed", "changed", "moved", "rewrites"), 0),
    }
    assert (second["pass_name"], second["pipeline"], second["instructions"]) == ("scatter_expander", "p", 23)
    assert (second["added"], second["removed"], second["changed"]) == (19, 4, 1)
    head, before, after = lines("passes", scatter)
    assert head.split() == ["instructions", "added", "removed", "changed", "moved", "rewrites", "pass"]
    assert before.split() == ["8", "·", "·", "·", "·", "·", "0", "before", "optimizations"]
    assert after.split()[:5] == ["23", "19", "4", "1", "·"]
    assert after.endswith("1 scatter_expander  (p)")


def test_a_loop_that_was_a_scatter(scatter: Path) -> None:
    """Where does this while come from?"""
    rows = {row["name"]: row for row in answer("origins", scatter)["instructions"]}
    assert all(set(row) == {"name", "opcode", "op_name", "origins", "created_by"} for row in rows.values())
    assert rows["w"] == {
        "name": "w",
        "opcode": "while",
        "op_name": "emb/scatter",
        "origins": ["s"],
        "created_by": None,
    }
    assert rows["updated"]["origins"] == ["s"]
    assert rows["t"]["origins"] == ["t"]
    chapters = answer("history", scatter, "s")
    assert chapters["instruction"] == "s"
    given, rewritten = chapters["chapters"][:2]
    assert (given["kind"], given["after"]) == ("given", ["s"])
    assert (rewritten["kind"], rewritten["pass_name"], rewritten["before"]) == ("rewritten", "scatter_expander", ["s"])
    assert "w" in rewritten["after"]
    assert "while" in rewritten["what"]
    assert lines("history", scatter, "%w")[0] == "   0 before optimizations: s as given"


def test_diff_says_the_same(scatter: Path) -> None:
    found = answer("diff", scatter, "before", "after")
    assert list(found) == ["added", "removed", "changed", "moved", "rewrites"]
    assert found["removed"] == ["a", "b", "s", "sum"]
    assert found["changed"] == ["out"]
    assert {"w", "g", "start", "updated"} <= set(found["added"])
    texts = [row["pattern"] for row in found["rewrites"]]
    assert "unused computation removed: `add(parameter, parameter)`" in texts
    expanded = next(row for row in found["rewrites"] if row["pattern"].startswith("`scatter` -> "))
    assert expanded["count"] == 1
    assert expanded["places"][0]["removed"] == ["s"]
    assert "w" in expanded["places"][0]["added"]
    printed = lines("diff", scatter, "0", "1")
    assert printed[0] == "from 0 before optimizations to 1 scatter_expander"
    assert any(line.split("  ")[-1].startswith("`scatter` -> ") for line in printed)
    assert "changed (1)" in printed
    assert "  out = (f32[100,8]) tuple(g)  (operands)" in printed


def test_a_diff_with_other_metadata_and_files_is_none(tmp_path: Path) -> None:
    """Nothing changed in the HLO: the regression is elsewhere."""
    path = dump(tmp_path, SCATTER, ("nothing", SCATTER.replace("emb/scatter", "other")))
    assert answer("diff", path, "0", "1") == {"added": [], "removed": [], "changed": [], "moved": [], "rewrites": []}
    assert lines("diff", path, "0", "1")[1:] == ["no difference"]
    assert lines("diff", path, "1", "1")[1:] == ["no difference"]


def test_a_diff_backwards(scatter: Path) -> None:
    forth, back = answer("diff", scatter, "0", "1"), answer("diff", scatter, "1", "0")
    assert (back["added"], back["removed"]) == (forth["removed"], forth["added"])


def test_converts_round_a_dot(tmp_path: Path) -> None:
    """Which pass put the converts in?"""
    head = "HloModule emb\n\nENTRY e {\n  a = f16[2,16] parameter(0)\n  b = f16[16,2] parameter(1)\n"
    dims = "lhs_contracting_dims={1}, rhs_contracting_dims={0}"
    before = head + f"  d = f16[2,2] dot(a, b), {dims}\n  ROOT t = (f16[2,2]) tuple(d)\n}}\n"
    after = (
        head + "  a.1 = f32[2,16] convert(a)\n  b.1 = f32[16,2] convert(b)\n"
        f"  d.1 = f32[2,2] dot(a.1, b.1), {dims}\n  c = f16[2,2] convert(d.1)\n  ROOT t = (f16[2,2]) tuple(c)\n}}\n"
    )
    path = dump(tmp_path, before, ("change-op-data-type", after))
    assert lines("history", path, "d") == [
        "   0 before optimizations: d as given",
        "   1 change-op-data-type: rewritten d -> a.1, b.1, d.1, c (`dot` -> `convert(dot(convert(x), convert(y)))`)",
    ]  # fmt: skip
    assert {row["name"]: row["origins"] for row in answer("origins", path)["instructions"]}["a.1"] == ["d"]


def test_which_instruction_was_folded(tmp_path: Path) -> None:
    head = "HloModule emb\n\nENTRY e {\n  x = f32[4] parameter(0)\n"
    end = "  ROOT t = (f32[4]) tuple(s)\n}\n"
    before = (
        head + "  c = f32[4] constant({1, 2, 3, 4})\n  n = f32[4] negate(c)\n  k = f32[4] sine(n)\n"
        "  s = f32[4] add(x, k)\n" + end
    )
    after = head + "  folded = f32[4] constant({-0.8, -0.9, -0.1, 0.7})\n  s = f32[4] add(x, folded)\n" + end
    path = dump(tmp_path, before, ("constant_folding", after))
    (row,) = answer("diff", path, "before", "after")["rewrites"]
    assert row == {
        "pattern": "constant folded: `sine(negate(constant))`",
        "count": 1,
        "places": [{"removed": ["c", "n", "k"], "added": ["folded"]}],
    }


def test_a_real_bundle(matmul_bundle: Path) -> None:
    rows = answer("passes", matmul_bundle)["passes"]
    assert [row["index"] for row in rows] == list(range(26))
    assert sum(row["rewrites"] for row in rows) > 0
    instructions = answer("origins", matmul_bundle)["instructions"]
    assert len(instructions) == rows[-1]["instructions"]
    fusions = [row for row in instructions if row["opcode"] == "fusion"]
    assert fusions
    assert all(row["origins"] and row["created_by"] for row in fusions)
    assert all(row["origins"] or row["created_by"] for row in instructions)
    found = answer("diff", matmul_bundle, "before", "after")
    assert sum("fused into" in row["pattern"] for row in found["rewrites"]) == 1
    assert all(row["count"] == len(row["places"]) or not row["places"] for row in found["rewrites"])
    for row in found["rewrites"]:
        for place in row["places"]:
            assert not set(place["removed"]) & set(found["added"])
            assert not set(place["added"]) & set(found["removed"])


def test_every_instruction_of_a_real_bundle_has_a_history(matmul_bundle: Path) -> None:
    for row in answer("origins", matmul_bundle)["instructions"][:4]:
        assert lines("history", matmul_bundle, row["name"])


def test_refusals(scatter: Path, tmp_path: Path) -> None:
    assert refused("history", scatter, "nix").startswith("No snapshot of emb has an instruction 'nix'.")
    assert refused("diff", scatter, "0", "7").startswith("There is no snapshot '7'.")
    assert refused("diff", scatter, "0").startswith("the following arguments are required: B")
    for command in ("passes", "origins"):
        assert "nowhere" in refused(command, tmp_path / "nowhere")
        assert refused(command, scatter, "--module", "9").startswith("'9' is no module of")
    assert "nowhere" in refused("history", tmp_path / "nowhere", "x")


def test_a_module_is_chosen(scatter: Path) -> None:
    text = "HloModule other\n\nENTRY e {\n  ROOT x = f32[] parameter(0)\n}\n"
    (scatter / "module_0001.other.before_optimizations.txt").write_text(text)
    (row,) = answer("origins", scatter, "--module", "other")["instructions"]
    assert row["name"] == "x"
    assert len(answer("passes", scatter, "--module", "1")["passes"]) == 1


TARGETS = """
import tensorflow as tf

@tf.function
def consumers(x):
    e = tf.exp(x)
    return tf.reduce_sum(e, 1), tf.reduce_max(e * 2, 0), e[:, :3]

@tf.function
def half(a, b):
    return tf.matmul(a, b)
"""


@pytest.fixture(scope="module")
def capture(tmp_path_factory: pytest.TempPathFactory) -> Any:
    folder = tmp_path_factory.mktemp("asked")
    (folder / "asked.py").write_text(TARGETS)

    def run(function: str, *args: str, flags: str = "") -> Path:
        out = folder / f"{function}{len(flags)}.xlaviz"
        specs = [word for arg in args for word in ("--arg", arg)]
        ran = xlaviz(
            "capture", f"{folder / 'asked.py'}:{function}", *specs, "--runs", "2", "--quiet", "-o", out,
            variables={"XLA_FLAGS": flags},
        )  # fmt: skip
        assert ran.status == 0, ran
        return out

    return run


def chapters(path: Path, name: str) -> list[tuple[str, str]]:
    return [(one["kind"], one["pass_name"]) for one in answer("history", path, name)["chapters"]]


@pytest.mark.tensorflow
def test_is_the_exponential_computed_twice(capture: Any) -> None:
    path = capture("consumers", "f32[64,32]")
    (row,) = [row for row in answer("origins", path)["instructions"] if row["opcode"] == "exponential"]
    (origin,) = row["origins"]
    found = chapters(path, origin)
    assert ("fused", "fusion-wrapper") in found
    assert "duplicated" not in [kind for kind, _ in found]


@pytest.mark.tensorflow
def test_a_pass_that_was_switched_off_did_nothing(capture: Any) -> None:
    path = capture("consumers", "f32[64,32]", flags="--xla_disable_hlo_passes=fusion,fusion-wrapper")
    (row,) = [row for row in answer("origins", path)["instructions"] if row["opcode"] == "exponential"]
    assert "fused" not in [kind for kind, _ in chapters(path, row["name"])]
    assert not [row for row in answer("passes", path)["passes"] if row["pass_name"].startswith("fusion")]


@pytest.mark.tensorflow
def test_which_pass_converts_a_half_precision_dot(capture: Any) -> None:
    path = capture("half", "f16[2,16]", "f16[16,2]")
    (dot,) = [row for row in answer("origins", path)["instructions"] if row["opcode"] == "dot"]
    assert ("rewritten", "change-op-data-type") in chapters(path, dot["name"])
    texts = [row["pattern"] for row in answer("diff", path, "before", "after")["rewrites"]]
    assert "`dot` -> `convert(dot(convert(x), convert(y)))`" in texts
