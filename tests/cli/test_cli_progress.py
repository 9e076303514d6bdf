"""Progress on a terminal is one line that is written over, and nothing stands on that line after it."""

from __future__ import annotations

import io
from pathlib import Path
from types import SimpleNamespace

import pytest

from xlaviz.base.errors import WorkFailedError
from xlaviz.capture.progress import Progress
from xlaviz.capture.request import CaptureRequest
from xlaviz.cli import capture
from xlaviz.cli.capture import ProgressLine, run_with_progress


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> Terminal:
    terminal = Terminal()
    monkeypatch.setattr(capture, "sys", SimpleNamespace(stderr=terminal))
    return terminal


def test_a_terminal_gets_one_line(terminal: Terminal) -> None:
    line = ProgressLine()
    line(Progress("importing", "Importing"))
    line(Progress("done", "Wrote x"))
    line.end()
    line.end()
    assert terminal.getvalue() == "\r\x1b[KImporting\r\x1b[KWrote x\n"


def test_an_error_does_not_stand_on_the_line(terminal: Terminal, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(request: CaptureRequest, on_progress: ProgressLine) -> Path:
        on_progress(Progress("compiling", "Compiling"))
        raise WorkFailedError("It broke.")

    monkeypatch.setattr(capture, "run_capture", fail)
    with pytest.raises(WorkFailedError):
        run_with_progress(CaptureRequest(Path("a.py"), "f", Path("a.xlaviz")))
    assert terminal.getvalue().endswith("Compiling\n")


def test_quiet_is_quiet(terminal: Terminal) -> None:
    line = ProgressLine(quiet=True)
    line(Progress("importing", "Importing"))
    line.end()
    assert terminal.getvalue() == ""
