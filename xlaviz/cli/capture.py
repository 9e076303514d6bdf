"""`capture`: run a tf.function in a child process and write a bundle."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from xlaviz.capture.progress import Progress
from xlaviz.capture.request import CaptureRequest, parse_target
from xlaviz.capture.runner import run_capture


def capture(options: argparse.Namespace) -> int:
    """Capture what the options name; progress goes to the error stream, the bundle's path to the output."""
    file, target = parse_target(options.target)
    request = CaptureRequest(
        file=file,
        target=target,
        out=options.out or Path(f"{target.rpartition('.')[2] or file.name}.xlaviz"),
        args=tuple(options.arg),
        runs=options.runs,
        warmups=options.warmups,
        exact=options.exact,
        python=options.python,
    )
    print(run_with_progress(request, quiet=options.quiet))
    return 0


def run_with_progress(request: CaptureRequest, *, quiet: bool = False) -> Path:
    """Capture, with progress on the error stream; returns the bundle's path."""
    line = ProgressLine(quiet=quiet)
    try:
        return run_capture(request, line)
    finally:
        line.end()


class ProgressLine:
    """Progress as one line that is written over on a terminal, as a line a stage elsewhere."""

    def __init__(self, *, quiet: bool = False) -> None:
        self._quiet = quiet
        self._stage = ""
        self._is_terminal = sys.stderr.isatty()
        self._is_open = False

    def __call__(self, progress: Progress) -> None:
        if self._quiet or progress.error is not None:
            return
        if self._is_terminal:
            self._is_open = True
            print(f"\r\033[K{progress.text}", end="", file=sys.stderr, flush=True)
        elif progress.stage != self._stage:
            self._stage = progress.stage
            print(progress.text, file=sys.stderr, flush=True)

    def end(self) -> None:
        """Leave the line that is written over, so that an error does not stand on it."""
        if self._is_open:
            self._is_open = False
            print(file=sys.stderr, flush=True)
