from __future__ import annotations

from lineage_texts import FUSED, UNFUSED, hlo, named

from xlaviz.hlo.model import HloModule
from xlaviz.lineage.step import StepLineage, match_step


def found(step: StepLineage, *names: str) -> dict[str, tuple[str, set[str]]]:
    return {name: (step.how.get(name, "created"), set(step.origins[name])) for name in names}


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


def test_a_shared_computation_keeps_its_callers_apart() -> None:
    """Beyond the parameter, each call leads to its own operand only."""
    left = hlo("""
  x = f32[4] parameter(0)
  a = f32[4] cosine(x)
  b = f32[4] negate(x)
  e.1 = f32[4] exponential(a)
  e.2 = f32[4] exponential(b)
  ROOT t = (f32[4], f32[4]) tuple(e.1, e.2)""")
    right = hlo(
        """
  x = f32[4] parameter(0)
  a.9 = f32[4] cosine(x)
  b.9 = f32[4] negate(x)
  one = f32[4] call(a.9), to_apply=shared
  two = f32[4] call(b.9), to_apply=shared
  ROOT t = (f32[4], f32[4]) tuple(one, two)""",
        "shared {\n  p = f32[4] parameter(0)\n  ROOT e = f32[4] exponential(p)\n}",
    )
    assert found(match_step(left, right), "a.9", "b.9") == {"a.9": ("structure", {"a"}), "b.9": ("structure", {"b"})}


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


def test_an_async_pair_is_seen_through() -> None:
    left = hlo("  x = f32[4] parameter(0)\n  e = f32[4] exponential(x)\n  ROOT t = (f32[4]) tuple(e)")
    right = hlo(
        """
  x = f32[4] parameter(0)
  start = ((f32[4]), f32[4], u32[]) async-start(x), calls=wrapped
  done = f32[4] async-done(start), calls=wrapped
  ROOT t = (f32[4]) tuple(done)""",
        "wrapped {\n  p = f32[4] parameter(0)\n  ROOT e.1 = f32[4] exponential(p)\n}",
    )
    step = match_step(left, right)
    assert found(step, "e.1", "done") == {"e.1": ("structure", {"e"}), "done": ("created", set())}


def test_a_copy_stands_for_what_it_copies() -> None:
    left = hlo("  x = f32[4] parameter(0)\n  e = f32[4] exponential(x)\n  ROOT t = (f32[4]) tuple(e)")
    right = hlo("""
  x = f32[4] parameter(0)
  e = f32[4] exponential(x)
  copy.1 = f32[4] copy(e)
  copy.2 = f32[4] copy(copy.1)
  ROOT t = (f32[4]) tuple(copy.2)""")
    assert found(match_step(left, right), "copy.1", "copy.2") == {"copy.1": ("copy", {"e"}), "copy.2": ("copy", {"e"})}


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


def test_different_constants_are_not_merged() -> None:
    left = hlo("  a = f32[] constant(1)\n  b = f32[] constant(2)\n  ROOT t = (f32[], f32[]) tuple(a, b)")
    right = hlo("  a = f32[] constant(1)\n  ROOT t = (f32[], f32[]) tuple(a, a)")
    assert not match_step(left, right).merged


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


def test_what_takes_an_operand_slot_takes_the_place() -> None:
    left = hlo("""
  x = f32[4] parameter(0)
  two = f32[4] constant({2, 2, 2, 2})
  p = f32[4] power(x, two)
  n = f32[4] negate(x)
  ROOT t = (f32[4], f32[4]) tuple(p, n)""")
    right = hlo("""
  x = f32[4] parameter(0)
  m = f32[4] multiply(x, x)
  n = f32[4] negate(x)
  ROOT t = (f32[4], f32[4]) tuple(m, n)""")
    step = match_step(left, right)
    assert found(step, "m", "n") == {"m": ("rewrite", {"p"}), "n": ("name", {"n"})}
    (rewrite,) = step.rewrites
    assert (rewrite.removed, rewrite.added) == ({"p", "two"}, {"m"})


def test_the_inside_of_an_expansion_stands_for_what_was_expanded() -> None:
    left = hlo("  x = f32[4] parameter(0)\n  l = f32[4] logistic(x)\n  ROOT t = (f32[4]) tuple(l)")
    right = hlo("""
  x = f32[4] parameter(0)
  n = f32[4] negate(x)
  e = f32[4] exponential(n)
  one = f32[] constant(1)
  ones = f32[4] broadcast(one), dimensions={}
  sum = f32[4] add(ones, e)
  d = f32[4] divide(ones, sum)
  ROOT t = (f32[4]) tuple(d)""")
    step = match_step(left, right)
    for name in ("n", "e", "one", "ones", "sum", "d"):
        assert found(step, name) == {name: ("rewrite", {"l"})}
    (rewrite,) = step.rewrites
    assert rewrite.removed == {"l"}


def test_an_op_name_finds_what_slots_do_not() -> None:
    left = hlo(f"""
  x = f32[4] parameter(0)
  a = f32[4] sine(x){named("net/a")}
  b = f32[4] cosine(a){named("net/b")}
  ROOT t = (f32[4]) tuple(b)""")
    right = hlo(f"""
  x = f32[4] parameter(0)
  a.9 = f32[4] tanh(x){named("net/a")}
  b.9 = f32[4] negate(a.9){named("net/b")}
  ROOT t = (f32[4]) tuple(b.9)""")
    assert found(match_step(left, right), "a.9", "b.9") == {"a.9": ("rewrite", {"a"}), "b.9": ("rewrite", {"b"})}


def test_a_kept_instruction_stands_for_what_it_swallowed_as_its_op_name_says() -> None:
    left = hlo(f"""
  x = f32[4] parameter(0)
  a = f32[2,2] reshape(x){named("net/inner")}
  r = f32[1,4] reshape(a){named("net/outer")}
  ROOT t = (f32[1,4]) tuple(r)""")
    right = hlo(f"""
  x = f32[4] parameter(0)
  r = f32[1,4] reshape(x){named("net/inner")}
  ROOT t = (f32[1,4]) tuple(r)""")
    assert found(match_step(left, right), "r") == {"r": ("name", {"r", "a"})}


def test_joined_op_names_match_by_a_part() -> None:
    left = hlo(f"""
  x = f32[4] parameter(0)
  a = f32[4] sine(x){named("net/a")}
  b = f32[4] cosine(a){named("net/b")}
  c = f32[4] negate(b)
  ROOT t = (f32[4]) tuple(c)""")
    right = hlo(f"""
  x = f32[4] parameter(0)
  ab = f32[4] tanh(x){named("net/a;net/b")}
  ROOT t = (f32[4]) tuple(ab)""")
    assert match_step(left, right).origins["ab"] & {"a", "b"}


def test_what_is_put_before_a_kept_instruction_is_there_for_it() -> None:
    sums = "sum {\n  s.a = f32[] parameter(0)\n  s.b = f32[] parameter(1)\n  ROOT s.r = f32[] add(s.a, s.b)\n}"
    head = "  x = f32[64] parameter(0)\n  z = f32[] constant(0)\n"
    left = hlo(head + "  ROOT r = f32[] reduce(x, z), dimensions={0}, to_apply=sum", sums)
    right = hlo(
        head + "  w = f32[2] reduce-window(x, z), window={size=32 stride=32}, to_apply=sum\n"
        "  ROOT r = f32[] reduce(w, z), dimensions={0}, to_apply=sum",
        sums,
    )
    assert found(match_step(left, right), "w", "r") == {"w": ("rewrite", {"r"}), "r": ("name", {"r"})}


def test_what_nothing_leads_to_is_created() -> None:
    left = hlo("  x = f32[4] parameter(0)\n  ROOT e = f32[4] exponential(x)")
    right = hlo("  x = f32[4] parameter(0)\n  dead = f32[] constant(3)\n  ROOT e = f32[4] exponential(x)")
    step = match_step(left, right)
    assert found(step, "dead") == {"dead": ("created", set())}
    assert [(rewrite.removed, rewrite.added) for rewrite in step.rewrites] == [(frozenset(), {"dead"})]


def test_what_was_simplified_away_is_a_rewrite_to_nothing() -> None:
    left = hlo("""
  x = f32[4] parameter(0)
  zero = f32[4] constant({0, 0, 0, 0})
  a = f32[4] add(x, zero)
  ROOT e = f32[4] exponential(a)""")
    right = hlo("  x = f32[4] parameter(0)\n  ROOT e = f32[4] exponential(x)")
    step = match_step(left, right)
    assert [(rewrite.removed, rewrite.added) for rewrite in step.rewrites] == [({"a", "zero"}, frozenset())]
    assert step.origins["x"] == {"x"}
