"""The story of the passes: told a stretch at a time, asked questions, and followed by the selection."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from xlaviz.dumps.sequence import PassSequence
from xlaviz.hlo.model import HloModule
from xlaviz.lineage.story import Story, StoryBuilder
from xlaviz.session import documents, stories
from xlaviz.session.session import Session

PATIENCE_MS = 30_000
FUSION = "broadcast_maximum_fusion"


@pytest.fixture
def sequence(matmul_bundle: Path) -> Iterator[PassSequence]:
    yield documents.open_info(documents.silent, matmul_bundle).sequence()
    documents.close_all()


@pytest.fixture
def told(matmul_bundle: Path, sequence: PassSequence) -> Story:
    builder = StoryBuilder()
    for snapshot in sequence.snapshots:
        builder.add(_module(matmul_bundle, sequence, snapshot.index), snapshot.pass_name or snapshot.label)
    return builder.story


@pytest.fixture
def opened(qapp: object, matmul_bundle: Path, qtbot: QtBot) -> Iterator[Session]:
    session = Session()
    with qtbot.waitSignal(session.document_changed, timeout=PATIENCE_MS):
        session.open(matmul_bundle)
    settle(session, qtbot)
    yield session
    session.close()


def settle(session: Session, qtbot: QtBot) -> None:
    qtbot.waitUntil(lambda: not session.is_busy, timeout=PATIENCE_MS)


def _module(path: Path, sequence: PassSequence, index: int) -> HloModule:
    return documents.opened_at(path).document.read_module(sequence.snapshots[index])


def _tell(path: Path, sequence: PassSequence) -> list[stories.StoryPart]:
    parts: list[stories.StoryPart] = []
    while not parts or parts[-1].lineage is None:
        heard = sum(len(part.summaries) for part in parts)
        parts.append(stories.story(documents.silent, path, sequence, heard))
    return parts


def fusion_index(session: Session) -> int:
    assert session.sequence is not None
    return next(s.index for s in session.sequence.snapshots if s.pass_name == "fusion")


def test_a_story_is_told_in_parts_that_together_are_the_whole(
    matmul_bundle: Path, sequence: PassSequence, told: Story, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stories, "STRETCH_S", 0.0)
    parts = _tell(matmul_bundle, sequence)
    assert len(parts) == len(sequence.snapshots)
    summaries = [summary for part in parts for summary in part.summaries]
    assert [summary.index for summary in summaries] == list(range(len(sequence.snapshots)))
    assert parts[-1].lineage == told.lineage()
    for summary in summaries[1:]:
        assert summary.rewrites == told.step_to(summary.index).rewrites
        assert sum(summary.families.values()) == summary.instructions


def test_who_comes_back_to_a_story_hears_it_at_once_and_whole(matmul_bundle: Path, sequence: PassSequence) -> None:
    _tell(matmul_bundle, sequence)
    again = stories.story(documents.silent, matmul_bundle, sequence, 0)
    assert len(again.summaries) == len(sequence.snapshots)
    assert again.lineage is not None


def test_what_never_changed_has_no_changes_in_its_summary(opened: Session) -> None:
    assert opened.summaries[0].changes == 0
    assert any(summary.changes == 0 for summary in opened.summaries[1:])
    assert opened.summaries[fusion_index(opened)].changes > 0


def test_questions_get_the_answers_of_the_story(matmul_bundle: Path, sequence: PassSequence, told: Story) -> None:
    _tell(matmul_bundle, sequence)
    last, count = sequence.last_index, len(sequence.snapshots)
    name = min(told.lineage().fusion_origins)
    chapters = stories.biography(documents.silent, matmul_bundle, sequence, count, last, name)
    assert chapters == told.biography(last, name)
    followed = stories.follow(documents.silent, matmul_bundle, sequence, count, last, name, 0, last)
    assert (followed.left, followed.right) == (told.follow(last, (name,), 0), {name})
    rows = stories.rewrites(documents.silent, matmul_bundle, sequence, count, 0, last)
    assert [(row.text, row.count) for row in rows] == [(p.text, p.count) for p in told.patterns(0, last)]
    assert stories.rewrites(documents.silent, matmul_bundle, sequence, count, last, last) == ()
    index = stories.first_change_after(documents.silent, matmul_bundle, sequence, count, "opcode:fusion appears", 0)
    assert index is not None
    assert told.opcodes(index)["fusion"] > 0


def test_a_worker_that_took_the_place_of_a_dead_one_tells_the_story_again(opened: Session, qtbot: QtBot) -> None:
    opened.select("right", FUSION)
    settle(opened, qtbot)
    before = opened.biographer.chapters
    os.kill(opened.stories.runner.worker_id, signal.SIGKILL)
    qtbot.waitUntil(lambda: opened.stories.runner.worker_id == 0)
    opened.select("left", min(opened.selection.left))
    opened.select("right", FUSION)
    settle(opened, qtbot)
    assert opened.biographer.chapters == before
    assert len(before) > 1


def test_what_comes_before_a_damaged_snapshot_is_told(tmp_path: Path, qapp: object, qtbot: QtBot) -> None:
    good = "HloModule m\n\nENTRY main {\n  x = f32[4] parameter(0)\n  ROOT y = f32[4] negate(x)\n}\n"
    for number, text in enumerate((good, good, "HloModule m\n\nENTRY main {", good)):
        (tmp_path / f"module_0001.m.{number:04d}.p.after_pass{number}.txt").write_text(text)
    session = Session()
    errors: list[object] = []
    session.failed.connect(errors.append)
    session.open(tmp_path)
    qtbot.waitUntil(lambda: bool(errors) and not session.is_busy, timeout=PATIENCE_MS)
    assert len(session.summaries) == 2
    assert session.lineage is None
    session.close()


def test_the_selection_follows_what_was_fused_back_and_forth(opened: Session, qtbot: QtBot) -> None:
    at = fusion_index(opened)
    opened.go_to(at)
    settle(opened, qtbot)
    opened.select("right", FUSION)
    settle(opened, qtbot)
    inside = opened.selection.left
    assert len(inside) > 1
    assert FUSION not in inside
    opened.go_to(at - 1)
    settle(opened, qtbot)
    assert opened.selection.name in opened.selection.right
    assert opened.selection.right == inside
    assert opened.detail is not None
    assert opened.detail.name == opened.selection.name
    opened.go_to(at)
    settle(opened, qtbot)
    assert (opened.selection.left, opened.selection.right) == (inside, {FUSION})


def test_back_from_the_steps_the_selection_is_what_was_picked(opened: Session, qtbot: QtBot) -> None:
    opened.select("right", FUSION)
    before = opened.selection
    opened.go_to(fusion_index(opened) - 1)
    settle(opened, qtbot)
    assert opened.selection.name != FUSION
    opened.show_compare()
    settle(opened, qtbot)
    assert opened.selection == before


def test_a_selection_made_in_a_step_is_known_before_and_after_all_passes(opened: Session, qtbot: QtBot) -> None:
    at = fusion_index(opened)
    opened.go_to(at)
    settle(opened, qtbot)
    opened.select("right", FUSION)
    settle(opened, qtbot)
    opened.show_compare()
    settle(opened, qtbot)
    assert FUSION in opened.selection.right
    assert opened.selection.left == opened.origins_of(FUSION)
