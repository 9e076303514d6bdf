"""The wire format read in parts: the same as protobuf reads, and one clear error for whatever is damaged."""

from __future__ import annotations

import gzip
import io
import random
from collections.abc import Callable
from pathlib import Path

import pytest
from google.protobuf.message import DecodeError
from profile_builder import SpaceBuilder, hlo_module

from xlaviz.base.errors import XlavizError
from xlaviz.profile.kernels import kernel_table
from xlaviz.profile.modules import embedded_programs
from xlaviz.profile.profile import read_profile
from xlaviz.profile.tf_ops import read_tf_ops
from xlaviz.profile.timeline import timeline
from xlaviz.profile.wire import FileBytes, fields, signed, split, varint
from xlaviz.profile.xplane import find_planes, read_planes
from xlaviz.profile.xplane_pb2 import XEvent, XLine

DATA = Path(__file__).parents[1] / "data" / "profile"
DOT = {"main": [("x", "parameter", (), ()), ("dot.1", "dot", ("x",), ())]}


def small() -> SpaceBuilder:
    builder = SpaceBuilder()
    builder.embed(hlo_module(DOT))
    builder.run(0, 100)
    builder.op("dot.1", 10, 50, logged=49)
    return builder


def read_everything(data: bytes) -> None:
    """All that is made of a profile's bytes."""
    profile = read_profile(data, file="damaged.pb")
    for program_id in profile.programs:
        module = profile.modules.sound(program_id)
        for make in (kernel_table, timeline):
            make(profile, program_id, module.module if module is not None else None)
    read_tf_ops(data, file="damaged.pb")


@pytest.mark.parametrize(
    ("data", "number"),
    [(b"\x00", 0), (b"\x7f", 127), (b"\x80\x01", 128), (b"\xac\x02", 300), (b"\xff" * 9 + b"\x01", 2**64 - 1)],
)
def test_a_number_of_any_length(data: bytes, number: int) -> None:
    assert varint(b"?" + data + b"!", 1) == (number, 1 + len(data))


@pytest.mark.parametrize("data", [b"", b"\x80", b"\xff" * 9, b"\xff" * 10 + b"\x01", b"\x80" * 1000])
def test_a_number_that_does_not_end(data: bytes) -> None:
    with pytest.raises(DecodeError):
        varint(data, 0)


def test_a_negative_number_is_of_ten_bytes() -> None:
    assert [signed(number) for number in (5, 2**63 - 1, 2**63, 2**64 - 1, 2**70 - 1)] == [
        5, 2**63 - 1, -(2**63), -1, -1,
    ]  # fmt: skip


def test_fields_of_every_wire_type() -> None:
    data = b"?\x08\xac\x02" + b"\x12\x03abc" + b"\x19" + b"8" * 8 + b"\x25" + b"4" * 4
    found = [(number, data[value:end]) for number, _, value, end in fields(data, 1, len(data))]
    assert found == [(1, b"\xac\x02"), (2, b"abc"), (3, b"8" * 8), (4, b"4" * 4)]


@pytest.mark.parametrize("data", [b"\x12\x05abc", b"\x08", b"\x19\x00", b"\x25", b"\x0b", b"\x12", b"\x0f\x00"])
def test_fields_that_do_not_fill_their_message(data: bytes) -> None:
    with pytest.raises(DecodeError):
        list(fields(data, 0, len(data)))


def test_a_field_may_not_reach_into_what_follows_its_message() -> None:
    data = b"\x12\x05abcde"
    with pytest.raises(DecodeError):
        list(fields(data, 0, 5))
    with pytest.raises(DecodeError):
        split(data, 0, 5, 2)


def test_elements_and_their_first_numbers_are_those_that_protobuf_reads() -> None:
    source = random.Random(3)
    line = XLine(name="thread", id=9, timestamp_ns=5)
    for _ in range(500):
        event = line.events.add(metadata_id=source.choice([0, 1, 127, 128, 70_000, 2**62, -1, -(2**63)]))
        event.offset_ps = source.choice([0, 5, 2**50])
        if source.random() < 0.3:
            event.stats.add(metadata_id=1, str_value="x" * source.choice([1, 200, 20_000]))
    data = b"--" + line.SerializeToString() + b"--"
    found = split(data, 2, len(data) - 2, 4)
    events = [XLine.FromString(data[begin:end]).events[0] for begin, end in zip(found.begin, found.end, strict=True)]
    assert events == list(line.events)
    # A metadata id of 0 is not written: such an event begins with another field, or is empty.
    assert [first or -1 for first in (event.metadata_id for event in events)] == found.first.tolist()
    del line.events[:]
    assert XLine.FromString(found.rest) == line


def test_a_files_bytes_are_those_of_the_file() -> None:
    data = bytes(range(200))
    file = FileBytes(io.BytesIO(data))
    assert len(file) == len(data)
    assert [file[place] for place in (0, 77, 199, 3)] == [0, 77, 199, 3]
    assert [file[10:20], file[190:300], file[5:5]] == [data[10:20], data[190:], b""]
    with pytest.raises(IndexError):
        file[200]


class _Counted(io.BytesIO):
    """Counts the bytes that are read."""

    count = 0

    def read(self, size: int | None = -1, /) -> bytes:
        data = super().read(size)
        self.count += len(data)
        return data


def test_modules_and_lines_are_found_without_reading_the_events() -> None:
    builder = small()
    for number in range(10_000):
        builder.event("dot", number, number + 1, lane="worker")
    data = builder.serialized()
    stream = _Counted(data)
    planes = find_planes(FileBytes(stream), file="a")
    assert embedded_programs(planes) == embedded_programs(read_planes(data, file="a")) != {}
    assert [plane.line_names for plane in planes] == [("python", "worker"), ()]
    assert stream.count < 1000 < len(data) // 100
    assert [line.name for line in planes[0].lines] == ["python", "worker"]
    assert stream.count > 10_000  # now each event was looked at


def test_events_with_a_negative_metadata_id_are_found() -> None:
    builder = small()
    event = builder.event("far", 0, 1)
    builder.host.event_metadata[-5].name = "far"
    event.metadata_id = -5
    (host,) = (plane for plane in read_planes(builder.serialized(), file="a") if plane.name == "/host:CPU")
    (line,) = host.lines
    assert [found.metadata_id for found in line.events(frozenset({-5}))] == [-5]


def test_events_are_of_the_ids_asked_for_in_the_files_order() -> None:
    builder = SpaceBuilder()
    source = random.Random(4)
    names = [source.choice("abc") for _ in range(10_000)]  # more than are parsed at once
    for number, name in enumerate(names):
        builder.event(name, number, number + 1)
    (plane,) = read_planes(builder.serialized(), file="a")
    wanted = plane.metadata_ids(lambda name: name in "ac")
    found = [(event.start_ps, plane.event_names[event.metadata_id]) for event in plane.lines[0].events(wanted)]
    assert found == [(10**6 + number * 1000, name) for number, name in enumerate(names) if name != "b"]


def test_times_since_1970_count_from_the_first_line() -> None:
    builder = small()
    builder.op("dot.1", 60, 70, logged=69, lane="worker")
    expected = _times(builder)
    for line in builder.host.lines:
        line.timestamp_ns += 1_700_000_000 * 10**9
    assert _times(builder) == [(start - 10**6, end - 10**6, run) for start, end, run in expected]


def _times(builder: SpaceBuilder) -> list[tuple[int, int, int | None]]:
    events = read_profile(builder.serialized(), file="a").events
    return [(event.start_ps, event.end_ps, event.run) for event in events]


def test_an_event_that_ends_before_it_starts_takes_no_time() -> None:
    builder = SpaceBuilder()
    builder.event("odd", 10, 5)
    (plane,) = read_planes(builder.serialized(), file="a")
    (event,) = plane.lines[0].events(frozenset(plane.event_names))
    assert event.end_ps == event.start_ps


def _far(event: XEvent) -> None:
    event.offset_ps = 2**63 - 1


def _long(event: XEvent) -> None:
    event.duration_ps = 2**63 - 1


def _before(event: XEvent) -> None:
    event.offset_ps = -(2**63)


@pytest.mark.parametrize("spoil", [_far, _long, _before])
def test_a_time_beyond_all_reason_is_one_clear_error(spoil: Callable[[XEvent], None]) -> None:
    builder = small()
    spoil(builder.host.lines[0].events[1])
    with pytest.raises(XlavizError, match=r"^damaged\.pb is not a profile, or is cut short"):
        read_everything(builder.serialized())


@pytest.mark.parametrize("name", ["dense_tf221", "dense_tf219", "conv_tf221"])
def test_a_damaged_recording_is_one_clear_error_or_another_profile(name: str) -> None:
    sound = gzip.decompress((DATA / f"{name}.xplane.pb.gz").read_bytes())
    source = random.Random(name)
    errors, rounds = [], 250
    for _ in range(rounds):
        data = bytearray(sound)
        for _ in range(source.choice((1, 1, 1, 3))):
            _spoil(data, source)
        try:
            read_everything(bytes(data))
        except XlavizError as error:
            errors.append(str(error))
    assert 20 < len(errors) < rounds - 20
    assert {error.split(" ")[0] for error in errors} == {"damaged.pb"}


def _spoil(data: bytearray, source: random.Random) -> None:
    place = source.randrange(len(data))
    match source.randrange(10):
        case 0:
            del data[place : place + source.randint(1, 30)]
        case 1:
            data[place : place + 10] = b"\xff" * 10
        case 2:
            data[place:place] = source.randbytes(source.randint(1, 10))
        case _:
            data[place] = source.randrange(256)


def test_every_beginning_of_a_real_profile_is_one_clear_error(shared: Path) -> None:
    for file in sorted((shared / "profiles").glob("*.xplane.pb")):
        data = file.read_bytes()
        source = random.Random(file.name)
        for length in (0, 1, 2, 3, 10, 100, *(source.randrange(len(data)) for _ in range(12)), len(data) - 1):
            with pytest.raises(XlavizError, match=r"^cut\.pb is not a profile"):
                read_profile(data[:length], file="cut.pb")


def test_a_profile_that_was_taken_for_text_is_one_clear_error(shared: Path) -> None:
    """As one in public: every byte that is no UTF-8 has become EF BF BD."""
    for file in sorted((shared / "profiles").glob("*.xplane.pb")):
        mangled = file.read_bytes().decode("utf-8", "replace").encode()
        assert b"\xef\xbf\xbd" in mangled
        with pytest.raises(XlavizError, match="is not a profile, or is cut short"):
            read_profile(mangled, file=file.name)
