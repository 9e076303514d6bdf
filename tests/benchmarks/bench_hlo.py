"""Medians of the HLO readers: text and proto, seconds and instructions a second, and the memory of a module.

Run: python tests/benchmarks/bench_hlo.py [CORPUS]. CORPUS is the shared corpus, beside the repository by default.
"""

from __future__ import annotations

import gc
import statistics
import sys
import time
import tracemalloc
from collections.abc import Callable
from pathlib import Path

from xlaviz.hlo import hlo_pb2 as pb
from xlaviz.hlo.model import HloModule
from xlaviz.hlo.printer import hlo_text
from xlaviz.hlo.read import read_hlo

REPOSITORY = Path(__file__).parents[2]
DATA = REPOSITORY / "tests" / "data" / "hlo"
TEXTS = (
    "xla_benchmarks/hlo_mixtral_8x7b_bf16_1x8.hlo",
    "xla_benchmarks/hlo_gemma4_2b_bf16.hlo",
    "xla_benchmarks/huge_gemma4_2b_bf16.hlo",
    "xla_benchmarks/gemma3_1b_flax_call.hlo",
)


def main() -> None:
    corpus = Path(sys.argv[1]) if len(sys.argv) > 1 else REPOSITORY.parent / "shared" / "corpus"
    for name in TEXTS:
        if (corpus / name).exists():
            report(name, (corpus / name).read_bytes())
    proto = repeated_proto(next(DATA.glob("*.hlo.pb")).read_bytes(), 16_000)
    report("proto", proto)
    module = read_hlo(proto, file="proto")[0]
    report("the same as text", "".join(hlo_text(module)).encode())


def report(name: str, data: bytes) -> None:
    modules = read_hlo(data, file=name)
    count = sum(module.instruction_count for module in modules)
    seconds = median(lambda: read_hlo(data, file=name))
    print(
        f"{name}: {count} instructions, {len(data) / 1e6:.1f} MB, {seconds:.3f} s,"
        f" {count / seconds:,.0f} instructions/s, {memory(data) / 1e6:.1f} MB held"
    )


def median(work: Callable[[], object], times: int = 7) -> float:
    taken = []
    for _ in range(times):
        gc.collect()
        start = time.perf_counter()
        work()
        taken.append(time.perf_counter() - start)
    return statistics.median(taken)


def memory(data: bytes) -> int:
    """What the modules hold, as the growth of the process; protobuf's own memory is not Python's to count."""
    gc.collect()
    before = resident()
    modules: list[HloModule] = read_hlo(data, file="memory")
    gc.collect()
    grown = resident() - before
    if grown > 0:
        return grown
    del modules
    tracemalloc.start()
    modules = read_hlo(data, file="memory")
    held = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    return held


def resident() -> int:
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * 4096


def repeated_proto(data: bytes, instructions: int) -> bytes:
    """The proto's computations again and again under new names and ids, up to a number of instructions."""
    original = pb.HloProto.FromString(data).hlo_module
    result = pb.HloProto()
    module = result.hlo_module
    module.name = original.name
    count = turn = 0
    while count < instructions:
        shift = turn * 1_000_000_007
        for computation in original.computations:
            copy = module.computations.add()
            copy.CopyFrom(computation)
            copy.name, copy.id, copy.root_id = f"{copy.name}_{turn}", copy.id + shift, copy.root_id + shift
            for instruction in copy.instructions:
                instruction.name, instruction.id = f"{instruction.name}_{turn}", instruction.id + shift
                for ids in (instruction.operand_ids, instruction.called_computation_ids):
                    ids[:] = [id_ + shift for id_ in ids]
                instruction.control_predecessor_ids[:] = [id_ + shift for id_ in instruction.control_predecessor_ids]
            count += len(copy.instructions)
        turn += 1
    module.entry_computation_id = module.computations[-1].id
    return result.SerializeToString()


if __name__ == "__main__":
    main()
