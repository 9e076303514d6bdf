"""Boxes on their way from one drawing to the next."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from helpers.drawn import chain
from PySide6.QtCore import QPointF

from xlaviz.layout.model import Places
from xlaviz.scene.motion import Motion


def test_boxes_and_edges_end_where_they_belong() -> None:
    graph, places = chain(5)
    elsewhere = Places(places.boxes + np.array((100, 50, 0, 0), np.float32), places.routes)
    motion = Motion(graph, elsewhere, graph, places)
    assert motion.is_worth_it
    assert np.allclose(motion.places(0.0).boxes, elsewhere.boxes)
    assert np.allclose(motion.places(0.5).boxes, places.boxes + np.array((50, 25, 0, 0)))
    end = motion.places(1.0)
    assert np.allclose(end.boxes, places.boxes)
    assert all(np.allclose(one, other) for one, other in zip(end.routes, places.routes, strict=True))


def test_edges_bend_along_with_their_ends() -> None:
    graph, places = chain(2)
    moved = places.boxes.copy()
    moved[0, 0] += 80  # the source alone
    start = Motion(graph, Places(moved, places.routes), graph, places).places(0.0).routes[0]
    assert np.isclose(start[0, 0], places.routes[0][0, 0] + 80)
    assert np.isclose(start[-1, 0], places.routes[0][-1, 0])


def test_what_moves_with_the_view_does_not_move() -> None:
    graph, places = chain(5)
    shifted = Places(places.boxes + np.array((30, 0, 0, 0), np.float32), places.routes)
    assert not Motion(graph, places, graph, shifted, QPointF(30, 0)).is_worth_it


def test_a_new_box_starts_in_its_place_and_nothing_in_common_is_no_motion() -> None:
    graph, places = chain(4)
    other = replace(graph, nodes=tuple(replace(node, instruction=f"new {node.instruction}") for node in graph.nodes))
    motion = Motion(graph, places, other, places, QPointF(500, 0))
    assert not motion.is_worth_it
    assert np.allclose(motion.places(0.0).boxes, places.boxes)
