"""Runs the capture child to its end, and leaves nothing behind when it is stopped."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from types import TracebackType

from xlaviz.base.errors import WorkFailedError, XlavizError
from xlaviz.capture.progress import Progress, parse_progress
from xlaviz.capture.request import CaptureRequest, check, command

# How TensorFlow and XLA log what ends the process: `F0000 00:00:1796036658.242991 6024 file.cc:234] text`.
_FATAL = re.compile(r"^(?:F\d{4} |\S+ \S+: F ).*?\] (.+)$", re.MULTILINE)


def run_capture(request: CaptureRequest, on_progress: Callable[[Progress], None]) -> Path:
    """Capture and return the bundle's path. Raises XlavizError for a wrong request, WorkFailedError when it fails.

    Whatever ends it, an exception of `on_progress` and KeyboardInterrupt included, no process and no file is left.
    """
    with CaptureProcess(request) as process:
        for progress in process.progress():
            on_progress(progress)
        return process.bundle()


class CaptureProcess:
    """A started capture, to be used in a `with` block. `stop` may be called from any thread."""

    def __init__(self, request: CaptureRequest) -> None:
        check(request)
        self._request = request
        self._last: Progress | None = None
        self._work = Path(tempfile.mkdtemp(prefix="xlaviz-capture-"))
        try:
            self._process = self._start()
        except OSError as error:
            self._clear()
            raise XlavizError(f"{request.interpreter} cannot be started: {error.strerror}.") from error
        except BaseException:
            self._clear()
            raise

    def __enter__(self) -> CaptureProcess:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                pipe.close()
        self._clear()

    def progress(self) -> Iterator[Progress]:
        """Each line of the child as it comes; ends when the child does."""
        assert self._process.stdout is not None
        for line in self._process.stdout:
            progress = parse_progress(line)
            if progress is not None:
                self._last = progress
                yield progress
        self._process.wait()

    def bundle(self) -> Path:
        """The bundle's path, once `progress` has ended; raises the child's error, or one for a child that died."""
        if self._last is not None and self._last.error is not None:
            raise self._last.error
        if self._last is not None and self._last.stage == "done" and self._request.out.exists():
            return self._request.out
        raise self._died()

    def stop(self) -> None:
        """Kill the child and all it started."""
        if sys.platform == "win32":
            if self._process.poll() is None:
                kill = ["taskkill", "/F", "/T", "/PID", str(self._process.pid)]
                subprocess.run(kill, capture_output=True, check=False)
        else:
            # The group outlives its leader: a process that the user's program started may still be in it.
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()

    def _start(self) -> subprocess.Popen[str]:
        # With this set, Python would not look for the child's modules beside the child.
        environment = {name: value for name, value in os.environ.items() if name != "PYTHONSAFEPATH"}
        with (self._work / "stderr.txt").open("wb") as errors:
            return subprocess.Popen(
                command(self._request, self._work),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=errors,
                env=environment,
                text=True,
                encoding="utf-8",
                errors="replace",
                # A group of its own, so that it can be killed with all that the user's program starts. On Windows
                # taskkill goes by the tree instead.
                start_new_session=sys.platform != "win32",
            )

    def _died(self) -> WorkFailedError:
        code = self._process.returncode
        stage = f" while {self._last.text[:1].lower()}{self._last.text[1:]}" if self._last else ""
        detail = "".join(self._tail(name) for name in ("stderr.txt", "log.txt"))
        if self._last is None:
            message = f"{self._request.interpreter} could not run the capture (exit status {code})."
            return WorkFailedError(message, hint="Is it Python 3.9 or later?", detail=detail)
        reason = f"by {signal.Signals(-code).name}" if code < 0 else f"with exit status {code}"
        fatal = _FATAL.findall(detail)
        why = f": {fatal[-1].rstrip('.')}" if fatal else ""
        return WorkFailedError(f"The capture was ended {reason}{stage}{why}.", detail=detail)

    def _tail(self, name: str, size: int = 4000) -> str:
        file = self._work / name
        return file.read_text(encoding="utf-8", errors="replace")[-size:] if file.exists() else ""

    def _clear(self) -> None:
        shutil.rmtree(self._work, ignore_errors=True)
        self._request.partial.unlink(missing_ok=True)
