from __future__ import annotations

from lineage_texts import found, hlo, named

from xlaviz.hlo.model import HloModule
from xlaviz.lineage.step import match_step


def loop(state: str, body: str, condition: str = "ROOT go = pred[] constant(true)", name: str = "loop") -> HloModule:
    return hlo(
        f"  x = f32[4] parameter(0)\n  y = s32[] parameter(1)\n  start = {state} tuple({'y, ' * ('s32' in state)}x)\n"
        f"  ROOT {name} = {state} while(start), condition=cond.{name}, body=body.{name}",
        f"body.{name} {{\n{body}\n}}",
        f"cond.{name} {{\n  q.{name} = {state} parameter(0)\n  {condition}\n}}",
    )


BODY = """
  p = (s32[], f32[4]) parameter(0)
  i = s32[] get-tuple-element(p), index=0
  v = f32[4] get-tuple-element(p), index=1
  e = f32[4] exponential(v)
  ROOT r = (s32[], f32[4]) tuple(i, e)"""
CLONED_BODY = """
  p.1 = (s32[], f32[4]) parameter(0)
  i.1 = s32[] get-tuple-element(p.1), index=0
  v.1 = f32[4] get-tuple-element(p.1), index=1
  e.1 = f32[4] exponential(v.1)
  ROOT r.1 = (s32[], f32[4]) tuple(i.1, e.1)"""


def test_the_body_and_condition_of_a_cloned_loop() -> None:
    left = loop("(s32[], f32[4])", BODY)
    right = loop("(s32[], f32[4])", CLONED_BODY, "ROOT go.1 = pred[] constant(true)", name="loop.1")
    step = match_step(left, right)
    for name in ("p.1", "i.1", "v.1", "e.1", "r.1", "go.1", "loop.1"):
        assert found(step, name) == {name: ("structure", {name.removesuffix(".1")})}
    assert step.origins["q.loop.1"] == {"q.loop"}


def test_a_loop_that_lost_a_part_of_its_state() -> None:
    body = """
  p.1 = (f32[4]) parameter(0)
  v.1 = f32[4] get-tuple-element(p.1), index=0
  e.1 = f32[4] exponential(v.1)
  ROOT r.1 = (f32[4]) tuple(e.1)"""
    step = match_step(loop("(s32[], f32[4])", BODY), loop("(f32[4])", body, "ROOT go.1 = pred[] constant(true)", "w"))
    assert found(step, "w", "e.1", "v.1", "go.1", "p.1") == {
        "w": ("rewrite", {"loop"}),
        "e.1": ("structure", {"e"}),
        "v.1": ("structure", {"v"}),
        "go.1": ("structure", {"go"}),
        "p.1": ("rewrite", {"p"}),
    }


def test_the_branches_of_a_conditional() -> None:
    def conditional(tail: str) -> HloModule:
        return hlo(
            f"  c = pred[] parameter(0)\n  x = f32[4] parameter(1)\n"
            f"  ROOT if = f32[4] conditional(c, x, x), true_computation=yes{tail}, false_computation=no{tail}",
            f"yes{tail} {{\n  a{tail} = f32[4] parameter(0)\n  ROOT e{tail} = f32[4] exponential(a{tail})\n}}",
            f"no{tail} {{\n  b{tail} = f32[4] parameter(0)\n  ROOT s{tail} = f32[4] sine(b{tail})\n}}",
        )

    step = match_step(conditional(""), conditional(".clone"))
    for name in ("e", "s", "a", "b"):
        assert found(step, f"{name}.clone") == {f"{name}.clone": ("structure", {name})}


def test_a_loop_out_of_reach_is_known_by_its_op_name() -> None:
    """Nothing leads down to it and its state changed, so it has no place and no fingerprint."""

    def counted(tail: str, state: str, made: str, use: str) -> HloModule:
        return hlo(
            f"  x = f32[4] parameter(0)\n  y = s32[] parameter(1)\n  start{tail} = {state} tuple({made}x)\n"
            f"  w{tail} = {state} while(start{tail}), condition=test{tail}, body=turn{tail}"
            f"{named('net/while')}\n  ROOT {use}",
            f"turn{tail} {{\n  p{tail} = {state} parameter(0)\n"
            f"  v{tail} = f32[4] get-tuple-element(p{tail}), index={state.count('s32')}\n"
            f"  e{tail} = f32[4] exponential(v{tail})\n"
            + (f"  i{tail} = s32[] get-tuple-element(p{tail}), index=0\n" if made else "")
            + f"  ROOT r{tail} = {state} tuple({f'i{tail}, ' if made else ''}e{tail})\n}}",
            f"test{tail} {{\n  q{tail} = {state} parameter(0)\n  ROOT go{tail} = pred[] constant(true)\n}}",
        )

    left = counted("", "(s32[], f32[4])", "y, ", 'use = f32[] custom-call(w), custom_call_target="f"')
    right = counted(".1", "(f32[4])", "", "other = (f32[4], (f32[4])) tuple(x, w.1)")
    step = match_step(left, right)
    assert found(step, "w.1", "e.1", "v.1", "go.1") == {
        "w.1": ("rewrite", {"w"}),
        "e.1": ("structure", {"e"}),
        "v.1": ("structure", {"v"}),
        "go.1": ("structure", {"go"}),
    }
