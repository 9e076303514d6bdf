"""What the capture child tells the program that started it: one JSON object a line on the real standard output."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import stat
import sys
import threading
from types import TracebackType
from typing import Any

_PASS = re.compile(r"\.\d{4}\.(?P<pipeline>[^.]+)\.after_(?P<name>[^.]+)")


class Reporter:
    """Writes progress lines. The user's prints and XLA's messages go to a log file instead."""

    def __init__(self, work: str) -> None:
        self.log = os.path.join(work, "log.txt")
        self._lock = threading.Lock()
        sys.stdout.flush()
        sys.stderr.flush()
        # Binary duplicates of the descriptors: XLA writes to 2 from C++, so sys.stderr alone would not do.
        self._channel = os.fdopen(os.dup(1), "w", encoding="utf-8")
        log = os.open(self.log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        os.dup2(log, 1)
        os.dup2(log, 2)
        os.close(log)

    def stage(self, stage: str, text: str, done: int = 0, total: int = 0) -> None:
        """Say what is being done; `total` 0 means that the length is unknown."""
        self._write({"stage": stage, "text": text, "done": done, "total": total})

    def done(self, bundle: str) -> None:
        """The last line after a success."""
        self._write({"stage": "done", "text": f"Wrote {bundle}", "bundle": bundle})

    def failed(self, kind: str, message: str, hint: str, detail: str) -> None:
        """The last line after a failure."""
        self._write({"stage": "failed", "kind": kind, "message": message, "hint": hint, "detail": detail})

    def log_text(self) -> str:
        """All that the user's program, TensorFlow and XLA wrote so far."""
        sys.stdout.flush()
        sys.stderr.flush()
        with open(self.log, encoding="utf-8", errors="replace") as file:
            return file.read()

    def _write(self, line: dict[str, Any]) -> None:
        with self._lock:
            self._channel.write(json.dumps(line) + "\n")
            self._channel.flush()


class DumpWatch:
    """Reports the pass that XLA has reached, read from the newest file of the dump folder, while it compiles."""

    def __init__(self, report: Reporter, dump: str, seconds: float = 0.2) -> None:
        self._report = report
        self._dump = dump
        self._seconds = seconds
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)

    def __enter__(self) -> DumpWatch:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stop.set()
        self._thread.join()

    def _run(self) -> None:
        last = ""
        while not self._stop.wait(self._seconds):
            # The files of the module that is being compiled sort last: its number, then the snapshot's.
            names = [name for name in list_folder(self._dump) if _PASS.search(name)]
            if not names or names[-1] == last:
                continue
            last = names[-1]
            match = _PASS.search(last)
            if match:
                text = f"Pass {match['name']} of {match['pipeline'].replace('_', ' ')}"
                self._report.stage("compiling", text, done=len(names))


def list_folder(folder: str) -> list[str]:
    """The sorted names in a folder, none while it does not exist."""
    return sorted(os.listdir(folder)) if os.path.isdir(folder) else []


def die_with_parent(work: str, partial: str) -> None:
    """Clear up and end, with all that the user's program started, when the program that holds our input ends."""
    if not stat.S_ISFIFO(os.fstat(0).st_mode):
        return
    pipe = os.dup(0)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)

    def wait() -> None:
        while os.read(pipe, 4096):
            pass
        for _ in range(20):  # other threads may still be writing into it
            shutil.rmtree(work, ignore_errors=True)
            if not os.path.exists(work):
                break
        if os.path.exists(partial):
            os.unlink(partial)
        if hasattr(os, "killpg") and os.getpgrp() == os.getpid():
            os.killpg(0, signal.SIGKILL)
        os._exit(1)

    threading.Thread(target=wait, daemon=True).start()
