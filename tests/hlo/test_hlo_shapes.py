"""Shape text and ShapeProto come to the same Shape, and print as XLA prints them."""

from __future__ import annotations

import pytest

from xlaviz.hlo import hlo_pb2 as pb
from xlaviz.hlo.errors import HloParseError
from xlaviz.hlo.lexer import Scanner
from xlaviz.hlo.shape_proto import shape_from_proto
from xlaviz.hlo.shape_text import read_shape
from xlaviz.hlo.shapes import UNBOUNDED, Layout, Shape


def read(text: str) -> Shape:
    scanner = Scanner(text, file="shape")
    shape = read_shape(scanner)
    assert scanner.at_end
    return shape


@pytest.mark.parametrize(
    "text",
    [
        "f32[]", "f32[2,3]", "f32[2,3]{1,0}", "token[]", "opaque[]", "()",
        "(f32[2]{0}, (s32[], token[]))", "b(f32[2]{0})",
        "f32[<=16,4]{1,0}", "f32[?,4]", "f8e4m3b11fnuz[1]{0}", "s4[8]{0:E(4)}", "f32[8,128]{1,0:T(8,128)(2,1)S(5)}",
        "u32[]{:T(128)S(6)}", "f32[4]{0:T(*,128)}", "f32[4]{0:T()}",
        "f32[4]{0:L(16)#(u32)*(u64)S(1)SC(0:3,5)(1:2)M(1024)}",
        "f32[4]{0:P(f32[8]{0:T(8)})}", "mystery[7]",
    ],
)  # fmt: skip
def test_text_prints_as_it_was(text: str) -> None:
    assert str(read(text)) == text


@pytest.mark.parametrize(
    ("text", "shape"),
    [
        ("f32[ 2 , 3 ]{ 1 , 0 }", "f32[2,3]{1,0}"),
        ("f32[]{}", "f32[]"),
        ("(f32[2], /*index=5*/ s32[])", "(f32[2], s32[])"),
        ("f32[4,4]{1,0:D(D,C+)}", "f32[4,4]{1,0}"),
    ],
)
def test_other_spellings(text: str, shape: str) -> None:
    assert str(read(text)) == shape


def test_a_brace_behind_a_shape_may_open_a_body() -> None:
    scanner = Scanner("f32[3] { x", file="shape")
    assert read_shape(scanner) == Shape("f32", (3,))
    assert scanner.peek() == "{"


@pytest.mark.parametrize("text", ["f32", "f32[2", "f32[a]", "(f32[]", "f32[2]{0", "(" * 200])
def test_what_is_no_shape(text: str) -> None:
    with pytest.raises(HloParseError, match=r"^shape:1:"):
        read(text)


def test_proto_layout_parts() -> None:
    proto = pb.ShapeProto(element_type=pb.F32, dimensions=[8, 128], is_dynamic_dimension=[True, False])
    proto.layout.minor_to_major[:] = [1, 0]
    proto.layout.tiles.add().dimensions[:] = [8, -(2**63)]
    proto.layout.tiles.add().dimensions[:] = [2, 1]
    proto.layout.element_size_in_bits = 4
    proto.layout.memory_space = 5
    proto.layout.split_configs.add(dimension=1, split_indices=[3, 5])
    assert str(shape_from_proto(proto)) == "f32[<=8,128]{1,0:T(8,*)(2,1)E(4)S(5)SC(1:3,5)}"


def test_proto_tuple_buffer_token_and_unknown() -> None:
    buffer = pb.ShapeProto(element_type=pb.BUFFER, tuple_shapes=[pb.ShapeProto(element_type=pb.S32, dimensions=[2])])
    parts = [buffer, pb.ShapeProto(element_type=pb.TOKEN), pb.ShapeProto(element_type=pb.OPAQUE_TYPE)]
    assert (
        str(shape_from_proto(pb.ShapeProto(element_type=pb.TUPLE, tuple_shapes=parts)))
        == "(b(s32[2]), token[], opaque[])"
    )
    unknown = pb.ShapeProto.FromString(pb.ShapeProto(dimensions=[1]).SerializeToString() + b"\x10\x63")
    assert shape_from_proto(unknown).element_type == "type99"


def test_unbounded_and_scalar_layout() -> None:
    proto = pb.ShapeProto(element_type=pb.F32, dimensions=[UNBOUNDED], is_dynamic_dimension=[True])
    assert shape_from_proto(proto) == read("f32[?]")
    scalar = pb.ShapeProto(element_type=pb.F32, layout=pb.LayoutProto())
    assert shape_from_proto(scalar) == Shape("f32")
    assert read("f32[2]{0:S(1)}").layout == Layout((0,), "S(1)")
