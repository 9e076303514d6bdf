"""From box to box along edges."""

from __future__ import annotations

import pytest
from helpers.modules import drawn, entry_of

from xlaviz.graph.model import DrawnGraph
from xlaviz.layout.model import Places
from xlaviz.layout.place import place_graph
from xlaviz.scene.walking import Way, next_box


@pytest.fixture
def diamond() -> tuple[DrawnGraph, Places]:
    graph = drawn(
        entry_of(
            "x = f32[4] parameter(0)",
            "a = f32[4] negate(x)",
            "b = f32[4] tanh(x)",
            "y = f32[4] add(a, b)",
        )
    )
    return graph, place_graph(graph)


def walk(view: tuple[DrawnGraph, Places], start: str, way: Way, came_from: str = "") -> str | None:
    graph, places = view
    found = next_box(graph, places, graph.nodes_of[start][0], way, came_from)
    return graph.nodes[found].instruction if found is not None else None


def test_up_leads_to_the_first_operand_and_down_to_a_user(diamond: tuple[DrawnGraph, Places]) -> None:
    assert walk(diamond, "y", "operand") == "a"
    assert walk(diamond, "a", "user") == "y"
    assert walk(diamond, "y", "user") is None
    assert walk(diamond, "x", "operand") is None


def test_the_way_back_is_the_way_one_came(diamond: tuple[DrawnGraph, Places]) -> None:
    assert walk(diamond, "y", "operand", came_from="b") == "b"
    assert walk(diamond, "x", "user", came_from="b") == "b"


def test_sideways_leads_to_what_shares_an_operand(diamond: tuple[DrawnGraph, Places]) -> None:
    graph, places = diamond
    left, right = sorted("ab", key=lambda name: places.boxes[graph.nodes_of[name][0], 0])
    assert walk(diamond, left, "right") == right
    assert walk(diamond, right, "left") == left
    assert walk(diamond, right, "right") is None


def test_a_walk_starts_at_the_top(diamond: tuple[DrawnGraph, Places]) -> None:
    graph, places = diamond
    start = next_box(graph, places, None, "user")
    assert start is not None
    assert graph.nodes[start].instruction == "x"
