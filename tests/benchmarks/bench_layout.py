"""The layered layout on graphs drawn from real modules, with Graphviz's dot beside it: python bench_layout.py [GRAPHS]

GRAPHS is a folder of NAME.json.gz: n, w, h, edges, cl (cluster of each node or -1), clusters as [name, parent or -1].
"""

from __future__ import annotations

import gzip
import json
import shutil
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from xlaviz.layout.layered import lay_out_level
from xlaviz.layout.model import LayoutInput, LevelInput, LevelPlaces, Places
from xlaviz.layout.nested import lay_out
from xlaviz.layout.place import LAYERED

DOT_LIMIT_S = 120.0
FIRST = {"r849": 0.15, "r3417": 0.5, "r6841": 1.0, "r49641": 8.0}
NESTED = {"c19391": 2.5, "e1486": 0.7}
AGAINST_DOT = ("r238", "r458", "r849", "r898", "r1778")
WITHIN = {"r3417": (5.0, 7_000), "r6841": (10.0, 18_000)}
TITLE_PX = (120.0, 22.0)

T = TypeVar("T")
Point = tuple[float, float]
Doubles = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Graph:
    sizes: tuple[Point, ...]
    edges: tuple[tuple[int, int], ...]
    cluster_of: tuple[int, ...]
    clusters: tuple[int, ...]

    @property
    def level(self) -> LevelInput:
        return LevelInput(self.sizes, self.edges)


def main() -> None:
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parents[3] / "shared" / "graphs"
    print(
        f"{'first layout':<14} {'time s':>8} {'bar':>6} {'crossings':>10} {'width x height':>16} {'sideways/edge':>14}"
    )
    for name, bar in FIRST.items():
        graph = load(folder, name)
        seconds, places = timed(lambda graph=graph: lay_out_level(graph.level), 3)
        report(name, seconds, f"{bar:g}", graph, places, count=len(graph.edges) < 10_000)
    for name, bar in NESTED.items():
        nested = as_nested(load(folder, name))
        seconds, drawing = timed(lambda nested=nested: lay_out(nested, LAYERED), 3)
        wide, high = drawing.size_px
        faults = overlaps(drawing, nested), outside(drawing, nested)
        print(f"{name:<14} {seconds:8.2f} {bar:6g} {'':>10} {f'{wide:.0f} x {high:.0f}':>16}  overlaps {faults[0]}, "
              f"boxes outside their frame {faults[1]}")  # fmt: skip
    print("\nafter refining, at most 1.2 times dot's crossings, in dot's time (up to 458 nodes) or a tenth of it")
    for name in AGAINST_DOT:
        against_dot(name, load(folder, name))
    print()
    for name, (seconds, bar_crossings) in WITHIN.items():
        graph = load(folder, name)
        spent, places = timed(lambda graph=graph, s=seconds: lay_out_level(graph.level, refine_s=s * 0.8), 1)
        report(name, spent, f"{seconds:g}", graph, places)
        print(f"{'':<14} at most {bar_crossings} crossings")


def against_dot(name: str, graph: Graph) -> None:
    if shutil.which("dot") is None:
        print("dot is not installed")
        return
    try:
        dot_s, drawn = timed(lambda: dot(graph), 3)
    except subprocess.TimeoutExpired:
        print(f"{name:<14} dot takes more than {DOT_LIMIT_S:g} s")
        return
    allowed = dot_s if len(graph.sizes) <= 458 else dot_s / 10
    first_s, first = timed(lambda: lay_out_level(graph.level), 3)
    report(f"{name} first", first_s, f"{allowed:.2f}", graph, first)
    refine_s = max(0.0, allowed * 0.9 - 1.3 * first_s)
    best_s, best = timed(lambda: lay_out_level(graph.level, refine_s=refine_s), 3)
    report(f"{name} refined", best_s, f"{allowed:.2f}", graph, best)
    report(f"{name} dot", dot_s, "", graph, drawn)


def report(name: str, seconds: float, bar: str, graph: Graph, places: LevelPlaces, *, count: bool = True) -> None:
    crossed = str(crossings(places.centres, graph.edges)) if count else "-"
    size = f"{places.width:.0f} x {places.height:.0f}"
    sideways = statistics.mean(abs(places.centres[a][0] - places.centres[b][0]) for a, b in graph.edges)
    print(f"{name:<14} {seconds:8.3f} {bar:>6} {crossed:>10} {size:>16} {sideways:14.0f}", flush=True)


def timed(work: Callable[[], T], runs: int) -> tuple[float, T]:
    times = []
    for _ in range(runs):
        start = time.perf_counter()
        result = work()
        times.append(time.perf_counter() - start)
        if times[-1] > 15:
            break
    return statistics.median(times), result


def load(folder: Path, name: str) -> Graph:
    (path,) = folder.glob(f"{name}_*.json.gz")
    data: dict[str, Any] = json.loads(gzip.decompress(path.read_bytes()))
    return Graph(
        tuple(zip(data["w"], data["h"], strict=True)),
        tuple((source, target) for source, target in data["edges"]),
        tuple(data["cl"]),
        tuple(parent for _, parent in data["clusters"]),
    )


def as_nested(graph: Graph) -> LayoutInput:
    """Frames first, outer ones before inner ones."""
    depths: dict[int, int] = {-1: 0}

    def depth(cluster: int) -> int:
        if cluster not in depths:
            depths[cluster] = depth(graph.clusters[cluster]) + 1
        return depths[cluster]

    order = sorted(range(len(graph.clusters)), key=lambda cluster: (depth(cluster), cluster))
    frame = {cluster: number for number, cluster in enumerate(order)} | {-1: -1}
    count = len(order)
    return LayoutInput(
        widths=(TITLE_PX[0],) * count + tuple(width for width, _ in graph.sizes),
        heights=(TITLE_PX[1],) * count + tuple(height for _, height in graph.sizes),
        parents=tuple(frame[graph.clusters[c]] for c in order) + tuple(frame[c] for c in graph.cluster_of),
        frames=frozenset(range(count)),
        ports=frozenset(),
        edges=tuple((source + count, target + count) for source, target in graph.edges),
    )


def dot(graph: Graph) -> LevelPlaces:
    boxes = "".join(f"{i}[width={w / 72:.4f},height={h / 72:.4f}];" for i, (w, h) in enumerate(graph.sizes))
    edges = "".join(f"{a}->{b};" for a, b in graph.edges)
    text = f'digraph{{nodesep=0.2;ranksep=0.3;splines=line;node[shape=box,fixedsize=true,label=""];{boxes}{edges}}}'
    done = subprocess.run(
        ["dot", "-Tplain"], input=text, capture_output=True, text=True, timeout=DOT_LIMIT_S, check=True
    )
    rows = [line.split() for line in done.stdout.splitlines()]
    centres = {int(row[1]): (float(row[2]) * 72, -float(row[3]) * 72) for row in rows if row[0] == "node"}
    size = next(row for row in rows if row[0] == "graph")
    places = tuple(centres[node] for node in range(len(graph.sizes)))
    return LevelPlaces(places, (), float(size[2]) * 72, float(size[3]) * 72)


def crossings(centres: Sequence[Point], edges: Sequence[tuple[int, int]]) -> int:
    """Proper crossings of the straight lines between the middles of boxes."""
    at, ends = np.array(centres), np.array(edges)
    tops, bottoms = at[ends[:, 0]], at[ends[:, 1]]
    order = np.argsort(np.minimum(tops[:, 1], bottoms[:, 1]), kind="stable")
    tops, bottoms = tops[order], bottoms[order]
    low, high = np.minimum(tops[:, 1], bottoms[:, 1]), np.maximum(tops[:, 1], bottoms[:, 1])
    total = 0
    for index in range(len(order) - 1):
        stop = int(np.searchsorted(low, high[index], "right"))
        first, last = tops[index + 1 : stop], bottoms[index + 1 : stop]
        own, other = bottoms[index] - tops[index], last - first
        one_side = _cross(own, first - tops[index]) * _cross(own, last - tops[index])
        other_side = _cross(other, tops[index] - first) * _cross(other, bottoms[index] - first)
        total += int(np.count_nonzero((one_side < -1e-9) & (other_side < -1e-9)))
    return total


def _cross(a: Doubles, b: Doubles) -> Doubles:
    return a[..., 0] * b[..., 1] - a[..., 1] * b[..., 0]


def overlaps(drawing: Places, graph: LayoutInput) -> int:
    """Pairs of boxes in one frame that overlap: sorted by their left sides, compared while they reach that far."""
    siblings: dict[int, list[int]] = {}
    for box, parent in enumerate(graph.parents):
        siblings.setdefault(parent, []).append(box)
    total = 0
    for boxes in siblings.values():
        left, top, width, height = drawing.boxes[boxes].astype(np.float64).T
        order = np.argsort(left)
        left, top, right, bottom = left[order], top[order], (left + width)[order], (top + height)[order]
        for index in range(len(order)):
            stop = int(np.searchsorted(left, right[index] - 0.5))
            within = slice(index + 1, stop)
            total += int(np.count_nonzero((top[within] < bottom[index] - 0.5) & (bottom[within] > top[index] + 0.5)))
    return total


def outside(drawing: Places, graph: LayoutInput) -> int:
    """Boxes that do not lie within the frame that holds them."""
    held = [box for box, parent in enumerate(graph.parents) if parent >= 0]
    inner, outer = drawing.boxes[held], drawing.boxes[[graph.parents[box] for box in held]]
    low = (inner[:, :2] < outer[:, :2] - 0.5).any(axis=1)
    high = (inner[:, :2] + inner[:, 2:] > outer[:, :2] + outer[:, 2:] + 0.5).any(axis=1)
    return int(np.count_nonzero(low | high))


if __name__ == "__main__":
    main()
