"""A graph with more boxes than can be laid out: the sentence, and the ways out that can be clicked."""

from __future__ import annotations

from pathlib import Path

import pytest
from helpers.driving import kinds, open_in, press, settle
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from xlaviz.ui.main_window import MainWindow

MAX_BOXES = 600
COUNT = MAX_BOXES + 50
WORKER = (
    f"import xlaviz.layout.place as place; place.MAX_BOXES = {MAX_BOXES}; import xlaviz.session.worker as w; w.main()"
)


@pytest.fixture(autouse=True)
def small_limit(window: MainWindow) -> None:
    """The true limit is far above what a first page ever shows, and takes its time."""
    window.session.views._worker = ["-P", "-c", WORKER]


def open_flat(window: MainWindow, file: Path, qtbot: QtBot) -> None:
    """Open a file, and all of it."""
    open_in(window, file, qtbot)
    assert offers(window) == [], "the first page is never too large"
    window.actions_by_name["clusters_none"].trigger()
    settle(window, qtbot)


def chain(prefix: str, root: str) -> str:
    lines = [f"  {prefix}0 = f32[4] parameter(0)"]
    lines += [f"  {prefix}{i} = f32[4] negate({prefix}{i - 1})" for i in range(1, COUNT)]
    return "\n".join((*lines, f"  ROOT {root} = f32[4] exponential({prefix}{COUNT - 1})"))


@pytest.fixture
def long_entry(tmp_path: Path) -> Path:
    file = tmp_path / "long.hlo"
    file.write_text(f"HloModule long\n\nENTRY main {{\n{chain('n', 'last')}\n}}\n", "utf-8")
    return file


@pytest.fixture
def long_fusion(tmp_path: Path) -> Path:
    entry = "  x = f32[4] parameter(0)\n  ROOT big = f32[4] fusion(x), kind=kLoop, calls=fused"
    file = tmp_path / "fusion.hlo"
    text = f"HloModule fusion\n\nfused {{\n{chain('n', 'last')}\n}}\n\nENTRY main {{\n{entry}\n}}\n"
    file.write_text(text, "utf-8")
    return file


def offers(window: MainWindow) -> list[str]:
    return [button.text() for button in window.panes["right"].offer_buttons]


def click_offer(window: MainWindow, qtbot: QtBot, number: int) -> None:
    qtbot.mouseClick(window.panes["right"].offer_buttons[number], Qt.MouseButton.LeftButton)
    settle(window, qtbot)


def test_clusters_and_the_neighbourhood_of_the_root_are_offered(
    window: MainWindow, long_entry: Path, qtbot: QtBot
) -> None:
    open_flat(window, long_entry, qtbot)
    pane = window.panes["right"]
    assert str(COUNT + 1) in pane.canvas.message
    assert offers(window) == ["Show clusters", "Show the neighbourhood of last"]
    assert all(pane.canvas.rect().contains(button.geometry()) for button in pane.offer_buttons)
    click_offer(window, qtbot, 1)
    assert kinds(window, "right", "last") == {"instruction"}
    assert len(pane.canvas.graph.nodes) == 4  # type: ignore[union-attr]
    assert offers(window) == []
    press(window, qtbot, Qt.Key.Key_Escape)
    click_offer(window, qtbot, 0)
    assert offers(window) == []
    assert pane.canvas.graph is not None


def test_of_a_tuple_at_the_root_its_first_element_is_offered(window: MainWindow, tmp_path: Path, qtbot: QtBot) -> None:
    body = chain("n", "last").replace("ROOT ", "")
    entry = f"{body}\n  t = (f32[4], f32[4]) tuple(last, n7)\n  g = f32[4] get-tuple-element(t), index=1"
    file = tmp_path / "tuple.hlo"
    file.write_text(f"HloModule t\n\nENTRY main {{\n{entry}\n  ROOT r = (f32[4], f32[4]) tuple(last, g)\n}}\n", "utf-8")
    open_flat(window, file, qtbot)
    assert offers(window)[-1] == "Show the neighbourhood of last"


def test_the_selection_is_offered_once_there_is_one(window: MainWindow, long_entry: Path, qtbot: QtBot) -> None:
    open_flat(window, long_entry, qtbot)
    window.session.select("right", "n300")
    settle(window, qtbot)
    assert offers(window)[-1] == "Show the neighbourhood of n300"
    click_offer(window, qtbot, 1)
    assert len(window.panes["right"].canvas.graph.nodes) == 7  # type: ignore[union-attr]
    canvas = window.panes["right"].canvas
    assert canvas.painter is not None
    assert canvas.painter.selected == {"n300"}


def test_clusters_that_were_opened_can_be_closed_again(window: MainWindow, long_fusion: Path, qtbot: QtBot) -> None:
    open_in(window, long_fusion, qtbot)
    window.actions_by_name["clusters_calls"].trigger()
    settle(window, qtbot)
    assert kinds(window, "right", "big") == {"closed"}
    window.actions_by_name["open_all"].trigger()
    settle(window, qtbot)
    assert offers(window)[0] == "Close all clusters"
    click_offer(window, qtbot, 0)
    assert kinds(window, "right", "big") == {"closed"}
    assert offers(window) == []


def test_other_errors_offer_nothing(window: MainWindow, long_fusion: Path, qtbot: QtBot) -> None:
    open_in(window, long_fusion, qtbot)
    window.session.set_open("all")
    window.session.views.stop_all()
    assert "Stopped" in window.panes["right"].canvas.message
    assert offers(window) == []
