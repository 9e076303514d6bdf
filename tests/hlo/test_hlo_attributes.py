"""Attributes and literals from a proto, where the dumped pairs do not have them."""

from __future__ import annotations

import struct

import pytest

from xlaviz.hlo import hlo_pb2 as pb
from xlaviz.hlo.attributes import attributes_text, config_text
from xlaviz.hlo.lexer import quoted, unquoted
from xlaviz.hlo.literals import literal_text
from xlaviz.hlo.shardings import sharding_text
from xlaviz.hlo.small_floats import small_float_text

S = pb.OpSharding
GROUP = pb.ReplicaGroup(replica_ids=[0, 1])


def attributes(opcode: str, **fields: object) -> dict[str, str]:
    return attributes_text(pb.HloInstructionProto(opcode=opcode, **fields))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        (attributes("add"), {}),
        (attributes("broadcast"), {"dimensions": "{}"}),
        (attributes("fusion", fusion_kind="kLoop"), {"kind": "kLoop"}),
        (attributes("get-tuple-element", tuple_index=3), {"index": "3"}),
        (
            attributes("compare", comparison_direction="LT", comparison_type="TOTALORDER"),
            {"direction": "LT", "type": "TOTALORDER"},
        ),
        (attributes("rng", distribution=pb.RNG_UNIFORM), {"distribution": "rng_uniform"}),
        (attributes("rng-bit-generator", rng_algorithm=pb.RNG_PHILOX), {"algorithm": "rng_philox"}),
        (attributes("send", channel_id=3, is_host_transfer=True), {"channel_id": "3", "is_host_transfer": "true"}),
        (attributes("reduce-precision", exponent_bits=5), {"exponent_bits": "5", "mantissa_bits": "0"}),
        (
            attributes("all-reduce", channel_id=1, replica_groups=[GROUP], use_global_device_ids=True),
            {"channel_id": "1", "replica_groups": "{{0,1}}", "use_global_device_ids": "true"},
        ),
        (
            attributes("collective-permute", source_target_pairs=[pb.SourceTarget(source=0, target=1)]),
            {"source_target_pairs": "{{0,1}}"},
        ),
        (
            attributes(
                "all-gather",
                dimensions=[0],
                iota_collective_device_list=pb.IotaReplicaGroupListProto(
                    num_replica_groups=2, num_devices_per_group=4, iota_reshape_dims=[4, 2], iota_transpose_perm=[1, 0]
                ),
            ),
            {"replica_groups": "[2,4]<=[4,2]T(1,0)", "dimensions": "{0}"},
        ),
        (
            attributes("add", frontend_attributes=pb.FrontendAttributes(map={"b": '{"x":1}', "a": "v"})),
            {"frontend_attributes": '{a="v",b={"x":1}}'},
        ),
        (attributes("add", backend_config=b"not json"), {"backend_config": '"not json"'}),
        (attributes("add", backend_config=b'{"a":"}"}'), {"backend_config": '{"a":"}"}'}),
        (attributes("dot-of-the-future", dimensions=[1]), {}),
    ],
)  # fmt: skip
def test_attributes(found: dict[str, str], expected: dict[str, str]) -> None:
    assert list(found.items()) == list(expected.items())


@pytest.mark.parametrize(
    ("sharding", "text"),
    [
        (S(type=S.REPLICATED), "{replicated}"),
        (S(type=S.MAXIMAL, tile_assignment_devices=[3]), "{maximal device=3}"),
        (S(type=S.OTHER, tile_assignment_dimensions=[2, 1], tile_assignment_devices=[0, 1]), "{devices=[2,1]0,1}"),
        (
            S(type=S.OTHER, tile_assignment_dimensions=[2, 4], iota_reshape_dims=[8], iota_transpose_perm=[0]),
            "{devices=[2,4]<=[8]}",
        ),
        (
            S(
                type=S.OTHER,
                tile_assignment_dimensions=[2, 4],
                iota_reshape_dims=[4, 2],
                iota_transpose_perm=[1, 0],
                replicate_on_last_tile_dim=True,
            ),
            "{devices=[2,4]<=[4,2]T(1,0) last_tile_dim_replicate}",
        ),
        (S(type=S.TUPLE, tuple_shardings=[S(), S(type=S.MANUAL)]), "{{replicated}, {manual}}"),
        (S(is_shard_group=True, shard_group_id=2, shard_group_type=S.LIKE), "{replicated shard_like 2}"),
        (S(metadata=[pb.OpMetadata(op_name="a")]), '{replicated metadata={op_name="a"}}'),
    ],
)
def test_shardings(sharding: pb.OpSharding, text: str) -> None:
    assert sharding_text(sharding) == text


def test_a_named_sharding() -> None:
    named = pb.NamedShardingProto()
    for name, size in (("a", 2), ("b", 4)):
        named.mesh.axes.add(name=name, size=size)
    named.dim_shardings.add(is_closed=True).axes.add(mesh_axis_index=0)
    part = named.dim_shardings.add().axes.add(mesh_axis_index=1)
    part.sub_axis_info.pre_size, part.sub_axis_info.size = 2, 2
    assert sharding_text(pb.OpSharding(named_sharding=named)) == "{mesh['a'=2,'b'=4], [{'a'}, {'b':(2)2, ?}]}"


def literal(kind: pb.PrimitiveType.ValueType, sizes: list[int], **values: object) -> str:
    shape = pb.ShapeProto(element_type=kind, dimensions=sizes)
    return literal_text(pb.LiteralProto(shape=shape, **values))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        (literal(pb.F32, [], f32s=[1 / 3]), "0.333333343"),
        (literal(pb.F32, [], f32s=[1e-7]), "1e-07"),
        (literal(pb.F64, [], f64s=[1 / 3]), "0.33333333333333331"),
        (literal(pb.BF16, [2], bf16s=struct.pack("<2H", 0x3DCD, 0x7F80)), "{0.1001, inf}"),
        (literal(pb.PRED, [], preds=[True]), "true"),
        (literal(pb.PRED, [2], preds=[True, False]), "{1, 0}"),
        (literal(pb.S8, [2], s8s=b"\x01\xff"), "{1, -1}"),
        (literal(pb.S4, [3], s4s=b"\xe1\x07"), "{1, -2, 7}"),
        (literal(pb.C64, [1], c64s=[1, -2.5]), "{(1, -2.5)}"),
        (literal(pb.S32, [0]), "{}"),
        (literal(pb.S32, [11], s32s=range(11)), "{...}"),
        (literal(pb.S32, [2, 2], s32s=range(4)), "{ { 0, 1 }, { 2, 3 } }"),
        (literal(pb.S32, [1, 2, 1, 2], s32s=range(4)), "{ { /*i0=0*/ { /*i1=0*/ { 0, 1 } }, { /*i1=1*/ { 2, 3 } } } }"),
        (literal(pb.S32, [3], s32s=[1]), "{1, ?, ?}"),
    ],
)
def test_literals(found: str, expected: str) -> None:
    assert found == expected


def test_small_floats() -> None:
    assert small_float_text(0x7C, "f8e5m2") == "inf"
    assert small_float_text(0x7F, "f8e4m3fn") == "nan"
    assert small_float_text(0x80, "f8e4m3fnuz") == "nan"
    assert small_float_text(0x7E, "f8e4m3fn") == "448"


@pytest.mark.parametrize("text", ["plain", 'a"b\\c', "new\nline\ttab", "dash – é", "it's", "\x01\x7f"])
def test_quoting_there_and_back(text: str) -> None:
    assert quoted(text).isascii()
    assert unquoted(quoted(text)) == text


def test_config() -> None:
    assert config_text("{}") == "{}"
    assert config_text("{} {}") == '"{} {}"'
