"""Costs against xprof, which has XLA's own GpuHloCostAnalysis compiled in.

xprof works out costs for the ops of a GPU alone, so each instruction of a real module is given an event of one
microsecond on a GPU that never was. Dots and convolutions must agree exactly, the bytes of fusions within 1 %; the
FLOPs of elementwise instructions are weighted there by clock cycles of a GPU and are not compared.
"""

from __future__ import annotations

import gzip
import json
import warnings
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from helpers.captures import Captured

from xlaviz.hlo.costs import CostModel
from xlaviz.hlo.model import HloInstruction, HloModule
from xlaviz.hlo.read import read_hlo
from xlaviz.profile import xplane_pb2 as pb

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    raw_to_tool_data = pytest.importorskip(
        "xprof.convert.raw_to_tool_data",
        reason="needs the package xprof, whose figures are compared with",
        exc_type=ImportError,
    )

pytestmark = pytest.mark.filterwarnings("ignore")

DATA = Path(__file__).parents[1] / "data"
PROGRAM_ID = 1
FLOAT32 = 2.0**-23
"""The precision of xprof's figures."""

GPU = {
    "device_vendor": "Nvidia",
    "clock_rate": 1_000_000,
    "core_count": 2,
    "memory_bandwidth": 20 * 10**9,
    "memory_size": 24 * 2**30,
    "compute_cap_major": 8,
    "compute_cap_minor": 0,
}


@dataclass(frozen=True)
class Figures:
    flops: float
    bytes_accessed: float


class Stats:
    """Stats added to a plane and its events by name."""

    def __init__(self, plane: pb.XPlane) -> None:
        self.plane = plane
        self.ids: dict[str, int] = {}

    def add(self, owner: pb.XPlane | pb.XEvent | pb.XEventMetadata, values: dict[str, str | int | bytes]) -> None:
        for name, value in values.items():
            number = self.ids.setdefault(name, len(self.ids) + 1)
            self.plane.stat_metadata[number].id = number
            self.plane.stat_metadata[number].name = name
            kind = {str: "str_value", int: "int64_value", bytes: "bytes_value"}[type(value)]
            owner.stats.add(metadata_id=number, **{kind: value})


def invented_profile(module: HloModule, proto: bytes, names: list[str]) -> bytes:
    """A GPU's profile in which each of the instructions ran for a microsecond."""
    space = pb.XSpace(hostnames=["host"])
    programs = space.planes.add(name="/host:metadata")
    program = programs.event_metadata[PROGRAM_ID]
    program.id, program.name = PROGRAM_ID, f"{module.name}({PROGRAM_ID})"
    Stats(programs).add(program, {"Hlo Proto": proto})
    plane = space.planes.add(id=1, name="/device:GPU:0")
    stats = Stats(plane)
    stats.add(plane, dict(GPU))
    line = plane.lines.add(id=1, name="Stream #1(Kernel)", timestamp_ns=1000)
    for number, name in enumerate(names, 1):
        plane.event_metadata[number].id = number
        plane.event_metadata[number].name = f"{name}_kernel"
        event = line.events.add(metadata_id=number, offset_ps=number * 2_000_000, duration_ps=1_000_000)
        stats.add(event, {"correlation_id": number, "program_id": PROGRAM_ID, "hlo_op": name})
        stats.add(event, {"hlo_module": module.name, "kernel_details": "grid:1,1,1 block:1,1,1"})
    return space.SerializeToString()


def xprof_figures(profile: bytes, folder: Path) -> dict[str, Figures]:
    """What xprof's table of HLO ops tells of each instruction."""
    path = folder / "plugins" / "profile" / "run" / "host.xplane.pb"
    path.parent.mkdir(parents=True)
    path.write_bytes(profile)
    table = json.loads(raw_to_tool_data.xspace_to_tool_data([str(path)], "hlo_stats", {})[0])
    columns = [column["id"] for column in table["cols"]]
    rows = (dict(zip(columns, (cell.get("v") for cell in row["c"]), strict=True)) for row in table["rows"])
    return {row["hlo_op_name"]: _figures(row) for row in rows}


def _figures(row: dict[str, Any]) -> Figures:
    """Rates are in GFLOP/s and GiB/s, times in microseconds."""
    seconds = row["avg_time"] * 1e-6
    return Figures(row["model_flop_rate"] * 1e9 * seconds, row["measured_memory_bw"] * 2**30 * seconds)


def executed(module: HloModule) -> list[HloInstruction]:
    """The instructions that can have events: those of fused and applied computations cannot."""
    found, waiting = [], [module.entry]
    while waiting:
        for instruction in module.by_name[waiting.pop()].instructions:
            found.append(instruction)
            if instruction.opcode in ("while", "conditional", "call"):
                waiting.extend(instruction.called_computations)
    return found


@dataclass
class Comparison:
    """Instructions that were compared and those that differ."""

    products: int = 0
    fusions: int = 0
    wrong: tuple[str, ...] = ()


def compare(proto: bytes, folder: Path) -> Comparison:
    (module,) = read_hlo(proto, file="program")
    model = CostModel(module)
    instructions = executed(module)
    figures = xprof_figures(invented_profile(module, proto, [i.name for i in instructions]), folder)
    assert set(figures) == {instruction.name for instruction in instructions}
    result = Comparison()
    for instruction in instructions:
        cost, expected = model.cost(instruction.name), figures[instruction.name]
        assert cost is not None
        if is_product(instruction):
            result.products += 1
            agrees = cost.flops == pytest.approx(expected.flops, rel=FLOAT32)
        elif instruction.opcode == "fusion":
            result.fusions += 1
            agrees = cost.bytes_accessed == pytest.approx(expected.bytes_accessed, rel=0.01)
        else:
            continue
        if not agrees:
            result.wrong += (f"{instruction.name}: {cost}, xprof has {expected}",)
    return result


def is_product(instruction: HloInstruction) -> bool:
    target = instruction.attributes.get("custom_call_target", "") if instruction.opcode == "custom-call" else ""
    return instruction.opcode in ("dot", "convolution") or "__cudnn$conv" in target


def programs(profile: bytes) -> Iterator[bytes]:
    """The serialized HloProtos that a profile holds."""
    for plane in pb.XSpace.FromString(profile).planes:
        if plane.name == "/host:metadata":
            for program in plane.event_metadata.values():
                yield from (stat.bytes_value for stat in program.stats if stat.bytes_value)


def profile_of(bundle: Path) -> bytes:
    with zipfile.ZipFile(bundle) as opened:
        return opened.read("profile/run.xplane.pb")


@pytest.mark.parametrize("path", sorted((DATA / "hlo").glob("*.hlo.pb")), ids=lambda path: path.name)
def test_dumped_modules(path: Path, tmp_path: Path) -> None:
    assert compare(path.read_bytes(), tmp_path).wrong == ()


def test_the_matmul_example(matmul_bundle: Path, tmp_path: Path) -> None:
    (program,) = programs(profile_of(matmul_bundle))
    assert compare(program, tmp_path) == Comparison(products=1, fusions=2)


@pytest.mark.parametrize("path", sorted((DATA / "profile").glob("*.xplane.pb.gz")), ids=lambda path: path.name)
def test_programs_of_profiles(path: Path, tmp_path: Path) -> None:
    for number, program in enumerate(programs(gzip.decompress(path.read_bytes()))):
        found = compare(program, tmp_path / str(number))
        assert found.wrong == ()
        assert found.products + found.fusions > 0


@pytest.mark.tensorflow
@pytest.mark.parametrize("name", ["dense_layer", "train_step"])
def test_captures(captured: Callable[[str], Captured], name: str, tmp_path: Path) -> None:
    (program,) = programs(captured(name).read("profile/run.xplane.pb"))
    found = compare(program, tmp_path)
    assert found.wrong == ()
    assert found.products >= 3
    assert found.fusions >= 4


def test_programs_of_real_gpus_and_tpus(shared: Path, tmp_path: Path) -> None:
    products = fusions = 0
    for path in sorted((shared / "profiles").glob("*.xplane.pb")):
        for number, program in enumerate(programs(path.read_bytes())):
            found = compare(program, tmp_path / path.name / str(number))
            assert found.wrong == (), path.name
            products += found.products
            fusions += found.fusions
    assert products >= 1
    assert fusions >= 60
