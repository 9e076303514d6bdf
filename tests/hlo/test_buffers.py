"""The memory a program needs: against XLA's own totals, and by hand."""

from __future__ import annotations

import re
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from helpers.captures import Captured

from xlaviz.base.errors import XlavizError
from xlaviz.hlo import hlo_pb2 as pb
from xlaviz.hlo.buffers import MemoryUse, memory_use
from xlaviz.hlo.read import read_hlo

DATA = Path(__file__).parents[1] / "data" / "hlo"

TOTALS = {"convolution_scheduled": 11_766, "while_scheduled": 464}
"""'Total bytes used' in the `-buffer-assignment.txt` that was dumped beside each of the files."""


def use_of(*allocations: pb.BufferAllocationProto) -> MemoryUse | None:
    return memory_use(pb.HloProto(buffer_assignment={"buffer_allocations": allocations}).SerializeToString(), file="x")


def after_optimizations(bundle: Path) -> bytes:
    with zipfile.ZipFile(bundle) as opened:
        (name,) = (name for name in opened.namelist() if name.endswith("cpu_after_optimizations.hlo.pb"))
        return opened.read(name)


def adds_up(use: MemoryUse) -> bool:
    kinds = use.parameter_bytes + use.output_bytes + use.constant_bytes + use.temp_bytes + use.thread_local_bytes
    return use.total_bytes == kinds - use.aliased_bytes


@pytest.mark.parametrize("name", TOTALS)
def test_the_total_is_the_one_xla_prints(name: str) -> None:
    use = memory_use((DATA / f"{name}.hlo.pb").read_bytes(), file=name)
    assert use is not None
    assert use.total_bytes == TOTALS[name]
    assert adds_up(use)


def test_each_kind_of_allocation() -> None:
    allocation = pb.BufferAllocationProto
    use = use_of(
        allocation(size=1, is_entry_computation_parameter=True),
        allocation(size=20, is_entry_computation_parameter=True, parameter_number=1, maybe_live_out=True),
        allocation(size=300, maybe_live_out=True),
        allocation(size=4_000, is_constant=True),
        allocation(size=50_000),
        allocation(size=600_000, is_thread_local=True),
    )
    assert use == MemoryUse(
        total_bytes=654_321,
        parameter_bytes=21,
        output_bytes=320,
        constant_bytes=4_000,
        temp_bytes=50_000,
        aliased_bytes=20,
        thread_local_bytes=600_000,
    )
    assert adds_up(use)


def test_the_product_of_two_matrices_is_a_temporary_value(matmul_bundle: Path) -> None:
    use = memory_use(after_optimizations(matmul_bundle), file="matmul")
    assert use is not None
    assert (use.parameter_bytes, use.temp_bytes, use.output_bytes) == (8_000_000, 4_000_000, 4)
    assert use.aliased_bytes == 0
    assert adds_up(use)


@pytest.mark.tensorflow
def test_a_train_step_updates_its_weights_in_place(captured: Callable[[str], Captured]) -> None:
    data = after_optimizations(captured("train_step").path)
    use = memory_use(data, file="train_step")
    (module,) = read_hlo(data, file="train_step")
    donated = {int(number) for number in re.findall(r"\((\d+), \{\}", module.attributes["input_output_alias"])}
    parameters = module.entry_computation.parameters
    assert use is not None
    assert use.aliased_bytes == sum(parameters[number].shape.byte_count for number in donated) > 0
    assert adds_up(use)


def test_a_module_without_a_buffer_assignment() -> None:
    data = (DATA / "fft.hlo.pb").read_bytes()
    assert memory_use(data, file="fft.hlo.pb") is None
    module = pb.HloProto.FromString(data).hlo_module
    assert memory_use(module.SerializeToString(), file="a module alone") is None


def test_a_snapshot_holds_the_assignment_further_in() -> None:
    data = (DATA / "while_scheduled.hlo.pb").read_bytes()
    snapshot = pb.HloSnapshot(hlo=pb.HloProto.FromString(data), execution_platform="Host")
    assert memory_use(snapshot.SerializeToString(), file="snapshot") == memory_use(data, file="while")


def test_what_is_no_hlo_proto_is_refused() -> None:
    data = (DATA / "while_scheduled.hlo.pb").read_bytes()
    for wrong in (data[: len(data) - 7], b"HloModule m", b""):
        with pytest.raises(XlavizError, match=r"some\.pb is not an HLO proto, or is cut short"):
            memory_use(wrong, file="some.pb")


def test_real_programs_of_gpus_and_tpus(shared: Path) -> None:
    found = {}
    for path in sorted((shared / "corpus" / "proto").glob("*.hlo.pb")):
        use = memory_use(path.read_bytes(), file=path.name)
        if use is not None:
            assert adds_up(use), path.name
            found[path.name] = use
    assert len(found) >= 5
