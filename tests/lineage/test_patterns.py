"""Every row that the table of rewrites can have, on a pair of modules that shows it and nothing else."""

from __future__ import annotations

from dataclasses import replace

import pytest
from lineage_texts import FUSED, UNFUSED, hlo

from xlaviz.hlo.model import HloModule
from xlaviz.lineage.diff import diff_step
from xlaviz.lineage.patterns import Pattern, Place, find_patterns, put_together
from xlaviz.lineage.step import match_views
from xlaviz.lineage.view import View

SUM = "sum {\n  s.a = f32[] parameter(0)\n  s.b = f32[] parameter(1)\n  ROOT s.r = f32[] add(s.a, s.b)\n}"


def patterns(left: HloModule, right: HloModule) -> tuple[Pattern, ...]:
    one, other = View(left), View(right)
    return find_patterns(one, other, match_views(one, other), diff_step(left, right))


def rows(left: HloModule, right: HloModule) -> list[tuple[int, str]]:
    return [(pattern.count, pattern.text) for pattern in patterns(left, right)]


def unary(*operations: str, x: str = "f32[4]", root: str = "f32[4]") -> HloModule:
    """x through `NAME = SHAPE OPCODE` after the other, and sine at the end."""
    lines, last = [f"  x = {x} parameter(0)"], "x"
    for operation in operations:
        lines.append(f"  {operation}".replace("(", f"({last}", 1) if "(" in operation else f"  {operation}({last})")
        last = operation.split(" = ")[0]
    return hlo("\n".join([*lines, f"  ROOT end = {root} sine({last})"]))


def test_a_module_and_itself() -> None:
    assert rows(UNFUSED, UNFUSED) == []


def test_an_operation_removed() -> None:
    assert patterns(unary("c = f32[4] convert"), unary()) == (
        Pattern("`convert` removed", 1, (Place(("c",), ()),), "`convert` removed"),
    )


def test_two_that_undo_each_other() -> None:
    left = unary("a = f32[2,4] transpose(), dimensions={1,0}", "b = f32[4,2] transpose(), dimensions={1,0}",
                 x="f32[4,2]", root="f32[4,2]")  # fmt: skip
    assert rows(left, unary(x="f32[4,2]", root="f32[4,2]")) == [(1, "`transpose(transpose(x))` -> `x`")]


def test_the_inner_of_two_that_undo_each_other_may_have_other_users() -> None:
    head = "  x = f32[4,2] parameter(0)\n  a = f32[2,4] transpose(x), dimensions={1,0}\n"
    shape = "(f32[4,2], f32[2,4])"
    left = hlo(head + f"  b = f32[4,2] transpose(a), dimensions={{1,0}}\n  ROOT t = {shape} tuple(b, a)")
    assert rows(left, hlo(head + f"  ROOT t = {shape} tuple(x, a)")) == [(1, "`transpose(transpose(x))` -> `x`")]


def test_a_neutral_element_is_shown() -> None:
    head = "  x = f32[4] parameter(0)\n  zero = f32[] constant(0)\n  zeros = f32[4] broadcast(zero), dimensions={}\n"
    left = hlo(head + "  a = f32[4] add(x, zeros)\n  ROOT t = (f32[4], f32[4]) tuple(a, zeros)")
    assert rows(left, hlo(head + "  ROOT t = (f32[4], f32[4]) tuple(x, zeros)")) == [(1, "`add(x, 0)` -> `x`")]


def test_an_expansion_and_the_same_in_three_layers() -> None:
    def layers(count: int, *lines: str) -> HloModule:
        body = [line.format(i=i, before=f"l{i - 1}" if i else "x") for i in range(count) for line in lines]
        return hlo("\n".join(["  x = f32[2,2] parameter(0)", *body, f"  ROOT end = f32[2,2] sine(l{count - 1})"]))

    dims = "lhs_contracting_dims={{1}}, rhs_contracting_dims={{0}}"
    left = layers(3, f"  d{{i}} = f32[2,2] dot({{before}}, {{before}}), {dims}", "  l{i} = f32[2,2] tanh(d{i})")
    right = layers(
        3,
        "  r{i} = f32[2,2] reshape({before})",
        f"  n{{i}} = f32[2,2] dot(r{{i}}, {{before}}), {dims}",
        "  o{i} = f32[2,2] reshape(n{i})",
        "  l{i} = f32[2,2] tanh(o{i})",
    )
    (row,) = patterns(left, right)
    assert (row.count, row.text) == (3, "`dot` -> `reshape(dot(reshape(x), x))`")
    assert row.places[0] == Place(("d0",), ("r0", "n0", "o0"))
    assert [place.removed for place in row.places] == [("d0",), ("d1",), ("d2",)]


def test_a_large_region_is_listed_and_cut() -> None:
    names = ["sine", "cosine", "tanh", "negate", "abs", "floor", "ceil", "sign"]
    right = unary(*(f"n{i} = f32[4] {name}" for i, name in enumerate(names)))
    assert rows(unary("l = f32[4] logistic"), right) == [
        (1, "`logistic` -> `sine, cosine, tanh, negate, abs, floor, … (8 in all)`")
    ]


def test_the_text_does_not_depend_on_names_or_order() -> None:
    head = "  x = f32[4] parameter(0)\n  y = f32[4] parameter(1)\n"
    tail = "  ROOT t = (f32[4]) tuple(s)"
    right = hlo(head + "  s = f32[4] power(x, y)\n" + tail)
    first = hlo(head + "  a = f32[4] sine(x)\n  b = f32[4] cosine(y)\n  s = f32[4] add(a, b)\n" + tail)
    other = hlo(head + "  z = f32[4] cosine(y)\n  k = f32[4] sine(x)\n  s = f32[4] add(k, z)\n" + tail)
    assert rows(first, right) == rows(other, right) == [(1, "`add(sine(x), cosine(y))` -> `power`")]


def test_copies_put_in() -> None:
    assert rows(unary(), unary("c = f32[4] copy")) == [(1, "`copy` inserted")]


def test_dead_code() -> None:
    head = "  x = f32[4] parameter(0)\n"
    left = hlo(head + "  d = f32[4] cosine(x)\n  e = f32[4] tanh(d)\n  ROOT r = f32[4] sine(x)")
    assert rows(left, hlo(head + "  ROOT r = f32[4] sine(x)")) == [(1, "dead `tanh(cosine(x))` removed")]


def test_an_unused_computation() -> None:
    entry = "  x = f32[4] parameter(0)\n  ROOT r = f32[4] sine(x)"
    assert rows(hlo(entry, SUM), hlo(entry)) == [(1, "unused computation removed: `add(parameter, parameter)`")]


def test_a_folded_constant() -> None:
    left = hlo("  a = f32[] constant(3)\n  n = f32[] negate(a)\n  ROOT t = (f32[]) tuple(n)")
    right = hlo("  c = f32[] constant(-3)\n  ROOT t = (f32[]) tuple(c)")
    assert rows(left, right) == [(1, "constant folded: `negate(constant)`")]


def test_something_folded_into_its_user() -> None:
    dot = "  ROOT d = f32[2,4] dot({a}, y), lhs_contracting_dims={{{dim}}}, rhs_contracting_dims={{0}}"
    head = "  x = f32[3,2] parameter(0)\n  y = f32[3,4] parameter(1)\n"
    left = hlo(head + "  a = f32[2,3] transpose(x), dimensions={1,0}\n" + dot.format(a="a", dim=1))
    assert rows(left, hlo(head + dot.format(a="x", dim=0))) == [(1, "`transpose` folded into `dot`")]


def test_merged_equals() -> None:
    head = "  x = f32[4] parameter(0)\n  e.1 = f32[4] exponential(x)\n"
    left = hlo(head + "  e.2 = f32[4] exponential(x)\n  ROOT t = (f32[4], f32[4]) tuple(e.1, e.2)")
    (row,) = patterns(left, hlo(head + "  ROOT t = (f32[4], f32[4]) tuple(e.1, e.1)"))
    assert (row.text, row.places) == ("`exponential` merged with an equal one", (Place(("e.2",), ("e.1",)),))


def test_fused_into_a_loop_fusion() -> None:
    (row,) = patterns(UNFUSED, FUSED)
    assert (row.text, row.places) == (
        "fused into 1 loop fusion",
        (Place(("add.1", "exp.1", "mul.1"), ("fusion.1",)),),
    )


@pytest.mark.parametrize(
    ("kind", "text"), [("kInput", "input"), ("kOutput", "output"), ("kCustom", "custom"), ("kLoop", "loop")]
)
def test_fusions_are_told_by_kind(kind: str, text: str) -> None:
    computations = FUSED.computations
    entry = FUSED.entry_computation
    instructions = tuple(
        replace(one, attributes={"kind": kind}) if one.opcode == "fusion" else one for one in entry.instructions
    )
    right = replace(FUSED, computations=(computations[0], replace(entry, instructions=instructions)))
    assert rows(UNFUSED, right) == [(1, f"fused into 1 {text} fusion")]


def test_fused_twice_and_duplicated() -> None:
    head = "  x = f32[4] parameter(0)\n"
    left = hlo(
        head + "  e = f32[4] exponential(x)\n  s = f32[4] sine(e)\n  c = f32[4] cosine(e)\n"
        "  ROOT t = (f32[4], f32[4]) tuple(s, c)"
    )
    body = "  p{n} = f32[4] parameter(0)\n  e{n} = f32[4] exponential(p{n})\n  ROOT r{n} = f32[4] {op}(e{n})\n"
    fused = "{name} {{\n" + body + "}}"
    right = hlo(
        head + "  f = f32[4] fusion(x), kind=kLoop, calls=fs\n  g = f32[4] fusion(x), kind=kLoop, calls=fc\n"
        "  ROOT t = (f32[4], f32[4]) tuple(f, g)",
        fused.format(name="fs", n=1, op="sine"),
        fused.format(name="fc", n=2, op="cosine"),
    )
    assert patterns(left, right) == (
        Pattern(
            "fused into 2 loop fusions",
            2,
            (Place(("c", "e"), ("g",)), Place(("e", "s"), ("f",))),
            "fused into # loop fusions",
        ),
        Pattern("`exponential` duplicated", 1, (Place(("e",), ("e1", "e2")),), "`exponential` duplicated"),
    )


def wrapped(opcode: str, attribute: str) -> HloModule:
    return hlo(
        f"  x = f32[4] parameter(0)\n  f = f32[4] {opcode}(x), {attribute}\n  ROOT end = f32[4] sine(f)",
        "inner {\n  p = f32[4] parameter(0)\n  ROOT e.w = f32[4] exponential(p)\n}",
    )


def test_wrapped_alone() -> None:
    assert rows(unary("e = f32[4] exponential"), wrapped("fusion", "kind=kLoop, calls=inner")) == [
        (1, "wrapped into 1 loop fusion")
    ]


def test_outlined_and_inlined() -> None:
    plain, call = unary("e = f32[4] exponential"), wrapped("call", "to_apply=inner")
    assert rows(plain, call) == [(1, "outlined into 1 call")]
    assert rows(call, plain) == [(1, "call inlined")]


def test_a_fusion_that_was_dissolved_renamed_or_dead() -> None:
    fusion = wrapped("fusion", "kind=kLoop, calls=inner")
    assert rows(fusion, unary("e = f32[4] exponential")) == [(1, "loop fusion dissolved")]
    renamed = hlo(
        "  x = f32[4] parameter(0)\n  f.9 = f32[4] fusion(x), kind=kLoop, calls=inner\n  ROOT end = f32[4] sine(f.9)",
        "inner {\n  p = f32[4] parameter(0)\n  ROOT e.w = f32[4] exponential(p)\n}",
    )
    assert rows(fusion, renamed) == [(1, "loop fusion renamed")]


def test_a_dead_fusion() -> None:
    fused = "inner {\n  p = f32[4] parameter(0)\n  ROOT e.w = f32[4] exponential(p)\n}"
    rest = "  ROOT end = f32[4] sine(x)"
    left = hlo(f"  x = f32[4] parameter(0)\n  f = f32[4] fusion(x), kind=kLoop, calls=inner\n{rest}", fused)
    assert (1, "dead loop fusion removed") in rows(left, hlo(f"  x = f32[4] parameter(0)\n{rest}"))


def test_a_fusion_merged_with_an_equal_one() -> None:
    fused = [f"{n} {{\n  p{n} = f32[4] parameter(0)\n  ROOT e{n} = f32[4] exponential(p{n})\n}}" for n in ("a", "b")]
    head = "  x = f32[4] parameter(0)\n  f.a = f32[4] fusion(x), kind=kLoop, calls=a\n"
    left = hlo(
        head + "  f.b = f32[4] fusion(x), kind=kLoop, calls=b\n  ROOT t = (f32[4], f32[4]) tuple(f.a, f.b)", *fused
    )
    right = hlo(head + "  ROOT t = (f32[4], f32[4]) tuple(f.a, f.a)", *fused)
    (row,) = patterns(left, right)
    assert (row.text, row.places) == ("loop fusion merged with an equal one", (Place(("f.b",), ("f.a",)),))


def test_a_reducer_of_its_own() -> None:
    def reducing(*names: str) -> HloModule:
        reduces = [f"  r{i} = f32[] reduce(x, z), dimensions={{0}}, to_apply={name}" for i, name in enumerate(names)]
        computations = [SUM.replace("sum {", f"{name} {{").replace("s.", f"{name}.") for name in dict.fromkeys(names)]
        entry = ["  x = f32[4] parameter(0)", "  z = f32[] constant(0)", *reduces]
        return hlo("\n".join([*entry, "  ROOT t = (f32[], f32[]) tuple(r0, r1)"]), *computations)

    assert rows(reducing("one", "one"), reducing("one", "two")) == [(1, "computation of `reduce` cloned")]


def test_an_operand_bypassed() -> None:
    head = "  x = f32[4] parameter(0)\n  c = f32[4] convert(x)\n"
    (row,) = patterns(hlo(head + "  ROOT s = f32[4] sine(c)"), hlo(head + "  ROOT s = f32[4] sine(x)"))
    assert (row.text, row.places) == ("`convert` bypassed", (Place(("c",), ("x",)),))


def test_operands_in_another_order() -> None:
    head = "  x = f32[4] parameter(0)\n  y = f32[4] parameter(1)\n"
    left, right = (hlo(head + f"  ROOT s = f32[4] add({both})") for both in ("x, y", "y, x"))
    assert rows(left, right) == [(1, "operands of `add` changed")]


def test_a_layout_and_an_attribute() -> None:
    def reversed_(layout: str, dimension: int) -> HloModule:
        return hlo(
            "  x = f32[4,2] parameter(0)\n"
            f"  r = f32[4,2]{layout} reverse(x), dimensions={{{dimension}}}\n  ROOT s = f32[4,2] sine(r)"
        )

    plain = reversed_("{1,0}", 0)
    assert rows(plain, reversed_("{0,1}", 0)) == [(1, "layout of `reverse` changed")]
    assert rows(plain, reversed_("{1,0}", 1)) == [(1, "dimensions of `reverse` changed")]


def test_another_shape_of_the_same_operation() -> None:
    def sliced(name: str, size: int) -> HloModule:
        return hlo(
            f"  x = f32[8] parameter(0)\n  {name} = f32[{size}] slice(x), slice={{[0:{size}]}}\n"
            f"  ROOT t = (f32[{size}]) tuple({name})"
        )

    assert (1, "`slice` -> `slice` of another shape") in rows(sliced("a", 4), sliced("b", 2))


def test_scheduled_and_reordered() -> None:
    lines = ["  a = f32[4] sine(x)", "  b = f32[4] cosine(x)"]

    def ordered(*body: str, scheduled: bool) -> HloModule:
        entry = ["  x = f32[4] parameter(0)", *body, "  ROOT t = (f32[4], f32[4]) tuple(a, b)"]
        return replace(hlo("\n".join(entry)), is_scheduled=scheduled)

    plain, first = ordered(*lines, scheduled=False), ordered(*lines, scheduled=True)
    assert rows(plain, first) == [(1, "scheduled")]
    assert rows(first, ordered(*reversed(lines), scheduled=True)) == [(1, "order changed")]
    assert rows(plain, ordered(*reversed(lines), scheduled=False)) == []


def test_the_tables_of_several_steps_are_one() -> None:
    first, second = patterns(UNFUSED, FUSED), patterns(unary("c = f32[4] convert"), unary())
    again = put_together([first, second, first])
    assert [(row.count, row.text) for row in again] == [(2, "fused into 2 loop fusions"), (1, "`convert` removed")]
    assert put_together([[Pattern.of("scheduled", (), 3)], [Pattern.of("scheduled", (), 2)]]) == (
        Pattern("scheduled", 5, (), "scheduled"),
    )


def test_many_rows_come_in_a_steady_order() -> None:
    left = hlo(
        "  x = f32[4] parameter(0)\n  a = f32[4] convert(x)\n  b = f32[4] copy(x)\n  c = f32[4] convert(x)\n"
        "  s = f32[4] sine(a)\n  k = f32[4] cosine(c)\n  ROOT t = (f32[4], f32[4], f32[4]) tuple(s, b, k)"
    )
    right = hlo(
        "  x = f32[4] parameter(0)\n  s = f32[4] sine(x)\n  k = f32[4] cosine(x)\n"
        "  ROOT t = (f32[4], f32[4], f32[4]) tuple(s, x, k)"
    )
    assert rows(left, right) == [(2, "`convert` removed"), (1, "`copy` removed")]


def test_a_removed_root_is_not_dead() -> None:
    head = "  x = f32[4] parameter(0)\n"
    left = hlo(head + "  s = f32[4] sine(x)\n  ROOT c = f32[4] copy(s)")
    assert rows(left, hlo(head + "  ROOT s = f32[4] sine(x)")) == [(1, "`copy` removed")]


def test_a_user_with_another_backend_config_has_not_swallowed_its_operand() -> None:
    left = unary("c = f32[4] convert")
    right = hlo('  x = f32[4] parameter(0)\n  ROOT end = f32[4] sine(x), backend_config="fast"')
    assert rows(left, right) == [(1, "`convert` removed"), (1, "backend_config of `sine` changed")]


def test_what_comes_in_has_one_letter_on_both_sides_even_when_renamed() -> None:
    head, tail = "  w = f32[4] parameter(0)\n", "  ROOT t = (f32[4]) tuple(p)"
    left = hlo(head + "  a = f32[4] cosine(w)\n  s = f32[4] sine(a)\n  p = f32[4] power(s, a)\n" + tail)
    right = hlo(
        head + "  b = f32[4] cosine(w)\n  h = f32[4] tanh(b)\n  m = f32[4] multiply(b, h)\n" + tail.replace("p)", "m)")
    )
    assert rows(left, right) == [(1, "`power(sine(x), x)` -> `multiply(x, tanh(x))`")]


def test_several_outputs_come_in_the_order_of_their_structure() -> None:
    plain = hlo("  x = f32[4] parameter(0)\n  ROOT t = (f32[4], f32[4]) tuple(x, x)")

    def split(one: str, other: str) -> HloModule:
        return hlo(
            f"  x = f32[4] parameter(0)\n  c = f32[4] copy(x)\n  {one} = f32[4] tanh(c)\n  {other} = f32[4] sine(c)\n"
            f"  ROOT t = (f32[4], f32[4]) tuple({one}, {other})"
        )

    assert rows(plain, split("a", "b")) == rows(plain, split("b", "a")) == [(1, "`copy, sine, tanh` inserted")]


def test_a_fusion_that_took_more_in() -> None:
    head = "  x = f32[4] parameter(0)\n  f = f32[4] fusion(x), kind=kLoop, calls={}\n"
    sine = "one {\n  p = f32[4] parameter(0)\n  ROOT s = f32[4] sine(p)\n}"
    both = "two {\n  q = f32[4] parameter(0)\n  s.1 = f32[4] sine(q)\n  ROOT c.1 = f32[4] cosine(s.1)\n}"
    left = hlo(head.format("one") + "  c = f32[4] cosine(f)\n  ROOT t = (f32[4]) tuple(c)", sine)
    (row,) = patterns(left, hlo(head.format("two") + "  ROOT t = (f32[4]) tuple(f)", both))
    assert (row.text, row.places) == ("fused into 1 existing loop fusion", (Place(("c",), ("f",)),))


def test_a_fusion_that_went_into_another_was_not_dissolved() -> None:
    head = "  x = f32[4] parameter(0)\n  {} = f32[4] fusion(x), kind=kLoop, calls={}\n"
    sine = "one {\n  p = f32[4] parameter(0)\n  ROOT s = f32[4] sine(p)\n}"
    both = "two {\n  q = f32[4] parameter(0)\n  s.1 = f32[4] sine(q)\n  ROOT c.1 = f32[4] cosine(s.1)\n}"
    left = hlo(head.format("f", "one") + "  c = f32[4] cosine(f)\n  ROOT t = (f32[4]) tuple(c)", sine)
    right = hlo(head.format("g", "two") + "  ROOT t = (f32[4]) tuple(g)", both)
    assert rows(left, right) == [(1, "fused into 1 loop fusion")]


def test_fused_computations_are_not_scheduled() -> None:
    assert rows(FUSED, replace(FUSED, is_scheduled=True)) == [(1, "scheduled")]


def test_one_that_swallowed_another_is_still_itself() -> None:
    op = ', metadata={op_name="net/inner"}'
    head, tail = "  x = f32[4] parameter(0)\n", "  ROOT end = f32[1,4] sine({})"
    left = hlo(
        head
        + f"  a = f32[2,2] reshape(x){op}\n  r = f32[1,4] reshape(a)\n  c = f32[1,4] convert(r)\n"
        + tail.format("c")
    )
    right = hlo(head + f"  r = f32[1,4] reshape(x){op}\n" + tail.format("r"))
    assert rows(left, right) == [(1, "`convert` removed"), (1, "`reshape` removed")]
