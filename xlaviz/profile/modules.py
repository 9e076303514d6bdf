"""The HloModules a profile carries in its '/host:metadata' plane, parsed when first asked for."""

from __future__ import annotations

import json
import re
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass

from google.protobuf.message import DecodeError

from xlaviz.base.errors import XlavizError
from xlaviz.hlo import hlo_pb2
from xlaviz.hlo.model import HloModule
from xlaviz.hlo.proto import module_from_proto
from xlaviz.profile.xplane import UINT64, Plane

_PLANE = "/host:metadata"
_ID_BEHIND_NAME = re.compile(r"\(-?\d+\)$")


@dataclass(frozen=True, slots=True)
class EmbeddedProgram:
    """A program that the file carries the module of. It need not have run while the file was recorded."""

    name: str
    hlo_proto: bytes


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

    def proto(self, program_id: int) -> bytes | None:
        """The serialized HloProto of a module, as the profile has it."""
        return self._protos.get(program_id)

    def __getitem__(self, program_id: int) -> HloModule:
        return self.embedded(program_id).module

    def __contains__(self, program_id: object) -> bool:
        return program_id in self._protos

    def __iter__(self) -> Iterator[int]:
        return iter(self._protos)

    def __len__(self) -> int:
        return len(self._protos)


def embedded_modules(planes: Sequence[Plane], program_ids: Container[int], *, file: str) -> EmbeddedModules:
    """The modules of these programs."""
    programs = embedded_programs(planes, program_ids)
    return EmbeddedModules({id_: program.hlo_proto for id_, program in programs.items()}, file=file)


def embedded_programs(planes: Sequence[Plane], program_ids: Container[int] | None = None) -> dict[int, EmbeddedProgram]:
    """Program id -> the program, of those with these ids, or of all.

    The plane lists every XLA module alive in the process, ones that did not run in this session among them. No other
    plane is read. Raises XlavizError where it is damaged.
    """
    found: dict[int, EmbeddedProgram] = {}
    for plane in planes:
        hlo_proto = plane.stat_ids.get("Hlo Proto") if plane.name == _PLANE else None
        for key, metadata in plane.event_metadata() if hlo_proto is not None else ():
            program_id = (metadata.id or key) & UINT64
            for stat in metadata.stats:
                if stat.metadata_id == hlo_proto and (program_ids is None or program_id in program_ids):
                    found[program_id] = EmbeddedProgram(_ID_BEHIND_NAME.sub("", metadata.name), stat.bytes_value)
    return found


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
