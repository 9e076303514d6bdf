"""Other people's profiles in the window."""

from __future__ import annotations

from pathlib import Path

from helpers.driving import open_in, settle
from helpers.recorded import write_dump, write_profile
from helpers.trees import rows
from pytestqt.qtbot import QtBot

from xlaviz.ui.main_window import MainWindow


def test_runs_and_hosts_to_choose_from(window: MainWindow, tmp_path: Path, qtbot: QtBot) -> None:
    for place in ("1/a", "2/a"):
        write_profile(tmp_path / f"{place}.xplane.pb", {3: "f", 5: "g"}, without=(5,))
    (tmp_path / "2/b.xplane.pb").write_bytes(b"\xef\xbf\xbd" * 50)
    write_dump(tmp_path / "dump", {3: "f", 9: "h"})
    open_in(window, tmp_path, qtbot)
    listed = rows(window.pass_list.modules.invisibleRootItem())
    headings = [row for row in listed if not row.startswith(" ")]
    assert sorted(headings) == ["1 · a", "2 · a", "2 · b", "in no profile"]
    place = listed.index("1 · a")
    assert listed[place + 1 : place + 3] == ["  f | 2 | 2", "  g | ? | 1"]
    assert listed[listed.index("2 · b") + 1] == "  cannot be read | ? | 1"
    assert listed[listed.index("in no profile") + 1] == "  h | 2 | 2"


def test_one_profile_needs_no_headings(window: MainWindow, tmp_path: Path, qtbot: QtBot) -> None:
    open_in(window, write_profile(tmp_path / "box.xplane.pb", {3: "f", 5: "g"}), qtbot)
    assert rows(window.pass_list.modules.invisibleRootItem()) == ["f | 2 | 1", "g | 2 | 1"]
    assert window.session.sequence is not None
    assert window.session.sequence.name == "g"


def test_a_module_that_is_missing_is_said_where_the_graph_would_be(
    window: MainWindow, tmp_path: Path, qtbot: QtBot
) -> None:
    open_in(window, write_profile(tmp_path / "box.xplane.pb", {3: "f", 5: "g"}, without=(5,)), qtbot)
    error = window.session.errors["right"]
    assert error is not None
    assert "times are shown, no graph" in error.message
    assert window.panes["right"].canvas.graph is None
    assert window.session.info is not None
    with qtbot.waitSignal(window.document_shown):
        window.session.show_sequence(window.session.info.sequences[0])
    settle(window, qtbot)
    assert window.panes["right"].canvas.graph is not None
    assert window.session.kernels is not None
