from __future__ import annotations

import pytest
from lineage_texts import FUSED, found, hlo

from xlaviz.hlo.model import HloModule
from xlaviz.lineage.step import StepLineage, match_step


def test_every_instruction_stands_for_itself_in_the_same_module() -> None:
    step = match_step(FUSED, FUSED)
    assert all(origins == {name} for name, origins in step.origins.items())
    assert set(step.how.values()) == {"name"}
    assert not step.rewrites


def test_a_reused_name_with_another_opcode_is_no_match() -> None:
    left = hlo("  x = f32[4] parameter(0)\n  v = f32[4] exponential(x)\n  ROOT u = (f32[4]) tuple(v)")
    right = hlo("  x = f32[4] parameter(0)\n  v = f32[4] sine(x)\n  ROOT u = (f32[4]) tuple(v)")
    assert found(match_step(left, right), "v") == {"v": ("rewrite", {"v"})}
    right = hlo("  x = f32[4] parameter(0)\n  w = f32[4] sine(x)\n  v = f32[4] cosine(w)\n  ROOT u = (f32[4]) tuple(w)")
    assert match_step(left, right).how["w"] == "rewrite"


def test_merged_instructions_are_told_and_are_no_origins() -> None:
    left = hlo("""
  x = f32[4] parameter(0)
  e.1 = f32[4] exponential(x)
  e.2 = f32[4] exponential(x)
  s.1 = f32[4] sine(e.1)
  s.2 = f32[4] sine(e.2)
  ROOT t = (f32[4], f32[4]) tuple(s.1, s.2)""")
    right = hlo("""
  x = f32[4] parameter(0)
  e.1 = f32[4] exponential(x)
  s.1 = f32[4] sine(e.1)
  ROOT t = (f32[4], f32[4]) tuple(s.1, s.1)""")
    step = match_step(left, right)
    assert step.merged == {"s.2": "s.1", "e.2": "e.1"}
    assert step.origins["e.1"] == {"e.1"}
    assert not step.rewrites


def test_equals_that_both_stay_are_not_merged() -> None:
    head = "  x = f32[4] parameter(0)\n  a = f32[4] sine(x)\n  b = f32[4] sine(x)\n"
    left, right = (hlo(f"{head}  ROOT t = (f32[4], f32[4]) tuple({pair})") for pair in ("a, b", "a, a"))
    assert not match_step(left, right).merged


@pytest.mark.parametrize(
    ("kept", "gone"),
    [
        ("a = f32[] constant(1)", "b = f32[] constant(2)"),
        ("a = f32[4,4] broadcast(x), dimensions={0}", "b = f32[4,4] broadcast(x), dimensions={1}"),
        ("a = f32[4] sine(x)", "b = f32[4] sine(y)"),
        ("a = f32[4] sine(x)", "b = f32[4] cosine(x)"),
    ],
    ids=["constants", "attributes", "operands", "opcodes"],
)
def test_what_is_not_equal_is_not_merged(kept: str, gone: str) -> None:
    head = f"  x = f32[4] parameter(0)\n  y = f32[4] parameter(1)\n  {kept}\n"
    shape = kept.split()[2]
    left = hlo(f"{head}  {gone}\n  ROOT t = ({shape}, {shape}) tuple(a, b)")
    right = hlo(f"{head}  ROOT t = ({shape}, {shape}) tuple(a, a)")
    step = match_step(left, right)
    assert not step.merged
    assert step.origins["a"] == {"a"}


def test_a_renamed_subgraph_out_of_reach_is_found_by_its_fingerprint() -> None:
    """`use` became something else altogether, so nothing leads down; what it used is the same under other names."""
    left = hlo("""
  x = f32[4] parameter(0)
  c = f32[4] constant({1, 2, 3, 4})
  e = f32[4] exponential(x)
  m = f32[4] multiply(e, c)
  ROOT use = f32[4] sine(m)""")
    right = hlo("""
  x = f32[4] parameter(0)
  c.9 = f32[4] constant({1, 2, 3, 4})
  e.9 = f32[4] exponential(x)
  m.9 = f32[4] multiply(e.9, c.9)
  ROOT other = (f32[4], f32[4]) custom-call(x, m.9), custom_call_target="f\"""")
    step = match_step(left, right)
    assert found(step, "e.9", "c.9", "m.9", "other") == {
        "e.9": ("structure", {"e"}),
        "c.9": ("structure", {"c"}),
        "m.9": ("structure", {"m"}),
        "other": ("rewrite", {"use"}),
    }


def test_from_a_fingerprint_the_descent_goes_on() -> None:
    def reduced(tail: str, use: str) -> HloModule:
        return hlo(
            f"""
  x = f32[4] parameter(0)
  z = f32[] constant(0)
  r{tail} = f32[] reduce(x, z), dimensions={{0}}, to_apply=sum{tail}
  ROOT {use}""",
            f"sum{tail} {{\n  a{tail} = f32[] parameter(0)\n  b{tail} = f32[] parameter(1)\n"
            f"  ROOT s{tail} = f32[] add(a{tail}, b{tail})\n}}",
        )

    left = reduced("", "use = f32[] sine(r)")
    right = reduced(".9", 'other = f32[] custom-call(x, r.9), custom_call_target="f"')
    step = match_step(left, right)
    for name in ("r", "s", "a", "b"):
        assert found(step, f"{name}.9") == {f"{name}.9": ("structure", {name})}


def test_a_fingerprint_tells_attributes_and_values_apart() -> None:
    left = hlo("""
  x = f32[4] parameter(0)
  c = f32[] constant(1)
  b = f32[4,4] broadcast(x), dimensions={0}
  ROOT use = (f32[], f32[4,4]) custom-call(c, b), custom_call_target="f\"""")
    right = hlo(
        """
  x = f32[4] parameter(0)
  c.9 = f32[] constant(2)
  b.9 = f32[4,4] broadcast(x), dimensions={1}
  ROOT other = f32[] sort(c.9, b.9)""".replace("sort(c.9, b.9)", 'custom-call(b.9, c.9), custom_call_target="g"')
    )
    step = match_step(left, right)
    assert step.how.get("c.9") != "structure"
    assert step.how.get("b.9") != "structure"


def test_what_nothing_leads_to_is_created() -> None:
    left = hlo("  x = f32[4] parameter(0)\n  ROOT e = f32[4] exponential(x)")
    right = hlo("  x = f32[4] parameter(0)\n  dead = f32[] constant(3)\n  ROOT e = f32[4] exponential(x)")
    step = match_step(left, right)
    assert found(step, "dead") == {"dead": ("created", set())}
    assert [(rewrite.removed, rewrite.added) for rewrite in step.rewrites] == [(frozenset(), {"dead"})]


def test_nothing_stands_for_more_than_a_handful_by_guesswork() -> None:
    names = [f"x{number}" for number in range(9)]
    parameters = "\n".join(f"  {name} = f32[4] parameter({number})" for number, name in enumerate(names))

    def tupled(count: int) -> StepLineage:
        state = f"({', '.join(['f32[4]'] * count)})"
        held = f"  held = {state} tuple({', '.join(names[:count])})\n"
        left = hlo(f"{parameters}\n  ROOT u = f32[4] sine(x0)")
        right = hlo(f'{parameters}\n{held}  b = {state} custom-call(held), custom_call_target="f"\n'
                    "  ROOT u = f32[4] sine(x0)")  # fmt: skip
        return match_step(left, right)

    assert tupled(8).origins["held"] == set(names[:8])
    assert not tupled(9).origins["held"]
