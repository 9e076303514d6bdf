"""Where profiles lie: in a folder, in a TensorBoard log folder below `plugins/profile/<run>/`, and beside a dump."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from xlaviz.dumps.filenames import parse_dump_name
from xlaviz.dumps.files import FolderFiles, SingleFile

ENDING = ".xplane.pb"
ENDINGS = (ENDING, f"{ENDING}.gz")
MAX_FOLDERS = 200
"""Folders beside a profile that are looked at for a dump: it may lie in one that collects thousands."""
MAX_ENTRIES = 20_000

_STAMP = "%Y_%m_%d_%H_%M_%S"
_STAMPED = re.compile(r"\d{4}(?:_\d\d){5}")
_IN_LOG = re.compile(r"(?:(?P<log>.+?)/)??(?:plugins/)?profile/(?P<run>[^/]+)/[^/]+$")
# What a capture records besides the run; a bundle that was unpacked has them.
_OF_A_CAPTURE = ("profile/compile.xplane.pb", "profile/no_xla.xplane.pb")


@dataclass(frozen=True, slots=True)
class Found:
    """A profile by its name among `files`. `run` is the folder it lies in, "" where that says nothing."""

    file: str
    run: str
    host: str


def profiles_in(files: FolderFiles) -> tuple[Found, ...]:
    """The profiles of a folder, the newest run first."""
    names = [name for name in files.names() if name.endswith(ENDINGS)]
    if f"profile/run{ENDING}" in names:
        names = [name for name in names if name not in _OF_A_CAPTURE]
    found = [(_stamp(files.path / name), _found(files.path / name, name)) for name in names]
    # Sorting is stable: within a run the hosts stay in the order of their names.
    return tuple(one for _, one in sorted(found, key=lambda pair: pair[0], reverse=True))


def profile_at(files: SingleFile) -> Found:
    """A profile that was opened by itself."""
    return _found(files.path, files.path.name)


def _found(path: Path, name: str) -> Found:
    """Any folder in the opened one sets runs apart; above it, only TensorBoard's own are known to be of runs."""
    folder = path.absolute().parent
    in_log = _IN_LOG.match(name)
    if in_log is not None:
        run = f"{in_log['run']} in {in_log['log']}" if in_log["log"] else in_log["run"]
    else:
        run = name.rpartition("/")[0] or (folder.name if folder.parent.name == "profile" else "")
    return Found(name, run, path.name.removesuffix(".gz").removesuffix(ENDING))


def _stamp(path: Path) -> str:
    """When a run was recorded: what its folder is called, else when the file was written."""
    if _STAMPED.fullmatch(path.parent.name):
        return path.parent.name
    try:
        return time.strftime(_STAMP, time.localtime(path.stat().st_mtime))
    except OSError:
        return ""


def dump_folders(path: Path) -> Iterator[Path]:
    """The folders beside profiles that hold an HLO dump, maybe one of the same run; the nearest come first.

    `path` is a profile, or a folder that holds profiles and no dump. Looked at are the folder and those directly in
    it; around a log folder, also those beside it.
    """
    path = path.absolute()
    is_file = path.is_file()
    for folder in islice(dict.fromkeys(_candidates(path.parent if is_file else path, is_file)), MAX_FOLDERS):
        if any(parse_dump_name(name) is not None for name in _entries(folder, folders=False)):
            yield folder


def _candidates(folder: Path, is_file: bool) -> Iterator[Path]:
    yield folder
    yield from _folders_in(folder)
    if folder.parent.name == "profile" and folder.parent.parent.name == "plugins":
        log = folder.parents[2]
        yield log
        yield from _folders_in(log)
        yield from _folders_in(log.parent)
    elif not is_file:
        yield from _folders_in(folder.parent)


def _folders_in(folder: Path) -> list[Path]:
    return [folder / name for name in sorted(_entries(folder, folders=True)) if not name.startswith(".")]


def _entries(folder: Path, *, folders: bool) -> list[str]:
    """The names of the files or of the folders in a folder; none where it cannot be looked into."""
    try:
        with os.scandir(folder) as entries:
            return [entry.name for entry in islice(entries, MAX_ENTRIES) if entry.is_dir() == folders]
    except OSError:
        return []
