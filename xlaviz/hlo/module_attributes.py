"""What stands in a module's header line, and its stack frames, from the proto."""

from __future__ import annotations

from collections.abc import Iterator

from xlaviz.hlo import hlo_pb2 as pb
from xlaviz.hlo.attributes import map_text
from xlaviz.hlo.model import StackFrame
from xlaviz.hlo.shape_proto import shape_from_proto
from xlaviz.hlo.shardings import braced

_ALIAS_KINDS = {pb.MAY_ALIAS: "may-alias", pb.MUST_ALIAS: "must-alias"}


def module_attributes(proto: pb.HloModuleProto) -> dict[str, str]:
    """Attribute name -> text, in XLA's printing order. What XLA keeps in the module's config is not in the proto."""
    found: dict[str, str] = {}
    if proto.input_output_alias.entries:
        found["input_output_alias"] = f"{{ {', '.join(map(_alias, proto.input_output_alias.entries))} }}"
    if proto.buffer_donor.entries:
        donors = (f"({d.parameter_number}, {braced(d.parameter_shape_index)})" for d in proto.buffer_donor.entries)
        found["buffer_donor"] = f"{{ {', '.join(donors)} }}"
    if proto.HasField("host_program_shape"):
        found["entry_computation_layout"] = _program_shape(proto.host_program_shape)
    if proto.frontend_attributes.map:
        found["frontend_attributes"] = map_text(proto.frontend_attributes.map)
    return found


def _alias(entry: pb.HloInputOutputAliasProto.AliasEntryProto) -> str:
    kind = _ALIAS_KINDS.get(entry.kind, "may-alias")
    index = braced(entry.parameter_shape_index)
    return f"{braced(entry.output_shape_index)}: ({entry.parameter_number}, {index}, {kind})"


def _program_shape(proto: pb.ProgramShapeProto) -> str:
    parameters = ", ".join(str(shape_from_proto(parameter)) for parameter in proto.parameters)
    return f"{{({parameters})->{shape_from_proto(proto.result)}}}"


def stack_frames(proto: pb.StackFrameIndexProto) -> tuple[StackFrame, ...]:
    """The frames, the first one id 1; ids that lead nowhere give frames without a place."""
    return tuple(_frames(proto))


def _frames(proto: pb.StackFrameIndexProto) -> Iterator[StackFrame]:
    places = proto.file_locations
    for frame in proto.stack_frames:
        known = 0 < frame.file_location_id <= len(places)
        place = places[frame.file_location_id - 1] if known else pb.StackFrameIndexProto.FileLocation()
        files, functions = proto.file_names, proto.function_names
        yield StackFrame(
            file=files[place.file_name_id - 1] if 0 < place.file_name_id <= len(files) else "",
            function=functions[place.function_name_id - 1] if 0 < place.function_name_id <= len(functions) else "",
            line=place.line,
            end_line=place.end_line,
            column=place.column,
            end_column=place.end_column,
            parent=frame.parent_frame_id,
        )
