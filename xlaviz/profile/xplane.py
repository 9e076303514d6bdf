"""XSpace bytes -> planes, lines, events. Thin: names and times are resolved, stats only when asked for.

A profile holds a million events and most are of no interest, so a caller picks events by metadata id (one look
at the name table) before any event is touched, and reads a hot stat by its id rather than all stats by name.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from functools import cached_property

from google.protobuf.message import DecodeError

from xlaviz.base.errors import XlavizError
from xlaviz.profile import xplane_pb2 as pb

UINT64 = 2**64 - 1
"""Program ids are unsigned in one place and signed in another: mask both with this before comparing."""

StatValue = int | float | str | bytes | None

_HINT = "Choose a .xplane.pb file that a profiler has finished writing."


# A plane begins with its id and its name; an HloProto has the module's name, a message deeper, in that place.
_FIRST_PLANE = re.compile(rb"\n[\x00-\xff]{1,16}\x12[\x01-\x7f](?:/host:|/device:|Task Environment|#Chip)", re.DOTALL)


def is_profile(data: bytes) -> bool:
    """Whether the bytes begin as a profiler's file does; it may be damaged all the same."""
    return _FIRST_PLANE.match(data[:64]) is not None


def read_xspace(data: bytes, *, file: str) -> pb.XSpace:
    """The XSpace of a `.xplane.pb` file's bytes. `file` is only for the error's text.

    Raises XlavizError where the bytes are cut short or are no profile.
    """
    space = pb.XSpace()
    try:
        space.ParseFromString(data)
    except DecodeError as error:
        raise XlavizError(f"{file} is not a profile, or is cut short ({len(data)} bytes).", hint=_HINT) from error
    # Protobuf accepts many foreign files; every plane a profiler writes events to is named '/host:..' or '/device:..'.
    if not any(plane.name.startswith(("/host:", "/device:")) for plane in space.planes):
        raise XlavizError(f"{file} is not a profile: it holds no plane of a host or a device.", hint=_HINT)
    return space


class Event:
    """One event: absolute times in picoseconds, stats still as written (see Plane.stats)."""

    __slots__ = ("end_ps", "metadata_id", "proto", "start_ps")

    def __init__(self, proto: pb.XEvent, base_ps: int) -> None:
        self.proto = proto
        self.metadata_id = proto.metadata_id
        self.start_ps = base_ps + proto.offset_ps
        self.end_ps = self.start_ps + proto.duration_ps


class Line:
    """One line (a thread, a stream, a TPU core's 'XLA Ops')."""

    def __init__(self, proto: pb.XLine) -> None:
        self._proto = proto
        self.name = proto.name
        # Threads share names ('python'); with the id a line's name is its own.
        self.lane = proto.name if str(proto.id) in proto.name else f"{proto.name}/{proto.id}"
        self.base_ps = proto.timestamp_ns * 1000

    def events(self, metadata_ids: frozenset[int]) -> Iterator[Event]:
        """Events with one of these metadata ids, in the file's order."""
        base_ps = self.base_ps
        for proto in self._proto.events:
            if proto.metadata_id in metadata_ids:
                yield Event(proto, base_ps)


class Plane:
    """One plane and its two name tables."""

    def __init__(self, proto: pb.XPlane) -> None:
        self._proto = proto
        self.name = proto.name
        self.lines = tuple(Line(line) for line in proto.lines)

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


def planes(space: pb.XSpace) -> Iterator[Plane]:
    for proto in space.planes:
        yield Plane(proto)
