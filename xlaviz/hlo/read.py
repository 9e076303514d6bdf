"""Any HLO file -> modules, by what it holds: the name of the file plays no part."""

from __future__ import annotations

import zlib

from xlaviz.base.errors import XlavizError
from xlaviz.hlo.model import HloModule
from xlaviz.hlo.proto import read_hlo_proto
from xlaviz.hlo.text import read_hlo_text

MAX_BYTES = 1 << 30
"""What a compressed file may unpack to."""

MAX_RATIO = 400
"""Times its packed size; a dump packs 10 to 100 times, deflate's limit is 1,032."""

_GZIP = b"\x1f\x8b"
_CHUNK = 1 << 20
_TEXT_CONTROLS = frozenset(b"\t\n\r\f\x00")


def read_hlo(data: bytes, *, file: str) -> list[HloModule]:
    """The modules in a file's bytes: HLO text, a text proto or a binary proto, each perhaps gzipped.

    Raises XlavizError, and nothing else, for what is none of these.
    """
    if data.startswith(_GZIP):
        data = unpacked(data, file=file)
    if not data.strip():
        raise XlavizError(f"{file} is empty.")
    text = _text(data)
    if text is not None:
        return read_hlo_text(text, file=file)
    return [read_hlo_proto(data, file=file)]


def _text(data: bytes) -> str | None:
    """The bytes as text; None for a binary file. A tail cut within a character does not make one."""
    head = data[:4096]
    if any(byte < 0x20 and byte not in _TEXT_CONTROLS for byte in head) or head.count(0) > len(head) // 100:
        return None
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        return data.decode("utf-8", "replace") if error.start > len(data) - 4 or data.isascii() else _mostly_text(data)


def _mostly_text(data: bytes) -> str | None:
    text = data.decode("utf-8", "replace")
    return text if text.count("\ufffd") <= len(text) // 1000 else None


def unpacked(data: bytes, *, file: str, max_bytes: int = MAX_BYTES, max_ratio: int = MAX_RATIO) -> bytes:
    """The content of gzipped `data`, members one after the other; refuses what unpacks beyond the limits."""
    limit = min(max_bytes, max(len(data) * max_ratio, _CHUNK))
    parts: list[bytes] = []
    size = 0
    rest = data
    while rest.startswith(_GZIP):
        stream = zlib.decompressobj(wbits=31)
        while not stream.eof:
            try:
                part = stream.decompress(rest, _CHUNK)
            except zlib.error as error:
                raise XlavizError(f"{file} is a damaged gzip file ({error}).") from error
            rest = stream.unused_data if stream.eof else stream.unconsumed_tail
            size += len(part)
            if size > limit:
                raise XlavizError(f"{file} unpacks to more than {limit >> 20} MiB and is refused.")
            parts.append(part)
            if not part and not rest and not stream.eof:
                raise XlavizError(f"{file} is a gzip file that is cut short.")
    return b"".join(parts)
