"""The session without a window: what is shown, selected and marked."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from xlaviz.session.session import Session
from xlaviz.session.shown import PANES, overlay

PATIENCE_MS = 30_000
FUSION = "broadcast_maximum_fusion"


@pytest.fixture
def session(qapp: object) -> Iterator[Session]:
    session = Session()
    yield session
    session.close()


@pytest.fixture
def opened(session: Session, matmul_bundle: Path, qtbot: QtBot) -> Session:
    with qtbot.waitSignal(session.document_changed, timeout=PATIENCE_MS):
        session.open(matmul_bundle)
    settle(session, qtbot)
    return session


def settle(session: Session, qtbot: QtBot) -> None:
    qtbot.waitUntil(lambda: not session.is_busy, timeout=PATIENCE_MS)


def test_nothing_happens_without_a_document(session: Session) -> None:
    session.go_to(3)
    session.step(1)
    session.go_to_last()
    session.show_compare()
    session.toggle("left", "x")
    session.set_open("all")
    session.select("left", "x")
    assert not session.is_busy


def test_a_document_brings_all_there_is_to_know(opened: Session) -> None:
    assert opened.mode == "compare"
    assert all(opened.sides[pane] is not None for pane in PANES)
    assert opened.lineage is not None
    assert opened.kernels is not None
    assert opened.sequence is not None
    assert [s.index for s in opened.summaries] == list(range(len(opened.sequence.snapshots)))


def test_a_selection_has_its_counterparts_on_either_side(opened: Session) -> None:
    assert opened.lineage is not None
    opened.select("right", FUSION)
    assert opened.selection.right == {FUSION}
    assert opened.selection.left == opened.lineage.fusion_origins[FUSION]
    origin = min(opened.selection.left)
    opened.select("left", origin)
    assert opened.selection.left == {origin}
    assert opened.selection.right == opened.descendants_of(origin)
    assert opened.selection.right


def test_what_a_closed_fusion_holds_is_found_in_the_fusion(opened: Session, qtbot: QtBot) -> None:
    origin = min(opened.origins_of(FUSION))
    opened.set_open(frozenset())
    settle(opened, qtbot)
    opened.select("left", origin)
    assert FUSION in opened.selection.right


def test_a_step_selects_the_same_name_on_both_sides(opened: Session, qtbot: QtBot) -> None:
    opened.go_to(3)
    settle(opened, qtbot)
    opened.select("left", "MatMul.2")
    assert opened.selection.left == opened.selection.right == {"MatMul.2"}


def test_a_selection_lives_on_through_the_steps(opened: Session, qtbot: QtBot) -> None:
    opened.select("right", "MatMul.2")
    opened.go_to(4)
    settle(opened, qtbot)
    assert opened.selection.name == "MatMul.2"
    assert opened.detail is not None
    assert opened.detail.name == "MatMul.2"
    opened.show_compare()
    settle(opened, qtbot)
    assert opened.selection.left


def test_the_marks_of_a_step_are_its_diff(opened: Session, qtbot: QtBot) -> None:
    index = next(s.index for s in opened.summaries if s.added and s.removed)
    opened.go_to(index)
    settle(opened, qtbot)
    diff = opened.diff
    assert diff is not None
    marks = {pane: overlay(opened.shown, pane).marks for pane in PANES}
    assert {name for name, mark in marks["left"].items() if mark == "removed"} == diff.removed
    assert {name for name, mark in marks["right"].items() if mark == "added"} == diff.added
    changed = {name for name, mark in marks["right"].items() if mark == "changed"}
    assert changed == diff.changed | diff.moved
    summary = opened.summaries[index]
    assert (summary.added, summary.removed, summary.changed) == (len(diff.added), len(diff.removed), len(diff.changed))


def test_times_stand_on_what_ran_alone(opened: Session, qtbot: QtBot) -> None:
    assert FUSION in overlay(opened.shown, "right").notes
    assert not overlay(opened.shown, "left").notes
    opened.go_to(2)
    settle(opened, qtbot)
    assert not any(overlay(opened.shown, pane).notes for pane in PANES)


def test_the_position_is_told_at_once_and_the_view_when_it_is_there(opened: Session, qtbot: QtBot) -> None:
    with qtbot.waitSignals([opened.position_changed, opened.view_changed], order="strict", timeout=PATIENCE_MS):
        opened.go_to(2)
        assert opened.diff is None
    assert opened.diff is not None


def test_the_last_of_many_steps_is_shown(opened: Session, qtbot: QtBot) -> None:
    shown = []
    opened.view_changed.connect(lambda _: shown.append(opened.sides["right"].snapshot.index))
    for index in range(1, 15):
        opened.go_to(index)
    settle(opened, qtbot)
    assert shown[-1] == 14


def test_a_view_that_comes_too_late_for_its_mode_is_dropped(opened: Session, qtbot: QtBot) -> None:
    opened.go_to(3)
    opened.show_compare()
    opened.go_to(4)
    opened.show_compare()
    settle(opened, qtbot)
    assert opened.sides["left"].snapshot.index == 0  # type: ignore[union-attr]
    assert opened.sides["right"].snapshot.index == opened.sequence.last_index  # type: ignore[union-attr]
    assert opened.diff is None
    assert not opened.is_shared


def test_ends_of_the_sequence_hold(opened: Session, qtbot: QtBot) -> None:
    opened.go_to(10_000)
    assert opened.index == opened.sequence.last_index  # type: ignore[union-attr]
    opened.go_to(-5)
    assert opened.index == 0
    settle(opened, qtbot)
    assert opened.sides["left"] is None
    assert opened.sides["right"] is not None


def test_toggle_changes_one_cluster_of_one_side(opened: Session, qtbot: QtBot) -> None:
    side = opened.sides["right"]
    left = opened.sides["left"]
    assert side is not None
    with qtbot.waitSignal(opened.view_changed, timeout=PATIENCE_MS) as changed:
        opened.toggle("right", FUSION)
    assert changed.args == [FUSION]
    assert opened.sides["right"].open == side.open ^ {FUSION}  # type: ignore[union-attr]
    assert opened.sides["left"] is left
    settle(opened, qtbot)


def test_a_neighbourhood_on_the_side_that_lacks_the_instruction_is_that_of_a_neighbour(
    opened: Session, qtbot: QtBot
) -> None:
    index = next(s.index for s in opened.summaries if s.removed)
    opened.go_to(index)
    settle(opened, qtbot)
    assert opened.diff is not None
    whole = opened.sides["right"]
    assert whole is not None
    removed = next(n for n in sorted(opened.diff.removed) if n in opened.sides["left"].graph.nodes_of)  # type: ignore[union-attr]
    opened.show_neighbourhood("left", removed, 1)
    settle(opened, qtbot)
    part = opened.sides["right"]
    assert part is not None
    assert len(part.graph.nodes) < len(whole.graph.nodes)


def test_a_missing_file_is_one_error_and_changes_nothing(opened: Session, tmp_path: Path, qtbot: QtBot) -> None:
    info = opened.info
    with qtbot.waitSignal(opened.failed, timeout=PATIENCE_MS) as failed:
        opened.open(tmp_path / "none.xlaviz")
    assert "none.xlaviz" in str(failed.args[0])
    assert opened.info is info
    assert opened.sides["right"] is not None


def test_a_detail_that_comes_after_another_document_is_dropped(
    opened: Session, matmul_bundle: Path, qtbot: QtBot
) -> None:
    opened.select("right", "MatMul.2")
    with qtbot.waitSignal(opened.document_changed, timeout=PATIENCE_MS):
        opened.open(matmul_bundle)
    settle(opened, qtbot)
    assert opened.detail is None
