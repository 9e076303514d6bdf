"""Lineage over the snapshots of real dumps: how much is matched, how well op_names agree, how long a step takes; the
story of all steps: how long it takes to build, how much it holds, how quickly it answers.

    python tests/benchmarks/bench_lineage.py FOLDER [FOLDER...]

A folder holds `.hlo.pb` snapshots as XLA dumps them (--xla_dump_hlo_as_proto --xla_dump_hlo_pass_re=.*).
"""

from __future__ import annotations

import gc
import pickle
import random
import re
import sys
import time
import tracemalloc
from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path

from xlaviz.hlo.model import HloInstruction, HloModule
from xlaviz.hlo.proto import read_hlo_proto
from xlaviz.lineage.diff import diff_step
from xlaviz.lineage.rewrites import op_names
from xlaviz.lineage.sequence import LineageBuilder
from xlaviz.lineage.step import match_step
from xlaviz.lineage.story import StoryBuilder
from xlaviz.lineage.view import View


def main() -> None:
    for folder in sys.argv[1:]:
        modules: dict[str, list[Path]] = {}
        for path in sorted(Path(folder).glob("*.hlo.pb")):
            modules.setdefault(path.name.split(".", 1)[0], []).append(path)
        for name, paths in modules.items():
            print(f"{folder} {name}")
            measure(sorted(paths, key=order))
            measure_story(sorted(paths, key=order))


def order(path: Path) -> tuple[int, str]:
    if "before_optimizations" in path.name:
        return 0, ""
    return (2, "") if "after_optimizations" in path.name else (1, step_name(path))


def step_name(path: Path) -> str:
    found = re.search(r"\.(\d{4}\..*)\.hlo\.pb$", path.name)
    return found.group(1) if found else "after_optimizations"


def read(path: Path) -> HloModule:
    return read_hlo_proto(path.read_bytes(), file=str(path))


def measure(paths: list[Path]) -> None:
    first = read(paths[0])
    builder = LineageBuilder()
    builder.add(first)
    times, diff_times = [], []
    left = right = first
    for path in paths[1:]:
        left, right = right, read(path)
        started = time.perf_counter()
        builder.add(right, step_name(path))
        times.append(time.perf_counter() - started)
        started = time.perf_counter()
        diff_step(left, right)
        diff_times.append(time.perf_counter() - started)
        if "after_fusion.before" in path.name:
            step = match_step(left, right)
            report("  fusion pass alone", left, right, step.origins)
    lineage = builder.lineage
    report("  whole pipeline", first, right, lineage.origins)
    print(
        f"  steps {len(times)}, seconds a step: mean {sum(times) / len(times):.3f}, most {max(times):.3f};"
        f" diff: mean {sum(diff_times) / len(times):.3f}, most {max(diff_times):.3f}"
    )
    view = View(right)
    lost = [i for i in view.instructions.values() if i.name in lineage.created_by and counts(view, i)]
    print("  created:", Counter((i.opcode, lineage.created_by[i.name]) for i in lost).most_common(12))


def measure_story(paths: list[Path]) -> None:
    """The story of all steps: how long it takes to build, how much it holds, how long following takes."""
    builder, seconds = StoryBuilder(), 0.0
    for path in paths:
        module = read(path)
        started = time.process_time()
        builder.add(module, step_name(path))
        seconds += time.process_time() - started
    story, names = builder.story, list(module.computation_of)
    del builder, module
    gc.collect()  # The modules read are no part of what is timed.
    tracemalloc.start()
    copy = pickle.loads(pickle.dumps(story))  # What it holds on its own, every name once.
    held = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    last = story.last_index
    chosen = random.Random(1).choices(names, k=200)
    followed = timed(lambda name: copy.follow(last, [name], 0), chosen)
    lived = timed(lambda name: copy.biography(last, name), chosen)
    started = time.perf_counter()
    rows = len(copy.patterns(0, last))
    table = time.perf_counter() - started
    print(f"  story: {seconds:.1f} s of processor time, {held / 1e6:.1f} MB;", end="")
    print(f" table of all steps: {rows} rows, {table:.2f} s")
    print(f"  follow: first {followed[0]:.1f} ms, most {max(followed):.1f} ms;", end="")
    print(f" biography: first {lived[0]:.1f} ms, most {max(lived):.1f} ms")


def timed(ask: Callable[[str], object], names: list[str]) -> list[float]:
    """Milliseconds for each name."""
    taken = []
    for name in names:
        started = time.perf_counter()
        ask(name)
        taken.append((time.perf_counter() - started) * 1000)
    return taken


def counts(view: View, instruction: HloInstruction) -> bool:
    inner = instruction.opcode == "parameter" and view.home[instruction.name] != view.module.entry
    return instruction.opcode != "fusion" and not inner


def report(title: str, left: HloModule, right: HloModule, origins: Mapping[str, frozenset[str]]) -> None:
    first, view = View(left).instructions, View(right)
    real = [i for i in view.instructions.values() if counts(view, i)]
    found = [i for i in real if origins.get(i.name)]
    named = [i for i in found if i.metadata.op_name]
    differ = [i for i in named if not any(op_names(i) & op_names(first[name]) for name in origins[i.name])]
    exact = sum(any(i.metadata.op_name == first[n].metadata.op_name for n in origins[i.name]) for i in named)
    sizes = sorted(len(origins[i.name]) for i in found)
    print(
        f"{title}: {len(real)} instructions, {len(found) / len(real):.2%} with origin; op_name of {len(named)}:"
        f" {1 - len(differ) / max(len(named), 1):.2%} agree ({exact / max(len(named), 1):.2%} to the letter);"
        f" set sizes: median {sizes[len(sizes) // 2]}, p99 {sizes[int(len(sizes) * 0.99)]}, most {sizes[-1]}"
    )
    for i in differ[:6]:
        print(
            "    differs:",
            i.name,
            i.metadata.op_name[-60:],
            [first[n].metadata.op_name[-50:] for n in origins[i.name]][:3],
        )


if __name__ == "__main__":
    main()
