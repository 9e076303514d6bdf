"""One layout for both sides of a step."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from helpers.modules import FUSION, WHILE, drawn, entry_of, module_of, node

from xlaviz.graph.build import GraphOptions, all_open, build_graph
from xlaviz.graph.model import DrawnGraph
from xlaviz.layout.union import place_step


def opened(text: str) -> DrawnGraph:
    module = module_of(text)
    return build_graph(module, GraphOptions(open=all_open(module)))


def test_what_is_on_both_sides_does_not_move() -> None:
    left = opened(WHILE)
    right = opened(WHILE.replace("double = f32[8] add(v, v)", "t = f32[8] tanh(v)\n  double = f32[8] add(t, v)"))
    step = place_step(left, right)
    left_places, right_places = step.left, step.right
    assert step.is_shared
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
    step = place_step(left, right)
    for graph, places in ((left, step.left), (right, step.right)):
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
    step = place_step(left, right)
    left_places, right_places = step.left, step.right
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
    step = place_step(opened(text), opened(text))
    assert step.is_shared
    assert np.array_equal(step.left.boxes, step.right.boxes)
    assert len(np.unique(step.left.boxes, axis=0)) == len(step.left.boxes)


def test_two_that_have_little_in_common_are_laid_out_apart() -> None:
    left = drawn(module_of(FUSION))
    right = drawn(module_of("ENTRY main { x = f32[8] parameter(0)\n ROOT z = f32[8] sine(x) }"))
    step = place_step(left, right)
    assert not step.is_shared
    assert len(step.left.boxes) == len(left.nodes)
    assert len(step.right.boxes) == len(right.nodes)
    assert step.right.boxes[:, :2].min() >= -0.5


def test_two_empty_sides() -> None:
    empty = DrawnGraph((), (), "main", 0)
    step = place_step(empty, empty)
    assert (len(step.left.boxes), len(step.right.boxes)) == (0, 0)


def test_what_is_open_on_one_side_alone_stands_at_the_same_place() -> None:
    module = module_of(FUSION)
    step = place_step(drawn(module), drawn(module, "fusion"))
    assert step.is_shared
    left, right = drawn(module), drawn(module, "fusion")
    for name in left.nodes_of:
        place = left.nodes_of[name][0], right.nodes_of[name][0]
        assert np.array_equal(step.left.boxes[place[0]], step.right.boxes[place[1]]), name


CHAIN = """
ENTRY main {{ x = f32[8] parameter(0)
  {} a0 = f32[8] negate(x)
  a1 = f32[8] tanh(a0)
  b0 = f32[8] sine(x)
  b1 = f32[8] cosine(b0)
  {} c = f32[8] add(a1, b1)
  d = f32[8] multiply(c, x)
  ROOT out = f32[8] {}(d) }}"""


def test_from_step_to_step_what_both_have_stays() -> None:
    snapshots = [
        CHAIN.format("", "", "negate"),
        CHAIN.format("", "e = f32[8] abs(b1)\n", "negate"),
        CHAIN.format("", "e = f32[8] abs(b1)\n", "sqrt"),
        CHAIN.format("f = f32[8] floor(x)\n", "", "sqrt"),
    ]
    graphs = [drawn(module_of(text)) for text in snapshots]
    step = place_step(graphs[0], graphs[1])
    for left, right in pairwise(graphs[1:]):
        following = place_step(left, right, earlier=step.drawings)
        moves = np.abs(following.left.boxes - step.right.boxes)
        assert np.median(moves) < 2
        assert np.mean(moves[:, :2].max(axis=1) > 40) < 0.25
        step = following


def row_of(names: list[str]) -> DrawnGraph:
    """Boxes side by side between two others."""
    lines = [f"{name} = f32[8] negate(x)" for name in names]
    return drawn(entry_of("x = f32[8] parameter(0)", *lines, f"out = (f32[8]) tuple({', '.join(names)})"))


def test_a_step_that_would_be_full_of_holes_is_laid_out_anew() -> None:
    """Of a row of boxes those at its ends stay."""
    wide = row_of([f"n{number}" for number in range(12)])
    step = place_step(wide, wide)
    left = dict(zip((each.instruction for each in wide.nodes), step.left.boxes[:, 0].tolist(), strict=True))
    order = sorted(left.keys() - {"x", "out"}, key=left.__getitem__)
    for count in (4, 2):
        narrow = row_of(order[:count] + order[-count:])
        step = place_step(narrow, narrow, earlier=step.drawings)
        assert step.left.size_px[0] <= 2.5 * place_step(narrow, narrow).left.size_px[0]
