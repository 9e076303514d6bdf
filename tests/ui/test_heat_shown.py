"""Heat in the window: both panes coloured by time on one scale, and what the legend says of it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from helpers.driving import double_click, kinds, open_in, press, settle
from helpers.recorded import write_dump, write_profile
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor
from pytestqt.qtbot import QtBot

from xlaviz.base.units import time_text
from xlaviz.scene.palette import heat_colour
from xlaviz.session.heat import heat_of
from xlaviz.session.shown import PANES, Pane
from xlaviz.ui.main_window import MainWindow

FUSION = "broadcast_maximum_fusion"
DOT = "MatMul.2"


@pytest.fixture
def heated(opened: MainWindow, qtbot: QtBot) -> MainWindow:
    press(opened, qtbot, Qt.Key.Key_H)
    return opened


def heat(window: MainWindow, pane: Pane) -> dict[str, float] | None:
    """What a canvas colours by."""
    painter = window.panes[pane].canvas.painter
    assert painter is not None
    return dict(painter.overlay.heat) if painter.overlay.heat is not None else None


def closed(window: MainWindow, pane: Pane) -> dict[str, float]:
    """The heat of the boxes that are not open."""
    found = heat(window, pane)
    assert found is not None
    return {name: share for name, share in found.items() if kinds(window, pane, name) & {"instruction", "closed"}}


def kernel_us(window: MainWindow, name: str) -> float:
    table = window.session.kernels
    assert table is not None
    return next(kernel.self_per_run_us for kernel in table.kernels if kernel.name == name)


def hottest_us(window: MainWindow) -> float:
    found = heat_of(window.session.shown, window.session.times.members)
    assert found is not None
    return found.hottest_us


def colour_of(window: MainWindow, pane: Pane, name: str) -> str:
    """The colour of a box near its lower right corner, where no words are."""
    canvas = window.panes[pane].canvas
    assert canvas.painter is not None
    canvas.centre(frozenset({name}))
    box = canvas.painter.box(canvas.painter.graph.nodes_of[name][0])
    spot = canvas.to_widget(box.bottomRight()).toPoint()
    return canvas.grab().toImage().pixelColor(spot.x() - 5, spot.y() - 4).name()


def is_near(colour: str, other: QColor) -> bool:
    one = QColor(colour)
    return abs(one.red() - other.red()) + abs(one.green() - other.green()) + abs(one.blue() - other.blue()) < 30


def test_h_colours_both_panes_on_one_scale(heated: MainWindow) -> None:
    assert heated.actions_by_name["heat"].isChecked()
    by_pane = {pane: closed(heated, pane) for pane in PANES}
    assert max(share for own in by_pane.values() for share in own.values()) == 1.0
    assert hottest_us(heated) == pytest.approx(kernel_us(heated, DOT))
    assert by_pane["right"][DOT] == 1.0
    assert heat(heated, "right")[FUSION] == pytest.approx(kernel_us(heated, FUSION) / kernel_us(heated, DOT))  # type: ignore[index]
    assert all(0 < share <= 1 for own in by_pane.values() for share in own.values())


def test_h_is_for_heat_wherever_the_focus_is(opened: MainWindow, qtbot: QtBot) -> None:
    timing = opened.timing
    for tab, widget in (
        (timing.kernels, timing.kernels.view),
        (timing.kernels, timing.kernels.plot),
        (timing.timeline, timing.timeline.plot),
        (timing.source, timing.source.view),
        (timing.source, timing.source.files),
        (timing.report, timing.report),
        (timing.report, opened.panes["left"].canvas),
    ):
        opened.bottom.setCurrentWidget(tab)
        settle(opened, qtbot)
        widget.setFocus()
        was_on = opened.session.is_heated
        qtbot.keyClick(widget, Qt.Key.Key_H)
        assert opened.session.is_heated != was_on


def test_the_boxes_are_painted_so_and_as_before_when_it_is_off(heated: MainWindow, qtbot: QtBot) -> None:
    theme = heated.theme
    assert is_near(colour_of(heated, "right", DOT), heat_colour(1.0, theme))
    press(heated, qtbot, Qt.Key.Key_H)
    assert not heated.actions_by_name["heat"].isChecked()
    assert all(heat(heated, pane) is None for pane in PANES)
    assert not is_near(colour_of(heated, "right", DOT), heat_colour(1.0, theme))
    assert heated.legend.heat is None


def test_the_left_has_all_the_time_of_kernels_with_origins(heated: MainWindow) -> None:
    """Every box on the left stands for one instruction here, so its heat is a time."""
    lineage, table = heated.session.lineage, heated.session.kernels
    assert lineage is not None
    assert table is not None
    with_origins = [k for k in table.kernels if lineage.origins.get(k.name) or lineage.fusion_origins.get(k.name)]
    assert len(with_origins) == 3
    left = closed(heated, "left")
    assert sum(left.values()) * hottest_us(heated) == pytest.approx(sum(k.self_per_run_us for k in with_origins))
    assert set(left) <= {name for kernel in with_origins for name in heated.session.origins_of(kernel.name)}


def test_the_legend_tells_what_the_colours_are(heated: MainWindow) -> None:
    told = heated.legend.heat
    assert told is not None
    assert told.hottest == time_text(kernel_us(heated, DOT))
    assert "attributed" in told.left_text
    assert "kernel" in told.right_text
    assert told.has_two_panes


def test_a_closed_fusion_has_the_time_of_what_was_in_it(heated: MainWindow, qtbot: QtBot) -> None:
    assert kinds(heated, "right", FUSION) == {"open"}
    parts = heated.session.times.members[FUSION]
    opened = heat(heated, "right")
    assert opened is not None
    drawn = [opened[name] for name in parts if name in opened]
    assert sum(drawn) <= opened[FUSION] * (1 + 1e-9)
    assert drawn
    double_click(heated, qtbot, "right", FUSION)
    assert kinds(heated, "right", FUSION) == {"closed"}
    again = heat(heated, "right")
    assert again is not None
    assert again[FUSION] == pytest.approx(opened[FUSION])
    assert not [name for name in parts if name in again and name != FUSION]


def test_a_step_shows_heat_only_where_times_are_known(heated: MainWindow, qtbot: QtBot) -> None:
    last = heated.session.sequence.last_index  # type: ignore[union-attr]
    for index, panes in ((last, ["right"]), (last // 2, []), (1, ["left"])):
        heated.session.go_to(index)
        settle(heated, qtbot)
        assert [pane for pane in PANES if heat(heated, pane) is not None] == panes
        told = heated.legend.heat
        assert (told is None) == (not panes)
        if told is not None:
            assert [pane for pane, words in (("left", told.left_text), ("right", told.right_text)) if words] == panes
    press(heated, qtbot, Qt.Key.Key_B)
    assert all(heat(heated, pane) for pane in PANES)


def test_where_no_times_are_known_it_is_said(opened: MainWindow, qtbot: QtBot) -> None:
    opened.session.go_to(opened.session.sequence.last_index // 2)  # type: ignore[union-attr]
    settle(opened, qtbot)
    press(opened, qtbot, Qt.Key.Key_H)
    assert "No times are known" in opened.status.currentMessage()
    press(opened, qtbot, Qt.Key.Key_H)
    press(opened, qtbot, Qt.Key.Key_B)
    opened.status.clearMessage()
    press(opened, qtbot, Qt.Key.Key_H)
    assert opened.status.currentMessage() == ""


def test_heat_is_on_for_the_next_document_too(heated: MainWindow, tmp_path: Path, qtbot: QtBot) -> None:
    open_in(heated, write_dump(tmp_path / "dump", {1: "f"}), qtbot)
    assert heated.actions_by_name["heat"].isChecked()
    assert all(heat(heated, pane) is None for pane in PANES)
    assert heated.legend.heat is None
    open_in(heated, write_profile(tmp_path / "box.xplane.pb", {3: "f"}), qtbot)
    assert heat(heated, "right") == {"dot.1": 1.0}


def test_one_pane_alone_needs_no_sides_in_the_legend(window: MainWindow, tmp_path: Path, qtbot: QtBot) -> None:
    open_in(window, write_profile(tmp_path / "box.xplane.pb", {3: "f"}), qtbot)
    press(window, qtbot, Qt.Key.Key_H)
    told = window.legend.heat
    assert told is not None
    assert (told.left_text, told.has_two_panes) == ("", False)
    assert "kernel" in told.right_text


def test_heat_in_the_dark_is_another_scale(heated: MainWindow, qtbot: QtBot) -> None:
    light = colour_of(heated, "right", DOT)
    qtbot.keyClick(heated, Qt.Key.Key_T, Qt.KeyboardModifier.ControlModifier)
    dark = colour_of(heated, "right", DOT)
    assert light != dark
    assert is_near(dark, heat_colour(1.0, heated.theme))


@pytest.mark.tensorflow
def test_heat_of_a_train_step_adds_up_whatever_is_closed(
    window: MainWindow, train_step_bundle: Path, qtbot: QtBot
) -> None:
    open_in(window, train_step_bundle, qtbot)
    press(window, qtbot, Qt.Key.Key_H)
    table = window.session.kernels
    assert table is not None
    sums = []
    for action in ("open_all", "close_all"):
        window.actions_by_name[action].trigger()
        settle(window, qtbot)
        assert max(max(closed(window, pane).values(), default=0.0) for pane in PANES) == 1.0
        graph = window.panes["left"].canvas.graph
        assert graph is not None
        found = heat(window, "left")
        assert found is not None
        tops = {node.instruction for node in graph.nodes if node.parent < 0}
        # an open cluster's heat stops at 1, so the time at the top adds up only where all are closed
        sums.append(sum(found[name] for name in tops if name in found) * hottest_us(window))
    left = sum(kernel.self_per_run_us for kernel in table.kernels if window.session.origins_of(kernel.name))
    assert sums[1] == pytest.approx(left)
    assert sums[0] <= left * (1 + 1e-9)


def test_the_left_boxes_tell_their_times_as_attributions(heated: MainWindow, qtbot: QtBot) -> None:
    painter = heated.panes["left"].canvas.painter
    assert painter is not None
    notes = painter.overlay.notes
    assert notes[DOT] == f"~ {time_text(kernel_us(heated, DOT))}"
    assert set(notes) <= set(painter.overlay.heat or {})
    press(heated, qtbot, Qt.Key.Key_H)
    assert painter.overlay.notes == {}


def test_a_scale_that_open_boxes_exceed_says_so(heated: MainWindow, qtbot: QtBot) -> None:
    """The open fusion as a whole takes longer than any box within it, but not than the dot."""
    assert heated.legend.heat is not None
    assert heated.legend.heat.hottest == time_text(kernel_us(heated, DOT))
    found = heat_of(heated.session.shown, heated.session.times.members)
    assert found is not None
    parts = {name: time for name, time in (found.times_us["right"] or {}).items() if name != DOT}
    assert replace(found, hottest_us=min(parts.values())).scale_end.endswith(" and more")
