"""An HloInstructionProto's attributes and literals as XLA prints them."""

from __future__ import annotations

from xlaviz.hlo import hlo_pb2 as pb


def attributes_text(proto: pb.HloInstructionProto) -> dict[str, str]:
    """Attribute name -> text, in XLA's printing order."""
    found: dict[str, str] = {}
    if proto.fusion_kind:
        found["kind"] = proto.fusion_kind
    if proto.dimensions:
        found["dimensions"] = "{" + ",".join(map(str, proto.dimensions)) + "}"
    if proto.opcode == "get-tuple-element":
        found["index"] = str(proto.tuple_index)
    return found


def literal_text(proto: pb.LiteralProto) -> str:
    """A literal as XLA prints it inside `constant(...)`."""
    return "..."
