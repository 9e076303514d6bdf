"""What the window shows, written into files."""

from __future__ import annotations

from pathlib import Path

from helpers.driving import open_in, settle
from pytestqt.qtbot import QtBot

from xlaviz.ui.main_window import MainWindow


def test_what_is_shown_is_exported(opened: MainWindow, tmp_path: Path) -> None:
    for kind in ("svg", "png", "pdf", "dot"):
        for what in ("left", "right", "side-by-side"):
            path = tmp_path / f"{what}.{kind}"
            opened.commands.export_to(path, what)
            assert path.stat().st_size > 500
    assert opened.notifications.isHidden()


def test_an_export_in_heat_has_the_scale_of_the_legend(opened: MainWindow, tmp_path: Path, qtbot: QtBot) -> None:
    opened.actions_by_name["heat"].trigger()
    settle(opened, qtbot)
    assert opened.legend.heat is not None
    path = tmp_path / "hot.svg"
    opened.commands.export_to(path, "side-by-side")
    assert path.read_text("utf-8").count(f">{opened.legend.heat.hottest}<") == 2
    opened.actions_by_name["heat"].trigger()
    settle(opened, qtbot)
    opened.commands.export_to(path, "side-by-side")
    assert "attributed" not in path.read_text("utf-8")


def test_of_one_snapshot_one_picture_is_exported(window: MainWindow, tmp_path: Path, qtbot: QtBot) -> None:
    file = tmp_path / "one.hlo"
    file.write_text("HloModule one\n\nENTRY main {\n  x = f32[4] parameter(0)\n  ROOT y = f32[4] negate(x)\n}\n")
    open_in(window, file, qtbot)
    for what in ("left", "right", "side-by-side"):
        path = tmp_path / f"{what}.svg"
        window.commands.export_to(path, what)
        assert path.read_text("utf-8").count(">negate<") == 1


def test_an_export_that_cannot_be_written_is_one_sentence(opened: MainWindow, tmp_path: Path) -> None:
    opened.commands.export_to(tmp_path / "nowhere" / "a.svg", "right")
    assert "cannot be written" in opened.notifications.text.text()
    opened.commands.export_to(tmp_path / "a.gif", "right")
    assert "svg, png, pdf, dot" in opened.notifications.text.text()
