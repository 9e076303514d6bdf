"""Files are told apart by what they hold: text, text proto, the three binary protos, gzip round any of them."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from xlaviz.base.errors import XlavizError
from xlaviz.hlo import hlo_pb2 as pb
from xlaviz.hlo.model import HloModule
from xlaviz.hlo.proto import module_from_proto, read_hlo_proto
from xlaviz.hlo.read import read_hlo, unpacked

DATA = Path(__file__).parents[1] / "data" / "hlo"
PROTO = (DATA / "conditional.hlo.pb").read_bytes()
TEXT = (DATA / "conditional.txt").read_bytes()


def read(data: bytes) -> HloModule:
    (module,) = read_hlo(data, file="x")
    return module


def test_the_three_messages() -> None:
    whole = pb.HloProto.FromString(PROTO)
    expected = read(PROTO)
    assert read(whole.hlo_module.SerializeToString()) == expected
    assert read(pb.HloSnapshot(hlo=whole, execution_platform="cpu").SerializeToString()) == expected


def test_text_protos() -> None:
    whole = pb.HloProto.FromString(PROTO)
    expected = read(PROTO)
    for message in (whole, whole.hlo_module, pb.HloSnapshot(hlo=whole)):
        assert read(f"# a comment\n{message}".encode()) == expected
    assert read(str(whole).replace("hlo_module {", "hlo_module {\n  from_the_future: 7", 1).encode()) == expected


def test_gzip() -> None:
    assert read(gzip.compress(PROTO)) == read(PROTO)
    assert read(gzip.compress(TEXT[:50]) + gzip.compress(TEXT[50:])) == read(TEXT)


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"", "is empty"),
        (b" \n", "is empty"),
        (PROTO[: len(PROTO) // 2], "cut short"),
        (gzip.compress(PROTO)[:-20], "cut short"),
        (gzip.compress(PROTO)[:30] + b"\xff" * 60, "damaged"),
        (b"\x00\x01\x02\x03" * 50, "not an HLO proto"),
        (b"module @m {\n  func.func public @main() {}\n}", "is MLIR"),
        (b"hlo_module { name: 3 }", "not a text proto"),
        (b'hlo_module { name: "m" }', "no HLO module"),
    ],
)
def test_refused(data: bytes, said: str) -> None:
    with pytest.raises(XlavizError, match=said) as caught:
        read_hlo(data, file="x.hlo")
    assert str(caught.value).startswith("x.hlo")


def test_a_gzip_bomb_is_refused() -> None:
    bomb = gzip.compress(b"\0" * 50_000_000)
    with pytest.raises(XlavizError, match="unpacks to more than"):
        unpacked(bomb, file="bomb")
    with pytest.raises(XlavizError, match="unpacks to more than"):
        unpacked(gzip.compress(b"ab" * 100), file="bomb", max_bytes=100)


def small_module() -> pb.HloModuleProto:
    """`parameter` and `negate`, ids 1 and 2, in one computation."""
    module = pb.HloModuleProto(name="m", entry_computation_id=7)
    computation = module.computations.add(name="c", id=7, root_id=2)
    shape = pb.ShapeProto(element_type=pb.F32, dimensions=[4])
    computation.instructions.add(name="p", opcode="parameter", id=1, shape=shape)
    computation.instructions.add(name="n", opcode="negate", id=2, shape=shape, operand_ids=[1])
    return module


def test_ids_that_lead_nowhere_are_left_out_and_noted() -> None:
    proto = small_module()
    proto.computations[0].instructions[1].operand_ids[:] = [1, 99]
    proto.computations[0].instructions[1].control_predecessor_ids[:] = [98]
    module = module_from_proto(proto, file="x")
    assert module.entry_computation.root_instruction.operands == ("p",)
    assert module.notes == ("Ids that lead to nothing in the file are left out.",)


def test_without_root_entry_or_names() -> None:
    proto = small_module()
    proto.entry_computation_id = proto.computations[0].root_id = 0
    proto.name = proto.computations[0].name = proto.computations[0].instructions[1].name = ""
    module = module_from_proto(proto, file="x")
    assert (module.entry, module.name) == ("computation", "computation")
    assert module.entry_computation.root == "negate"


def test_equal_names_and_ids() -> None:
    proto = small_module()
    proto.computations.add().CopyFrom(proto.computations[0])
    proto.computations[1].instructions.add().CopyFrom(proto.computations[0].instructions[1])
    module = module_from_proto(proto, file="x")
    assert len(module.computation_of) == 5
    assert len(module.by_name) == 2
    assert "share ids" in module.notes[0]


def test_an_empty_computation_is_noted() -> None:
    proto = small_module()
    proto.computations.add(name="nothing", id=8)
    assert "not shown" in module_from_proto(proto, file="x").notes[0]


def test_the_schedule_gives_the_order() -> None:
    proto = small_module()
    proto.schedule.sequences[7].instruction_ids[:] = [2, 1]
    module = module_from_proto(proto, file="x")
    assert module.is_scheduled
    assert [i.name for i in module.entry_computation.instructions] == ["n", "p"]


def test_stack_frames() -> None:
    proto = small_module()
    index = proto.stack_frame_index
    index.file_names.append("/a.py")
    index.function_names.append("f")
    index.file_locations.add(file_name_id=1, function_name_id=1, line=3)
    index.stack_frames.add(file_location_id=1)
    index.stack_frames.add(file_location_id=9, parent_frame_id=1)
    first, second = module_from_proto(proto, file="x").stack_frames
    assert (first.file, first.function, first.line, first.parent) == ("/a.py", "f", 3, 0)
    assert (second.file, second.parent) == ("", 1)


def test_read_hlo_proto_takes_binary_only() -> None:
    assert read_hlo_proto(PROTO, file="x") == read(PROTO)
    with pytest.raises(XlavizError):
        read_hlo_proto(TEXT, file="x")
