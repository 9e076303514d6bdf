"""HloModuleProto -> HloModule. Names take the place of XLA's numeric ids, which hold inside one snapshot only."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import partial

from google.protobuf import text_format
from google.protobuf.message import DecodeError

from xlaviz.base.errors import XlavizError
from xlaviz.hlo import hlo_pb2 as pb
from xlaviz.hlo.attributes import attributes_text
from xlaviz.hlo.collector import collector_paused
from xlaviz.hlo.errors import HloParseError
from xlaviz.hlo.literals import literal_text
from xlaviz.hlo.metadata_proto import metadata_from_proto
from xlaviz.hlo.model import NO_METADATA, HloComputation, HloInstruction, HloModule, LazyAttributes, LazyText
from xlaviz.hlo.module_attributes import module_attributes, stack_frames
from xlaviz.hlo.names import UniqueNames
from xlaviz.hlo.order import in_call_order
from xlaviz.hlo.shape_proto import ShapeCache
from xlaviz.hlo.shape_proto import shape_from_proto as shape_from_proto

_TEXT_PROTO = re.compile(
    r"(?:\s++|#[^\n]*+)*+(hlo_module\s*:?\s*\{|hlo\s*:?\s*\{|(?:name|id|computations)\s*:?\s*[\"'\d{])"
)


def read_hlo_proto(data: bytes, *, file: str) -> HloModule:
    """The module of a serialized HloProto, HloSnapshot or HloModuleProto, told apart by what they hold."""
    for read in (_from_hlo_proto, _from_snapshot, _from_module):
        try:
            module = read(data)
        except DecodeError:
            continue
        if any(computation.instructions for computation in module.computations):
            return module_from_proto(module, file=file)
    raise XlavizError(f"{file} is not an HLO proto, or is cut short ({len(data)} bytes).")


def _from_hlo_proto(data: bytes) -> pb.HloModuleProto:
    return pb.HloProto.FromString(data).hlo_module


def _from_snapshot(data: bytes) -> pb.HloModuleProto:
    return pb.HloSnapshot.FromString(data).hlo.hlo_module


def _from_module(data: bytes) -> pb.HloModuleProto:
    return pb.HloModuleProto.FromString(data)


def looks_like_text_proto(text: str) -> bool:
    """Whether `text` is a proto in text form, as some `.hlo` files are."""
    return _TEXT_PROTO.match(text) is not None


def read_text_proto(text: str, *, file: str) -> HloModule:
    """The module of an HloProto, HloSnapshot or HloModuleProto in text form; unknown fields are passed over."""
    found = _TEXT_PROTO.match(text)
    kind = found[1] if found is not None else ""
    proto: pb.HloProto | pb.HloSnapshot | pb.HloModuleProto
    if kind.startswith("hlo_module"):
        proto = pb.HloProto()
    else:
        proto = pb.HloSnapshot() if kind.startswith("hlo") else pb.HloModuleProto()
    try:
        text_format.Parse(text, proto, allow_unknown_field=True)
    except text_format.ParseError as error:
        line = error.GetLine() or 0
        raise HloParseError(f"{file}:{line}: not a text proto: {error}.", line=line) from error
    except (RecursionError, ValueError) as error:
        raise HloParseError(f"{file} is not a text proto that can be read ({type(error).__name__}).") from error
    if isinstance(proto, pb.HloSnapshot):
        proto = proto.hlo
    return module_from_proto(proto.hlo_module if isinstance(proto, pb.HloProto) else proto, file=file)


def module_from_proto(proto: pb.HloModuleProto, *, file: str) -> HloModule:
    """The module as read; attributes and literals are turned into text when asked for."""
    with collector_paused():
        reader = _ModuleReader(proto)
        if not reader.computations:
            raise XlavizError(f"{file} holds no HLO module.")
        return reader.module()


class _ModuleReader:
    """One module's names, shapes and schedule. What leads nowhere is left out and noted."""

    def __init__(self, proto: pb.HloModuleProto) -> None:
        self.proto = proto
        self.notes: dict[str, None] = {}
        filled = [(computation, list(computation.instructions)) for computation in proto.computations]
        self.computations = [(computation, instructions) for computation, instructions in filled if instructions]
        if len(self.computations) < len(filled):
            self.notes["Computations without instructions are not shown."] = None
        names = [computation.name or "computation" for computation, _ in self.computations]
        give = UniqueNames(names)
        self.final_names = [give(name) for name in names]
        self.names = {c.id: name for (c, _), name in zip(self.computations, self.final_names, strict=True)}
        self.instruction_names = UniqueNames(i.name or i.opcode for _, all_ in self.computations for i in all_)
        self.schedule = {key: value.instruction_ids for key, value in proto.schedule.sequences.items()}
        self.shape = ShapeCache()

    def module(self) -> HloModule:
        proto = self.proto
        computations = tuple(
            self._computation(computation, instructions, name)
            for (computation, instructions), name in zip(self.computations, self.final_names, strict=True)
        )
        entry = self.names.get(proto.entry_computation_id) or proto.entry_computation_name
        if entry not in self.final_names:
            entry = self.final_names[-1]
        return HloModule(
            name=proto.name or entry,
            computations=in_call_order(computations, entry),
            entry=entry,
            id=proto.id,
            is_scheduled=bool(self.schedule),
            attributes=module_attributes(proto),
            notes=tuple(self.notes),
            stack_frames=stack_frames(proto.stack_frame_index),
        )

    def _computation(
        self, proto: pb.HloComputationProto, protos: Sequence[pb.HloInstructionProto], name: str
    ) -> HloComputation:
        finals = [self.instruction_names(instruction.name or instruction.opcode) for instruction in protos]
        names = {instruction.id: final for instruction, final in zip(protos, finals, strict=True)}
        if len(names) < len(protos):
            self.notes["Instructions share ids: operands may point at the wrong one."] = None
        instructions = [
            self._instruction(instruction, final, names) for instruction, final in zip(protos, finals, strict=True)
        ]
        return HloComputation(
            name=name,
            instructions=self._in_schedule_order(proto, instructions, names),
            root=names.get(proto.root_id, finals[-1]),
            execution_thread=proto.execution_thread or "main",
        )

    def _in_schedule_order(
        self, proto: pb.HloComputationProto, instructions: list[HloInstruction], names: dict[int, str]
    ) -> tuple[HloInstruction, ...]:
        sequence = self.schedule.get(proto.id)
        if sequence is None:
            return tuple(instructions)
        by_name = {instruction.name: instruction for instruction in instructions}
        ordered = dict.fromkeys(names[id_] for id_ in sequence if id_ in names)
        return tuple(by_name[name] for name in ordered | dict.fromkeys(by_name))

    def _instruction(self, proto: pb.HloInstructionProto, name: str, names: dict[int, str]) -> HloInstruction:
        opcode = proto.opcode
        try:
            operands = tuple([names[id_] for id_ in proto.operand_ids])
        except KeyError:
            operands = self._known(proto.operand_ids, names)
        called, predecessors = proto.called_computation_ids, proto.control_predecessor_ids
        return HloInstruction(
            name,
            opcode,
            self.shape(proto.shape),
            operands,
            self._known(called, self.names) if called else (),
            self._known(predecessors, names) if predecessors else (),
            proto.parameter_number if opcode == "parameter" else None,
            metadata_from_proto(proto.metadata) if proto.HasField("metadata") else NO_METADATA,
            LazyAttributes(partial(attributes_text, proto)),
            LazyText(partial(_literal, proto)) if opcode == "constant" else None,
        )

    def _known(self, ids: Sequence[int], names: dict[int, str]) -> tuple[str, ...]:
        found = tuple([names[id_] for id_ in ids if id_ in names])
        if len(found) < len(ids):
            self.notes["Ids that lead to nothing in the file are left out."] = None
        return found


def _literal(proto: pb.HloInstructionProto) -> str:
    return literal_text(proto.literal)
