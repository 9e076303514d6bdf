"""How long until a dump folder's list of modules is there, and the model of its first graph. Medians, in seconds.

python tests/benchmarks/bench_open.py FOLDER [ROUNDS]
"""

from __future__ import annotations

import statistics
import sys
import time
from pathlib import Path

from xlaviz.dumps.document import open_document


def main() -> None:
    path, rounds = Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 7
    lists, models = [], []
    for _ in range(rounds):
        start = time.perf_counter()
        document = open_document(path)
        sequence = document.main_sequence
        lists.append(time.perf_counter() - start)
        module = document.read_module(sequence.snapshots[-1])
        models.append(time.perf_counter() - start)
        document.close()
    print(f"{len(sequence.snapshots)} snapshots, {module.instruction_count} instructions in the last")
    print(f"list of modules {statistics.median(lists):.4f} s, first graph's model {statistics.median(models):.3f} s")


if __name__ == "__main__":
    main()
