"""The canvas under the mouse and the keyboard."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from helpers.drawn import chain, small_graph
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QWheelEvent
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from xlaviz.graph.overlay import NO_OVERLAY
from xlaviz.scene.canvas import GraphCanvas
from xlaviz.scene.palette import DARK
from xlaviz.scene.viewport import MAX_ZOOM, MIN_ZOOM, READABLE_ZOOM


@pytest.fixture
def canvas(qtbot: QtBot) -> GraphCanvas:
    canvas = GraphCanvas()
    qtbot.addWidget(canvas)
    canvas.resize(600, 500)
    with qtbot.waitExposed(canvas):
        canvas.show()
    canvas.show_graph(*small_graph(), NO_OVERLAY)
    return canvas


def middle(canvas: GraphCanvas, name: str) -> QPoint:
    """Where an instruction's first box is on the widget; of a frame, its title bar."""
    assert canvas.painter is not None
    assert canvas.graph is not None
    index = canvas.graph.nodes_of[name][0]
    box = canvas.painter.box(index)
    at = QPointF(box.left() + 12, box.top() + 8) if canvas.graph.nodes[index].kind == "open" else box.center()
    return canvas.to_widget(at).toPoint()


def wheel(canvas: GraphCanvas, at: QPointF, delta: int) -> None:
    event = QWheelEvent(
        at,
        canvas.mapToGlobal(at),
        QPoint(),
        QPoint(0, delta),
        Qt.MouseButton.NoButton,
        Qt.KeyboardModifier.NoModifier,
        Qt.ScrollPhase.NoScrollPhase,
        False,
    )
    QApplication.sendEvent(canvas, event)


def close(first: QPointF, second: QPointF) -> bool:
    return (first - second).manhattanLength() < 0.01


def test_a_first_graph_is_fitted(canvas: GraphCanvas) -> None:
    assert canvas.painter is not None
    corner = canvas.to_widget(canvas.painter.bounds.topLeft())
    other = canvas.to_widget(canvas.painter.bounds.bottomRight())
    assert corner.x() >= 0
    assert corner.y() >= 0
    assert other.x() <= 600.01
    assert other.y() <= 500.01


def test_a_large_graph_starts_readable_at_its_top(canvas: GraphCanvas) -> None:
    canvas.show_message("")
    canvas.show_graph(*chain(500), NO_OVERLAY)
    assert canvas.zoom == READABLE_ZOOM
    assert canvas.rect().contains(middle(canvas, "i0"))


@pytest.mark.parametrize("delta", [120, -120, 15])
def test_the_wheel_keeps_the_point_under_the_pointer(canvas: GraphCanvas, delta: int) -> None:
    at = QPointF(150, 320)
    before, zoom = canvas.to_drawing(at), canvas.zoom
    wheel(canvas, at, delta)
    assert close(canvas.to_drawing(at), before)
    assert (canvas.zoom > zoom) == (delta > 0)


def test_zoom_has_its_limits(canvas: GraphCanvas) -> None:
    for _ in range(60):
        wheel(canvas, QPointF(100, 100), 120)
    assert canvas.zoom == MAX_ZOOM
    for _ in range(120):
        wheel(canvas, QPointF(100, 100), -120)
    assert canvas.zoom == MIN_ZOOM


def test_plus_and_minus_zoom_at_the_middle(canvas: GraphCanvas, qtbot: QtBot) -> None:
    centre = canvas.to_drawing(QPointF(300, 250))
    zoom = canvas.zoom
    qtbot.keyClick(canvas, Qt.Key.Key_Plus)
    assert canvas.zoom > zoom
    qtbot.keyClick(canvas, Qt.Key.Key_Minus)
    assert canvas.zoom == pytest.approx(zoom)
    assert close(canvas.to_drawing(QPointF(300, 250)), centre)


def test_a_drag_pans_and_selects_nothing(canvas: GraphCanvas, qtbot: QtBot) -> None:
    point = canvas.to_drawing(QPointF(300, 200))
    start = middle(canvas, "x")
    with qtbot.assertNotEmitted(canvas.instruction_clicked), qtbot.waitSignal(canvas.view_moved):
        qtbot.mousePress(canvas, Qt.MouseButton.LeftButton, pos=start)
        qtbot.mouseMove(canvas, start + QPoint(20, 15))
        qtbot.mouseMove(canvas, start + QPoint(50, 30))
        qtbot.mouseRelease(canvas, Qt.MouseButton.LeftButton, pos=start + QPoint(50, 30))
    assert close(canvas.to_drawing(QPointF(350, 230)), point)


@pytest.mark.parametrize("name", ["x", "fusion", "add", "out"])
def test_a_click_names_the_instruction(canvas: GraphCanvas, qtbot: QtBot, name: str) -> None:
    with qtbot.waitSignal(canvas.instruction_clicked) as clicked:
        qtbot.mouseClick(canvas, Qt.MouseButton.LeftButton, pos=middle(canvas, name))
    assert clicked.args == [name]


def test_a_click_on_the_ground_names_nothing(canvas: GraphCanvas, qtbot: QtBot) -> None:
    with qtbot.waitSignal(canvas.instruction_clicked) as clicked:
        qtbot.mouseClick(canvas, Qt.MouseButton.LeftButton, pos=QPoint(2, 2))
    assert clicked.args == [""]


@pytest.mark.parametrize("name", ["fusion", "add"])
def test_a_double_click_toggles_the_cluster_it_is_in(canvas: GraphCanvas, qtbot: QtBot, name: str) -> None:
    with qtbot.waitSignal(canvas.cluster_toggled) as toggled:
        qtbot.mouseDClick(canvas, Qt.MouseButton.LeftButton, pos=middle(canvas, name))
    assert toggled.args == ["fusion"]


def test_a_double_click_elsewhere_toggles_nothing(canvas: GraphCanvas, qtbot: QtBot) -> None:
    with qtbot.assertNotEmitted(canvas.cluster_toggled):
        qtbot.mouseDClick(canvas, Qt.MouseButton.LeftButton, pos=middle(canvas, "x"))


def test_a_kept_box_stays_where_it_is_on_the_screen(canvas: GraphCanvas) -> None:
    canvas.zoom_by(1.3, QPointF(10, 20))
    assert canvas.painter is not None
    before, zoom = canvas.to_widget(canvas.painter.box(1).topLeft()), canvas.zoom
    graph, places = small_graph(is_open=False)
    moved = type(places)(np.add(places.boxes, (300, 70, 0, 0)), places.routes)
    canvas.show_graph(graph, moved, NO_OVERLAY, keep="fusion")
    assert close(canvas.to_widget(canvas.painter.box(1).topLeft()), before)
    assert canvas.zoom == zoom


def test_the_selection_outlives_a_new_graph(canvas: GraphCanvas) -> None:
    canvas.set_selected(frozenset({"out"}))
    canvas.show_graph(*small_graph(is_open=False), NO_OVERLAY, keep="out")
    assert canvas.painter is not None
    assert canvas.painter.selected == {"out"}


def test_centre_brings_a_box_to_the_middle_at_a_readable_size(canvas: GraphCanvas) -> None:
    canvas.show_graph(*chain(200), NO_OVERLAY)
    canvas.set_view(QPointF(0, 0), 0.1)
    canvas.centre(frozenset({"i150"}))
    assert canvas.zoom == READABLE_ZOOM
    assert (middle(canvas, "i150") - QPoint(300, 250)).manhattanLength() <= 2


def test_centre_leaves_alone_what_can_be_read_already(canvas: GraphCanvas, qtbot: QtBot) -> None:
    with qtbot.assertNotEmitted(canvas.view_moved):
        canvas.centre(frozenset({"x"}), only_if_hidden=True)
        canvas.centre(frozenset({"unknown"}))
        canvas.centre(frozenset())


def test_boxes_too_far_apart_show_the_first(canvas: GraphCanvas) -> None:
    canvas.show_graph(*chain(200), NO_OVERLAY)
    canvas.centre(frozenset({"i0", "i199"}))
    assert any(canvas.rect().contains(middle(canvas, name)) for name in ("i0", "i199"))


def test_boxes_too_far_apart_show_the_one_that_holds_most(canvas: GraphCanvas) -> None:
    graph, places = chain(200)
    canvas.show_graph(replace(graph, held={"a": 3, "b": 150, "c": 150}), places, NO_OVERLAY)
    canvas.centre(frozenset({"a", "b", "c"}))
    assert (middle(canvas, "i150") - QPoint(300, 250)).manhattanLength() <= 2


def test_a_message_takes_the_place_of_the_graph(canvas: GraphCanvas, qtbot: QtBot) -> None:
    canvas.show_message("Nothing here.")
    assert canvas.graph is None
    canvas.fit()
    canvas.set_theme(DARK)
    with qtbot.assertNotEmitted(canvas.instruction_clicked):
        qtbot.mouseClick(canvas, Qt.MouseButton.LeftButton, pos=QPoint(300, 250))
    qtbot.mouseDClick(canvas, Qt.MouseButton.LeftButton, pos=QPoint(300, 250))
    canvas.grab()


@pytest.mark.qt_log_ignore("This plugin does not support raise")  # of tooltips, on the offscreen platform
def test_hovering_names_what_is_under_the_pointer(canvas: GraphCanvas, qtbot: QtBot) -> None:
    with qtbot.waitSignal(canvas.hovered) as hovered:
        qtbot.mouseMove(canvas, middle(canvas, "add"))
    assert hovered.args[0] == "add"


def test_a_graph_shown_while_hidden_is_fitted_once_there_is_a_size(qtbot: QtBot) -> None:
    canvas = GraphCanvas()
    qtbot.addWidget(canvas)
    canvas.show_graph(*small_graph(), NO_OVERLAY)
    canvas.resize(900, 700)
    with qtbot.waitExposed(canvas):
        canvas.show()
    assert canvas.to_drawing(QPointF(450, 350)).x() == pytest.approx(180)


def test_without_a_name_what_is_in_the_middle_stays(canvas: GraphCanvas) -> None:
    canvas.show_graph(*chain(300), NO_OVERLAY)
    canvas.set_view(QPointF(0, 15_000), 1.0)
    before = middle(canvas, "i152")
    graph, places = chain(300)
    moved = type(places)(np.add(places.boxes, (5000, 70, 0, 0)), places.routes)
    canvas.show_graph(graph, moved, NO_OVERLAY)
    assert middle(canvas, "i152") == before


def test_a_graph_with_nothing_in_common_is_fitted(canvas: GraphCanvas) -> None:
    canvas.show_graph(*chain(300), NO_OVERLAY)
    canvas.set_view(QPointF(0, 15_000), 1.0)
    canvas.show_graph(*small_graph(), NO_OVERLAY)
    assert canvas.rect().contains(middle(canvas, "out"))


def test_a_kept_frame_whose_corner_was_out_of_sight_comes_into_view(canvas: GraphCanvas) -> None:
    canvas.set_view(QPointF(180, 200), 4.0)
    canvas.show_graph(*small_graph(is_open=False), NO_OVERLAY, keep="fusion")
    assert canvas.rect().contains(middle(canvas, "fusion"))
