"""What a worker remembers of the drawings it placed."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from helpers.modules import FUSION, WHILE, drawn, entry_of, module_of

from xlaviz.dumps.sequence import PassSequence
from xlaviz.graph.model import DrawnGraph
from xlaviz.layout.place import place_graph
from xlaviz.session import placing
from xlaviz.session.documents import silent

SEQUENCE = PassSequence("main", 1, "cpu", ())


@pytest.fixture
def closed() -> DrawnGraph:
    return drawn(module_of(FUSION))


@pytest.fixture
def opened() -> DrawnGraph:
    return drawn(module_of(FUSION), "fusion")


def test_the_next_view_of_a_snapshot_keeps_to_the_last(tmp_path: Path, closed: DrawnGraph, opened: DrawnGraph) -> None:
    first = placing.place_view(tmp_path, SEQUENCE, 3, closed)
    second = placing.place_view(tmp_path, SEQUENCE, 3, opened)
    assert (first.is_seeded, second.is_seeded) == (False, True)


def test_another_snapshot_does_not_keep_to_it(tmp_path: Path, closed: DrawnGraph, opened: DrawnGraph) -> None:
    placing.place_view(tmp_path, SEQUENCE, 0, closed)
    other = placing.place_view(tmp_path, SEQUENCE, 3, opened)
    assert np.array_equal(other.boxes, place_graph(opened).boxes)


def test_what_was_shown_before_comes_back_as_it_was(tmp_path: Path, closed: DrawnGraph, opened: DrawnGraph) -> None:
    first = placing.place_view(tmp_path, SEQUENCE, 3, closed)
    placing.place_view(tmp_path, SEQUENCE, 3, opened)
    assert placing.place_view(tmp_path, SEQUENCE, 3, closed) is first


def test_steps_keep_to_one_another_and_the_first_to_its_sides_alone(
    tmp_path: Path, closed: DrawnGraph, opened: DrawnGraph
) -> None:
    placing.place_view(tmp_path, SEQUENCE, 3, closed)
    step = placing.place_sides(tmp_path, SEQUENCE, 3, closed, opened)
    assert step.left.is_seeded
    assert placing.place_sides(tmp_path, SEQUENCE, 4, opened, opened).right.is_seeded
    assert placing.place_sides(tmp_path, SEQUENCE, 3, closed, opened) is step


def test_a_view_refined_elsewhere_is_what_the_next_one_keeps_to(
    tmp_path: Path, closed: DrawnGraph, opened: DrawnGraph
) -> None:
    first = placing.place_view(tmp_path, SEQUENCE, 3, closed)
    mirrored = first.boxes.copy()
    mirrored[:, 0] = first.size_px[0] - mirrored[:, 0] - mirrored[:, 2]
    better = type(first)(mirrored, tuple(np.zeros((0, 2), np.float32) for _ in first.routes))
    placing.adopt_view(silent, tmp_path, SEQUENCE, 3, closed, better)
    after = placing.place_view(tmp_path, SEQUENCE, 3, opened)
    x, y = (graph.nodes_of["neg"][0] for graph in (closed, opened))
    other_x, other_y = (graph.nodes_of["y"][0] for graph in (closed, opened))
    assert (mirrored[x, 0] < mirrored[other_x, 0]) == (after.boxes[y, 0] < after.boxes[other_y, 0])


def test_refining_what_is_as_good_as_can_be_finds_nothing(
    closed: DrawnGraph, opened: DrawnGraph, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(placing, "_LEAST_S", 0.02)
    assert placing.refine_view(silent, closed) is None
    assert placing.refine_sides(silent, closed, opened) is None
    assert placing.refine_sides(silent, closed, drawn(module_of(WHILE))) is None, "apart"
    monkeypatch.setattr(placing, "_MOST_BOXES", 1)
    assert placing.refine_view(silent, closed) is None, "too large to try"


def test_a_long_session_forgets_the_oldest(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(placing, "BOXES_KEPT", 30)
    graphs = [
        drawn(entry_of("x = f32[] parameter(0)", f"y = f32[{size}] broadcast(x)", f"z = f32[{size}] negate(y)"))
        for size in range(1, 40)
    ]
    places = [placing.place_view(tmp_path, SEQUENCE, 0, graph) for graph in graphs]
    assert placing.place_view(tmp_path, SEQUENCE, 0, graphs[-1]) is places[-1]
    assert placing.place_view(tmp_path, SEQUENCE, 0, graphs[-9]) is places[-9]
    assert placing.place_view(tmp_path, SEQUENCE, 0, graphs[0]) is not places[0]
    other = [placing.place_view(tmp_path, SEQUENCE, index, graphs[0]) for index in range(1, 30)]
    assert placing.place_view(tmp_path, SEQUENCE, 29, graphs[0]) is other[-1]
    assert placing.place_view(tmp_path, SEQUENCE, 1, graphs[0]) is not other[0]
