"""One layout for both sides of a step."""

from __future__ import annotations

import numpy as np
from helpers.modules import FUSION, WHILE, drawn, module_of, node

from xlaviz.graph.build import GraphOptions, all_open, build_graph
from xlaviz.graph.model import DrawnGraph
from xlaviz.layout.union import place_step


def opened(text: str) -> DrawnGraph:
    module = module_of(text)
    return build_graph(module, GraphOptions(open=all_open(module)))


def test_what_is_on_both_sides_does_not_move() -> None:
    left = opened(WHILE)
    right = opened(WHILE.replace("double = f32[8] add(v, v)", "t = f32[8] tanh(v)\n  double = f32[8] add(t, v)"))
    left_places, right_places, is_shared = place_step(left, right)
    assert is_shared
    for name in set(left.nodes_of) & set(right.nodes_of):
        boxes = left_places.boxes[list(left.nodes_of[name])], right_places.boxes[list(right.nodes_of[name])]
        assert np.array_equal(*boxes), name
    assert "t" not in left.nodes_of
    assert len(left_places.routes) == len(left.edges)
    assert len(right_places.routes) == len(right.edges)
    assert all(len(route) for route in (*left_places.routes, *right_places.routes))


def test_no_box_of_one_side_lies_over_another() -> None:
    left = opened(FUSION)
    right = opened(FUSION.replace("neg = f32[8] negate(x)", "other = f32[8] cosine(x)\n  neg = f32[8] negate(other)"))
    for graph, places in zip((left, right), place_step(left, right)[:2], strict=True):
        leaves = [index for index, each in enumerate(graph.nodes) if each.kind != "open"]
        for a in leaves:
            for b in leaves:
                if a < b:
                    first, second = places.boxes[a], places.boxes[b]
                    low = np.maximum(first[:2], second[:2])
                    high = np.minimum(first[:2] + first[2:], second[:2] + second[2:])
                    assert (high - low).min() <= 1, (graph.nodes[a].instruction, graph.nodes[b].instruction)


def test_a_box_that_grew_has_the_larger_size_on_both_sides() -> None:
    left = opened(FUSION)
    right = opened(FUSION.replace("f32[8] negate", "f32[8,1,1,1,1,1,1,1,1,1,1] negate"))
    left_places, right_places, _ = place_step(left, right)
    index = left.nodes_of["neg"][0]
    assert node(right, "neg").width_px > node(left, "neg").width_px
    assert left_places.boxes[index, 2] == right_places.boxes[index, 2] == node(right, "neg").width_px


def test_the_same_computation_opened_twice_keeps_its_two_places() -> None:
    text = """
helper { p = f32[8] parameter(0)
  ROOT t = f32[8] tanh(p) }
ENTRY main { x = f32[8] parameter(0)
  first = f32[8] call(x), to_apply=helper
  ROOT second = f32[8] call(first), to_apply=helper }"""
    left_places, right_places, is_shared = place_step(opened(text), opened(text))
    assert is_shared
    assert np.array_equal(left_places.boxes, right_places.boxes)
    assert len(np.unique(left_places.boxes, axis=0)) == len(left_places.boxes)


def test_two_that_have_little_in_common_are_laid_out_apart() -> None:
    left = drawn(module_of(FUSION))
    right = drawn(module_of("ENTRY main { x = f32[8] parameter(0)\n ROOT z = f32[8] sine(x) }"))
    left_places, right_places, is_shared = place_step(left, right)
    assert not is_shared
    assert len(left_places.boxes) == len(left.nodes)
    assert len(right_places.boxes) == len(right.nodes)
    assert right_places.boxes[:, :2].min() >= -0.5


def test_two_empty_sides() -> None:
    empty = DrawnGraph((), (), "main", 0)
    left, right, _ = place_step(empty, empty)
    assert (len(left.boxes), len(right.boxes)) == (0, 0)
