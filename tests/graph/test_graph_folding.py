"""What is left out of a drawing, and how the boxes tell of it."""

from __future__ import annotations

import pytest
from helpers.modules import ADD, drawn, edge, edges, entry_of, module_of, node

from xlaviz.graph.build import MAX_DRAWN_OPERANDS, MAX_DRAWN_USERS
from xlaviz.graph.families import FAMILIES, family_of
from xlaviz.graph.labels import MAX_WIDTH_PX


def test_a_scalar_constant_is_a_word_in_its_users_box() -> None:
    graph = drawn(entry_of("x = f32[] parameter(0)", "two = f32[] constant(2)", "twice = f32[] multiply(x, two)"))
    assert "two" not in graph.nodes_of
    assert node(graph, "twice").title == "multiply 2"
    assert edges(graph) == {("x", "twice")}
    assert graph.instruction_count == 3


def test_a_large_constant_and_a_tuple_constant_keep_their_boxes() -> None:
    graph = drawn(
        entry_of(
            "table = f32[3] constant({1, 2, 3})",
            "pair = (f32[], f32[]) constant((1, 2))",
            "first = f32[] get-tuple-element(pair), index=0",
            "out = (f32[3], f32[]) tuple(table, first)",
        )
    )
    assert edges(graph) == {("table", "out"), ("pair", "out")}


def test_a_constant_that_a_fusion_takes_keeps_its_box() -> None:
    module = module_of("""
fused { p = f32[8] parameter(0)
  s = f32[] parameter(1)
  b = f32[8] broadcast(s), dimensions={}
  ROOT m = f32[8] multiply(p, b) }
ENTRY main { x = f32[8] parameter(0)
  two = f32[] constant(2)
  ROOT fusion = f32[8] fusion(x, two), kind=kLoop, calls=fused }""")
    assert edges(drawn(module)) == {("x", "fusion"), ("two", "fusion")}
    assert ("two", "s^") in edges(drawn(module, "fusion"))


def test_get_tuple_elements_are_labels_of_edges() -> None:
    graph = drawn(
        entry_of(
            "in = (f32[2], (f32[3], f32[4])) parameter(0)",
            "a = f32[2] get-tuple-element(in), index=0",
            "nested = (f32[3], f32[4]) get-tuple-element(in), index=1",
            "b = f32[4] get-tuple-element(nested), index=1",
            "na = f32[2] negate(a)",
            "nb = f32[4] negate(b)",
            "out = (f32[2], f32[4]) tuple(na, nb)",
        )
    )
    assert edge(graph, "in", "na").label == "#0"
    assert edge(graph, "in", "nb").label == "#1#1"
    assert not {"a", "b", "nested"} & set(graph.nodes_of)


def test_a_get_tuple_element_before_its_tuple_in_the_file_is_folded_too() -> None:
    module = module_of("""
ENTRY main { a = f32[2] get-tuple-element(in), index=1
  in = (f32[3], f32[2]) parameter(0)
  ROOT out = f32[2] negate(a) }""")
    assert edge(drawn(module), "in", "out").label == "#1"


@pytest.mark.parametrize(
    ("lines", "boxes"),
    [
        (["x = f32[] parameter(0)"], ["x"]),
        (["c = f32[] constant(3)"], ["c"]),
        (["in = (f32[], f32[]) parameter(0)", "a = f32[] get-tuple-element(in), index=0"], ["in", "a"]),
    ],
    ids=["parameter", "constant", "get-tuple-element"],
)
def test_a_root_always_has_a_box(lines: list[str], boxes: list[str]) -> None:
    assert list(drawn(entry_of(*lines)).nodes_of) == boxes


@pytest.mark.parametrize(
    ("root", "title"),
    [("add(a, b)", "reduce add 0"), ("maximum(a, b)", "reduce maximum 0"), ("convert(b)", "reduce 0")],
)
def test_a_trivial_reducer_is_named_in_the_box(root: str, title: str) -> None:
    module = module_of(f"""
r {{ a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT r = f32[] {root} }}
ENTRY main {{ x = f32[8] parameter(0)
  zero = f32[] constant(0)
  ROOT total = f32[] reduce(x, zero), dimensions={{0}}, to_apply=r }}""")
    box = node(drawn(module, "total"), "total")
    assert (box.kind, box.title) == ("instruction", title)


def test_a_reducer_of_bf16_is_named_by_what_it_does_not_by_its_conversion() -> None:
    module = module_of("""
r { a = bf16[] parameter(0)
  b = bf16[] parameter(1)
  wa = f32[] convert(a)
  wb = f32[] convert(b)
  s = f32[] add(wa, wb)
  ROOT n = bf16[] convert(s) }
ENTRY main { x = bf16[8] parameter(0)
  zero = bf16[] constant(0)
  ROOT total = bf16[] reduce(x, zero), dimensions={0}, to_apply=r }""")
    assert node(drawn(module), "total").title == "reduce add 0"


def hub(users: int) -> list[str]:
    return ["x = f32[8] parameter(0)", *(f"u{i} = f32[8] negate(x)" for i in range(users))]


def test_the_edges_of_a_hub_are_counted_instead_of_drawn() -> None:
    count = MAX_DRAWN_USERS + 1
    graph = drawn(entry_of(*hub(count)))
    assert edges(graph) == set()
    assert node(graph, "x").hidden_users == count
    assert {node(graph, f"u{i}").hidden_operands for i in range(count)} == {1}


def test_as_many_users_as_may_be_are_drawn() -> None:
    graph = drawn(entry_of(*hub(MAX_DRAWN_USERS)))
    assert len(graph.edges) == MAX_DRAWN_USERS
    assert not any(n.hidden_users or n.hidden_operands for n in graph.nodes)


def test_a_tuple_of_very_many_is_a_hub_as_well() -> None:
    count = MAX_DRAWN_OPERANDS + 1
    names = [f"p{i}" for i in range(count)]
    shape = ", ".join(["f32[2]"] * count)
    parameters = [f"{name} = f32[2] parameter({i})" for i, name in enumerate(names)]
    graph = drawn(entry_of(*parameters, f"all = ({shape}) tuple({', '.join(names)})"))
    assert edges(graph) == set()
    assert node(graph, "all").hidden_operands == count
    assert node(graph, "p0").hidden_users == 1


def test_control_dependencies_are_edges_of_no_operand() -> None:
    graph = drawn(
        entry_of(
            "x = f32[] parameter(0)",
            "a = f32[] negate(x)",
            "b = f32[] exponential(x), control-predecessors={a}",
            "out = f32[] add(a, b)",
        )
    )
    assert edge(graph, "a", "b").operand == -1
    assert [edge(graph, name, "out").operand for name in ("a", "b")] == [0, 1]


def test_an_unknown_opcode_is_a_box_like_any_other() -> None:
    graph = drawn(entry_of("x = f32[8] parameter(0)", "y = f32[8] frobnicate(x), how={1,2}"))
    assert (node(graph, "y").title, node(graph, "y").family) == ("frobnicate", "elementwise")
    assert edges(graph) == {("x", "y")}


def test_a_get_tuple_element_of_nothing_is_a_box() -> None:
    module = entry_of("x = f32[] parameter(0)", "g = f32[] get-tuple-element(), index=0", "y = f32[] add(x, g)")
    assert ("g", "y") in edges(drawn(module))


def test_labels_stay_within_a_box_of_bounded_width() -> None:
    long = "a_very_long_name_" * 10
    graph = drawn(entry_of("x = f32[8] parameter(0)", f'{long} = f32[8] custom-call(x), custom_call_target="{long}"'))
    box = node(graph, long)
    assert box.width_px <= MAX_WIDTH_PX
    assert len(box.title) <= 30
    assert box.tag.endswith(long[-8:])


def test_reducers_that_share_a_computation_are_each_drawn() -> None:
    module = module_of(
        ADD
        + """
ENTRY main { x = f32[4,8] parameter(0)
  zero = f32[] constant(0)
  rows = f32[8] reduce(x, zero), dimensions={0}, to_apply=add
  ROOT all = f32[] reduce(rows, zero), dimensions={0}, to_apply=add }"""
    )
    assert edges(drawn(module)) == {("x", "rows"), ("rows", "all")}


@pytest.mark.parametrize(
    ("opcode", "family"),
    [
        ("all-reduce-start", "collective"),
        ("all-reduce-done", "collective"),
        ("copy-start", "data movement"),
        ("async-update", "control flow"),
        ("send-done", "collective"),
        ("dot", "dot"),
        ("add", "elementwise"),
        ("", "elementwise"),
    ],
)
def test_families(opcode: str, family: str) -> None:
    assert family_of(opcode) == family
    assert family in FAMILIES
