"""Fusions, calls and loops: closed as one box, open as a frame round what is in them."""

from __future__ import annotations

import pytest
from helpers.modules import ADD, FUSION, WHILE, drawn, edge, edges, entry_of, module_of, node

from xlaviz.graph import build
from xlaviz.graph.build import OPEN_AT_MOST, GraphOptions, all_open, build_graph, default_open, is_openable
from xlaviz.hlo.model import HloComputation, HloInstruction, HloModule
from xlaviz.hlo.shapes import Shape


def test_a_closed_fusion_is_one_box_that_says_what_is_in_it() -> None:
    graph = drawn(module_of(FUSION))
    box = node(graph, "fusion")
    assert (box.kind, box.family) == ("closed", "fusion")
    assert box.lines[1:] == ("2 instructions · kLoop", "add, exponential")
    assert edges(graph) == {("x", "neg"), ("neg", "fusion"), ("y", "fusion"), ("fusion", "out")}


def test_an_open_fusion_is_a_frame_and_its_edges_lead_inside() -> None:
    graph = drawn(module_of(FUSION), "fusion")
    frame = graph.nodes_of["fusion"][0]
    inside = {n.instruction for n in graph.nodes if n.parent == frame}
    assert graph.nodes[frame].kind == "open"
    assert inside == {"p0", "p1", "inner_add", "inner_exp"}
    assert edges(graph) == {
        ("x", "neg"),
        ("neg", "p0^"),
        ("y", "p1^"),
        ("p0^", "inner_add"),
        ("p1^", "inner_add"),
        ("inner_add", "inner_exp"),
        ("inner_exp", "out"),
    }


def test_frames_come_before_what_they_hold() -> None:
    for module in (module_of(FUSION), module_of(WHILE)):
        graph = build_graph(module, GraphOptions(open=all_open(module)))
        assert all(n.parent < index for index, n in enumerate(graph.nodes))
        assert all(n.parent < 0 or graph.nodes[n.parent].kind == "open" for n in graph.nodes)


def test_elements_of_a_fusion_of_many_outputs_come_from_its_root() -> None:
    module = module_of("""
fused { p = f32[8] parameter(0)
  a = f32[8] negate(p)
  b = f32[8] exponential(p)
  ROOT both = (f32[8], f32[8]) tuple(a, b) }
ENTRY main { x = f32[8] parameter(0)
  multi = (f32[8], f32[8]) fusion(x), kind=kLoop, calls=fused
  second = f32[8] get-tuple-element(multi), index=1
  ROOT out = f32[8] tanh(second) }""")
    assert edge(drawn(module), "multi", "out").label == "#1"
    assert edge(drawn(module, "multi"), "both", "out").label == "#1"


@pytest.mark.parametrize("root", ["p", "c", "g"])
def test_whatever_the_root_of_an_open_fusion_is_its_value_comes_out(root: str) -> None:
    module = module_of(
        """
fused {
  p = (f32[], f32[]) parameter(0)
  c = f32[] constant(4)
  g = f32[] get-tuple-element(p), index=0
}
ENTRY main { x = (f32[], f32[]) parameter(0)
  fusion = f32[] fusion(x), kind=kLoop, calls=fused
  ROOT out = f32[] negate(fusion) }""".replace(f"  {root} =", f"  ROOT {root} =")
    )
    graph = drawn(module, "fusion")
    assert ("p^" if root == "p" else root, "out") in edges(graph)


def test_a_fusion_within_a_fusion_opens_within_it() -> None:
    module = module_of("""
deep { q = f32[8] parameter(0)
  ROOT core = f32[8] tanh(q) }
outer { p = f32[8] parameter(0)
  nested = f32[8] fusion(p), kind=kLoop, calls=deep
  ROOT r = f32[8] negate(nested) }
ENTRY main { x = f32[8] parameter(0)
  ROOT f = f32[8] fusion(x), kind=kOutput, calls=outer }""")
    assert node(drawn(module, "f"), "nested").kind == "closed"
    graph = drawn(module, "f", "nested")
    assert node(graph, "nested").parent == graph.nodes_of["f"][0]
    assert node(graph, "core").parent == graph.nodes_of["nested"][0]
    assert edges(graph) == {("x", "p^"), ("p^", "q^"), ("q^", "core"), ("core", "r")}
    assert "nested" not in drawn(module, "nested").nodes_of, "a fusion shows only where what holds it is open"


def test_an_open_loop_shows_body_and_condition_and_feeds_both() -> None:
    graph = drawn(module_of(WHILE), "loop")
    titles = [n.title for n in graph.nodes if n.instruction == "loop"]
    assert titles == ["▾ loop", "▾ body body", "▾ condition condition"]
    assert {("start", "state^"), ("start", "c_state^"), ("loop", "out")} <= edges(graph)
    assert edge(graph, "state^", "next").label == "#0"
    assert node(graph, "next").title == "add 1"
    assert node(graph, "less").title == "compare < 10"
    assert node(graph, "next").parent == graph.nodes_of["loop"][1]
    assert node(graph, "less").parent == graph.nodes_of["loop"][2]


def test_an_open_conditional_gives_each_branch_its_own_operand() -> None:
    module = module_of("""
yes { a = f32[8] parameter(0)
  ROOT na = f32[8] negate(a) }
no { b = f32[8] parameter(0)
  ROOT nb = f32[8] tanh(b) }
ENTRY main { which = pred[] parameter(0)
  x = f32[8] parameter(1)
  y = f32[8] parameter(2)
  ROOT pick = f32[8] conditional(which, x, y), true_computation=yes, false_computation=no }""")
    graph = drawn(module, "pick")
    assert {("which", "pick"), ("x", "a^"), ("y", "b^")} <= edges(graph)
    assert [n.title for n in graph.nodes if n.instruction == "pick"][1:] == ["▾ branch 0 yes", "▾ branch 1 no"]


def test_a_reducer_worth_a_frame_is_not_fed_the_operands() -> None:
    """Its parameters are single elements, two for each operand: an edge to them would say what is not so."""
    module = module_of("""
argmax { a = f32[] parameter(0)
  ia = s32[] parameter(1)
  b = f32[] parameter(2)
  ib = s32[] parameter(3)
  gt = pred[] compare(a, b), direction=GT
  v = f32[] select(gt, a, b)
  i = s32[] select(gt, ia, ib)
  ROOT both = (f32[], s32[]) tuple(v, i) }
ENTRY main { x = f32[8] parameter(0)
  n = s32[8] iota(), iota_dimension=0
  low = f32[] constant(-inf)
  zero = s32[] constant(0)
  ROOT best = (f32[], s32[]) reduce(x, n, low, zero), dimensions={0}, to_apply=argmax }""")
    assert is_openable(module, module.by_name["main"].by_name["best"])
    graph = drawn(module, "best")
    assert {pair for pair in edges(graph) if pair[0] in ("x", "n")} == {("x", "best"), ("n", "best")}
    assert ("a^", "gt") in edges(graph)


def test_a_scatter_that_only_overwrites_stays_a_box() -> None:
    module = module_of("""
assign { old = f32[] parameter(0)
  ROOT new = f32[] parameter(1) }
ENTRY main { x = f32[8] parameter(0)
  i = s32[2,1] parameter(1)
  u = f32[2] parameter(2)
  ROOT s = f32[8] scatter(x, i, u), update_window_dims={}, inserted_window_dims={0},
    scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=assign }""")
    assert node(drawn(module, "s"), "s").kind == "instruction"
    assert not is_openable(module, module.by_name["main"].by_name["s"])


def test_a_computation_called_twice_opens_twice() -> None:
    module = module_of("""
helper { p = f32[8] parameter(0)
  ROOT t = f32[8] tanh(p) }
ENTRY main { x = f32[8] parameter(0)
  first = f32[8] call(x), to_apply=helper
  ROOT second = f32[8] call(first), to_apply=helper }""")
    graph = drawn(module, "first", "second")
    assert len(graph.nodes_of["t"]) == 2
    assert [node(graph, "t", place).parent for place in (0, 1)] == [
        graph.nodes_of["first"][0],
        graph.nodes_of["second"][0],
    ]
    assert len(drawn(module, "first").nodes_of["t"]) == 1


def test_a_small_module_opens_by_itself_and_a_large_one_does_not() -> None:
    module = module_of(FUSION)
    assert default_open(module) == {"fusion"}
    filling = "\n".join(f"  n{i} = f32[8] negate(x)" for i in range(OPEN_AT_MOST))
    large = module_of(FUSION.replace("  neg =", f"{filling}\n  neg ="))
    assert default_open(large) == frozenset()
    assert all_open(large) == {"fusion"}


def chain(levels: int) -> str:
    """Each computation calls the next twice: 2**levels boxes with everything open."""
    text = "c0 { p = f32[] parameter(0)\n ROOT t = f32[] tanh(p) }\n"
    for level in range(1, levels):
        text += f"c{level} {{ p{level} = f32[] parameter(0)\n"
        text += f" a{level} = f32[] call(p{level}), to_apply=c{level - 1}\n"
        text += f" ROOT b{level} = f32[] call(a{level}), to_apply=c{level - 1} }}\n"
    last = levels - 1
    return text.replace(f"c{last} {{", "ENTRY main {")


def test_what_is_called_twice_counts_twice() -> None:
    assert default_open(module_of(chain(6))) != frozenset()
    assert default_open(module_of(chain(22))) == frozenset()


def test_a_drawing_stops_growing_at_a_limit_and_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(build, "MAX_NODES", 100)
    module = module_of(chain(16))
    graph = build_graph(module, GraphOptions(open=all_open(module)))
    assert 100 <= len(graph.nodes) < 200
    assert "100 boxes are the limit" in graph.notes[0]
    assert any(n.kind == "closed" for n in graph.nodes)


F32 = Shape("f32", ())


def test_a_computation_that_calls_itself_opens_once() -> None:
    parameter = HloInstruction("p", "parameter", F32, parameter_number=0)
    again = HloInstruction("again", "call", F32, ("p",), ("main",))
    module = HloModule("m", (HloComputation("main", (parameter, again), "again"),), "main")
    assert node(drawn(module, "again"), "again").kind == "closed"
    assert default_open(module) == {"again"}


@pytest.mark.parametrize("opcode", ["fusion", "while", "reduce", "custom-call", "conditional"])
def test_an_instruction_that_refers_to_a_missing_computation_is_a_box(opcode: str) -> None:
    parameter = HloInstruction("p", "parameter", F32, parameter_number=0)
    caller = HloInstruction("caller", opcode, F32, ("p", "nobody"), ("gone", "gone too"))
    module = HloModule("m", (HloComputation("main", (parameter, caller), "caller"),), "main")
    assert not is_openable(module, caller)
    graph = drawn(module, *all_open(module), "caller")
    assert node(graph, "caller").kind == "instruction"
    assert edges(graph) == {("p", "caller")}


def test_one_missing_computation_of_two_leaves_the_other() -> None:
    parameter = HloInstruction("p", "parameter", F32, parameter_number=0)
    body = HloComputation("body", (HloInstruction("q", "parameter", F32, parameter_number=0),), "q")
    loop = HloInstruction("loop", "while", F32, ("p",), ("body", "gone"))
    module = HloModule("m", (body, HloComputation("main", (parameter, loop), "loop")), "main")
    assert node(drawn(module), "loop").kind == "closed"
    assert ("p", "q^") in edges(drawn(module, "loop"))


def test_an_empty_computation_draws_nothing() -> None:
    module = HloModule("m", (HloComputation("main", (), ""),), "main")
    graph = drawn(module)
    assert (graph.nodes, graph.edges, graph.instruction_count, graph.box_count) == ((), (), 0, 0)


def test_a_fusion_of_an_empty_computation_is_still_drawn() -> None:
    fusion = HloInstruction("f", "fusion", F32, (), ("nothing",))
    user = HloInstruction("u", "negate", F32, ("f",))
    module = HloModule("m", (HloComputation("nothing", (), ""), HloComputation("main", (fusion, user), "u")), "main")
    assert edges(drawn(module, "f")) == {("f", "u")}


def test_another_computation_can_be_the_drawing() -> None:
    graph = build_graph(module_of(FUSION), GraphOptions(computation="fused"))
    assert graph.computation == "fused"
    assert {n.kind for n in graph.nodes} == {"instruction"}


def test_a_neighbourhood_counts_what_it_cuts() -> None:
    lines = ["x = f32[] parameter(0)", *(f"n{i + 1} = f32[] negate({f'n{i}' if i else 'x'})" for i in range(9))]
    graph = drawn(entry_of(*lines), focus="n5", hops=2)
    assert set(graph.nodes_of) == {"n3", "n4", "n5", "n6", "n7"}
    assert node(graph, "n3").hidden_operands == 1
    assert node(graph, "n7").hidden_users == 1
    assert graph.instruction_count == 10
    assert graph.notes == ("neighbourhood of n5, 2 hops",)


def test_the_neighbourhood_of_an_open_fusion_is_what_is_in_it_and_round_it() -> None:
    graph = drawn(module_of(FUSION), "fusion", focus="fusion", hops=1)
    assert set(graph.nodes_of) == {"neg", "y", "fusion", "p0", "p1", "inner_add", "inner_exp", "out"}
    assert node(graph, "neg").hidden_operands == 1


def test_the_neighbourhood_of_what_is_within_a_frame_keeps_the_frame() -> None:
    graph = drawn(module_of(FUSION), "fusion", focus="inner_exp", hops=1)
    assert node(graph, "inner_exp").parent == graph.nodes_of["fusion"][0]
    assert set(graph.nodes_of) == {"fusion", "p0", "p1", "inner_add", "inner_exp", "out"}


def test_the_neighbourhood_of_what_is_not_drawn_is_the_whole() -> None:
    module = module_of(ADD + "ENTRY main { x = f32[] parameter(0)\n ROOT y = f32[] negate(x) }")
    assert drawn(module, focus="sum") == drawn(module)
