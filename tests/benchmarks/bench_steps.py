"""How far boxes move within a step and from one step to the next, and how long a step takes to lay out.

Run: python tests/benchmarks/bench_steps.py DUMP_FOLDER_OR_BUNDLE [MODULE] [--calls]: every pair of neighbouring
snapshots as the window shows it, each step keeping to the one before. --calls opens nothing but small fusions.
"""

from __future__ import annotations

import statistics
import sys
import time
from pathlib import Path

import numpy as np
import numpy.typing as npt

from xlaviz.dumps.document import open_document
from xlaviz.graph.build import GraphOptions, build_graph, default_open
from xlaviz.graph.default_view import default_view
from xlaviz.graph.model import DrawnGraph
from xlaviz.hlo.model import HloModule
from xlaviz.layout.earlier import Drawing
from xlaviz.layout.model import Places
from xlaviz.layout.place import layout_input
from xlaviz.layout.union import StepPlaces, place_step

Boxes = dict[object, npt.NDArray[np.float32]]


def main() -> None:
    arguments = [argument for argument in sys.argv[1:] if not argument.startswith("--")]
    document = open_document(Path(arguments[0]))
    sequence = document.main_sequence
    if len(arguments) > 1:
        sequence = next(each for each in document.sequences if arguments[1] in each.name)
    left = drawn(document.read_module(sequence.snapshots[0]))
    before: StepPlaces | None = None
    before_boxes: Boxes = {}
    rows = []
    for snapshot in sequence.snapshots[1:]:
        right = drawn(document.read_module(snapshot))
        start = time.perf_counter()
        step = place_step(left, right, earlier=before.drawings if before else ())
        seconds = time.perf_counter() - start
        start = time.perf_counter()
        fresh = place_step(left, right)
        fresh_s = time.perf_counter() - start
        within = distances(middles(left, step.left), middles(right, step.right)) if step.is_shared else []
        boxes = all_boxes(step.drawings)
        between = distances(before_boxes, boxes)
        along = distances(before_boxes, boxes, scrolled=True)
        rows.append((between, seconds, fresh_s, max(within, default=0.0), area(step) / area(fresh), along))
        moved = [statistics.median(each) if each else 0.0 for each in (between, along)]
        print(
            f"{snapshot.label[:48]:<48} {left.box_count:6} {right.box_count:6} {'' if step.is_shared else 'apart':5}"
            f" within {rows[-1][3]:3.0f} px  between {moved[0]:5.0f} px, scrolled along {moved[1]:5.0f} px"
            f"  {seconds:6.3f} s  anew {fresh_s:6.3f} s"
            f"  area {rows[-1][4]:4.2f}"
        )
        left, before, before_boxes = right, step, boxes
    medians = [statistics.median(row[0]) for row in rows if row[0]]
    along_medians = [statistics.median(row[5]) for row in rows if row[5]]
    print(
        f"within a step {max(row[3] for row in rows):.0f} px at most; between steps, median of medians"
        f" {statistics.median(medians):.0f} px, largest median {max(medians):.0f} px, boxes moved over 40 px"
        f" {statistics.mean(d > 40 for row in rows for d in row[0]):.0%}; scrolled along,"
        f" median of medians {statistics.median(along_medians):.0f} px, largest median {max(along_medians):.0f} px,"
        f" boxes moved over 40 px {statistics.mean(d > 40 for row in rows for d in row[5]):.0%};"
        f" a step {statistics.median(row[1] for row in rows):.3f} s, largest {max(row[1] for row in rows):.3f} s,"
        f" anew {statistics.median(row[2] for row in rows):.3f} s, largest {max(row[2] for row in rows):.3f} s;"
        f" area against anew {statistics.median(row[4] for row in rows):.2f}, at the end {rows[-1][4]:.2f}"
    )


def drawn(module: HloModule) -> DrawnGraph:
    options = GraphOptions(open=default_open(module)) if "--calls" in sys.argv else default_view(module)
    return build_graph(module, options)


def middles(graph: DrawnGraph, places: Places) -> Boxes:
    return dict(zip(layout_input(graph).keys, places.boxes[:, :2] + places.boxes[:, 2:] / 2, strict=True))


def all_boxes(drawings: tuple[Drawing, ...]) -> Boxes:
    found: Boxes = {}
    for drawing in drawings:
        at = drawing.places.boxes[:, :2] + drawing.places.boxes[:, 2:] / 2
        found |= dict(zip(drawing.inputs.keys, at, strict=True))
    return found


def distances(before: Boxes, after: Boxes, *, scrolled: bool = False) -> list[float]:
    """In the drawing; or on the screen, where the view is scrolled along by the median."""
    moves = np.array([after[key] - before[key] for key in before.keys() & after.keys()]).reshape(-1, 2)
    if scrolled and len(moves):
        moves -= np.median(moves, axis=0)
    return np.hypot(moves[:, 0], moves[:, 1]).tolist()


def area(step: StepPlaces) -> float:
    return max(1.0, sum(width * height for width, height in (each.places.size_px for each in step.drawings)))


if __name__ == "__main__":
    main()
