"""Times of the module that is shown: what is asked, what is kept, which answers are dropped."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from helpers.driving import PATIENCE_MS
from helpers.recorded import write_dump, write_profile
from pytestqt.qtbot import QtBot

from xlaviz.base.errors import XlavizError
from xlaviz.dumps.sequence import PassSequence
from xlaviz.profile.peaks import NO_PEAKS, Peaks
from xlaviz.session.documents import open_info, silent
from xlaviz.session.jobs import JobRunner
from xlaviz.session.times import Times

TYPED = Peaks(2e12, 1e11, "typed in")

Asked = dict[str, list[object]]


@pytest.fixture
def times(qapp: object) -> Iterator[Times]:
    runner = JobRunner()
    yield Times(runner, runner)
    runner.close()


def main_of(path: Path) -> tuple[Path, PassSequence]:
    info = open_info(silent, path)
    return path, info.sequences[info.main_index]


def settle(times: Times, qtbot: QtBot) -> None:
    qtbot.waitUntil(lambda: not times._runner.is_busy, timeout=PATIENCE_MS)


def ask(times: Times, call: str, *arguments: object, slot: str = "asked") -> Asked:
    """What comes of a question, under `done` and `failed`, once it has come."""
    found: Asked = {"done": [], "failed": []}
    times.ask(slot, "asking", call, arguments, found["done"].append, found["failed"].append)
    return found


@pytest.fixture
def begun(times: Times, matmul_bundle: Path, qtbot: QtBot) -> Times:
    with qtbot.waitSignals([times.changed, times.members_changed], timeout=PATIENCE_MS):
        times.begin(*main_of(matmul_bundle))
    return times


def test_nothing_is_asked_without_a_module(times: Times) -> None:
    found = ask(times, "lines")
    times.set_device("CPU")
    assert not times._runner.is_busy
    assert found == {"done": [], "failed": []}
    assert times.table is None


def test_the_kernels_come_with_the_instructions_in_them(begun: Times) -> None:
    table = begun.table
    assert table is not None
    assert begun.error is None
    assert set(begun.members) == {kernel.name for kernel in table.kernels}
    for parts in begun.members.values():
        assert sum(parts.values()) == pytest.approx(1)


def test_peaks_that_are_typed_in_go_before_the_documents(begun: Times, qtbot: QtBot) -> None:
    table = begun.table
    assert table is not None
    assert table.peaks.ridge is not None
    with qtbot.waitSignal(begun.peaks_changed):
        begun.set_peaks(TYPED)
    assert begun.table == replace(table, peaks=TYPED)
    begun.set_peaks(NO_PEAKS)
    assert begun.table == table


def test_peaks_hold_for_all_modules_of_a_document_and_for_no_other(
    begun: Times, matmul_bundle: Path, tmp_path: Path
) -> None:
    begun.set_peaks(TYPED)
    begun.forget()
    begun.begin(*main_of(matmul_bundle))
    assert begun.peaks == TYPED
    begun.begin(*main_of(Path(shutil.copy(matmul_bundle, tmp_path / "other.xlaviz"))))
    assert begun.peaks == NO_PEAKS


def test_this_machine_is_measured(begun: Times, qtbot: QtBot) -> None:
    failed: list[XlavizError] = []
    with qtbot.waitSignal(begun.peaks_changed, timeout=PATIENCE_MS):
        begun.measure_peaks(failed.append)
    assert not failed
    assert begun.table is not None
    assert begun.table.peaks == begun.peaks
    assert begun.peaks.ridge is not None
    assert "Measured" in begun.peaks.source


def test_a_late_answer_for_another_module_is_dropped(
    begun: Times, matmul_bundle: Path, tmp_path: Path, qtbot: QtBot
) -> None:
    early = ask(begun, "kernels", slot="early")
    with qtbot.waitSignal(begun.changed, timeout=PATIENCE_MS):
        begun.begin(*main_of(Path(shutil.copy(matmul_bundle, tmp_path / "second.xlaviz"))))
    late = ask(begun, "kernels", slot="late")
    settle(begun, qtbot)
    assert early == {"done": [], "failed": []}
    assert late["done"] == [begun.table]


def test_of_one_slot_the_last_question_is_answered(begun: Times, qtbot: QtBot) -> None:
    found = [ask(begun, "kernel_groups", by, "") for by in ("opcode", "op", "line")]
    settle(begun, qtbot)
    assert [len(one["done"]) for one in found] == [0, 0, 1]


def test_a_device_is_asked_for_once(begun: Times, qtbot: QtBot) -> None:
    table = begun.table
    assert table is not None
    begun.set_device("")
    assert not begun.is_waiting
    with qtbot.waitSignal(begun.changed, timeout=PATIENCE_MS):
        begun.set_device(table.devices[0])
        assert begun.is_waiting
    assert begun.table is not None
    assert begun.table.device == table.devices[0]
    assert begun.table.kernels == table.kernels, "it has one device alone"


def test_each_module_begins_with_all_devices(begun: Times, matmul_bundle: Path, qtbot: QtBot) -> None:
    begun.set_device("CPU")
    with qtbot.waitSignal(begun.changed, timeout=PATIENCE_MS):
        begun.begin(*main_of(matmul_bundle))
    assert begun.device == ""
    assert begun.table is not None
    assert begun.table.device == ""


def no_profile(folder: Path) -> Path:
    return write_dump(folder / "dump", {1: "f"})


def damaged(folder: Path) -> Path:
    write_dump(folder / "dump", {1: "f"})
    (folder / "dump" / "box.xplane.pb").write_bytes(b"\xff" * 5000)
    return folder / "dump"


def of_another_program(folder: Path) -> Path:
    return write_profile(folder / "box.xplane.pb", {3: "f"}, without=(3,))


@pytest.mark.parametrize("document", [no_profile, damaged, of_another_program])
def test_what_cannot_be_known_leaves_the_rest(
    times: Times, tmp_path: Path, qtbot: QtBot, document: Callable[[Path], Path]
) -> None:
    """None of it is an error that stops; the report is always there."""
    with qtbot.waitSignal(times.changed, timeout=PATIENCE_MS):
        times.begin(*main_of(document(tmp_path)))
    settle(times, qtbot)
    report = ask(times, "does_xla_pay")
    settle(times, qtbot)
    assert times.members == {}
    assert (times.table is not None) == (document is of_another_program)
    assert len(report["done"]) == 1


def test_a_profile_that_cannot_be_read_says_so(times: Times, matmul_bundle: Path, tmp_path: Path, qtbot: QtBot) -> None:
    bad = write_profile(tmp_path / "box.xplane.pb", {3: "f"})
    of = main_of(bad)
    bad.write_bytes(b"\xff" * 5000)
    with qtbot.waitSignal(times.changed, timeout=PATIENCE_MS):
        times.begin(*of)
    assert times.table is None
    assert times.error is not None
    assert "box.xplane.pb" in times.error.message
    with qtbot.waitSignal(times.changed, timeout=PATIENCE_MS):
        times.begin(*main_of(matmul_bundle))
    assert times.error is None
    assert times.table is not None


def test_what_was_stopped_is_told_to_who_asked(begun: Times, qtbot: QtBot) -> None:
    found = ask(begun, "lines")
    begun._runner.stop_all()
    settle(begun, qtbot)
    assert found["done"] == []
    assert [str(error) for error in found["failed"]] == ["Stopped asking."]
