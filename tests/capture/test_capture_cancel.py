"""A capture that is stopped leaves no process, no temporary folder and no bundle."""

from __future__ import annotations

import fcntl
import os
import signal
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

import pytest

from xlaviz.capture.progress import Progress
from xlaviz.capture.request import CaptureRequest
from xlaviz.capture.runner import run_capture

pytestmark = pytest.mark.tensorflow

# Holds a lock, and so does the process that it starts: the lock is free once both have ended.
PROGRAM = """
import fcntl, subprocess, sys
lock = open({lock!r}, "w")
fcntl.flock(lock, fcntl.LOCK_EX)
subprocess.Popen([sys.executable, "-c", "import signal; signal.pause()"], pass_fds=[lock.fileno()])
def f(x):
    return x + 1
"""


@pytest.fixture
def request_and_lock(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[CaptureRequest, Path]:
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(temporary))
    monkeypatch.setenv("TMPDIR", str(temporary))
    lock = tmp_path / "lock"
    (tmp_path / "user.py").write_text(PROGRAM.format(lock=str(lock)))
    return CaptureRequest(tmp_path / "user.py", "f", tmp_path / "a.xlaviz", ("f32[2]",)), lock


def assert_nothing_is_left(lock: Path) -> None:
    with lock.open() as file:
        fcntl.flock(file, fcntl.LOCK_EX)  # waits for the processes to end; the test's time limit ends the wait
    assert list((lock.parent / "temporary").iterdir()) == []
    assert sorted(path.name for path in lock.parent.iterdir() if "__" not in path.name) == [
        "lock",
        "temporary",
        "user.py",
    ]


@pytest.mark.parametrize("stage", ["tracing", "comparing", "measuring peaks", "packing"])
def test_stopped_by_the_user(request_and_lock: tuple[CaptureRequest, Path], stage: str) -> None:
    request, lock = request_and_lock

    def interrupt(progress: Progress) -> None:
        if progress.stage == stage:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run_capture(request, interrupt)
    # The child may have finished before it was stopped; a bundle is then complete.
    if stage in ("measuring peaks", "packing") and request.out.exists():
        assert zipfile.is_zipfile(request.out)
        request.out.unlink()
    assert_nothing_is_left(lock)


def test_the_program_that_started_it_is_killed(request_and_lock: tuple[CaptureRequest, Path]) -> None:
    request, lock = request_and_lock
    starter = (
        "from pathlib import Path\n"
        "from xlaviz.capture.request import CaptureRequest\n"
        "from xlaviz.capture.runner import run_capture\n"
        f"request = CaptureRequest(Path({str(request.file)!r}), 'f', Path({str(request.out)!r}), ('f32[2]',))\n"
        "run_capture(request, lambda progress: print(progress.stage, flush=True))\n"
    )
    with subprocess.Popen([sys.executable, "-c", starter], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert any(line == "tracing\n" for line in process.stdout)
        os.kill(process.pid, signal.SIGKILL)
    assert_nothing_is_left(lock)
