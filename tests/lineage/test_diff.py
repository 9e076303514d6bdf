from __future__ import annotations

from dataclasses import replace

import pytest
from lineage_texts import FUSED, UNFUSED, hlo

from xlaviz.hlo.model import NO_METADATA, HloComputation, HloModule
from xlaviz.lineage.diff import diff_step


def stripped(module: HloModule) -> HloModule:
    def bare(computation: HloComputation) -> HloComputation:
        instructions = tuple(replace(i, metadata=NO_METADATA) for i in computation.instructions)
        return replace(computation, instructions=instructions)

    return replace(module, computations=tuple(map(bare, module.computations)), id=99, name="other")


@pytest.mark.parametrize("module", [UNFUSED, FUSED], ids=["plain", "fused"])
def test_a_module_does_not_differ_from_itself(module: HloModule) -> None:
    diff = diff_step(module, module)
    assert diff.is_empty
    assert not diff.changes


def test_metadata_ids_and_orders_are_no_change() -> None:
    other = stripped(FUSED)
    assert diff_step(FUSED, replace(other, computations=other.computations[::-1])).is_empty


def test_added_and_removed() -> None:
    diff = diff_step(UNFUSED, FUSED)
    assert diff.removed == {"exp.1", "mul.1", "add.1"}
    assert diff.added == {"fusion.1", "p0", "p1", "exp.2", "mul.2", "add.2"}
    assert diff.changes == {"out": ("operands",)}
    assert not diff.moved
    assert not diff.is_empty


LINE = "  ROOT d = f32[2,2]{1,0} dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}"
HEAD = "  a = f32[2,2]{1,0} parameter(0)\n  b = f32[2,2]{1,0} parameter(1)\n"


@pytest.mark.parametrize(
    ("changed", "what"),
    [
        (LINE.replace("(a, b)", "(b, a)"), ("operands",)),
        (LINE.replace("{1,0} dot", "{0,1} dot"), ("layout",)),
        (LINE.replace("f32[2,2]{1,0} dot", "f64[2,2]{1,0} dot"), ("shape",)),
        (LINE.replace("lhs_contracting_dims={1}", "lhs_contracting_dims={0}"), ("attributes: lhs_contracting_dims",)),
        (LINE + ', backend_config={"n":"1"}', ("attributes: backend_config",)),
        (LINE + ", control-predecessors={a}", ("control predecessors",)),
        (LINE.replace("{1,0} dot", "{0,1} dot").replace("(a, b)", "(b, a)"), ("operands", "layout")),
        ("  ROOT d = f32[2,2]{1,0} add(a, b)", ("opcode", "attributes: lhs_contracting_dims",
                                               "attributes: rhs_contracting_dims")),
    ],
)  # fmt: skip
def test_what_changed(changed: str, what: tuple[str, ...]) -> None:
    diff = diff_step(hlo(HEAD + LINE), hlo(HEAD + changed))
    assert diff.changes == {"d": what}
    assert diff.changed == {"d"}
    assert not diff.added | diff.removed | diff.moved


def test_a_constants_value_is_a_change() -> None:
    one, two = (hlo(f"  ROOT c = f32[] constant({value})") for value in (1, 2))
    assert diff_step(one, two).changes == {"c": ("literal",)}


REDUCER = "NAME {\n  s.a = f32[] parameter(0)\n  s.b = f32[] parameter(1)\n  ROOT s.r = f32[] add(s.a, s.b)\n}"
REDUCE = """
  x = f32[4] parameter(0)
  z = f32[] constant(0)
  ROOT r = f32[] reduce(x, z), dimensions={0}, to_apply=NAME"""


def reduced(name: str, reducer: str = REDUCER) -> HloModule:
    return hlo(REDUCE.replace("NAME", name), reducer.replace("NAME", name))


def test_a_renamed_computation_is_no_change() -> None:
    assert diff_step(reduced("sum"), reduced("sum.clone")).is_empty


def test_a_cloned_reducer_does_not_change_its_caller() -> None:
    diff = diff_step(reduced("sum"), reduced("sum.clone", REDUCER.replace("s.", "t.")))
    assert diff.removed == {"s.a", "s.b", "s.r"}
    assert diff.added == {"t.a", "t.b", "t.r"}
    assert not diff.changed


def test_another_reducer_changes_its_caller() -> None:
    other = REDUCER.replace("s.", "t.").replace("add(", "maximum(")
    assert diff_step(reduced("sum"), reduced("max", other)).changes == {"r": ("called computations",)}


def test_moved_to_another_computation() -> None:
    body = "inner {\n  p = f32[4] parameter(0)\n  ROOT e = f32[4] exponential(p)\n}"
    called = hlo("  x = f32[4] parameter(0)\n  ROOT c = f32[4] call(x), to_apply=inner", body)
    inlined = hlo("  x = f32[4] parameter(0)\n  ROOT e = f32[4] exponential(x)")
    diff = diff_step(called, inlined)
    assert diff.moved == {"e"}
    assert diff.changes == {"e": ("operands",)}
    assert diff.removed == {"c", "p"}
