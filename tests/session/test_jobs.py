"""The job runner with a real worker process."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from xlaviz.base.errors import XlavizError
from xlaviz.session import jobs
from xlaviz.session.jobs import JobRunner

WORKER = Path(__file__).resolve().parents[1] / "helpers" / "job_worker.py"


class Answers:
    """What came back, in order."""

    def __init__(self) -> None:
        self.values: list[object] = []
        self.errors: list[XlavizError] = []

    @property
    def count(self) -> int:
        return len(self.values) + len(self.errors)


@pytest.fixture
def runner(qapp: object) -> Iterator[JobRunner]:
    runner = JobRunner(worker=(str(WORKER),))
    yield runner
    runner.close()


@pytest.fixture
def answers() -> Answers:
    return Answers()


@pytest.fixture
def pipe(tmp_path: Path) -> Path:
    path = tmp_path / "pipe"
    os.mkfifo(path)
    return path


def submit(runner: JobRunner, answers: Answers, call: str, *arguments: object, slot: str = "a") -> int:
    return runner.submit(slot, f"doing {call}", call, arguments, answers.values.append, answers.errors.append)


def start(runner: JobRunner, qtbot: QtBot, answers: Answers, call: str, *arguments: object) -> int:
    """Submit a call that tells a process id as its progress, and wait for that."""
    with qtbot.waitSignal(runner.progressed) as progressed:
        submit(runner, answers, call, *arguments)
    return int(progressed.args[2])


def is_alive(process_id: int) -> bool:
    try:
        return Path(f"/proc/{process_id}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False


def test_a_value_comes_back_with_its_progress(runner: JobRunner, qtbot: QtBot, answers: Answers) -> None:
    with qtbot.waitSignals([runner.started, runner.progressed, runner.ended, runner.idled], order="strict"):
        submit(runner, answers, "echo", {"x": b"\0" * 300_000})
        assert answers.count == 0  # never at once
    assert answers.values == [{"x": b"\0" * 300_000}]
    assert not runner.is_busy


def test_jobs_run_in_order(runner: JobRunner, qtbot: QtBot, answers: Answers) -> None:
    with qtbot.waitSignal(runner.idled):
        for number in range(20):
            submit(runner, answers, "echo", number, slot=str(number))
    assert answers.values == list(range(20))


def test_an_error_comes_back_whole(runner: JobRunner, qtbot: QtBot, answers: Answers) -> None:
    with qtbot.waitSignal(runner.idled):
        submit(runner, answers, "refuse", "This is wrong.")
    (error,) = answers.errors
    assert (error.message, error.hint, error.detail) == ("This is wrong.", "Try another.", "the long form")


def test_a_bug_in_a_call_becomes_a_sentence(runner: JobRunner, qtbot: QtBot, answers: Answers) -> None:
    with qtbot.waitSignal(runner.idled):
        submit(runner, answers, "crash")
    (error,) = answers.errors
    assert "IndexError" in error.message
    assert "Traceback" in error.detail


def test_a_queued_job_is_superseded_by_the_next_of_its_slot(
    runner: JobRunner, qtbot: QtBot, answers: Answers, pipe: Path
) -> None:
    start(runner, qtbot, answers, "read_pipe", str(pipe))
    for number in range(20):
        submit(runner, answers, "echo", number, slot="steps")
    with qtbot.waitSignal(runner.idled):
        pipe.write_text("first", "utf-8")
    assert answers.values == ["first", 19]


def test_a_late_result_is_dropped(
    runner: JobRunner, qtbot: QtBot, answers: Answers, pipe: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(jobs, "PATIENCE_MS", 1_000_000)
    worker_id = start(runner, qtbot, answers, "read_pipe", str(pipe))
    submit(runner, answers, "echo", "new")
    with qtbot.waitSignal(runner.idled):
        pipe.write_text("old", "utf-8")
    assert answers.values == ["new"]
    assert is_alive(worker_id), "a worker that answers in time is kept"


def test_a_superseded_job_that_goes_on_is_killed(
    runner: JobRunner, qtbot: QtBot, answers: Answers, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(jobs, "PATIENCE_MS", 0)
    worker_id = start(runner, qtbot, answers, "block")
    with qtbot.waitSignal(runner.idled):
        submit(runner, answers, "echo", "new")
    assert answers.values == ["new"]
    assert not answers.errors
    assert not is_alive(worker_id)


def test_cancel_kills_the_worker_and_the_next_job_gets_a_new_one(
    runner: JobRunner, qtbot: QtBot, answers: Answers
) -> None:
    with qtbot.waitSignal(runner.progressed) as progressed:
        job = submit(runner, answers, "block")
    with qtbot.waitSignal(runner.ended):
        runner.cancel(job)
    assert not is_alive(int(progressed.args[2]))
    assert not runner.is_busy
    with qtbot.waitSignal(runner.idled):
        submit(runner, answers, "echo", 1)
    assert (answers.values, answers.errors) == ([1], [])


def test_cancel_of_a_queued_job_leaves_the_running_one(
    runner: JobRunner, qtbot: QtBot, answers: Answers, pipe: Path
) -> None:
    start(runner, qtbot, answers, "read_pipe", str(pipe))
    runner.cancel(submit(runner, answers, "echo", "gone", slot="b"))
    with qtbot.waitSignal(runner.idled):
        pipe.write_text("kept", "utf-8")
    assert answers.values == ["kept"]


def test_stop_all_tells_everyone_who_waits(runner: JobRunner, qtbot: QtBot, answers: Answers) -> None:
    worker_id = start(runner, qtbot, answers, "block")
    submit(runner, answers, "echo", 1, slot="b")
    runner.stop_all()
    assert [error.message for error in answers.errors] == ["Stopped doing block.", "Stopped doing echo."]
    assert not is_alive(worker_id)
    assert not runner.is_busy


def test_a_worker_killed_from_outside_fails_its_job_alone(runner: JobRunner, qtbot: QtBot, answers: Answers) -> None:
    worker_id = start(runner, qtbot, answers, "block")
    submit(runner, answers, "echo", "next", slot="b")
    with qtbot.waitSignal(runner.idled):
        os.kill(worker_id, signal.SIGKILL)
    assert [error.message for error in answers.errors] == ["The worker process ended while doing block."]
    assert answers.values == ["next"]


@pytest.mark.parametrize("end", ["close", "stop_all", "kill"])
def test_children_of_the_worker_go_with_it(runner: JobRunner, qtbot: QtBot, answers: Answers, end: str) -> None:
    child_id = start(runner, qtbot, answers, "wait_for_child")
    if end == "kill":
        worker_id = os.getpgid(child_id)
        with qtbot.waitSignal(runner.idled):
            os.kill(worker_id, signal.SIGKILL)
    else:
        getattr(runner, end)()
    qtbot.waitUntil(lambda: not is_alive(child_id))


def test_a_worker_that_cannot_start_says_so(qtbot: QtBot, answers: Answers, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jobs.sys, "executable", "/nowhere/python")
    runner = JobRunner()
    with qtbot.waitSignal(runner.idled):
        submit(runner, answers, "echo", 1)
    assert [error.message for error in answers.errors] == ["The worker process ended while doing echo."]
    runner.close()


def test_close_with_jobs_running_leaves_nothing(runner: JobRunner, qtbot: QtBot, answers: Answers) -> None:
    worker_id = start(runner, qtbot, answers, "block")
    submit(runner, answers, "echo", 1, slot="b")
    runner.close()
    assert not is_alive(worker_id)
    assert not runner.is_busy
    assert answers.count == 0


def test_after_close_nothing_is_started_again(runner: JobRunner, answers: Answers) -> None:
    runner.close()
    submit(runner, answers, "echo", 1)
    assert not runner.is_busy
    assert runner.worker_id == 0


def test_is_waiting_for_looks_at_the_slots(runner: JobRunner, qtbot: QtBot, answers: Answers, pipe: Path) -> None:
    start(runner, qtbot, answers, "read_pipe", str(pipe))
    submit(runner, answers, "echo", 1, slot="view left")
    assert runner.is_waiting_for("view")
    assert not runner.is_waiting_for("detail")
    with qtbot.waitSignal(runner.idled):
        pipe.write_text("", "utf-8")
    assert not runner.is_waiting_for("view")
