"""Protobuf's wire format, as far as it takes to read a large message in parts.

A parsed event takes some 700 bytes of memory and a profile holds a million: planes, lines and events are found in the
file's bytes first, and protobuf parses only those that somebody wants.
"""

from __future__ import annotations

import os
from array import array
from collections.abc import Iterator
from dataclasses import dataclass
from typing import IO, overload

import numpy as np
import numpy.typing as npt
from google.protobuf.message import DecodeError

_LENGTH_DELIMITED = 2
_FIXED_BYTES = {1: 8, 5: 4}


class FileBytes:
    """The bytes of an opened file, each read when it is asked for.

    No memory map: some network folders refuse one, and a file that shrinks under it would end the process.
    """

    def __init__(self, stream: IO[bytes]) -> None:
        self._stream = stream
        self._size = stream.seek(0, os.SEEK_END)

    def __len__(self) -> int:
        return self._size

    @overload
    def __getitem__(self, place: int) -> int: ...

    @overload
    def __getitem__(self, place: slice) -> bytes: ...

    def __getitem__(self, place: int | slice) -> int | bytes:
        if isinstance(place, int):
            self._stream.seek(place)
            return self._stream.read(1)[0]
        start, stop, _ = place.indices(self._size)
        self._stream.seek(start)
        return self._stream.read(stop - start)


def varint(data: bytes | FileBytes, at: int) -> tuple[int, int]:
    """The number at `at`, and where the next thing begins. Raises DecodeError where the bytes end in it."""
    value = shift = 0
    try:
        while True:
            byte = data[at]
            at += 1
            value |= (byte & 0x7F) << shift
            if byte < 0x80:
                return value, at
            shift += 7
            if shift > 63:
                raise DecodeError("a number of more than ten bytes")
    except IndexError as error:
        raise DecodeError("the bytes end within a number") from error


def signed(number: int) -> int:
    """A number read as unsigned, as the int64 it stands for."""
    number &= (1 << 64) - 1
    return number - (1 << 64) if number >> 63 else number


def fields(data: bytes | FileBytes, start: int, end: int) -> Iterator[tuple[int, int, int, int]]:
    """The fields of the message in data[start:end]: field number, where the field begins, where its value begins and
    ends. Raises DecodeError where they do not fill it exactly."""
    at = start
    while at < end:
        begin = at
        tag, at = varint(data, at)
        kind = tag & 7
        value = at
        if kind == _LENGTH_DELIMITED:
            length, value = varint(data, at)
            at = value + length
        elif kind == 0:
            _, at = varint(data, at)
        elif kind in _FIXED_BYTES:
            at += _FIXED_BYTES[kind]
        else:
            raise DecodeError(f"no field has the wire type {kind}")
        if at > end:
            raise DecodeError("a field reaches beyond its message")
        yield tag >> 3, begin, value, at


@dataclass(frozen=True)
class Elements:
    """The elements of one repeated message field: where each begins (its tag included) and ends, and the number that
    is its first field, -1 where it begins with another one. `rest` is the message without them."""

    begin: npt.NDArray[np.int64]
    end: npt.NDArray[np.int64]
    first: npt.NDArray[np.int64]
    rest: bytes


def split(data: bytes | FileBytes, start: int, end: int, number: int) -> Elements:
    """Find the elements of field `number` (below 16) in the message data[start:end].

    This runs once for every event of a file, so what is usual (a length and a number of one or two bytes) is read in
    place. Raises DecodeError as `fields` does.
    """
    wanted = number << 3 | _LENGTH_DELIMITED
    begins, ends, firsts = array("q"), array("q"), array("q")
    rest: list[bytes] = []
    at = start
    while at < end:
        begin = at
        if data[at] != wanted:
            _, _, _, at = next(fields(data, at, end))
            rest.append(data[begin:at])
            continue
        at, length = _length(data, at + 1, end)
        stop = at + length
        if stop > end:
            raise DecodeError("a field reaches beyond its message")
        first = -1
        if length > 1 and data[at] == 8:
            first = data[at + 1]
            if first >= 0x80:
                first = signed(varint(data, at + 1)[0])
        begins.append(begin)
        ends.append(stop)
        firsts.append(first)
        at = stop
    return Elements(_column(begins), _column(ends), _column(firsts), b"".join(rest))


def _column(numbers: array[int]) -> npt.NDArray[np.int64]:
    return np.frombuffer(numbers, np.int64) if numbers else np.zeros(0, np.int64)


def _length(data: bytes | FileBytes, at: int, end: int) -> tuple[int, int]:
    """Where the value begins whose length stands at `at`, and that length."""
    if at >= end:
        raise DecodeError("the bytes end within a number")
    length = data[at]
    if length < 0x80:
        return at + 1, length
    length, at = varint(data, at)
    return at, length
