"""A worker process like the window's, with calls that tests can hold up."""

from __future__ import annotations

import os
import signal
import subprocess
import sys

from xlaviz.base.errors import XlavizError
from xlaviz.session import worker
from xlaviz.session.documents import Report


def echo(report: Report, value: object) -> object:
    report(0.5, "half way")
    return value


def refuse(report: Report, text: str) -> object:
    raise XlavizError(text, hint="Try another.", detail="the long form")


def crash(report: Report) -> object:
    return [][1]


def read_pipe(report: Report, path: str) -> str:
    """Tells its process id, then waits until somebody has written into the named pipe."""
    report(0.0, str(os.getpid()))
    with open(path, encoding="utf-8") as pipe:
        return pipe.read()


def wait_for_child(report: Report) -> object:
    """Starts a child that never ends and tells its process id."""
    child = subprocess.Popen([sys.executable, "-c", "import signal; signal.pause()"])
    report(0.0, str(child.pid))
    return child.wait()


def block(report: Report) -> object:
    report(0.0, str(os.getpid()))
    signal.pause()
    return None


if __name__ == "__main__":
    worker.CALLS.update({call.__name__: call for call in (echo, refuse, crash, read_pipe, wait_for_child, block)})
    worker.main()
