"""ShapeProto -> Shape."""

from __future__ import annotations

from collections.abc import Sequence

from xlaviz.hlo import hlo_pb2 as pb
from xlaviz.hlo.shapes import Layout, Shape

ELEMENT_TYPES = {value.number: value.name.lower() for value in pb.PrimitiveType.DESCRIPTOR.values} | {
    pb.OPAQUE_TYPE: "opaque"
}
_COMBINED = -(2**63)
"""The size of a tile's dimension that is combined with the next (`*`)."""


class ShapeCache:
    """One Shape for each distinct ShapeProto: a module of 16,000 instructions has a few hundred."""

    def __init__(self) -> None:
        self._known: dict[bytes, Shape] = {}

    def __call__(self, proto: pb.ShapeProto) -> Shape:
        key = proto.SerializeToString()
        shape = self._known.get(key)
        if shape is None:
            shape = self._known[key] = shape_from_proto(proto)
        return shape


def shape_from_proto(proto: pb.ShapeProto) -> Shape:
    """The shape; XLA's tuple, token and opaque have no dimensions."""
    if proto.element_type == pb.TUPLE:
        return Shape("tuple", elements=tuple(shape_from_proto(element) for element in proto.tuple_shapes))
    if proto.element_type == pb.BUFFER and proto.tuple_shapes:
        return Shape("buffer", elements=(shape_from_proto(proto.tuple_shapes[0]),))
    dynamic = tuple(proto.is_dynamic_dimension)
    return Shape(
        element_type=element_type_name(proto.element_type),
        dimensions=tuple(proto.dimensions),
        dynamic=dynamic if any(dynamic) else (),
        layout=_layout(proto.layout) if proto.HasField("layout") else None,
    )


def element_type_name(number: int) -> str:
    return ELEMENT_TYPES.get(number, f"type{number}")


def _layout(proto: pb.LayoutProto) -> Layout | None:
    """None for the layout of a scalar, which XLA does not print."""
    minor_to_major = tuple(proto.minor_to_major)
    parts = _parts(proto)
    return Layout(minor_to_major, parts) if minor_to_major or parts else None


def _parts(proto: pb.LayoutProto) -> str:
    parts: list[str] = []
    if proto.tiles:
        parts.append("T" + "".join(f"({','.join(map(_tile_size, tile.dimensions))})" for tile in proto.tiles))
    if proto.tail_padding_alignment_in_elements > 1:
        parts.append(f"L({proto.tail_padding_alignment_in_elements})")
    if proto.index_primitive_type:
        parts.append(f"#({element_type_name(proto.index_primitive_type)})")
    if proto.pointer_primitive_type:
        parts.append(f"*({element_type_name(proto.pointer_primitive_type)})")
    if proto.element_size_in_bits:
        parts.append(f"E({proto.element_size_in_bits})")
    if proto.memory_space:
        parts.append(f"S({proto.memory_space})")
    if proto.split_configs:
        parts.append(
            "SC" + "".join(f"({split.dimension}:{_joined(split.split_indices)})" for split in proto.split_configs)
        )
    if proto.HasField("physical_shape"):
        parts.append(f"P({shape_from_proto(proto.physical_shape)})")
    if proto.dynamic_shape_metadata_prefix_bytes:
        parts.append(f"M({proto.dynamic_shape_metadata_prefix_bytes})")
    return "".join(parts)


def _tile_size(size: int) -> str:
    return "*" if size == _COMBINED else str(size)


def _joined(numbers: Sequence[int]) -> str:
    return ",".join(map(str, numbers))
