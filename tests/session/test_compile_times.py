"""Snapshots and the events of the compilation's profile: which left which."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from xlaviz.dumps.sequence import Snapshot
from xlaviz.profile.compilation import PassEvent
from xlaviz.session import documents
from xlaviz.session.compile_times import compile_times, match_snapshots

MS = 10**9


@pytest.fixture(autouse=True)
def closed_documents() -> Iterator[None]:
    yield
    documents.close_all()


def event(name: str, *pipelines: str, start: float, ms: float) -> PassEvent:
    return PassEvent(name, pipelines, round(start * MS), round(ms * MS), len(pipelines))


def snapshot(index: int, pass_name: str, pipeline: str) -> Snapshot:
    return Snapshot(index, f"{index}.pb", pass_name, pass_name, pipeline, index)


def test_of_the_runs_of_a_pass_the_one_that_took_its_time_left_the_snapshot() -> None:
    events = (
        event("HLO passes", start=0, ms=20),
        event("dce", "HLO passes", start=1, ms=0.01),
        event("dce", "HLO passes", start=2, ms=1.5),
        event("dce", "HLO passes", start=5, ms=0.01),
    )
    matched = match_snapshots((snapshot(0, "", "HLO_passes"), snapshot(1, "dce", "HLO_passes")), events)
    assert matched == {0: events[0], 1: events[2]}


def test_the_order_of_the_snapshots_is_kept_and_what_has_no_event_is_left_out() -> None:
    events = (
        event("p", start=0, ms=20),
        event("b", "p", start=1, ms=5),
        event("a", "p", start=7, ms=1),
        event("b", "p", start=9, ms=1),
    )
    snapshots = (snapshot(0, "a", "p"), snapshot(1, "gone", "p"), snapshot(2, "b", "p"))
    assert match_snapshots(snapshots, events) == {0: events[2], 2: events[3]}


def test_a_capture_has_every_pass_once_and_in_order(matmul_bundle: Path) -> None:
    sequence = documents.open_info(documents.silent, matmul_bundle).sequence()
    times = compile_times(documents.silent, matmul_bundle, sequence)
    assert times is not None
    assert [row.index for row in times.rows if row.index is not None] == [s.index for s in sequence.snapshots]
    assert sum(1 for row in times.rows if row.index is None) > 50
    named = {sequence.snapshots[index].pass_name for index in times.of_snapshots}
    assert {"fusion", "layout-assignment", "algsimp"} <= named
    assert 0 < sum(times.of_snapshots.values()) < times.total_ms
    assert times.rows[-1].pipeline == "backend"


def test_a_dump_alone_has_no_compile_times(tmp_path: Path) -> None:
    file = tmp_path / "one.hlo"
    file.write_text("HloModule one\n\nENTRY main {\n  x = f32[4] parameter(0)\n  ROOT y = f32[4] negate(x)\n}\n")
    sequence = documents.open_info(documents.silent, file).sequence()
    assert compile_times(documents.silent, file, sequence) is None
