"""Parts of a drawing: what is near a box, and what lies between two."""

from __future__ import annotations

from helpers.modules import WHILE, drawn, edges, entry_of, module_of, node, scoped

from xlaviz.graph.build import GraphOptions, build_graph
from xlaviz.graph.model import DrawnGraph
from xlaviz.graph.neighbourhood import paths_between

DIAMOND = (
    "x = f32[] parameter(0)",
    "y = f32[] parameter(1)",
    "left = f32[] negate(x)",
    "right = f32[] tanh(x)",
    "aside = f32[] abs(y)",
    "join = f32[] add(left, right)",
    "end = f32[] multiply(join, aside)",
)


def names(graph: DrawnGraph) -> set[str]:
    return {each.instruction for each in graph.nodes}


def test_operands_users_or_both() -> None:
    module = entry_of(*DIAMOND)
    assert names(drawn(module, focus="join", hops=1)) == {"left", "right", "join", "end"}
    assert names(drawn(module, focus="join", hops=2, direction="operands")) == {"x", "left", "right", "join"}
    assert names(drawn(module, focus="join", hops=2, direction="users")) == {"join", "end"}


def test_operands_alone_do_not_turn_round_to_other_users() -> None:
    module = entry_of(*DIAMOND)
    assert names(drawn(module, focus="left", hops=3, direction="operands")) == {"x", "left"}
    assert node(drawn(module, focus="left", hops=3, direction="operands"), "x").hidden_users == 1


def test_the_note_says_which_way() -> None:
    notes = drawn(entry_of(*DIAMOND), focus="join", hops=1, direction="users").notes
    assert notes == ("neighbourhood of join, 1 hop of users",)


def test_what_lies_between_two_is_all_paths_and_nothing_else() -> None:
    graph = paths_between(drawn(entry_of(*DIAMOND)), "x", "end")
    assert edges(graph) == {("x", "left"), ("x", "right"), ("left", "join"), ("right", "join"), ("join", "end")}
    assert node(graph, "end").hidden_operands == 1
    assert graph.notes == ("paths between x and end",)


def test_the_order_of_the_two_does_not_matter() -> None:
    graph = drawn(entry_of(*DIAMOND))
    assert names(paths_between(graph, "end", "x")) == names(paths_between(graph, "x", "end"))


def test_two_that_no_path_joins_are_shown_alone() -> None:
    graph = paths_between(drawn(entry_of(*DIAMOND)), "left", "aside")
    assert names(graph) == {"left", "aside"}
    assert graph.notes == ("no path between left and aside",)


def test_a_path_leads_through_an_open_loop() -> None:
    longer = WHILE.replace("ROOT out = f32[8] tanh(result)", "mid = f32[8] tanh(result)\n  ROOT out = f32[8] abs(mid)")
    graph = paths_between(drawn(module_of(longer), "loop"), "start", "out")
    assert {"start", "loop", "double", "again", "mid", "out"} <= names(graph)
    assert "x" not in names(graph)


def test_an_instruction_in_a_closed_cluster_stands_for_it() -> None:
    module = scoped(
        "x = f32[] parameter(0)",
        "a1 = f32[] negate(x) @ first/Neg",
        "a2 = f32[] tanh(a1) @ first/Tanh",
        "b1 = f32[] negate(a2) @ second/Neg",
        "b2 = f32[] tanh(b1) @ second/Tanh",
    )
    graph = build_graph(module, GraphOptions(clusters="scopes", focus="a1", hops=1))
    assert names(graph) == {"x", "scope:first", "scope:second"}
    assert graph.boxes_of("b2") == graph.nodes_of["scope:second"]
    assert names(paths_between(graph, "x", "b2")) == {"x", "scope:first", "scope:second"}
