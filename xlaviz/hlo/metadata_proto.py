"""OpMetadata -> Metadata, and as XLA prints it."""

from __future__ import annotations

from collections.abc import Iterator

from xlaviz.hlo import hlo_pb2 as pb
from xlaviz.hlo.lexer import quoted
from xlaviz.hlo.model import Metadata


def metadata_from_proto(proto: pb.OpMetadata) -> Metadata:
    return Metadata(
        proto.op_type,
        proto.op_name,
        proto.source_file,
        proto.source_line,
        proto.stack_frame_id,
        tuple(_others(proto)),
    )


def _others(proto: pb.OpMetadata) -> Iterator[tuple[str, str]]:
    if proto.source_end_line:
        yield "source_end_line", str(proto.source_end_line)
    if proto.source_column:
        yield "source_column", str(proto.source_column)
    if proto.source_end_column:
        yield "source_end_column", str(proto.source_end_column)
    if proto.profile_type:
        yield "profile_type", f"{{{','.join(map(str, proto.profile_type))}}}"
    if proto.deduplicated_name:
        yield "deduplicated_name", quoted(proto.deduplicated_name)
    if proto.scheduling_name:
        yield "scheduling_name", quoted(proto.scheduling_name)


def metadata_text(proto: pb.OpMetadata) -> str:
    """What stands between the braces of `metadata={...}`."""
    return metadata_fields(metadata_from_proto(proto))


def metadata_fields(metadata: Metadata) -> str:
    """What stands between the braces of `metadata={...}`, in XLA's order."""
    fields = [
        f"{key}={quoted(value)}"
        for key, value in (
            ("op_type", metadata.op_type),
            ("op_name", metadata.op_name),
            ("source_file", metadata.source_file),
        )
        if value
    ]
    if metadata.source_line:
        fields.append(f"source_line={metadata.source_line}")
    fields += [f"{key}={value}" for key, value in metadata.others]
    if metadata.stack_frame_id:
        fields.append(f"stack_frame_id={metadata.stack_frame_id}")
    return " ".join(fields)
