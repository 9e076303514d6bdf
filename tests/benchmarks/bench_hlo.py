"""Medians of the HLO readers: text and proto, seconds and instructions a second, and the memory of a module.

Run: python tests/benchmarks/bench_hlo.py [CORPUS]. CORPUS is the shared corpus, beside the repository by default.
"""

from __future__ import annotations

import gc
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from xlaviz.hlo import hlo_pb2 as pb
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
    proto = repeated_proto((DATA / "keras_train_step.hlo.pb").read_bytes(), 16_000)
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
    """What the modules hold, in bytes: the growth of a fresh process that reads them."""
    with tempfile.NamedTemporaryFile() as file:
        file.write(data)
        file.flush()
        command = [sys.executable, "-c", _GROWTH, file.name]
        return int(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


_GROWTH = """
import gc, sys
from pathlib import Path
from xlaviz.hlo.read import read_hlo

def resident():
    gc.collect()
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4096

data = Path(sys.argv[1]).read_bytes()
before = resident()
modules = read_hlo(data, file="memory")
print(resident() - before)
"""


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
