from __future__ import annotations

from lineage_texts import FUSED, UNFUSED, found, hlo

from xlaviz.hlo.model import HloModule
from xlaviz.lineage.step import match_step


def test_a_fusion_is_seen_through() -> None:
    step = match_step(UNFUSED, FUSED)
    assert found(step, "exp.2", "mul.2", "add.2", "x", "fusion.1", "p0") == {
        "exp.2": ("structure", {"exp.1"}),
        "mul.2": ("structure", {"mul.1"}),
        "add.2": ("structure", {"add.1"}),
        "x": ("name", {"x"}),
        "fusion.1": ("created", set()),
        "p0": ("created", set()),
    }
    assert step.members == {"fusion.1": {"exp.1", "mul.1", "add.1"}}
    assert not step.rewrites


def test_unfusing_is_seen_through_too() -> None:
    step = match_step(FUSED, UNFUSED)
    assert found(step, "exp.1", "add.1") == {"exp.1": ("structure", {"exp.2"}), "add.1": ("structure", {"add.2"})}


def test_the_entry_root_is_an_anchor() -> None:
    left = hlo("  x = f32[4] parameter(0)\n  e = f32[4] exponential(x)\n  ROOT s = f32[4] sine(e)")
    right = hlo(
        "  y = f32[4] parameter(0)\n  ROOT f = f32[4] fusion(y), kind=kLoop, calls=fused",
        "fused {\n  p = f32[4] parameter(0)\n  e2 = f32[4] exponential(p)\n  ROOT s2 = f32[4] sine(e2)\n}",
    )
    assert found(match_step(left, right), "s2", "e2", "y") == {
        "s2": ("structure", {"s"}),
        "e2": ("structure", {"e"}),
        "y": ("structure", {"x"}),
    }


def test_a_duplicated_producer_stands_for_one_instruction() -> None:
    left = hlo("""
  x = f32[4] parameter(0)
  e = f32[4] exponential(x)
  s = f32[4] sine(e)
  c = f32[4] cosine(e)
  ROOT t = (f32[4], f32[4]) tuple(s, c)""")
    right = hlo(
        """
  x = f32[4] parameter(0)
  f = f32[4] fusion(x), kind=kLoop, calls=one
  g = f32[4] fusion(x), kind=kLoop, calls=two
  ROOT t = (f32[4], f32[4]) tuple(f, g)""",
        "one {\n  p = f32[4] parameter(0)\n  e.1 = f32[4] exponential(p)\n  ROOT s.1 = f32[4] sine(e.1)\n}",
        "two {\n  q = f32[4] parameter(0)\n  e.2 = f32[4] exponential(q)\n  ROOT c.1 = f32[4] cosine(e.2)\n}",
    )
    step = match_step(left, right)
    assert step.origins["e.1"] == step.origins["e.2"] == {"e"}
    assert step.members == {"f": {"e", "s"}, "g": {"e", "c"}}


MULTI_OUTPUT = """fused {
  p = f32[4] parameter(0)
  e.1 = f32[4] exponential(p)
  s.1 = f32[4] sine(e.1)
  ROOT both = (f32[4], f32[4]) tuple(e.1, s.1)
}"""


def test_a_multi_output_fusion_is_seen_through_its_elements() -> None:
    left = hlo("""
  x = f32[4] parameter(0)
  e = f32[4] exponential(x)
  s = f32[4] sine(e)
  ROOT t = (f32[4], f32[4]) tuple(s, e)""")
    right = hlo(
        """
  x = f32[4] parameter(0)
  f = (f32[4], f32[4]) fusion(x), kind=kLoop, calls=fused
  first = f32[4] get-tuple-element(f), index=0
  second = f32[4] get-tuple-element(f), index=1
  ROOT t = (f32[4], f32[4]) tuple(second, first)""",
        MULTI_OUTPUT,
    )
    step = match_step(left, right)
    assert found(step, "e.1", "s.1", "first", "second", "both") == {
        "e.1": ("structure", {"e"}),
        "s.1": ("structure", {"s"}),
        "first": ("copy", {"e"}),
        "second": ("copy", {"s"}),
        "both": ("copy", {"e", "s"}),
    }


SHARED = "shared {\n  p = f32[4] parameter(0)\n  e = f32[4] exponential(p)\n  ROOT s = f32[4] sine(e)\n}"
CALLED_TWICE = hlo(
    """
  x = f32[4] parameter(0)
  y = f32[4] parameter(1)
  one = f32[4] call(x), to_apply=shared
  two = f32[4] call(y), to_apply=shared
  ROOT t = (f32[4], f32[4]) tuple(one, two)""",
    SHARED,
)
WRITTEN_OUT = hlo("""
  x = f32[4] parameter(0)
  y = f32[4] parameter(1)
  e.1 = f32[4] exponential(x)
  s.1 = f32[4] sine(e.1)
  e.2 = f32[4] exponential(y)
  s.2 = f32[4] sine(e.2)
  ROOT t = (f32[4], f32[4]) tuple(s.1, s.2)""")


def test_calls_inlined() -> None:
    step = match_step(CALLED_TWICE, WRITTEN_OUT)
    assert found(step, "e.1", "e.2", "s.1", "s.2") == {
        "e.1": ("structure", {"e"}),
        "e.2": ("structure", {"e"}),
        "s.1": ("structure", {"s"}),
        "s.2": ("structure", {"s"}),
    }


def test_an_instruction_of_a_shared_computation_stands_for_one_of_each_caller() -> None:
    step = match_step(WRITTEN_OUT, CALLED_TWICE)
    assert step.origins["e"] == {"e.1", "e.2"}
    assert step.origins["s"] == {"s.1", "s.2"}
    assert step.members["one"] == step.members["two"] == {"e.1", "e.2", "s.1", "s.2"}


def two_calls(tail: str, opcode: str) -> HloModule:
    """The calls' operands have no kept name, nor have theirs: only the way through the calls leads on to them."""
    return hlo(
        f"""
  x = f32[4] parameter(0)
  y = f32[4] parameter(1)
  u{tail} = f32[4] {opcode}(x)
  v{tail} = f32[4] {opcode}(y)
  a{tail} = f32[4] cosine(u{tail})
  b{tail} = f32[4] cosine(v{tail})
  one = f32[4] call(a{tail}), to_apply=shared
  two = f32[4] call(b{tail}), to_apply=shared
  ROOT t = (f32[4], f32[4]) tuple(one, two)""",
        "shared {\n  p = f32[4] parameter(0)\n  ROOT e = f32[4] exponential(p)\n}",
    )


def test_a_shared_computation_keeps_its_callers_apart() -> None:
    """Beyond the parameter, each call leads to its own operand only."""
    step = match_step(two_calls("", "negate"), two_calls(".9", "sine"))
    assert found(step, "a.9", "b.9", "u.9", "v.9") == {
        "a.9": ("structure", {"a"}),
        "b.9": ("structure", {"b"}),
        "u.9": ("rewrite", {"u"}),
        "v.9": ("rewrite", {"v"}),
    }


def test_a_fusion_inside_a_fusion() -> None:
    left = hlo("  x = f32[4] parameter(0)\n  e = f32[4] exponential(x)\n  ROOT s = f32[4] sine(e)")
    right = hlo(
        "  x = f32[4] parameter(0)\n  ROOT outer = f32[4] fusion(x), kind=kLoop, calls=out",
        "in {\n  p = f32[4] parameter(0)\n  ROOT e.1 = f32[4] exponential(p)\n}",
        "out {\n  q = f32[4] parameter(0)\n  inner = f32[4] fusion(q), kind=kLoop, calls=in\n"
        "  ROOT s.1 = f32[4] sine(inner)\n}",
    )
    step = match_step(left, right)
    assert step.members == {"inner": {"e"}, "outer": {"e", "s"}}


def test_an_async_pair_is_seen_through() -> None:
    left = hlo("""
  x = f32[4] parameter(0)
  n = f32[4] negate(x)
  e = f32[4] exponential(n)
  ROOT t = (f32[4]) tuple(e)""")
    right = hlo(
        """
  x = f32[4] parameter(0)
  n.1 = f32[4] sine(x)
  start = ((f32[4]), f32[4], u32[]) async-start(n.1), calls=wrapped
  done = f32[4] async-done(start), calls=wrapped
  ROOT t = (f32[4]) tuple(done)""",
        "wrapped {\n  p = f32[4] parameter(0)\n  ROOT e.1 = f32[4] exponential(p)\n}",
    )
    assert found(match_step(left, right), "e.1", "n.1", "done") == {
        "e.1": ("structure", {"e"}),
        "n.1": ("rewrite", {"n"}),
        "done": ("created", set()),
    }


def chain(tail: str, opcode: str, *, copied: bool) -> HloModule:
    copy = f"  copy.1 = f32[4] copy(e{tail})\n" if copied else ""
    return hlo(f"""
  x = f32[4] parameter(0)
  n{tail} = f32[4] {opcode}(x)
  e{tail} = f32[4] exponential(n{tail})
{copy}  ROOT t = (f32[4]) tuple({"copy.1" if copied else "e" + tail})""")


def test_a_copy_put_in_is_seen_through() -> None:
    step = match_step(chain("", "negate", copied=False), chain(".9", "sine", copied=True))
    assert found(step, "e.9", "n.9", "copy.1") == {
        "e.9": ("structure", {"e"}),
        "n.9": ("rewrite", {"n"}),
        "copy.1": ("copy", {"e"}),
    }


def test_a_copy_taken_out_is_seen_through() -> None:
    step = match_step(chain("", "negate", copied=True), chain(".9", "sine", copied=False))
    assert found(step, "e.9", "n.9") == {"e.9": ("structure", {"e"}), "n.9": ("rewrite", {"n"})}


def test_a_copy_stands_for_what_it_copies() -> None:
    left = hlo("  x = f32[4] parameter(0)\n  e = f32[4] exponential(x)\n  ROOT t = (f32[4]) tuple(e)")
    right = hlo("""
  x = f32[4] parameter(0)
  e = f32[4] exponential(x)
  copy.1 = f32[4] copy(e)
  copy.2 = f32[4] copy(copy.1)
  ROOT t = (f32[4]) tuple(copy.2)""")
    assert found(match_step(left, right), "copy.1", "copy.2") == {"copy.1": ("copy", {"e"}), "copy.2": ("copy", {"e"})}
