from __future__ import annotations

from lineage_texts import found, hlo, named

from xlaviz.hlo.model import HloModule
from xlaviz.lineage.step import match_step


def test_another_shape_is_a_rewrite() -> None:
    def padded(name: str, size: int) -> HloModule:
        return hlo(
            f"  x = f32[4] parameter(0)\n  {name} = f32[{size},4] broadcast(x), dimensions={{1}}\n"
            f'  ROOT u = f32[4] custom-call({name}), custom_call_target="f"'
        )

    assert found(match_step(padded("b", 2), padded("b.9", 8)), "b.9") == {"b.9": ("rewrite", {"b"})}


def test_a_sort_that_lost_an_output() -> None:
    left = hlo(
        """
  x = f32[4] parameter(0)
  i = s32[4] iota(), iota_dimension=0
  s = (f32[4], s32[4]) sort(x, i), dimensions={0}, to_apply=less
  g = f32[4] get-tuple-element(s), index=0
  ROOT t = (f32[4]) tuple(g)""",
        "less {\n  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n  c = s32[] parameter(2)\n"
        "  d = s32[] parameter(3)\n  ROOT lt = pred[] compare(a, b), direction=LT\n}",
    )
    right = hlo(
        """
  x = f32[4] parameter(0)
  s.1 = f32[4] sort(x), dimensions={0}, to_apply=less.1
  ROOT t = (f32[4]) tuple(s.1)""",
        "less.1 {\n  a.1 = f32[] parameter(0)\n  b.1 = f32[] parameter(1)\n"
        "  ROOT lt.1 = pred[] compare(a.1, b.1), direction=LT\n}",
    )
    assert found(match_step(left, right), "s.1", "lt.1", "b.1") == {
        "s.1": ("rewrite", {"s"}),
        "lt.1": ("structure", {"lt"}),
        "b.1": ("structure", {"b"}),
    }


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


def test_the_inside_of_a_new_loop_is_there_for_what_the_loop_replaced() -> None:
    left = hlo("  x = f32[4] parameter(0)\n  e = f32[4] exponential(x)\n  ROOT t = (f32[4]) tuple(e)")
    right = hlo(
        "  x = f32[4] parameter(0)\n  w = f32[4] while(x), condition=test, body=turn\n  ROOT t = (f32[4]) tuple(w)",
        "turn {\n  p = f32[4] parameter(0)\n  s = f32[4] sine(p)\n  ROOT n = f32[4] negate(s)\n}",
        "test {\n  q = f32[4] parameter(0)\n  ROOT go = pred[] constant(true)\n}",
    )
    step = match_step(left, right)
    for name in ("w", "p", "s", "n", "q", "go"):
        assert found(step, name) == {name: ("rewrite", {"e"})}


def test_a_place_is_free_once_nothing_uses_what_held_it() -> None:
    """Many passes leave what they replaced to the next DCE."""
    left = hlo("  x = f32[4] parameter(0)\n  p = f32[4] exponential(x)\n  ROOT t = (f32[4]) tuple(p)")
    right = hlo("""
  x = f32[4] parameter(0)
  p = f32[4] exponential(x)
  m = f32[4] sine(x)
  ROOT t = (f32[4]) tuple(m)""")
    assert found(match_step(left, right), "m", "p") == {"m": ("rewrite", {"p"}), "p": ("name", {"p"})}


def test_a_place_still_used_is_not_taken() -> None:
    left = hlo("""
  x = f32[4] parameter(0)
  p = f32[4] exponential(x)
  ROOT t = (f32[4], f32[4]) tuple(p, p)""")
    right = hlo("""
  x = f32[4] parameter(0)
  p = f32[4] exponential(x)
  m = f32[4] sine(x)
  ROOT t = (f32[4], f32[4]) tuple(m, p)""")
    assert found(match_step(left, right), "m") == {"m": ("created", set())}


def test_a_new_output_made_of_something_replaced() -> None:
    left = hlo("  x = f32[4] parameter(0)\n  p = f32[4] exponential(x)\n  ROOT t = (f32[4], f32[4]) tuple(p, x)")
    right = hlo("""
  x = f32[4] parameter(0)
  m = f32[4] sine(x)
  k = f32[4] negate(m)
  ROOT t = (f32[4], f32[4]) tuple(m, k)""")
    assert found(match_step(left, right), "k") == {"k": ("rewrite", {"p"})}
