"""What the painter draws, and what it finds under a point."""

from __future__ import annotations

import pytest
from helpers.drawn import chain, small_graph
from helpers.painting import colour_at, painted
from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QColor, QImage

from xlaviz.graph.overlay import Overlay
from xlaviz.scene.painter import TEXT_FROM_ZOOM, GraphPainter
from xlaviz.scene.palette import DARK, LIGHT, fusion_colours

pytestmark = pytest.mark.usefixtures("qapp")


def test_hit_finds_the_innermost_box() -> None:
    painter = GraphPainter(*small_graph(), LIGHT)
    names = [node.instruction for node in painter.graph.nodes]

    def hit(x: float, y: float) -> str | None:
        index = painter.node_at(QPointF(x, y))
        return names[index] if index is not None else None

    assert hit(260, 20) == "x"
    assert hit(170, 110) == "fusion"
    assert hit(260, 170) == "add"
    assert hit(0, 0) is None
    assert hit(260, 70) is None  # on an edge, on no box


def test_only_what_is_visible_is_painted() -> None:
    painter = GraphPainter(*chain(1000), LIGHT)
    view = QRectF(-10, 5000, 200, 300)
    assert painter.geometry.nodes_in(view).tolist() == [50, 51, 52, 53]
    assert painter.geometry.edges_in(view).tolist() == [49, 50, 51, 52]
    assert painter.geometry.nodes_in(QRectF(500, 5000, 200, 300)).tolist() == []
    assert len(painter.geometry.nodes_in(painter.bounds)) == 1000


def test_an_edge_without_a_route_is_left_out() -> None:
    graph, places = small_graph()
    routes = (places.routes[0][:0], places.routes[1])
    painter = GraphPainter(graph, type(places)(places.boxes, routes), LIGHT)
    assert painter.geometry.edges_in(painter.bounds).tolist() == [1]
    painted(painter)


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=lambda theme: theme.name)
def test_boxes_bear_the_colour_of_their_family(theme: type[LIGHT]) -> None:
    painter = GraphPainter(*small_graph(), theme)
    image = painted(painter)
    assert colour_at(image, painter, 310, 3) == theme.families["parameter"][0]
    assert colour_at(image, painter, 315, 325) == theme.families["reduction"][0]


def test_words_appear_with_the_level_of_detail() -> None:
    painter = GraphPainter(*small_graph(), LIGHT)
    row = [(x, 12) for x in range(204, 316)]

    def inks(image: QImage) -> set[str]:
        return {colour_at(image, painter, x, y) for x, y in row}

    assert len(inks(painted(painter, TEXT_FROM_ZOOM))) > 1
    assert len(inks(painted(painter, TEXT_FROM_ZOOM - 0.01))) == 1


def test_the_selection_is_framed_in_the_accent() -> None:
    painter = GraphPainter(*small_graph(), LIGHT)
    assert colour_at(painted(painter), painter, 260, 0) != LIGHT.accent
    painter.selected = frozenset({"x"})
    assert colour_at(painted(painter), painter, 260, 0) == LIGHT.accent


def test_marks_hues_and_notes_change_the_picture_without_a_new_layout() -> None:
    painter = GraphPainter(*small_graph(), LIGHT)
    plain = painted(painter)
    pictures = [plain]
    for overlay in (
        Overlay(marks={"x": "added"}),
        Overlay(marks={"x": "removed"}),
        Overlay(hues={"x": (0,)}),
        Overlay(hues={"fusion": (1,)}),
        Overlay(notes={"out": "1.0 µs · 50.0%"}),
        Overlay(notes={"fusion": "1.0 µs · 50.0%"}),
    ):
        painter.overlay = overlay
        picture = painted(painter)
        assert all(picture != other for other in pictures)
        pictures.append(picture)


def test_a_hull_has_the_hue_of_its_fusion_and_stands_round_the_box() -> None:
    painter = GraphPainter(*small_graph(), LIGHT, Overlay(hues={"x": (3,)}))
    image = painted(painter)
    beside = QColor(colour_at(image, painter, 196, 22))
    line = fusion_colours(3, "light").line
    assert beside.name() != LIGHT.canvas
    assert abs(beside.hue() - line.hue()) <= 3


def test_a_note_that_does_not_fit_is_shortened_then_put_below() -> None:
    long = "123456.7 µs and more than fits beside the shape · 50.0%"
    painter = GraphPainter(*small_graph(), LIGHT, Overlay(notes={"x": long}))
    image = painted(painter)
    below = {colour_at(image, painter, x, 52) for x in range(160, 320)}
    assert len(below - {LIGHT.canvas, LIGHT.edge}) > 3


def test_an_empty_graph_can_be_painted() -> None:
    graph, places = chain(1)
    painter = GraphPainter(type(graph)((), (), "main", 0), type(places)(places.boxes[:0], ()), LIGHT)
    painted(painter)
    assert painter.node_at(QPointF(0, 0)) is None
    assert painter.geometry.middle_of_top(100) is None
