"""Scopes as clusters: who is in which, what their boxes say, and that none stands in a circle."""

from __future__ import annotations

import pytest
from helpers.modules import FUSION, edges, has_circle, module_of, node, scoped

from xlaviz.graph.build import MAX_DRAWN_USERS, GraphOptions, all_open, build_graph
from xlaviz.graph.flow import Flow
from xlaviz.graph.model import DrawnGraph
from xlaviz.hlo.model import HloModule

TWO_LAYERS = (
    "x = f32[8] parameter(0)",
    "a1 = f32[8] negate(x) @ model/first/Neg",
    "a2 = f32[8] tanh(a1) @ model/first/Tanh",
    "b1 = f32[8] negate(a2) @ model/second/Neg",
    "b2 = f32[8] exponential(b1) @ model/second/Exp",
    "loss = f32[8] cosine(b2) @ loss/Cos",
    "end = f32[8] sine(loss) @ loss/Sin",
)


def shown(module: HloModule, *opened: str, fold_repeats: bool = False) -> DrawnGraph:
    options = GraphOptions(open=frozenset(opened), clusters="scopes", fold_repeats=fold_repeats)
    return build_graph(module, options)


def test_a_closed_scope_is_one_box_that_says_what_is_in_it() -> None:
    graph = shown(scoped(*TWO_LAYERS))
    box = node(graph, "scope:model")
    assert (box.kind, box.cluster, box.title) == ("closed", "scope", "▸ model")
    assert box.lines == ("f32[8]", "4 instructions", "negate 2, tanh 1, exponential 1")
    assert edges(graph) == {("x", "scope:model"), ("scope:model", "scope:loss")}


def test_an_open_scope_is_a_frame_round_its_scopes() -> None:
    graph = shown(scoped(*TWO_LAYERS), "scope:model", "scope:model/second")
    assert node(graph, "scope:model").kind == "open"
    assert node(graph, "scope:model/first").parent == graph.nodes_of["scope:model"][0]
    assert node(graph, "b1").parent == graph.nodes_of["scope:model/second"][0]
    assert edges(graph) == {
        ("x", "scope:model/first"),
        ("scope:model/first", "b1"),
        ("b1", "b2"),
        ("b2", "scope:loss"),
    }


def test_a_closed_box_stands_for_what_it_holds() -> None:
    graph = shown(scoped(*TWO_LAYERS), "scope:model")
    assert [graph.nodes[index].instruction for index in graph.boxes_of("a2")] == ["scope:model/first"]
    assert [graph.nodes[index].instruction for index in graph.boxes_of("x")] == ["x"]
    assert graph.boxes_of("unknown") == ()


def test_what_has_no_name_joins_the_scope_of_its_users_or_else_of_its_operands() -> None:
    module = scoped(
        "x = f32[8] parameter(0)",
        "before = f32[8] abs(x)",
        "a1 = f32[8] negate(before) @ model/Neg",
        "a2 = f32[8] tanh(a1) @ model/Tanh",
        "b1 = f32[8] negate(a2) @ loss/Neg",
        "b2 = f32[8] tanh(b1) @ loss/Tanh",
        "after = f32[8] abs(b2)",
    )
    graph = shown(module, "scope:model", "scope:loss")
    assert node(graph, "before").parent == graph.nodes_of["scope:model"][0]
    assert node(graph, "after").parent == graph.nodes_of["scope:loss"][0]


def test_what_is_ready_at_any_time_stands_by_its_first_user() -> None:
    module = scoped(
        "table = f32[2] constant({1, 2})",
        "x = f32[2] parameter(0)",
        "a1 = f32[2] negate(x) @ model/Neg",
        "a2 = f32[2] add(a1, table) @ model/Add",
        "b1 = f32[2] multiply(a2, table) @ loss/Mul",
        "b2 = f32[2] tanh(b1) @ loss/Tanh",
    )
    graph = shown(module, "scope:model")
    assert node(graph, "table").parent == graph.nodes_of["scope:model"][0]
    assert not has_circle(graph)


def test_a_scope_before_and_after_another_is_drawn_in_pieces() -> None:
    module = scoped(
        "x = f32[8] parameter(0)",
        *(f"a{i} = f32[8] negate({f'a{i - 1}' if i else 'x'}) @ outer/Neg" for i in range(4)),
        *(f"b{i} = f32[8] tanh({f'b{i - 1}' if i else 'a3'}) @ other/Tanh" for i in range(4)),
        *(f"c{i} = f32[8] negate({f'c{i - 1}' if i else 'b3'}) @ outer/Neg" for i in range(4)),
    )
    graph = shown(module)
    assert edges(graph) == {
        ("x", "scope:outer"),
        ("scope:outer", "scope:other"),
        ("scope:other", "scope:outer#2"),
    }
    assert node(graph, "scope:outer#2").title == "▸ outer #2"
    assert not has_circle(graph)


def test_many_inputs_and_outputs_have_boxes_of_their_own() -> None:
    lines = [f"p{i} = f32[8] parameter({i})" for i in range(6)]
    lines += [f"n{i} = f32[8] negate(p{i}) @ model/layer/Neg" for i in range(6)]
    lines += [f"m{i} = f32[8] tanh(n{i}) @ model/head/Tanh" for i in range(6)]
    graph = shown(scoped(*lines, f"out = ({', '.join(['f32[8]'] * 6)}) tuple({', '.join(f'm{i}' for i in range(6))})"))
    assert ("scope:inputs:", "scope:model/layer") in edges(graph)
    assert node(graph, "scope:inputs:").cluster == "inputs"
    assert node(graph, "scope:outputs:").family == "parameter"


def test_values_between_two_closed_boxes_are_one_edge_with_their_number() -> None:
    module = scoped(
        "x = f32[8] parameter(0)",
        "a1 = f32[8] negate(x) @ first/Neg",
        "a2 = f32[8] tanh(x) @ first/Tanh",
        "b1 = f32[8] add(a1, a2) @ second/Add",
        "b2 = f32[8] multiply(b1, a2) @ second/Mul",
    )
    graph = shown(module)
    (joined,) = [e for e in graph.edges if graph.nodes[e.source].instruction == "scope:first"]
    assert joined.label == "×2"


def test_a_fusion_opens_within_its_scope() -> None:
    named = FUSION.replace("calls=fused", 'calls=fused, metadata={op_name="model/layer/Exp"}')
    named = named.replace("negate(x)", 'negate(x), metadata={op_name="other/Neg"}')
    module = module_of(named.replace("tanh(fusion)", 'tanh(fusion), metadata={op_name="model/layer/Tanh"}'))
    graph = shown(module, *all_open(module, clusters="scopes"))
    frame = node(graph, "fusion")
    assert frame.kind == "open"
    assert node(graph, "inner_add").parent == graph.nodes_of["fusion"][0]
    assert graph.nodes[frame.parent].cluster == "scope"


def test_without_clusters_nothing_is_framed() -> None:
    graph = build_graph(module_of(FUSION), GraphOptions(open=frozenset(["fusion"]), clusters="none"))
    assert {each.kind for each in graph.nodes} == {"instruction", "closed"}


def test_where_nothing_has_a_name_there_are_blocks_and_few_of_them() -> None:
    lines = ["x = f32[8] parameter(0)"]
    for layer in range(20):
        for place, opcode in enumerate(("negate", "tanh", "abs", "cosine")):
            before = lines[-1].split(" ")[0]
            lines.append(f"n{layer}_{place} = f32[8] {opcode}({before})")
    graph = shown(scoped(*lines))
    assert [each.title for each in graph.nodes if each.cluster == "block"][:2] == ["▸ block 1 of 20", "▸ block 2 of 20"]
    assert graph.box_count <= 24
    assert not has_circle(graph)


def test_many_scopes_are_gathered_by_the_beginnings_of_their_names() -> None:
    lines = ["x = f32[8] parameter(0)"]
    for layer in range(12):
        for part in ("conv", "bn", "relu", "pool"):
            for place in range(2):
                before = lines[-1].split(" ")[0]
                op_name = f"stage{layer // 3}_block{layer}_{part}/Op"
                lines.append(f"n{layer}_{part}_{place} = f32[8] negate({before}) @ {op_name}")
    graph = shown(scoped(*lines))
    blocks = [each for each in graph.nodes if each.cluster == "block"]
    assert [each.title for each in blocks[:2]] == ["▸ stage0_block0", "▸ stage0_block1"]
    assert blocks[0].lines[-1] == "stage0_block0_conv, stage0_block0_bn, s…"


def test_equal_blocks_fold_to_one_with_a_count() -> None:
    lines = ["x = f32[8] parameter(0)"]
    for layer in range(3):
        before = lines[-1].split(" ")[0]
        lines.append(f"a{layer} = f32[8] negate({before}) @ layer_{layer}/Neg")
        lines.append(f"b{layer} = f32[8] tanh(a{layer}) @ layer_{layer}/Tanh")
    lines.append("end = f32[8] abs(b2) @ head/Abs")
    lines.append("out = f32[8] cosine(end) @ head/Cos")
    graph = shown(scoped(*lines), fold_repeats=True)
    box = node(graph, "scope:layer_0 ×3")
    assert (box.kind, box.cluster, box.title) == ("closed", "repeat", "▸ layer_0 ×3")
    assert box.members == ("scope:layer_0", "scope:layer_1", "scope:layer_2")
    assert edges(graph) == {("x", "scope:layer_0 ×3"), ("scope:layer_0 ×3", "scope:head")}
    opened = shown(scoped(*lines), "scope:layer_0 ×3", "scope:layer_0", fold_repeats=True)
    assert node(opened, "a0").parent == opened.nodes_of["scope:layer_0"][0]
    assert "a1" not in opened.nodes_of
    assert opened.boxes_of("a1") == opened.nodes_of["scope:layer_0 ×3"]


def test_equal_calls_fold_and_different_ones_do_not() -> None:
    module = module_of("""
half { p = f32[8] parameter(0)
  ROOT n = f32[8] negate(p) }
same { q = f32[8] parameter(0)
  ROOT m = f32[8] negate(q) }
third { r = f32[8] parameter(0)
  ROOT t = f32[8] tanh(r) }
ENTRY main { x = f32[8] parameter(0)
  c1 = f32[8] call(x), to_apply=half
  c2 = f32[8] call(c1), to_apply=same
  ROOT c3 = f32[8] call(c2), to_apply=third }""")
    graph = shown(module, fold_repeats=True)
    assert node(graph, "scope:c1 ×2").members == ("c1", "c2")
    assert ("scope:c1 ×2", "c3") in edges(graph)


def test_equal_scopes_with_another_between_them_do_not_fold() -> None:
    lines = ["x = f32[8] parameter(0)"]
    for name in ("dense_1", "norm", "dense_2"):
        for opcode in ("negate", "tanh") if name != "norm" else ("abs", "cosine"):
            before = lines[-1].split(" ")[0]
            lines.append(f"{name}_{opcode} = f32[8] {opcode}({before}) @ {name}/Op")
    graph = shown(scoped(*lines), fold_repeats=True)
    assert not any(each.cluster == "repeat" for each in graph.nodes)


def test_equal_scopes_with_a_step_between_them_do_not_swallow_it() -> None:
    module = scoped(
        "x = f32[8] parameter(0)",
        "a1 = f32[8] negate(x) @ dense_1/Neg",
        "a2 = f32[8] tanh(a1) @ dense_1/Tanh",
        "step = f32[8] abs(a2) @ Abs",
        "b1 = f32[8] negate(step) @ dense_2/Neg",
        "b2 = f32[8] tanh(b1) @ dense_2/Tanh",
    )
    assert ("scope:dense_1", "step") in edges(shown(module, fold_repeats=True))


@pytest.mark.parametrize("fold_repeats", [False, True])
def test_the_same_drawing_comes_out_every_time(fold_repeats: bool) -> None:
    first, second = (shown(scoped(*TWO_LAYERS), "scope:model", fold_repeats=fold_repeats) for _ in range(2))
    assert first == second


def many_layers(count: int) -> HloModule:
    """A parameter that every layer takes, and a table that the first layer makes for all others."""
    lines = [f"p{i} = f32[8] parameter({i})" for i in range(6)]
    for layer in range(count):
        before = f"out{layer - 1}" if layer else "p0"
        lines.append(f"in{layer} = f32[8] add({before}, p1) @ layer_{layer}/Add")
        lines.append(f"out{layer} = f32[8] multiply(in{layer}, in0) @ layer_{layer}/Mul")
    return scoped(*lines)


def test_of_the_many_edges_of_a_box_those_stay_that_tie_another_to_it() -> None:
    graph = shown(many_layers(20))
    kept = edges(graph)
    assert ("scope:inputs:", "scope:layer_0") in kept
    assert ("scope:inputs:", "scope:layer_5") not in kept
    assert ("scope:layer_0", "scope:layer_1") in kept, "else the second layer would hang in the air"
    assert ("scope:layer_0", "scope:layer_2") not in kept


def test_edges_that_are_left_out_are_counted_but_not_on_all_that_take_inputs() -> None:
    graph = shown(many_layers(20))
    assert node(graph, "scope:inputs:").hidden_users == 19
    assert node(graph, "scope:layer_0").hidden_users == 18
    assert [node(graph, f"scope:layer_{layer}").hidden_operands for layer in (0, 1, 2)] == [0, 0, 1]


def test_control_dependencies_lead_between_scopes_too() -> None:
    module = module_of("""
ENTRY main { x = f32[8] parameter(0)
  a1 = f32[8] negate(x), metadata={op_name="first/Neg"}
  a2 = f32[8] tanh(a1), metadata={op_name="first/Tanh"}
  b1 = f32[8] negate(x), control-predecessors={a2}, metadata={op_name="second/Neg"}
  ROOT b2 = f32[8] tanh(b1), metadata={op_name="second/Tanh"} }""")
    assert ("scope:first", "scope:second") in edges(shown(module))


def test_a_box_with_very_many_users_is_tied_to_as_many_as_it_has_room_for() -> None:
    lines = ["x = f32[8] parameter(0)", "a1 = f32[8] negate(x) @ first/Neg", "a2 = f32[8] tanh(a1) @ first/Tanh"]
    for layer in range(24):
        lines.append(f"n{layer} = f32[8] negate(a2) @ layer_{layer}/Neg")
        lines.append(f"t{layer} = f32[8] tanh(n{layer}) @ layer_{layer}/Tanh")
    graph = shown(scoped(*lines))
    assert sum(1 for pair in edges(graph) if pair[0] == "scope:first") == MAX_DRAWN_USERS
    assert node(graph, "scope:first").hidden_users == 24 - MAX_DRAWN_USERS


def test_what_is_ready_is_numbered_just_before_its_first_user() -> None:
    module = scoped(
        "table = f32[2] constant({1, 2})",
        "x = f32[2] parameter(0)",
        "turned = f32[2] reverse(table), dimensions={0}",
        "a = f32[2] negate(x)",
        "b = f32[2] add(a, turned)",
    )
    order = [instruction.name for instruction in Flow(module.entry_computation).instructions]
    assert order == ["x", "a", "table", "turned", "b"]
