"""The HloModules a profile carries in its '/host:metadata' plane, parsed when first asked for."""

from __future__ import annotations

import json
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass

from google.protobuf.message import DecodeError

from xlaviz.base.errors import XlavizError
from xlaviz.hlo import hlo_pb2
from xlaviz.hlo.model import HloModule
from xlaviz.hlo.proto import module_from_proto
from xlaviz.profile.xplane import UINT64, Plane


@dataclass(frozen=True)
class EmbeddedModule:
    """A module as it ran, and the instructions XLA's CPU runtime hands to other threads."""

    module: HloModule
    asynchronous: frozenset[str]


class EmbeddedModules(Mapping[int, HloModule]):
    """Program id -> HloModule. A module is parsed when asked for, once.

    Raises XlavizError (not KeyError) from `[...]` where the embedded bytes are damaged.
    """

    def __init__(self, protos: dict[int, bytes], *, file: str) -> None:
        self._protos = protos
        self._file = file
        self._parsed: dict[int, EmbeddedModule] = {}

    def embedded(self, program_id: int) -> EmbeddedModule:
        if program_id not in self._parsed:
            self._parsed[program_id] = _parse(self._protos[program_id], file=self._file)
        return self._parsed[program_id]

    def sound(self, program_id: int) -> EmbeddedModule | None:
        """The module where there is one that can be read."""
        try:
            return self.embedded(program_id) if program_id in self else None
        except XlavizError:
            return None

    def __getitem__(self, program_id: int) -> HloModule:
        return self.embedded(program_id).module

    def __contains__(self, program_id: object) -> bool:
        return program_id in self._protos

    def __iter__(self) -> Iterator[int]:
        return iter(self._protos)

    def __len__(self) -> int:
        return len(self._protos)


def embedded_modules(planes: Sequence[Plane], program_ids: Container[int], *, file: str) -> EmbeddedModules:
    """The modules of these programs.

    The plane lists every XLA module alive in the process, ones that did not run in this session among them:
    only programs that have events are worth a look.
    """
    found: dict[int, bytes] = {}
    for plane in planes:
        hlo_proto = plane.stat_ids.get("Hlo Proto")
        if plane.name != "/host:metadata" or hlo_proto is None:
            continue
        for key, metadata in plane.event_metadata():
            program_id = (metadata.id or key) & UINT64
            if program_id in program_ids:
                for stat in metadata.stats:
                    if stat.metadata_id == hlo_proto:
                        found[program_id] = stat.bytes_value
    return EmbeddedModules(found, file=file)


def _parse(data: bytes, *, file: str) -> EmbeddedModule:
    proto = hlo_pb2.HloProto()
    try:
        proto.ParseFromString(data)
    except DecodeError as error:
        raise XlavizError(f"{file} holds a damaged HLO module ({len(data)} bytes).") from error
    if not proto.hlo_module.computations:
        raise XlavizError(f"{file} holds an HLO module without computations.")
    return EmbeddedModule(module_from_proto(proto.hlo_module, file=file), _asynchronous(proto.hlo_module))


def _asynchronous(proto: hlo_pb2.HloModuleProto) -> frozenset[str]:
    """Dots, convolutions, what is split over threads, and the calls XLA wrapped the latter into before 2.21."""
    found: set[str] = set()
    computations: set[int] = set()
    for computation in proto.computations:  # callees come before their callers
        for instruction in computation.instructions:
            if (
                instruction.opcode in ("dot", "convolution")
                or _is_partitioned(instruction.backend_config)
                or (instruction.opcode == "call" and not computations.isdisjoint(instruction.called_computation_ids))
            ):
                found.add(instruction.name)
                computations.add(computation.id)
    return frozenset(found)


def _is_partitioned(backend_config: bytes) -> bool:
    """True where XLA split the outer dimensions over threads."""
    if b"outer_dimension_partitions" not in backend_config:
        return False
    try:
        return bool(json.loads(backend_config).get("outer_dimension_partitions"))
    except (ValueError, AttributeError):
        return False
