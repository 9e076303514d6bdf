"""Frames of the canvas while a user pans and zooms over many boxes. Milliseconds, median and 95th percentile.

python tests/benchmarks/bench_canvas.py [BOXES]

A frame is one paint event of a 1600x1000 canvas, with what it does before it. The drawing is made up: boxes in rows,
each used by one or two of the rows below, one edge in fifty by a far one.
"""

from __future__ import annotations

import os
import random
import statistics
import sys
import time
from collections.abc import Callable

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

import numpy as np
from PySide6.QtCore import QPointF
from PySide6.QtWidgets import QApplication

from xlaviz.graph.families import FAMILIES
from xlaviz.graph.model import DrawnEdge, DrawnGraph, DrawnNode
from xlaviz.graph.overlay import NO_OVERLAY
from xlaviz.layout.model import Places
from xlaviz.scene.canvas import GraphCanvas

COLUMNS = 120
BOX = (150.0, 42.0)
GAP = (30.0, 40.0)
ROUNDS = 60


def drawing(count: int) -> tuple[DrawnGraph, Places]:
    chance = random.Random(1)
    families = list(FAMILIES)
    nodes = tuple(
        DrawnNode(f"add.{i}", "instruction", chance.choice(families), "add", f".{i}", ("f32[32,128]",), *BOX)
        for i in range(count)
    )
    rows, columns = np.divmod(np.arange(count), COLUMNS)
    boxes = np.stack(
        [columns * (BOX[0] + GAP[0]), rows * (BOX[1] + GAP[1]), *np.full((2, count), [[BOX[0]], [BOX[1]]])], 1
    )
    edges, routes = [], []
    for source in range(count):
        for _ in range(chance.choice((1, 1, 2))):
            down = chance.randint(5, 60) if chance.random() < 0.02 else 1
            target = source + COLUMNS * down + chance.randint(-4, 4)
            if source < target < count:
                edges.append(DrawnEdge(source, target, 0))
                routes.append(route(boxes[source], boxes[target]))
    return DrawnGraph(nodes, tuple(edges), "main", count), Places(boxes.astype(np.float32), tuple(routes))


def route(source: np.ndarray, target: np.ndarray) -> np.ndarray:
    start = (source[0] + source[2] / 2, source[1] + source[3])
    end = (target[0] + target[2] / 2, target[1])
    middle = (start[1] + end[1]) / 2
    return np.array([start, (start[0], middle), (end[0], middle), end], np.float32)


def measure(name: str, canvas: GraphCanvas, step: Callable[[int], None]) -> None:
    """Frames after each step, and those that follow until nothing is missing any more."""
    frames, waits = [], []
    for number in range(ROUNDS):
        begin = time.perf_counter()
        step(number)
        while True:
            start = time.perf_counter()
            canvas.repaint()
            frames.append((time.perf_counter() - start) * 1000)
            if canvas.is_complete or len(frames) > 5000:
                break
        waits.append((time.perf_counter() - begin) * 1000)
    p95 = statistics.quantiles(frames, n=20)[-1]
    wait = statistics.quantiles(waits, n=20)[-1]
    whole = f"all painted after {statistics.median(waits):6.1f} {wait:6.1f}"
    print(f"{name:34} {statistics.median(frames):6.1f} {p95:6.1f}   {whole}")


def main() -> None:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 50_000
    application = QApplication([])
    canvas = GraphCanvas()
    canvas.resize(1600, 1000)
    canvas.show()
    graph, places = drawing(count)
    start = time.perf_counter()
    canvas.show_graph(graph, places, NO_OVERLAY)
    canvas.repaint()
    print(f"{count} boxes, {len(graph.edges)} edges: shown after {time.perf_counter() - start:.2f} s")
    print(f"{'':34} {'median':>6} {'95 %':>6}")
    application.processEvents()
    for zoom in (1.0, 0.6, 0.3, 0.1, 0.03):
        canvas.set_view(QPointF(2000, 2000), zoom)
        canvas.repaint()
        measure(
            f"pan by 40 px at zoom {zoom}",
            canvas,
            lambda n: canvas.set_view(canvas.origin + QPointF(28, 28) / canvas.zoom, canvas.zoom),
        )
    canvas.fit()
    measure("zoom in from the whole", canvas, lambda n: canvas.zoom_by(1.25 if n % 24 < 12 else 0.8, QPointF(700, 500)))
    canvas.close()


if __name__ == "__main__":
    main()
