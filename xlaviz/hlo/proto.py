"""HloProto -> HloModule. Names take the place of XLA's numeric ids, which hold inside one snapshot only."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial

from google.protobuf.message import DecodeError

from xlaviz.base.errors import XlavizError
from xlaviz.hlo import hlo_pb2 as pb
from xlaviz.hlo.attributes import attributes_text, literal_text
from xlaviz.hlo.model import NO_METADATA, HloComputation, HloInstruction, HloModule, LazyAttributes, Metadata
from xlaviz.hlo.shapes import Layout, Shape

_ELEMENT_TYPES = {
    value.number: value.name.lower() for value in pb.PrimitiveType.DESCRIPTOR.values
} | {pb.OPAQUE_TYPE: "opaque"}


def read_hlo_proto(data: bytes, *, file: str) -> HloModule:
    """The module of a serialized HloProto (an `.hlo.pb` file). `file` is only for the error's text."""
    proto = pb.HloProto()
    try:
        proto.ParseFromString(data)
    except DecodeError as error:
        raise XlavizError(f"{file} is not an HLO proto, or is cut short ({len(data)} bytes).") from error
    if not proto.hlo_module.computations:
        raise XlavizError(f"{file} holds no HLO module.")
    return module_from_proto(proto.hlo_module, file=file)


def module_from_proto(proto: pb.HloModuleProto, *, file: str) -> HloModule:
    """The module as read; attributes and literals are turned into text when asked for."""
    names = {computation.id: computation.name for computation in proto.computations}
    schedule = {key: value.instruction_ids for key, value in proto.schedule.sequences.items()}
    shapes = _ShapeCache()
    try:
        computations = tuple(
            _computation(computation, names, schedule.get(computation.id), shapes)
            for computation in proto.computations
        )
        entry = names.get(proto.entry_computation_id) or proto.entry_computation_name
        if entry not in {computation.name for computation in computations}:
            entry = computations[-1].name
    except KeyError as error:
        raise XlavizError(f"{file} refers to an instruction or computation it does not hold ({error}).") from error
    return HloModule(
        name=proto.name,
        computations=computations,
        entry=entry,
        id=proto.id,
        is_scheduled=bool(schedule),
    )


class _ShapeCache:
    """One Shape for each distinct ShapeProto: a module of 16,000 instructions has a few hundred."""

    def __init__(self) -> None:
        self._known: dict[bytes, Shape] = {}

    def __call__(self, proto: pb.ShapeProto) -> Shape:
        key = proto.SerializeToString()
        shape = self._known.get(key)
        if shape is None:
            shape = self._known[key] = shape_from_proto(proto)
        return shape


def _computation(
    proto: pb.HloComputationProto,
    computation_names: dict[int, str],
    sequence: Sequence[int] | None,
    shapes: _ShapeCache,
) -> HloComputation:
    names = {instruction.id: instruction.name for instruction in proto.instructions}
    instructions = {
        instruction.id: _instruction(instruction, names, computation_names, shapes)
        for instruction in proto.instructions
    }
    order: Iterable[int] = sequence if sequence and len(sequence) == len(instructions) else instructions
    return HloComputation(
        name=proto.name,
        instructions=tuple(instructions[id_] for id_ in order),
        root=names[proto.root_id] if proto.root_id in names else proto.instructions[-1].name,
        execution_thread=proto.execution_thread or "main",
    )


def _instruction(
    proto: pb.HloInstructionProto,
    names: dict[int, str],
    computation_names: dict[int, str],
    shapes: _ShapeCache,
) -> HloInstruction:
    opcode = proto.opcode
    return HloInstruction(
        name=proto.name,
        opcode=opcode,
        shape=shapes(proto.shape),
        operands=tuple([names[id_] for id_ in proto.operand_ids]),
        called_computations=tuple([computation_names[id_] for id_ in proto.called_computation_ids]),
        control_predecessors=tuple([names[id_] for id_ in proto.control_predecessor_ids]),
        parameter_number=proto.parameter_number if opcode == "parameter" else None,
        metadata=_metadata(proto.metadata) if proto.HasField("metadata") else NO_METADATA,
        attributes=LazyAttributes(partial(attributes_text, proto)),
        read_literal=partial(literal_text, proto.literal) if opcode == "constant" else None,
    )


def _metadata(proto: pb.OpMetadata) -> Metadata:
    return Metadata(
        op_type=proto.op_type,
        op_name=proto.op_name,
        source_file=proto.source_file,
        source_line=proto.source_line,
        stack_frame_id=proto.stack_frame_id,
    )


def shape_from_proto(proto: pb.ShapeProto) -> Shape:
    """The shape; XLA's tuple, token and opaque have no dimensions."""
    if proto.element_type == pb.TUPLE:
        return Shape("tuple", elements=tuple(shape_from_proto(element) for element in proto.tuple_shapes))
    dynamic = tuple(proto.is_dynamic_dimension)
    layout = None
    if proto.HasField("layout"):
        layout = Layout(tuple(proto.layout.minor_to_major))
    return Shape(
        element_type=_ELEMENT_TYPES.get(proto.element_type, f"type{proto.element_type}"),
        dimensions=tuple(proto.dimensions),
        dynamic=dynamic if any(dynamic) else (),
        layout=layout,
    )
