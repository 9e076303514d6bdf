"""What a `.xplane.pb` file holds, found without reading its events: a log folder has dozens of them, each large.

A message's fields are walked over by their lengths; only the plane that carries the modules is read.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import IO

from google.protobuf.message import DecodeError

from xlaviz.base.errors import XlavizError
from xlaviz.profile import xplane_pb2 as pb
from xlaviz.profile.xplane import UINT64

_MODULES = "/host:metadata"
_HLO_PROTO = "Hlo Proto"
_PROGRAM = re.compile(r"\(-?\d+\)$")
_XSPACE_PLANES, _PLANE_LINES, _NAME = 1, 3, 2
_LONGEST_HEAD = 20  # the longest tag and length
_FIXED = {1: 8, 5: 4}

_HINT = "Choose a .xplane.pb file that a profiler has finished writing."


@dataclass(frozen=True, slots=True)
class Plane:
    """A plane by its place in the file."""

    name: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class EmbeddedProgram:
    """A program that the file carries the module of. It need not have run while the file was recorded."""

    name: str
    hlo_proto: bytes


def scan_planes(stream: IO[bytes], *, file: str) -> tuple[Plane, ...]:
    """The planes of an opened file; `file` is only for the error's text.

    Raises XlavizError where the file is cut short or is no profile.
    """
    size = stream.seek(0, os.SEEK_END)
    try:
        spans = [(start, end) for number, start, end in _fields(stream, 0, size) if number == _XSPACE_PLANES]
        found = tuple(Plane(_name(stream, start, end), start, end) for start, end in spans)
    except DecodeError as error:
        raise _damaged(file, size) from error
    if not any(plane.name.startswith(("/host:", "/device:")) for plane in found):
        raise XlavizError(f"{file} is not a profile: it holds no plane of a host or a device.", hint=_HINT)
    return found


def line_names(stream: IO[bytes], plane: Plane, *, file: str) -> tuple[str, ...]:
    """The names of a plane's lines. Raises XlavizError where they are damaged."""
    try:
        fields = list(_fields(stream, plane.start, plane.end))
        return tuple(_name(stream, start, end) for number, start, end in fields if number == _PLANE_LINES)
    except DecodeError as error:
        raise _damaged(file, stream.seek(0, os.SEEK_END)) from error


def embedded_programs(stream: IO[bytes], planes: tuple[Plane, ...], *, file: str) -> dict[int, EmbeddedProgram]:
    """Program id -> the program, for all that the file carries a module of."""
    found: dict[int, EmbeddedProgram] = {}
    for plane in planes:
        if plane.name != _MODULES:
            continue
        stream.seek(plane.start)
        try:
            proto = pb.XPlane.FromString(stream.read(plane.end - plane.start))
        except DecodeError as error:
            raise _damaged(file, stream.seek(0, os.SEEK_END)) from error
        wanted = {key for key, metadata in proto.stat_metadata.items() if metadata.name == _HLO_PROTO}
        for key, metadata in proto.event_metadata.items():
            for stat in metadata.stats:
                if stat.metadata_id in wanted:
                    name = _PROGRAM.sub("", metadata.name)
                    found[(metadata.id or key) & UINT64] = EmbeddedProgram(name, stat.bytes_value)
    return found


def _damaged(file: str, size: int) -> XlavizError:
    return XlavizError(f"{file} is not a profile, or is cut short ({size} bytes).", hint=_HINT)


def _name(stream: IO[bytes], start: int, end: int) -> str:
    """Field 2 of a plane or a line. Fields are written in the order of their numbers: none is looked for behind it."""
    for number, value, stop in _fields(stream, start, end):
        if number == _NAME:
            stream.seek(value)
            return stream.read(stop - value).decode("utf-8", "replace")
        if number > _NAME:
            break
    return ""


def _fields(stream: IO[bytes], start: int, end: int) -> Iterator[tuple[int, int, int]]:
    """The fields of the message that lies at start..end of the file: number, and where the value begins and ends."""
    at = start
    while at < end:
        stream.seek(at)
        head = stream.read(min(_LONGEST_HEAD, end - at))
        tag, used = _varint(head, 0)
        value = at + used
        if tag & 7 == 2:
            length, used = _varint(head, used)
            value = at + used
            at = value + length
        elif tag & 7 == 0:
            at += _varint(head, used)[1]
        elif tag & 7 in _FIXED:
            at = value + _FIXED[tag & 7]
        else:
            raise DecodeError(f"wire type {tag & 7}")
        if at > end or not tag >> 3:
            raise DecodeError("a field that reaches beyond its message")
        yield tag >> 3, value, at


def _varint(data: bytes, at: int) -> tuple[int, int]:
    value = 0
    for shift in range(0, 70, 7):
        if at >= len(data):
            break
        value |= (data[at] & 0x7F) << shift
        at += 1
        if data[at - 1] < 0x80:
            return value, at
    raise DecodeError("a number without an end")
