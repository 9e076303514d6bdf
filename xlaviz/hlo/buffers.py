"""The memory a compiled program needs, from the buffer assignment XLA stores beside a module."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from google.protobuf.message import DecodeError

from xlaviz.base.errors import XlavizError
from xlaviz.hlo import hlo_pb2 as pb


@dataclass(frozen=True, slots=True)
class MemoryUse:
    """Bytes of a program's buffer allocations, by what they are for.

    `total_bytes` is XLA's 'Total bytes used', thread-local allocations and tables of tuples included. A donated
    parameter is in `parameter_bytes` and in `output_bytes`, so that
    total = parameter + output + constant + temp + thread_local - aliased.
    """

    total_bytes: int
    parameter_bytes: int
    output_bytes: int
    """Allocations that hold a result at the end. Temporary values may have used them before."""
    constant_bytes: int
    temp_bytes: int
    """What is allocated for values that no result holds, once for all that share it."""
    aliased_bytes: int
    """Output that lives in a donated parameter."""
    thread_local_bytes: int = 0
    """On the stack: the scalars of reductions and comparators."""


def memory_use(data: bytes, *, file: str) -> MemoryUse | None:
    """The memory of a program from its serialized HloProto or HloSnapshot; None where that holds no buffer assignment,
    as an HloModuleProto never does.

    Raises XlavizError where the bytes are none of these.
    """
    allocations = _hlo_proto(data, file).buffer_assignment.buffer_allocations
    if not allocations:
        return None
    return MemoryUse(
        total_bytes=_bytes(allocations),
        parameter_bytes=_bytes(a for a in allocations if a.is_entry_computation_parameter),
        output_bytes=_bytes(a for a in allocations if a.maybe_live_out),
        constant_bytes=_bytes(a for a in allocations if a.is_constant),
        temp_bytes=_bytes(a for a in allocations if _is_temp(a)),
        aliased_bytes=_bytes(a for a in allocations if a.is_entry_computation_parameter and a.maybe_live_out),
        thread_local_bytes=_bytes(a for a in allocations if a.is_thread_local),
    )


def _hlo_proto(data: bytes, file: str) -> pb.HloProto:
    """What the bytes are is told by what they hold, as in read_hlo_proto."""
    for read in (pb.HloProto.FromString, _of_snapshot, _of_module):
        try:
            proto = read(data)
        except DecodeError:
            continue
        if proto.hlo_module.computations or proto.buffer_assignment.buffer_allocations:
            return proto
    raise XlavizError(f"{file} is not an HLO proto, or is cut short ({len(data)} bytes).")


def _of_snapshot(data: bytes) -> pb.HloProto:
    return pb.HloSnapshot.FromString(data).hlo


def _of_module(data: bytes) -> pb.HloProto:
    return pb.HloProto(hlo_module=pb.HloModuleProto.FromString(data))


def _bytes(allocations: Iterable[pb.BufferAllocationProto]) -> int:
    return sum(allocation.size for allocation in allocations)


def _is_temp(allocation: pb.BufferAllocationProto) -> bool:
    """As BufferAllocation::IsPreallocatedTempBuffer."""
    return not (
        allocation.is_entry_computation_parameter
        or allocation.maybe_live_out
        or allocation.is_thread_local
        or allocation.is_constant
    )
