"""The map in the corner of the canvas."""

from __future__ import annotations

import pytest
from helpers.drawn import chain, small_graph
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QColor
from pytestqt.qtbot import QtBot

from xlaviz.graph.overlay import NO_OVERLAY
from xlaviz.scene.canvas import GraphCanvas
from xlaviz.scene.palette import DARK, LIGHT


@pytest.fixture
def canvas(qtbot: QtBot) -> GraphCanvas:
    canvas = GraphCanvas()
    qtbot.addWidget(canvas)
    canvas.resize(400, 300)
    with qtbot.waitExposed(canvas):
        canvas.show()
    canvas.show_graph(*chain(60), NO_OVERLAY)
    return canvas


def middle(canvas: GraphCanvas) -> QPointF:
    return canvas.to_drawing(QPointF(200, 150))


def test_it_is_there_only_where_something_is_out_of_sight(canvas: GraphCanvas) -> None:
    assert canvas.minimap.isVisible()
    canvas.fit()
    assert not canvas.minimap.isVisible()
    canvas.zoom_by(8)
    assert canvas.minimap.isVisible()
    canvas.show_graph(*small_graph(), NO_OVERLAY)
    canvas.fit()
    assert not canvas.minimap.isVisible()


def test_a_click_and_a_drag_move_the_view(canvas: GraphCanvas, qtbot: QtBot) -> None:
    target = canvas.minimap.to_map(QPointF(60, 4000)).toPoint()
    with qtbot.waitSignal(canvas.view_moved):
        qtbot.mousePress(canvas.minimap, Qt.MouseButton.LeftButton, pos=target)
    one_pixel = canvas.minimap.to_drawing(QPointF(1, 1)) - canvas.minimap.to_drawing(QPointF(0, 0))
    assert abs(middle(canvas).y() - 4000) <= one_pixel.y()
    before = middle(canvas)
    qtbot.mouseMove(canvas.minimap, target + QPoint(0, 10))
    qtbot.mouseRelease(canvas.minimap, Qt.MouseButton.LeftButton, pos=target + QPoint(0, 10))
    assert middle(canvas).y() == pytest.approx(before.y() + 10 * one_pixel.y(), abs=one_pixel.y())


def test_a_click_on_it_selects_nothing(canvas: GraphCanvas, qtbot: QtBot) -> None:
    with qtbot.assertNotEmitted(canvas.instruction_clicked):
        qtbot.mouseClick(canvas.minimap, Qt.MouseButton.LeftButton, pos=QPoint(10, 10))


def test_it_frames_what_is_seen(canvas: GraphCanvas) -> None:
    accent = QColor(LIGHT.accent).rgb()

    def framed() -> set[int]:
        image = canvas.minimap.grab().toImage()
        return {y for y in range(image.height()) for x in range(image.width()) if image.pixel(x, y) == accent}

    top = framed()
    canvas.set_view(canvas.origin + QPointF(0, 3000), canvas.zoom)
    assert min(framed()) > max(top) - 2


def test_it_takes_the_theme(canvas: GraphCanvas) -> None:
    canvas.set_theme(DARK)
    image = canvas.minimap.grab().toImage()
    assert image.pixelColor(2, 2).name() == DARK.panel
