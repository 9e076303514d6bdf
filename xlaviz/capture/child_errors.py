"""What can go wrong in a capture, each in one sentence that names the user's own file, function and line."""

from __future__ import annotations

import os
import re
import sys
import sysconfig
import traceback
from collections.abc import Iterable
from functools import cache
from typing import Any, NamedTuple

_HERE = os.path.dirname(os.path.abspath(__file__))
_STANDARD_LIBRARY = tuple(
    os.path.join(os.path.realpath(sysconfig.get_paths()[name]), "") for name in ("stdlib", "platstdlib")
)
_PACKAGE_FOLDERS = {"site-packages", "dist-packages"}
_user_folders: set[str] = set()
_user_files: set[str] = set()
_FILE_LINE = re.compile(r'File "(?P<file>[^"]+)", line (?P<line>\d+), in (?P<function>\S+)')
_UNSUPPORTED = re.compile(r"Detected unsupported operations .*?: (?P<ops>.*)")  # AsString (No registered ...), ...
_COLOUR = re.compile(r"\x1b\[[\d;]*m")
_OP_NAME = re.compile(r"(\w+) \(")


class Failure(Exception):
    """Ends the capture: `kind` for programs, `message` in one sentence, `hint` what to try, `detail` the long form."""

    def __init__(self, kind: str, message: str, hint: str = "", detail: str = "") -> None:
        super().__init__(message)
        self.kind = kind
        self.message = message
        self.hint = hint
        self.detail = detail


class Frame(NamedTuple):
    """One line of the user's program on the stack. `folded` tells of the library frames between it and the next inner
    one, such as `keras, tensorflow · 31 frames`; "" where there are none.
    """

    file: str
    line: int
    function: str
    folded: str = ""

    def __str__(self) -> str:
        return f"{os.path.basename(self.file)}, line {self.line}, in {self.function}"


def count_as_user(file: str) -> None:
    """The files beside this one are the user's wherever they are: the target may be in an installed package."""
    _user_files.add(os.path.abspath(file))
    _user_folders.add(os.path.dirname(os.path.realpath(file)))
    is_user_file.cache_clear()


@cache
def is_user_file(file: str) -> bool:
    """True for a file that is neither Python's, nor an installed package's, nor this tool's."""
    if file.startswith("<") or "__autograph_generated_file" in file:
        return False
    path = os.path.realpath(file)
    if os.path.dirname(path) in _user_folders:
        return True
    if os.path.dirname(path) == _HERE or _PACKAGE_FOLDERS.intersection(path.split(os.sep)):
        return False
    return not path.startswith(_STANDARD_LIBRARY)


def user_frames(stack: Iterable[Any]) -> list[Frame]:
    """The user's frames of a stack (entries with filename, lineno and name), in its order."""
    return [Frame(entry.filename, entry.lineno or 0, entry.name) for entry in stack if is_user_file(entry.filename)]


@cache
def library_of(file: str) -> str:
    """The package that a library's file belongs to, `Python` for its own library, "" for this tool's and no file."""
    if file.startswith("<") or "__autograph_generated_file" in file:
        return ""
    parts = os.path.realpath(file).split(os.sep)
    folders = [number for number, part in enumerate(parts[:-1]) if part in _PACKAGE_FOLDERS]
    if folders:
        return os.path.splitext(parts[folders[-1] + 1])[0]
    return "" if os.path.dirname(os.path.realpath(file)) == _HERE else "Python"


def raised(error: BaseException, where: str) -> Failure:
    """The failure for an exception that came out of the user's code or out of TensorFlow on its behalf."""
    text = str(error)
    frames = _frames_of(error, text)
    at = f" at {frames[-1]}" if frames else ""
    detail = _detail(error, frames)
    unsupported = _UNSUPPORTED.search(text)
    if unsupported:
        ops = list(dict.fromkeys(_OP_NAME.findall(unsupported["ops"])))
        if set(ops) == {"_Retval"} and "T=DT_STRING" in text:
            hint = "Return numbers from the compiled function, and make strings of them outside."
            return Failure("unsupported", f"{where} returns a string, which XLA cannot compile.", hint, detail)
        plural = "s" if len(ops) > 1 else ""
        return Failure(
            "unsupported",
            f"XLA cannot compile the op{plural} {', '.join(ops) or 'it names'}{at}.",
            "Move such an op out of the compiled function; tf.print, string ops and Python callbacks never compile.",
            detail,
        )
    message = _own_message(text)
    return Failure(
        "raised", f"{where} raised {type(error).__name__}{at}{': ' if message else ''}{message}.", "", detail
    )


def _frames_of(error: BaseException, text: str) -> list[Frame]:
    """The user's frames, outermost first: from the text where TensorFlow put them there, or else from the traceback."""
    in_text = [Frame(_absolute(m["file"]), int(m["line"]), m["function"]) for m in _FILE_LINE.finditer(text)]
    frames = [frame for frame in in_text if is_user_file(frame.file)]
    return frames or user_frames(traceback.extract_tb(error.__traceback__))


def _absolute(file: str) -> str:
    """XLA leaves out the folders that all files of a stack share: `me/step.py` for /home/me/step.py."""
    if os.path.isabs(file):
        return file
    ending = os.sep + file
    loaded = (getattr(module, "__file__", None) or "" for module in list(sys.modules.values()))
    known = (os.path.abspath(path) for path in (*_user_files, *loaded) if path.endswith(os.path.basename(file)))
    return next((path for path in known if path.endswith(ending)), ending if os.path.exists(ending) else file)


def _own_message(text: str) -> str:
    """The message without the stack that TensorFlow and AutoGraph write into it: one line, cut at 300 characters."""
    lines = [line.strip() for line in _COLOUR.sub("", text).splitlines() if line.strip()]
    if lines and lines[0].startswith("in user code"):
        # AutoGraph ends with `ValueError: message`, after the frames and their source lines.
        starts = [number for number, line in enumerate(lines) if re.match(r"[\w.]*(Error|Exception|Warning)\b", line)]
        lines = lines[starts[-1] :] if starts else lines[-1:]
        lines[0] = re.sub(r"^[\w.]+:\s*", "", lines[0])
    if len(lines) > 1 and lines[0].startswith("Exception encountered when calling"):
        del lines[0]  # Keras: the message proper is on the next line
    first = lines[0] if lines else ""
    first = re.sub(r"\s*\[Op:.*|\{\{.*?\}\}", "", first).strip()
    return (first if len(first) <= 300 else first[:297] + "...").rstrip(".")


def _detail(error: BaseException, frames: list[Frame]) -> str:
    """The user's frames and the error's text; stacks in the text are cut to the user's frames, too."""
    lines = [f'  File "{frame.file}", line {frame.line}, in {frame.function}' for frame in frames]
    skipping = False
    for line in f"{type(error).__name__}: {_COLOUR.sub('', str(error))}"[:8000].splitlines():
        match = _FILE_LINE.search(line)
        if match is None and skipping and line.startswith("        "):
            continue  # the source line of a frame that was left out
        skipping = match is not None and not is_user_file(_absolute(match["file"]))
        if not skipping:
            lines.append(line)
    return "\n".join(lines)
