"""Boxes in the colours of the time they take."""

from __future__ import annotations

import numpy as np
import pytest
from helpers.drawn import chain, node, small_graph
from helpers.painting import colour_at, painted
from PySide6.QtCore import QRectF
from PySide6.QtGui import QColor, QImage, QPainter

from xlaviz.graph.model import DrawnGraph
from xlaviz.graph.overlay import Overlay
from xlaviz.layout.model import Places
from xlaviz.scene.painter import GraphPainter
from xlaviz.scene.palette import DARK, LIGHT, Theme, heat_colour, ink_on

pytestmark = pytest.mark.usefixtures("qapp")
themes = pytest.mark.parametrize("theme", [LIGHT, DARK], ids=lambda theme: theme.name)
COARSE_ZOOM = 0.2


def luminance(colour: QColor) -> float:
    """WCAG's relative luminance."""
    parts = (colour.redF(), colour.greenF(), colour.blueF())
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: QColor, other: QColor) -> float:
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


@themes
def test_the_colour_grows_evenly_away_from_the_canvas(theme: Theme) -> None:
    values = [luminance(heat_colour(step / 100, theme)) for step in range(101)]
    assert values == sorted(values, reverse=not theme.is_dark)
    assert len(set(values)) == 101
    assert contrast(heat_colour(1.0, theme), QColor(theme.canvas)) > 7
    assert heat_colour(-1.0, theme) == heat_colour(0.0, theme)
    assert heat_colour(7.0, theme) == heat_colour(1.0, theme)


@themes
def test_words_can_be_read_on_every_colour(theme: Theme) -> None:
    for step in range(101):
        fill = heat_colour(step / 100, theme)
        assert contrast(ink_on(fill), fill) >= 3.8


@themes
@pytest.mark.parametrize("zoom", [1.0, COARSE_ZOOM])
def test_hot_boxes_bear_their_heat_and_the_rest_no_family(theme: Theme, zoom: float) -> None:
    overlay = Overlay(heat={"x": 0.6, "fusion": 0.0})
    painter = GraphPainter(*small_graph(is_open=False), theme, overlay)
    image = painted(painter, zoom)
    assert colour_at(image, painter, 310, 4) == heat_colour(0.6, theme).name()
    assert colour_at(image, painter, 350, 150) == heat_colour(0.0, theme).name()
    cold = colour_at(image, painter, 312, 244)
    assert cold not in (theme.families["reduction"][0], theme.canvas)
    assert contrast(QColor(cold), QColor(theme.canvas)) < 1.3


def test_no_heat_at_all_is_not_the_same_as_heat_off() -> None:
    painter = GraphPainter(*small_graph(), LIGHT, Overlay(heat={}))
    assert colour_at(painted(painter), painter, 310, 4) != LIGHT.families["parameter"][0]
    painter.overlay = Overlay()
    assert colour_at(painted(painter), painter, 310, 4) == LIGHT.families["parameter"][0]


def test_of_an_open_frame_the_title_alone_is_hot() -> None:
    painter = GraphPainter(*small_graph(), LIGHT, Overlay(heat={"fusion": 1.0}))
    image = painted(painter)
    assert colour_at(image, painter, 300, 103) == heat_colour(1.0, LIGHT).name()
    assert colour_at(image, painter, 340, 230) == LIGHT.canvas


@pytest.mark.parametrize("zoom", [1.0, COARSE_ZOOM])
def test_hulls_and_hues_are_off_and_marks_stay(zoom: float) -> None:
    painter = GraphPainter(*small_graph(), LIGHT, Overlay(hues={"x": (3,), "fusion": (1,)}, heat={"x": 0.4}))
    image = painted(painter, zoom)
    assert colour_at(image, painter, 196, 22) == LIGHT.canvas
    painter.overlay = Overlay(heat={"x": 0.4})
    assert painted(painter, zoom) == image
    painter.overlay = Overlay(heat={"x": 0.4}, marks={"x": "added"})
    marked = painted(painter, zoom)
    assert marked != image
    assert colour_at(marked, painter, 300, 38) == heat_colour(0.4, LIGHT).name()


def test_boxes_too_small_for_an_outline_show_their_heat() -> None:
    graph, places = chain(2)
    painter = GraphPainter(graph, places, LIGHT, Overlay(heat={"i0": 0.8}))
    image = QImage(40, 40, QImage.Format.Format_RGB32)
    image.fill(QColor(LIGHT.canvas))
    with QPainter(image) as target:
        target.scale(0.05, 0.05)
        painter.paint(target, QRectF(painter.bounds), 0.05)
    assert image.pixelColor(2, 1).name() == heat_colour(0.8, LIGHT).name()


def loop() -> tuple[DrawnGraph, Places]:
    """A while as a frame with the frames of its condition and its body in it, which bear its name too."""
    nodes = [
        node("while", "open", family="control flow"),
        *(node("while", "open", parent=0, family="control flow") for _ in range(2)),
    ]
    nodes += [node("less", parent=1), node("dot", parent=2)]
    boxes = [(0.0, 0.0, 500.0, 300.0), (20.0, 50.0, 200.0, 200.0), (260.0, 50.0, 200.0, 200.0)]
    boxes += [(40.0, 120.0, 120.0, 44.0), (280.0, 120.0, 120.0, 44.0)]
    return DrawnGraph(tuple(nodes), (), "main", len(nodes)), Places(np.array(boxes, np.float32), ())


@pytest.mark.parametrize("zoom", [1.0, COARSE_ZOOM])
def test_of_a_loop_the_outer_frame_alone_has_its_heat(zoom: float) -> None:
    painter = GraphPainter(*loop(), LIGHT, Overlay(heat={"while": 1.0}))
    cold = GraphPainter(*loop(), LIGHT, Overlay(heat={}))
    image, plain = painted(painter, zoom), painted(cold, zoom)
    corner = painter.bounds.topLeft().toPoint()
    outer, *inner = (painter.box(box).toAlignedRect().translated(-corner).adjusted(-2, -2, 2, 2) for box in range(3))
    assert image.copy(outer) != plain.copy(outer)
    for box in inner:
        assert image.copy(box) == plain.copy(box)


def test_of_a_loop_the_outer_frame_alone_has_its_note() -> None:
    quiet, told = (GraphPainter(*loop(), LIGHT, Overlay(notes=notes)) for notes in ({}, {"while": "1.5 ms"}))
    before, after = painted(quiet), painted(told)
    corner = told.bounds.topLeft().toPoint()
    for box, is_told in ((0, True), (1, False), (2, False)):
        bar = told.box(box).toAlignedRect().translated(-corner)
        bar.setHeight(20)
        assert (before.copy(bar) != after.copy(bar)) == is_told
