"""Where graphs are placed, and what was placed before: each drawing keeps to the one that was shown before it.

A worker that was killed has forgotten everything, and places anew. Refining takes seconds, in which the worker that
answers the user must be free: it is done in another one, which needs nothing but the graph, and the first one is told.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Hashable
from dataclasses import dataclass, field, replace
from itertools import chain
from pathlib import Path
from typing import Any

from xlaviz.dumps.sequence import PassSequence
from xlaviz.graph.model import DrawnGraph
from xlaviz.layout.earlier import Drawing
from xlaviz.layout.model import Places
from xlaviz.layout.place import EngineName, layout_input, place, refine
from xlaviz.layout.union import Step, StepPlaces, place_step
from xlaviz.session.documents import Report

BOXES_KEPT = 40_000
DRAWINGS_KEPT = 24
"""Boxes in all, and drawings, that one history keeps: of large ones the last two."""
_HISTORIES_KEPT = 8

_LEAST_S, _MOST_S = 1.5, 5.0
_SLOW_BOXES = 7_000
"""Boxes from which on refining takes the most time."""
_MOST_BOXES = 20_000
"""Boxes above which refining gets nowhere in that time."""

Graphs = tuple[DrawnGraph, ...]


@dataclass(slots=True)
class _History:
    """What one pane showed of one snapshot, or both of a sequence's steps; the last one last.

    Going back to what was shown before brings it back as it was: closing what was just opened moves everything back.
    """

    shown: OrderedDict[Graphs, tuple[Any, tuple[Drawing, ...]]] = field(default_factory=OrderedDict)

    @property
    def last(self) -> tuple[Drawing, ...]:
        return next(reversed(self.shown.values()))[1] if self.shown else ()

    @property
    def boxes(self) -> int:
        return sum(len(graph.nodes) for graphs in self.shown for graph in graphs)

    def show(self, graphs: Graphs, places: Any, drawings: tuple[Drawing, ...]) -> None:
        self.shown[graphs] = places, drawings
        self.shown.move_to_end(graphs)
        while len(self.shown) > DRAWINGS_KEPT or (len(self.shown) > 1 and self.boxes > BOXES_KEPT):
            self.shown.popitem(last=False)

    def again(self, graphs: Graphs) -> Any:
        """The places of graphs that were shown before."""
        if graphs not in self.shown:
            return None
        self.shown.move_to_end(graphs)
        return self.shown[graphs][0]


_histories: OrderedDict[Hashable, _History] = OrderedDict()


def _history(*key: Hashable) -> _History:
    found = _histories.setdefault(key, _History())
    _histories.move_to_end(key)
    while len(_histories) > _HISTORIES_KEPT:
        _histories.popitem(last=False)
    return found


def place_view(
    path: Path, sequence: PassSequence, index: int, graph: DrawnGraph, engine: EngineName = "xlaviz"
) -> Places:
    """Places for one snapshot's graph, near to where its boxes were when it was shown last; Graphviz keeps to nothing,
    and nothing is made better of what it did."""
    if engine == "graphviz":
        return replace(place(layout_input(graph), engine), is_seeded=True)
    history = _history(path, sequence.name, sequence.id, index)
    places: Places | None = history.again((graph,))
    if places is None:
        inputs = layout_input(graph)
        places = place(inputs, earlier=history.last[0] if history.last else None)
        history.show((graph,), places, (Drawing(inputs, places),))
    return places


def place_sides(path: Path, sequence: PassSequence, index: int, left: DrawnGraph, right: DrawnGraph) -> StepPlaces:
    """Places for both sides of the step to snapshot `index`, near to where their boxes were in the step that was shown
    last; of the first step, to where the snapshots stood when each was shown alone."""
    history = _history(path, sequence.name, sequence.id)
    places: StepPlaces | None = history.again((left, right))
    if places is None:
        alone = (_history(path, sequence.name, sequence.id, one).last for one in (index - 1, index))
        places = place_step(left, right, earlier=history.last or tuple(chain.from_iterable(alone)))
        history.show((left, right), places, places.drawings)
    return places


def refine_view(report: Report, graph: DrawnGraph) -> Places | None:
    """Better places than the first ones that `place_view` finds for a graph, after some seconds; None where there are
    none to be had. Not for places that are seeded."""
    if len(graph.nodes) > _MOST_BOXES:
        return None
    report(0.1, f"improving the layout of {graph.box_count} boxes")
    return refine(layout_input(graph), _seconds(len(graph.nodes)))


def refine_sides(report: Report, left: DrawnGraph, right: DrawnGraph) -> StepPlaces | None:
    """The same for the two sides of a step that share a layout."""
    step = Step.of(left, right)
    if step is None or len(step.inputs.keys) > _MOST_BOXES:
        return None
    report(0.1, f"improving the layout of {left.box_count} and {right.box_count} boxes")
    better = refine(step.inputs, _seconds(len(step.inputs.keys)))
    return None if better is None else step.sides(better)


def adopt_view(
    report: Report, path: Path, sequence: PassSequence, index: int, graph: DrawnGraph, places: Places
) -> None:
    """Take note that `places`, refined elsewhere, are what is shown now."""
    history = _history(path, sequence.name, sequence.id, index)
    history.show((graph,), places, (Drawing(layout_input(graph), places),))


def adopt_sides(
    report: Report, path: Path, sequence: PassSequence, left: DrawnGraph, right: DrawnGraph, places: StepPlaces
) -> None:
    """The same for the sides of a step."""
    _history(path, sequence.name, sequence.id).show((left, right), places, places.drawings)


def _seconds(boxes: int) -> float:
    return _LEAST_S + (_MOST_S - _LEAST_S) * min(1.0, boxes / _SLOW_BOXES)
