"""The files of a dump, in a folder or in a bundle: names and bytes, nothing else."""

from __future__ import annotations

import re
import zipfile
import zlib
from pathlib import Path
from typing import Protocol

from xlaviz.base.errors import XlavizError

MAX_MEMBERS = 50_000
MAX_MEMBER_BYTES = 2 << 30
MAX_TOTAL_BYTES = 16 << 30
_SAFE_MEMBER = re.compile(r"[^\x00-\x1f/\\:]+(?:/[^\x00-\x1f/\\:]+)*")


class Files(Protocol):
    """Where a document's bytes come from."""

    path: Path

    def names(self) -> list[str]: ...

    def read(self, name: str) -> bytes: ...

    def close(self) -> None: ...


class FolderFiles:
    """The files right inside one folder."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def names(self) -> list[str]:
        try:
            return sorted(entry.name for entry in self.path.iterdir() if entry.is_file())
        except OSError as error:
            raise XlavizError(f"The folder {self.path} cannot be read: {error.strerror}.") from error

    def read(self, name: str) -> bytes:
        return read_file(self.path / name)

    def close(self) -> None:
        """Nothing is held open."""


class BundleFiles:
    """The members of a zip, each checked before anything is unpacked."""

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            self._zip = zipfile.ZipFile(path)
        except (zipfile.BadZipFile, NotImplementedError) as error:
            raise XlavizError(f"{path} is not an xlaviz bundle, or is cut short.", hint="Capture it again.") from error
        except OSError as error:
            raise XlavizError(f"{path} cannot be read: {error.strerror}.") from error
        try:
            self._check()
        except XlavizError:
            self._zip.close()
            raise

    def _check(self) -> None:
        members = self._zip.infolist()
        total = sum(member.file_size for member in members)
        if len(members) > MAX_MEMBERS or total > MAX_TOTAL_BYTES:
            raise XlavizError(f"{self.path} would unpack to {len(members)} files and {total} bytes; it is not opened.")
        for member in members:
            parts = member.filename.split("/")
            if not _SAFE_MEMBER.fullmatch(member.filename) or ".." in parts or "." in parts:
                raise XlavizError(f"{self.path} holds a file with an unsafe name ({member.filename!a}); not opened.")
            if member.file_size > MAX_MEMBER_BYTES:
                raise XlavizError(f"{self.path} holds a file of {member.file_size} bytes; it is not opened.")

    def names(self) -> list[str]:
        return sorted(self._zip.namelist())

    def read(self, name: str) -> bytes:
        try:
            return self._zip.read(name)
        except KeyError as error:
            raise XlavizError(f"{self.path} holds no {name}.", hint="Capture it again.") from error
        except (zipfile.BadZipFile, zlib.error, OSError, EOFError, RuntimeError) as error:
            raise XlavizError(f"{name} in {self.path} is damaged ({error}).", hint="Capture it again.") from error

    def close(self) -> None:
        self._zip.close()


class SingleFile:
    """One HLO file, wherever it lies."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def names(self) -> list[str]:
        return [self.path.name]

    def read(self, name: str) -> bytes:
        return read_file(self.path.with_name(name))

    def close(self) -> None:
        """Nothing is held open."""


def read_file(path: Path) -> bytes:
    """The file's bytes, or one sentence why not."""
    try:
        return path.read_bytes()
    except OSError as error:
        raise XlavizError(f"{path} cannot be read: {error.strerror}.") from error
