from __future__ import annotations

import pickle

from lineage_texts import FUSED, UNFUSED, hlo

from xlaviz.hlo.model import HloModule
from xlaviz.lineage.sequence import Lineage, LineageBuilder, compose
from xlaviz.lineage.step import match_step

COPIED = hlo(
    """
  x = f32[4] parameter(0)
  y = f32[4] parameter(1)
  fusion.1 = f32[4] fusion(x, y), kind=kLoop, calls=fused
  copy.1 = f32[4] copy(fusion.1)
  mark = u32[] constant(7)
  ROOT out = (f32[4]) tuple(copy.1)
""",
    """fused {
  p0 = f32[4] parameter(0)
  p1 = f32[4] parameter(1)
  exp.3 = f32[4] exponential(p0)
  mul.3 = f32[4] multiply(exp.3, p1)
  ROOT add.3 = f32[4] add(mul.3, exp.3)
}""",
)


def over(*modules: HloModule) -> Lineage:
    builder = LineageBuilder()
    for number, module in enumerate(modules):
        builder.add(module, f"pass {number}")
    return builder.lineage


def test_one_snapshot_stands_for_itself() -> None:
    lineage = over(UNFUSED)
    assert all(origins == {name} for name, origins in lineage.origins.items())
    assert set(lineage.descendants) == {"x", "y", "exp.1", "mul.1", "add.1", "out"}
    assert not lineage.created_by


def test_nothing_given_is_an_empty_lineage() -> None:
    assert LineageBuilder().lineage == Lineage()


def test_origins_over_two_steps() -> None:
    lineage = over(UNFUSED, FUSED, COPIED)
    assert lineage.origins["mul.3"] == {"mul.1"}
    assert lineage.origins["copy.1"] == {"add.1"}
    assert lineage.descendants["add.1"] == {"add.3", "copy.1"}
    assert lineage.fusion_origins == {"fusion.1": {"exp.1", "mul.1", "add.1"}}


def test_what_has_no_origin_is_created_by_the_pass_that_first_had_it() -> None:
    lineage = over(UNFUSED, FUSED, COPIED)
    assert lineage.created_by == {"fusion.1": "pass 1", "p0": "pass 1", "p1": "pass 1", "mark": "pass 2"}
    names = {i.name for computation in COPIED.computations for i in computation.instructions}
    assert lineage.origins.keys() | lineage.created_by.keys() == names
    assert not lineage.origins.keys() & lineage.created_by.keys()


def test_what_stands_for_something_created_was_created_by_that_pass() -> None:
    renamed = hlo("  seven = u32[] constant(7)\n  ROOT t = (u32[]) tuple(seven)")
    before = hlo("  mark = u32[] constant(7)\n  ROOT t = (u32[]) tuple(mark)")
    first = hlo("  ROOT t = () tuple()")
    assert over(first, before, renamed).created_by == {"seven": "pass 1"}


def test_what_was_merged_is_found_where_its_equal_is() -> None:
    head = "  x = f32[4] parameter(0)\n  e.1 = f32[4] exponential(x)\n"
    first = hlo(head + "  e.2 = f32[4] exponential(x)\n  ROOT t = (f32[4], f32[4]) tuple(e.1, e.2)")
    merged = hlo(head + "  ROOT t = (f32[4], f32[4]) tuple(e.1, e.1)")
    fused = hlo(
        "  x = f32[4] parameter(0)\n  f = f32[4] fusion(x), kind=kLoop, calls=fused\n"
        "  ROOT t = (f32[4], f32[4]) tuple(f, f)",
        "fused {\n  p = f32[4] parameter(0)\n  ROOT e.3 = f32[4] exponential(p)\n}",
    )
    lineage = over(first, merged, fused)
    assert lineage.origins["e.3"] == {"e.1"}
    assert lineage.merged == {"e.2": "e.1"}
    assert lineage.where("e.2") == lineage.where("e.1") == {"e.3"}


def test_only_what_left_nothing_behind_counts_as_merged() -> None:
    head = "  x = f32[4] parameter(0)\n  e.1 = f32[4] exponential(x)\n  e.2 = f32[4] exponential(x)\n"
    root = "  ROOT t = (f32[4], f32[4], f32[4]) tuple(e.1, e.2, LAST)"
    first = hlo(head + root.replace("LAST", "e.2"))
    copied = hlo(head + "  e.3 = f32[4] exponential(x)\n" + root.replace("LAST", "e.3"))
    last = hlo(head + root.replace("LAST", "e.1"))
    assert match_step(copied, last).merged == {"e.3": "e.1"}
    lineage = over(first, copied, last)
    assert not lineage.merged
    assert lineage.where("e.2") == {"e.2"}


def test_what_was_simplified_away_is_nowhere() -> None:
    first = hlo("  x = f32[4] parameter(0)\n  n = f32[4] negate(x)\n  m = f32[4] negate(n)\n  ROOT e = f32[4] sine(m)")
    last = hlo("  x = f32[4] parameter(0)\n  ROOT e = f32[4] sine(x)")
    lineage = over(first, last)
    assert lineage.where("n") == lineage.where("m") == frozenset()
    assert lineage.where("x") == {"x"}


def test_composed_steps_equal_the_builder() -> None:
    steps = [("pass 1", match_step(UNFUSED, FUSED)), ("pass 2", match_step(FUSED, COPIED))]
    assert compose(steps) == over(UNFUSED, FUSED, COPIED)


def test_a_lineage_pickles() -> None:
    lineage = over(UNFUSED, FUSED, COPIED)
    assert pickle.loads(pickle.dumps(lineage)) == lineage


def test_the_builder_hands_out_each_step() -> None:
    builder = LineageBuilder()
    assert builder.add(UNFUSED) is None
    step = builder.add(FUSED, "fusion")
    assert step == match_step(UNFUSED, FUSED)
