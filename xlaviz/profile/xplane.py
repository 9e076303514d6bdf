"""XSpace bytes -> planes, lines, events. Thin: names and times are resolved, stats only when asked for.

A profile holds a million events and most are of no interest, so a caller picks events by metadata id (one look
at the name table) before any event is touched, and reads a hot stat by its id rather than all stats by name.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property

import numpy as np
from google.protobuf.message import DecodeError

from xlaviz.base.errors import XlavizError
from xlaviz.profile import xplane_pb2 as pb
from xlaviz.profile.wire import FileBytes, fields, split

UINT64 = 2**64 - 1
"""Program ids are unsigned in one place and signed in another: mask both with this before comparing."""

StatValue = int | float | str | bytes | None

_PLANES, _HOSTNAMES, _NAME, _LINES, _EVENTS = 1, 4, 2, 3, 4
"""Field numbers of XSpace, XPlane and XLine; the latter two have their name in the same one."""

_AT_ONCE = 4096
"""Events that are parsed together."""

_FAR_PS = 1 << 60
"""Thirteen days: no event lies so far from the first one."""

_HINT = "Choose a .xplane.pb file that a profiler has finished writing."


# A plane begins with its id and its name; an HloProto has the module's name, a message deeper, in that place.
_FIRST_PLANE = re.compile(rb"\n[\x00-\xff]{1,16}\x12[\x01-\x7f](?:/host:|/device:|Task Environment|#Chip)", re.DOTALL)


def is_profile(data: bytes) -> bool:
    """Whether the bytes begin as a profiler's file does; it may be damaged all the same."""
    return _FIRST_PLANE.match(data[:64]) is not None


def read_planes(data: bytes, *, file: str) -> list[Plane]:
    """The planes of a `.xplane.pb` file's bytes, their events not yet parsed. `file` is only for the errors' text.

    Raises XlavizError where the bytes are cut short or are no profile. Damage within a line's events shows when they
    are asked for, as the same error.
    """
    found = find_planes(data, file=file)
    for plane in found:
        plane.read()
    _count_from_first([line for plane in found for line in plane.lines if line.event_count])
    return found


def find_planes(data: bytes | FileBytes, *, file: str) -> list[Plane]:
    """The planes of a file, of which nothing but the names is read yet: a log folder has dozens of files, each large.

    Times are as written, see `read_planes`. Raises XlavizError where the file is cut short or is no profile; damage
    within a plane shows when its contents are asked for, as the same error.
    """
    found = []
    with _damage_told(data, file):
        for number, begin, value, end in fields(data, 0, len(data)):
            if number == _PLANES:
                found.append(Plane(data, value, end, file=file))
            else:
                pb.XSpace.FromString(data[begin:end])
    # Protobuf accepts many foreign files; every plane a profiler writes events to is named '/host:..' or '/device:..'.
    if not any(plane.name.startswith(("/host:", "/device:")) for plane in found):
        raise XlavizError(f"{file} is not a profile: it holds no plane of a host or a device.", hint=_HINT)
    return found


def _count_from_first(lines: Sequence[Line]) -> None:
    """Profilers count from the start of the profile. Picoseconds since 1970 would be more than 64 bits hold."""
    first_ps = min((line.base_ps for line in lines), default=0)
    if first_ps > _FAR_PS // 2:
        for line in lines:
            line.base_ps -= first_ps


def read_hostname(data: bytes) -> str:
    """The name of the host that wrote the profile, empty where it does not say."""
    names = (data[value:end] for number, _, value, end in fields(data, 0, len(data)) if number == _HOSTNAMES)
    return next(names, b"").decode("utf-8", "replace")


@contextmanager
def _damage_told(data: bytes | FileBytes, file: str) -> Iterator[None]:
    try:
        yield
    except DecodeError as error:
        raise _damaged(data, file) from error


def _name(data: bytes | FileBytes, start: int, end: int) -> str:
    """The name of a plane or a line. Fields are written in the order of their numbers: none is looked for behind it."""
    for number, _, value, stop in fields(data, start, end):
        if number == _NAME:
            return data[value:stop].decode("utf-8", "replace")
        if number > _NAME:
            break
    return ""


def _damaged(data: bytes | FileBytes, file: str) -> XlavizError:
    return XlavizError(f"{file} is not a profile, or is cut short ({len(data)} bytes).", hint=_HINT)


class Event:
    """One event: absolute times in picoseconds, stats still as written (see Plane.stats)."""

    __slots__ = ("end_ps", "metadata_id", "proto", "start_ps")

    def __init__(self, proto: pb.XEvent, base_ps: int) -> None:
        self.proto = proto
        self.metadata_id = proto.metadata_id
        self.start_ps = base_ps + proto.offset_ps
        self.end_ps = self.start_ps + max(proto.duration_ps, 0)


class Line:
    """One line (a thread, a stream, a TPU core's 'XLA Ops')."""

    def __init__(self, data: bytes | FileBytes, start: int, end: int, *, file: str) -> None:
        self._data, self._file = data, file
        self._elements = split(data, start, end, _EVENTS)
        proto = pb.XLine.FromString(self._elements.rest)
        self.name = proto.name
        # Threads share names ('python'); with the id a line's name is its own.
        self.lane = proto.name if str(proto.id) in proto.name else f"{proto.name}/{proto.id}"
        self.base_ps = proto.timestamp_ns * 1000

    @property
    def event_count(self) -> int:
        return len(self._elements.begin)

    def events(self, metadata_ids: frozenset[int]) -> Iterator[Event]:
        """Events with one of these metadata ids, in the file's order."""
        data, found, base_ps = self._data, self._elements, self.base_ps
        is_wanted = np.isin(found.first, np.array([-1, *metadata_ids], np.int64))
        indices = np.flatnonzero(is_wanted)
        for start in range(0, len(indices), _AT_ONCE):
            part = indices[start : start + _AT_ONCE]
            spans = zip(found.begin[part].tolist(), found.end[part].tolist(), strict=True)
            with _damage_told(data, self._file):
                line = pb.XLine.FromString(b"".join([data[begin:end] for begin, end in spans]))
            for proto in line.events:
                if proto.metadata_id in metadata_ids:
                    event = Event(proto, base_ps)
                    if event.start_ps < -_FAR_PS or event.end_ps > _FAR_PS:
                        raise _damaged(data, self._file)
                    yield event


class Plane:
    """One plane: its name, and what is found when first asked for: its lines and its two name tables."""

    def __init__(self, data: bytes | FileBytes, start: int, end: int, *, file: str) -> None:
        self._data, self._start, self._end, self._file = data, start, end, file
        self.name = _name(data, start, end)

    def read(self) -> None:
        """Find the lines and the tables now. Raises XlavizError where they are damaged."""
        _ = self._proto, self.lines

    @cached_property
    def _parts(self) -> tuple[list[tuple[int, int]], list[tuple[int, int]]]:
        """Where the lines begin and end, and what lies between them."""
        lines, rest, at = [], [], self._start
        with _damage_told(self._data, self._file):
            for number, begin, value, end in fields(self._data, self._start, self._end):
                if number == _LINES:
                    lines.append((value, end))
                    rest.append((at, begin))
                    at = end
        return lines, [*rest, (at, self._end)]

    @cached_property
    def _proto(self) -> pb.XPlane:
        """The plane without its lines."""
        _, rest = self._parts
        with _damage_told(self._data, self._file):
            return pb.XPlane.FromString(b"".join([self._data[begin:end] for begin, end in rest]))

    @cached_property
    def lines(self) -> tuple[Line, ...]:
        lines, _ = self._parts
        with _damage_told(self._data, self._file):
            return tuple(Line(self._data, begin, end, file=self._file) for begin, end in lines)

    @property
    def line_names(self) -> tuple[str, ...]:
        """The names of the lines, whose events are not looked at."""
        lines, _ = self._parts
        with _damage_told(self._data, self._file):
            return tuple(_name(self._data, begin, end) for begin, end in lines)

    @property
    def own_stats(self) -> dict[str, StatValue]:
        """What the plane says of its device."""
        return self.stats(self._proto.stats)

    @cached_property
    def event_names(self) -> dict[int, str]:
        return {key: metadata.name for key, metadata in self._proto.event_metadata.items()}

    @cached_property
    def stat_names(self) -> dict[int, str]:
        return {key: metadata.name for key, metadata in self._proto.stat_metadata.items()}

    @cached_property
    def stat_ids(self) -> dict[str, int]:
        return {name: key for key, name in self.stat_names.items()}

    def metadata_ids(self, wanted: Callable[[str], bool]) -> frozenset[int]:
        """Metadata ids of the events whose name is wanted."""
        return frozenset(key for key, name in self.event_names.items() if wanted(name))

    def event_metadata(self) -> Iterator[tuple[int, pb.XEventMetadata]]:
        yield from self._proto.event_metadata.items()

    def stats(self, protos: Iterable[pb.XStat]) -> dict[str, StatValue]:
        """Stat name -> value; a `ref_value` becomes the text it refers to."""
        return {self.stat_names.get(proto.metadata_id, ""): self.value(proto) for proto in protos}

    def value(self, proto: pb.XStat) -> StatValue:
        kind = proto.WhichOneof("value")
        if kind is None:
            return None
        if kind == "ref_value":
            return self.stat_names.get(proto.ref_value, "")
        found: StatValue = getattr(proto, kind)
        return found

    def text(self, proto: pb.XStat) -> str:
        """A stat that is known to be text; several times faster than `value`."""
        return proto.str_value or self.stat_names.get(proto.ref_value, "")


def integer(proto: pb.XStat) -> int:
    """A stat that is known to be an integer, as unsigned 64 bits."""
    return (proto.uint64_value or proto.int64_value) & UINT64
