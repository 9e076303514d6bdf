"""The result shapes that HLO text may leave out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from xlaviz.hlo.shapes import Layout, Shape

_PREDICATES = {"compare", "is-finite"}
_SHAPED_BY_SECOND = {"select", "clamp"}
_PARTS = {"c64": "f32", "c128": "f64"}
_WITHOUT_OPERANDS = {"after-all": Shape("token"), "partition-id": Shape("u32"), "replica-id": Shape("u32")}
_WHOLES = {part: whole for whole, part in _PARTS.items()}


def inferred_shape(opcode: str, operands: Sequence[Shape], attributes: Mapping[str, str]) -> Shape | None:
    """The shape that follows from the operands', None where this takes more than they say."""
    if opcode == "tuple":
        return Shape("tuple", elements=tuple(operands))
    if opcode in _WITHOUT_OPERANDS:
        return _WITHOUT_OPERANDS[opcode]
    if not operands:
        return None
    first = operands[0]
    if opcode == "get-tuple-element":
        return element_of(first, attributes.get("index", ""))
    if opcode in _PREDICATES:
        return replace(first, element_type="pred")
    if opcode in _SHAPED_BY_SECOND:
        return operands[1] if len(operands) > 1 else None
    if opcode in ("real", "imag", "abs"):
        return replace(first, element_type=_PARTS.get(first.element_type, first.element_type))
    if opcode == "complex":
        return replace(first, element_type=_WHOLES.get(first.element_type, first.element_type))
    if opcode == "dot":
        return _dot(operands, attributes)
    if opcode == "topk":
        return _top_k(first, attributes)
    return first


def element_of(shape: Shape, index: str | int) -> Shape | None:
    """The tuple's element, None if there is no such."""
    number = int(index) if isinstance(index, int) or (index.isascii() and index.isdecimal()) else -1
    return shape.elements[number] if shape.is_tuple and 0 <= number < len(shape.elements) else None


def _dot(operands: Sequence[Shape], attributes: Mapping[str, str]) -> Shape | None:
    if len(operands) < 2:
        return None
    kept: list[int] = []
    for shape, side in zip(operands, ("lhs", "rhs"), strict=False):
        gone = _numbers(attributes.get(f"{side}_contracting_dims", ""))
        batch = _numbers(attributes.get(f"{side}_batch_dims", ""))
        leading = batch if side == "lhs" else []
        rest = [d for d in range(len(shape.dimensions)) if d not in gone and d not in batch]
        kept += [shape.dimensions[d] for d in (*leading, *rest) if d < len(shape.dimensions)]
    return _array(operands[0].element_type, kept)


def _top_k(shape: Shape, attributes: Mapping[str, str]) -> Shape | None:
    k = _numbers(attributes.get("k", ""))
    if not k or not shape.dimensions:
        return None
    sizes = [*shape.dimensions[:-1], k[0]]
    return Shape("tuple", elements=(_array(shape.element_type, sizes), _array("s32", sizes)))


def _array(element_type: str, sizes: Sequence[int]) -> Shape:
    layout = Layout(tuple(reversed(range(len(sizes))))) if sizes else None
    return Shape(element_type, tuple(sizes), layout=layout)


def _numbers(text: str) -> list[int]:
    return [int(part) for part in text.strip("{} ").split(",") if part.strip().isdecimal() and len(part) < 19]
