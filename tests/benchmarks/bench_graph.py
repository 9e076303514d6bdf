"""Medians of the first page of large modules, of everything open, and of searches.

Run: python tests/benchmarks/bench_graph.py [FILE...]: HLO files, dumps or bundles; without one the large files of the
shared corpus beside the repository.
"""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

from xlaviz.dumps.document import open_document
from xlaviz.graph.build import GraphOptions, all_open, build_graph
from xlaviz.graph.default_view import default_view
from xlaviz.graph.search import find, parse_query
from xlaviz.hlo.model import HloModule

CORPUS = Path(__file__).parents[2].parent / "shared" / "corpus" / "xla_benchmarks"
FILES = ("gemma3_1b_flax_call.hlo", "hlo_gemma4_2b_bf16.hlo", "hlo_mixtral_8x7b_bf16_1x8.hlo")
QUERIES = ("dot", "/all-(gather|reduce)/", "opcode:add shape:bf16", "users>16", "bytes>1M")


def main() -> None:
    paths = [Path(argument) for argument in sys.argv[1:]] or [CORPUS / name for name in FILES]
    for path in paths:
        document = open_document(path)
        sequence = document.main_sequence
        for snapshot in dict.fromkeys((sequence.snapshots[0], sequence.snapshots[-1])):
            report(f"{path.name}, {snapshot.label}", document.read_module(snapshot))
        document.close()


def report(name: str, module: HloModule) -> None:
    page = build_graph(module, default_view(module))
    first = median(lambda: build_graph(module, default_view(module)), module)
    everything = GraphOptions(open=all_open(module, clusters="scopes"), clusters="scopes")
    opened = median(lambda: build_graph(module, everything), module)
    calls = GraphOptions(open=all_open(module))
    opened_calls = median(lambda: build_graph(module, calls), module)
    print(
        f"{name}: {module.instruction_count:,} instructions; page of {page.box_count} boxes {first:.3f} s;"
        f" all scopes open {opened:.3f} s, all calls {opened_calls:.3f} s"
    )
    for text in QUERIES:
        query = parse_query(text)
        search = partial(find, module, query)
        print(f"    {text}: {len(search()):,} hits, {median(search):.4f} s")


def median(work: Callable[[], object], forgetting: HloModule | None = None, times: int = 5) -> float:
    """Seconds; before each run a module forgets what was worked out of it."""
    taken = []
    for _ in range(times):
        if forgetting is not None:
            forget(forgetting)
        start = time.perf_counter()
        work()
        taken.append(time.perf_counter() - start)
    return statistics.median(taken)


def forget(module: HloModule) -> None:
    for computation in module.computations:
        for key in vars(computation).keys() - computation.__getstate__().keys():
            del vars(computation)[key]


if __name__ == "__main__":
    main()
