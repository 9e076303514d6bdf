"""What a layout promises: boxes apart and in their frames, routes from box to box."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from helpers.modules import FUSION, WHILE, drawn, entry_of, module_of
from layout_rules import SLACK_PX, check, points_along

from xlaviz.graph.build import GraphOptions, all_open, build_graph
from xlaviz.graph.model import DrawnGraph
from xlaviz.layout.dot import DOT
from xlaviz.layout.model import Engine, LayoutInput, LevelInput, LevelPlaces
from xlaviz.layout.nested import lay_out
from xlaviz.layout.place import LAYERED, layout_input, place_graph

DIAMONDS = "\n".join(
    [
        "ENTRY main { x0 = f32[8] parameter(0)",
        *(
            f"l{i} = f32[8] negate(x{i})\n r{i} = f32[8] tanh(x{i})\n x{i + 1} = f32[8] add(l{i}, r{i})"
            for i in range(6)
        ),
        "ROOT out = f32[8] add(x6, x0) }",
    ]
)


@pytest.fixture(params=[LAYERED, DOT], ids=lambda engine: engine.name)
def engine(request: pytest.FixtureRequest) -> Engine:
    found: Engine = request.param
    return found


GRAPHS = {"fusion": FUSION, "while": WHILE, "diamonds": DIAMONDS}


def opened(text: str) -> DrawnGraph:
    module = module_of(text)
    return build_graph(module, GraphOptions(open=all_open(module)))


@pytest.mark.parametrize("name", GRAPHS)
def test_boxes_are_apart_and_routes_join_them(name: str) -> None:
    graph = opened(GRAPHS[name])
    check(layout_input(graph), place_graph(graph))


@pytest.mark.parametrize("name", GRAPHS)
def test_edges_lead_downwards(name: str) -> None:
    graph = opened(GRAPHS[name])
    places = place_graph(graph)
    for route in places.routes:
        assert route[0, 1] < route[-1, 1]


def test_the_same_graph_gets_the_same_places() -> None:
    first, second = place_graph(opened(WHILE)), place_graph(opened(WHILE))
    assert np.array_equal(first.boxes, second.boxes)
    assert all(np.array_equal(a, b) for a, b in zip(first.routes, second.routes, strict=True))


def test_ports_stand_in_the_first_rank() -> None:
    graph = opened(FUSION)
    boxes = place_graph(graph).boxes
    ports = [index for index, node in enumerate(graph.nodes) if node.kind == "port"]
    inside = [index for index, node in enumerate(graph.nodes) if node.parent == graph.nodes[ports[0]].parent]
    assert len(ports) == 2
    assert {float(boxes[port, 1]) for port in ports} == {float(boxes[ports[0], 1])}
    assert min(boxes[i, 1] for i in inside if i not in ports) > boxes[ports[0], 1]


def test_edges_into_one_box_end_apart() -> None:
    lines = [f"p{i} = f32[8] parameter({i})" for i in range(5)]
    graph = drawn(entry_of(*lines, "all = (f32[8]) tuple(p0, p1, p2, p3, p4)"))
    ends = [float(route[-1, 0]) for route in place_graph(graph).routes]
    starts = [float(route[0, 0]) for route in place_graph(graph).routes]
    assert len(set(ends)) == 5
    assert np.argsort(ends).tolist() == np.argsort(starts).tolist(), "in the order they come from"


def plain(count: int, edges: list[tuple[int, int]], parents: list[int] | None = None) -> LayoutInput:
    parents = parents or [-1] * count
    frames = frozenset(parents) - {-1}
    heights = tuple(22.0 if index in frames else 40.0 for index in range(count))
    return LayoutInput((90.0,) * count, heights, tuple(parents), frames, frozenset(), tuple(edges))


@pytest.mark.parametrize(
    "inputs",
    [
        plain(3, [(0, 1), (1, 2), (2, 0)]),
        plain(6, [(1, 4), (5, 2)], [-1, 0, 0, -1, 3, 3]),
        plain(5, [(1, 3), (3, 2)], [-1, 0, 0, -1, -1]),
        plain(2, [(0, 1), (0, 1), (0, 1)]),
        plain(7, [(3, 6)], [-1, 0, 1, 2, -1, 4, 5]),
    ],
    ids=["a cycle", "two frames that feed each other", "through a frame and back", "parallel", "deep to deep"],
)
def test_shapes_that_need_care(inputs: LayoutInput, engine: Engine) -> None:
    check(inputs, lay_out(inputs, engine))


def test_an_edge_into_a_frame_keeps_off_what_lies_before_it() -> None:
    """Box 0 to box 6, which is deep in frame 4, past the wide chain 1 to 3 that also leads there."""
    inputs = plain(8, [(0, 1), (1, 2), (2, 3), (3, 5), (5, 6), (6, 7), (0, 7), (0, 6)], [-1, -1, -1, -1, -1, 4, 4, 4])
    places = lay_out(inputs, LAYERED)
    check(inputs, places)
    for route in places.routes[-2:]:
        for x, y in points_along(route):
            for left, top, width, height in places.boxes[1:4].tolist():
                assert not (left + 1 < x < left + width - 1 and top + 1 < y < top + height - 1)


def test_nothing_is_drawn_between_a_frame_and_what_it_holds(engine: Engine) -> None:
    inputs = plain(3, [(0, 1), (2, 0), (1, 1)], [-1, 0, 0])
    assert [len(route) for route in lay_out(inputs, engine).routes] == [0, 0, 0]


def test_an_empty_frame_keeps_its_title(engine: Engine) -> None:
    inputs = LayoutInput((200.0, 90.0), (22.0, 40.0), (-1, -1), frozenset([0]), frozenset(), ((0, 1),))
    places = lay_out(inputs, engine)
    check(inputs, places)
    assert places.boxes[0, 2] >= 200


def test_content_is_centred_under_a_long_title(engine: Engine) -> None:
    inputs = LayoutInput((400.0, 90.0), (22.0, 40.0), (-1, 0), frozenset([0]), frozenset(), ())
    frame, box = lay_out(inputs, engine).boxes
    assert frame[0] + frame[2] / 2 == pytest.approx(box[0] + box[2] / 2, abs=SLACK_PX)


def test_no_box_at_all(engine: Engine) -> None:
    places = lay_out(plain(0, []), engine)
    assert (places.boxes.shape, places.routes, places.size_px) == ((0, 4), (), (0.0, 0.0))


def test_the_size_holds_every_box() -> None:
    places = place_graph(opened(WHILE))
    width, height = places.size_px
    assert (places.boxes[:, :2] + places.boxes[:, 2:] <= (width, height)).all()


def test_equal_levels_are_laid_out_once() -> None:
    """Two frames of the same content: the engine sees one."""
    seen: list[int] = []

    def watched(levels: Sequence[LevelInput]) -> list[LevelPlaces]:
        seen.append(len(levels))
        return LAYERED.lay_out_levels(levels)

    inputs = plain(6, [(1, 2), (4, 5)], [-1, 0, 0, -1, 3, 3])
    check(inputs, lay_out(inputs, Engine("watched", watched, places_ends=True)))
    assert seen == [1, 1]
