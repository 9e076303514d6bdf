"""What is asked of a capture, and how the child is asked: checked here as far as that needs no TensorFlow."""

from __future__ import annotations

import json
import os
import shutil
import sys
from dataclasses import dataclass
from pathlib import Path

from xlaviz import __version__
from xlaviz.base.errors import XlavizError
from xlaviz.capture.child_spec import parse_spec

CHILD = Path(__file__).with_name("child.py")


@dataclass(frozen=True)
class CaptureRequest:
    """One capture. `file` is a Python file or a SavedModel folder, `target` a dotted name in it or a signature.

    `args` are specs such as `f32[32,784]`, empty to take the inputs from the file or the function itself. `exact` runs
    every kernel on one thread, so that each event ends when its kernel does. `python` is None for this very Python.
    """

    file: Path
    target: str
    out: Path
    args: tuple[str, ...] = ()
    runs: int = 30
    warmups: int = 3
    exact: bool = False
    python: str | None = None

    @property
    def interpreter(self) -> str:
        """The Python that captures."""
        return self.python or sys.executable

    @property
    def partial(self) -> Path:
        """The bundle's name until it is complete; beside it, for a rename must not cross file systems."""
        return self.out.with_name(f".{self.out.name}.{os.getpid()}.partial")


def parse_target(text: str) -> tuple[Path, str]:
    """`examples.py:train_step` as file and dotted name; `FOLDER` or `FOLDER:signature` for a SavedModel.

    A colon in a Windows path (`C:\\work\\step.py:f`) stays in the path. Raises XlavizError when the name is missing.
    """
    head, colon, name = text.rpartition(":")
    if not colon or "/" in name or "\\" in name or not head:
        path, name = Path(text), ""
    else:
        path = Path(head)
    if not name and not path.is_dir():
        raise XlavizError(f"'{text}' does not say what to capture.", hint=f"Name it, as in {path.name}:train_step.")
    if name and not path.is_dir() and not all(part.isidentifier() for part in name.split(".")):
        raise XlavizError(f"'{name}' is not the name of a function.", hint="Write it as in step.py:model.call.")
    return path, name


def check(request: CaptureRequest) -> None:
    """Raise XlavizError for all that is wrong without asking TensorFlow."""
    if not request.file.exists():
        raise XlavizError(f"There is no file {request.file}.")
    for text in request.args:
        try:
            parse_spec(text)
        except ValueError as error:
            raise XlavizError(str(error)) from error
    if request.runs < 1 or request.warmups < 0:
        raise XlavizError(
            f"A capture needs 1 run or more, and no negative warm-ups: {request.runs}, {request.warmups}."
        )
    folder = request.out.parent
    if not folder.is_dir():
        raise XlavizError(f"The folder for the bundle, {folder}, does not exist.")
    if not os.access(folder, os.W_OK) or request.out.is_dir():
        raise XlavizError(f"The bundle {request.out} cannot be written there.", hint="Choose another place.")
    if shutil.which(request.interpreter) is None:
        raise XlavizError(f"{request.interpreter} is not a program that can be started.", hint="Choose another Python.")


def command(request: CaptureRequest, work: Path) -> list[str]:
    """The child's command line. `work` is an empty folder for its files, to be removed by the caller at the end.

    Whoever starts it keeps a pipe to its standard input open: the child ends when that pipe closes. Its standard
    output holds one progress line after another (`progress.parse_progress`).
    """
    asked = {
        "file": os.path.abspath(request.file),
        "target": request.target,
        "args": list(request.args),
        "out": os.path.abspath(request.out),
        "partial": os.path.abspath(request.partial),
        "work": os.path.abspath(work),
        "runs": request.runs,
        "warmups": request.warmups,
        "exact": request.exact,
        "version": __version__,
    }
    return [request.interpreter, str(CHILD), json.dumps(asked)]
