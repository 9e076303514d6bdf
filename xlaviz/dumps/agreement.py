"""Whether a dumped module is the program that a profile saw: compilations of other runs have the same names."""

from __future__ import annotations

import re

from google.protobuf.message import DecodeError

from xlaviz.base.errors import XlavizError
from xlaviz.dumps.files import GZIP, Files
from xlaviz.dumps.sequence import PassSequence
from xlaviz.hlo import hlo_pb2
from xlaviz.hlo.read import unpacked

LEAST_SHARED = 0.9
"""Of the names the profile has, the part that the dump has too: a backend may still add copies after its dump."""

_NAMED = re.compile(rb"^\s*(?:ROOT )?%?([\w.\-]+) = ", re.MULTILINE)


def agrees(expected: frozenset[str], files: Files, sequence: PassSequence) -> bool | None:
    """Whether the sequence ends in a module with these instructions; None where that cannot be told: where the dump
    does not reach to the end of the compilation, or is damaged.

    Names alone are looked at, for this is done for every program at opening.
    """
    last = sequence.snapshots[-1]
    if last.label != "after optimizations" or not expected:
        return None
    try:
        found = _names(files.read(last.file), file=last.file)
    except (XlavizError, DecodeError):
        return None
    return len(expected & found) >= LEAST_SHARED * len(expected) if found else None


def _names(data: bytes, *, file: str) -> frozenset[str]:
    if data.startswith(GZIP):
        data = unpacked(data, file=file)
    if file.endswith((".txt", ".hlo")):
        return frozenset(name.decode() for name in _NAMED.findall(data))
    return proto_names(data) if ".hlo.pb" in file else frozenset()


def proto_names(data: bytes) -> frozenset[str]:
    """The names of all instructions in an HloProto. Raises DecodeError where it is damaged."""
    module = hlo_pb2.HloProto.FromString(data).hlo_module
    return frozenset(one.name for computation in module.computations for one in computation.instructions)
