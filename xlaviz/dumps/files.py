"""The files of a dump, in a folder or in a bundle: names and bytes, nothing else."""

from __future__ import annotations

import lzma
import os
import re
import stat
import struct
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Protocol

from xlaviz.base.errors import XlavizError

MAX_FOLDER_DEPTH = 6
MAX_MEMBERS = 50_000
MAX_MEMBER_BYTES = 2 << 30
MAX_TOTAL_BYTES = 16 << 30
GZIP = b"\x1f\x8b"
"""What a compressed file begins with."""
_HEAD_BYTES = 64
_PACKED_HEAD_BYTES = 4096
"""Of a compressed file the part whose tables and first symbols make more than _HEAD_BYTES."""
_SAFE_MEMBER = re.compile(r"[^\x00-\x1f/\\:]+(?:/[^\x00-\x1f/\\:]+)*")
# What zipfile raises on damaged directories and members: some of it says so in no documentation.
_DAMAGED = (zipfile.BadZipFile, zlib.error, lzma.LZMAError, struct.error, EOFError, RuntimeError, ValueError)


class Files(Protocol):
    """Where a document's bytes come from."""

    path: Path

    def names(self) -> list[str]: ...

    def read(self, name: str) -> bytes: ...

    def close(self) -> None: ...


class FolderFiles:
    """The files in a folder and, with `/` in their names, in the folders below it: XLA can be told to make one for each
    module, and each process of it."""

    def __init__(self, path: Path, depth: int = MAX_FOLDER_DEPTH) -> None:
        self.path = path
        self._depth = depth
        self._names: list[str] | None = None

    def names(self) -> list[str]:
        if self._names is None:
            self._names = sorted(self._walk(self.path, "", self._depth))
        return self._names

    def _walk(self, folder: Path, prefix: str, depth: int) -> Iterator[str]:
        try:
            with os.scandir(folder) as entries:
                for entry in entries:
                    if entry.is_file():
                        yield prefix + entry.name
                    elif depth and entry.is_dir(follow_symlinks=False) and not entry.name.startswith("."):
                        yield from self._walk(folder / entry.name, f"{prefix}{entry.name}/", depth - 1)
        except OSError as error:
            if not prefix:  # below it, what cannot be looked into is left out
                raise XlavizError(f"The folder {folder} cannot be read: {error.strerror}.") from error

    def read(self, name: str) -> bytes:
        return read_file(self.path / name)

    def open(self, name: str) -> IO[bytes]:
        """The file, to read parts of it; whoever opens it closes it."""
        return open_file(self.path / name)

    def close(self) -> None:
        """Nothing is held open."""


class BundleFiles:
    """The members of a zip, each checked before anything is unpacked."""

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            self._zip = zipfile.ZipFile(path)
        except OSError as error:
            raise XlavizError(f"{path} cannot be read: {error.strerror or error}.") from error
        except _DAMAGED as error:
            raise XlavizError(f"{path} is not an xlaviz bundle, or is cut short.", hint="Capture it again.") from error
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
            name = member.filename.removesuffix("/")  # the entry of a folder, which other programs write
            if not _SAFE_MEMBER.fullmatch(name) or {"..", "."}.intersection(name.split("/")):
                raise XlavizError(
                    f"{self.path} holds a file with an unsafe name ({member.filename!a}); it is not opened."
                )
            if member.file_size > MAX_MEMBER_BYTES:
                raise XlavizError(f"{self.path} holds a file of {member.file_size} bytes; it is not opened.")

    def names(self) -> list[str]:
        return sorted(name for name in self._zip.namelist() if not name.endswith("/"))

    def read(self, name: str) -> bytes:
        try:
            return self._zip.read(name)
        except KeyError as error:
            raise XlavizError(f"{self.path} holds no {name}.", hint="Capture it again.") from error
        except (OSError, *_DAMAGED) as error:
            raise XlavizError(f"{name} in {self.path} is damaged ({error}).", hint="Capture it again.") from error

    def close(self) -> None:
        self._zip.close()


class SingleFile:
    """One HLO file, wherever it lies: all its modules' bytes, under whatever name they are asked for."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def names(self) -> list[str]:
        return [self.path.name]

    def read(self, name: str) -> bytes:
        return read_file(self.path)

    def open(self, name: str) -> IO[bytes]:
        """The file, to read parts of it; whoever opens it closes it."""
        return open_file(self.path)

    def close(self) -> None:
        """Nothing is held open."""


def read_file(path: Path) -> bytes:
    """The file's bytes, or one sentence why not."""
    try:
        return path.read_bytes()
    except OSError as error:
        raise XlavizError(f"{path} cannot be read: {error.strerror}.") from error


def open_file(path: Path) -> IO[bytes]:
    """The file, opened, or one sentence why not."""
    try:
        return path.open("rb")
    except OSError as error:
        raise XlavizError(f"{path} cannot be read: {error.strerror}.") from error


def is_folder(path: Path) -> bool:
    """Whether `path` is a folder rather than a file; raises XlavizError where it is neither, or cannot be looked at."""
    try:
        mode = path.stat().st_mode
    except (FileNotFoundError, NotADirectoryError) as error:
        raise XlavizError(f"{path} does not exist.") from error
    except OSError as error:
        raise XlavizError(f"{path} cannot be read: {error.strerror}.") from error
    except ValueError as error:  # a zero byte in the name
        raise XlavizError(f"{str(path)!a} is no file name.") from error
    if stat.S_ISDIR(mode):
        return True
    if not stat.S_ISREG(mode):  # a pipe or a device might never end
        raise XlavizError(f"{path} is neither a file nor a folder.")
    return False


def first_bytes(path: Path) -> bytes:
    """As many bytes of a file's content as tell what it is; of a compressed one they are unpacked."""
    try:
        with path.open("rb") as file:
            head = file.read(_PACKED_HEAD_BYTES)
    except OSError as error:
        raise XlavizError(f"{path} cannot be read: {error.strerror}.") from error
    if head.startswith(GZIP):
        try:
            head = zlib.decompressobj(wbits=31).decompress(head, _HEAD_BYTES)
        except zlib.error:  # it is told when the file is read
            return b""
    return head[:_HEAD_BYTES]
