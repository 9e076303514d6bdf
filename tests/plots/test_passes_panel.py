"""The chart over the passes: bars by family, compile times, clicks."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, Qt
from pytestqt.qtbot import QtBot

from xlaviz.dumps.sequence import PassSequence, Snapshot
from xlaviz.plots.passes import PassesPanel
from xlaviz.scene.palette import DARK
from xlaviz.session.compile_times import CompileTimes, PassRow
from xlaviz.session.stories import SnapshotSummary

SEQUENCE = PassSequence("f", 1, "cpu", tuple(Snapshot(i, f"{i}.pb", f"pass-{i}") for i in range(4)))
SUMMARIES = tuple(SnapshotSummary(i, 1, 10 - i, removed=i, families={"dot": 2, "elementwise": 8 - i}) for i in range(4))
TIMES = CompileTimes((PassRow("p", "", 1, 2.5), PassRow("p", "idle", None, 0.1), PassRow("p", "", 2, 0.5)), 3.1)


@pytest.fixture
def panel(qtbot: QtBot) -> PassesPanel:
    panel = PassesPanel()
    qtbot.addWidget(panel)
    panel.resize(800, 260)
    with qtbot.waitExposed(panel):
        panel.show()
    return panel


def test_before_anything_is_known_there_are_only_words(panel: PassesPanel) -> None:
    panel.show_passes(SEQUENCE, (), None)
    assert "Following" in panel.summary.text()
    assert not panel.view.isVisible()
    panel.show_passes(PassSequence("f", 1, "", SEQUENCE.snapshots[:1]), (), None)
    assert "one snapshot alone" in panel.summary.text()


def test_the_families_are_stacked(panel: PassesPanel) -> None:
    panel.show_passes(SEQUENCE, SUMMARIES, None)
    assert panel.families == ("elementwise", "dot")
    assert not panel.times.isVisible()
    assert "10 → 7 instructions" in panel.summary.text()
    assert panel.counts.getViewBox().viewRange()[1][1] >= 10


def test_compile_times_stand_below(panel: PassesPanel) -> None:
    panel.show_passes(SEQUENCE, SUMMARIES, TIMES)
    assert panel.times.isVisible()
    assert panel.times.getViewBox().viewRange()[1][1] >= 2.5
    assert "3.1 ms to compile" in panel.summary.text()
    panel.set_theme(DARK)
    assert panel.times.isVisible()


def test_a_click_on_a_bar_goes_to_its_snapshot(panel: PassesPanel, qtbot: QtBot) -> None:
    panel.show_passes(SEQUENCE, SUMMARIES, TIMES)
    with qtbot.waitSignal(panel.snapshot_chosen) as chosen:
        point = QPoint(*map(round, panel.bar_point(2)))
        qtbot.mouseClick(panel.view.viewport(), Qt.MouseButton.LeftButton, pos=panel.view.mapFromScene(point))
    assert chosen.args == [2]
