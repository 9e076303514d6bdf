"""The command line as its users run it: a process."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

_DISPLAY = ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM")


@dataclass(frozen=True)
class Ran:
    status: int
    out: str
    err: str


def environment(**variables: str) -> dict[str, str]:
    """This process's environment on a machine without a display."""
    return {name: value for name, value in os.environ.items() if name not in _DISPLAY} | variables


def xlaviz(*arguments: str | Path, cwd: Path | None = None, variables: Mapping[str, str] | None = None) -> Ran:
    done = subprocess.run(
        [sys.executable, "-m", "xlaviz", *map(str, arguments)],
        cwd=cwd,
        env=environment(**(variables or {})),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        encoding="utf-8",
        errors="strict",
        timeout=120,
        check=False,
    )
    return Ran(done.returncode, done.stdout, done.stderr)


def refused(*arguments: str | Path, status: int = 2, cwd: Path | None = None, details: int = 0) -> str:
    """The one line with which a call is refused; nothing goes to the output. `details` counts the lines below it."""
    ran = xlaviz(*arguments, cwd=cwd)
    assert (ran.status, ran.out) == (status, ""), ran
    assert ran.err.startswith("xlaviz: ")
    assert "Traceback" not in ran.err
    sentence, *others = ran.err.splitlines()
    assert len(others) == details, ran.err
    return sentence.removeprefix("xlaviz: ")
