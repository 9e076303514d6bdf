"""The heavy work, as plain functions of plain values: run in a worker process by the window, in place by the command
line."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from xlaviz.dumps.sequence import PassSequence, Snapshot
from xlaviz.graph.model import DrawnGraph
from xlaviz.graph.options import ClusterChoice
from xlaviz.hlo.model import HloModule
from xlaviz.layout.model import LayoutTooLargeError, Places
from xlaviz.lineage.diff import StepDiff, diff_step
from xlaviz.session.documents import Report, opened_at
from xlaviz.session.drawing import Crumb, DrawnSide, draw
from xlaviz.session.drawing import SideOptions as SideOptions
from xlaviz.session.packing import pack_graph, pack_places, unpack_graph, unpack_places
from xlaviz.session.placing import place_sides, place_view


@dataclass(frozen=True, slots=True)
class Side:
    """One pane's content. `open` and `clusters` are what `SideOptions` came to; `crumbs` lead to it."""

    snapshot: Snapshot
    graph: DrawnGraph
    places: Places
    open: frozenset[str]
    computations: int
    instructions: int
    notes: tuple[str, ...] = ()
    """What the reader had to mend and what the drawing leaves out, a sentence each."""
    clusters: ClusterChoice = "calls"
    crumbs: tuple[Crumb, ...] = ()

    def __reduce__(self) -> tuple[object, ...]:
        rest = (self.open, self.computations, self.instructions, self.notes, self.clusters, self.crumbs)
        return (_unpacked, (self.snapshot, pack_graph(self.graph), pack_places(self.places), *rest))


def _unpacked(snapshot: Snapshot, graph: tuple[Any, ...], places: tuple[Any, ...], *rest: Any) -> Side:
    return Side(snapshot, unpack_graph(graph), unpack_places(places), *rest)


@dataclass(frozen=True, slots=True)
class StepView:
    """Two neighbouring snapshots; `left` is None where nothing comes before. `is_shared`: laid out together, what is on
    both sides at the same place."""

    left: Side | None
    right: Side
    diff: StepDiff | None
    is_shared: bool = False


class ViewTooLargeError(LayoutTooLargeError):
    """What was asked for has too many boxes. `results` names what each side, left first, computes in the end:
    something whose neighbourhood is worth drawing."""

    def __init__(self, message: str, *, hint: str = "", detail: str = "", results: tuple[str, ...] = ()) -> None:
        super().__init__(message, hint=hint, detail=detail)
        self.results = results

    def __reduce__(self) -> tuple[object, ...]:
        return (_restore_too_large, (self.message, self.hint, self.detail, self.results))


def _restore_too_large(message: str, hint: str, detail: str, results: tuple[str, ...]) -> ViewTooLargeError:
    return ViewTooLargeError(message, hint=hint, detail=detail, results=results)


@contextmanager
def _too_large_names_results(*modules: HloModule) -> Iterator[None]:
    try:
        yield
    except LayoutTooLargeError as error:
        results = tuple(_first_result(module) for module in modules)
        raise ViewTooLargeError(error.message, hint=error.hint, detail=error.detail, results=results) from error


def _first_result(module: HloModule) -> str:
    """The root, or the first thing that a tuple at the root holds: the tuple itself has hundreds of operands, too many
    to be drawn."""
    entry = module.by_name[module.entry]
    result = entry.root_instruction
    while result.opcode in ("tuple", "get-tuple-element") and result.operands:
        result = entry.by_name[result.operands[0]]
    return result.name


def single_view(report: Report, path: Path, sequence: PassSequence, index: int, options: SideOptions) -> Side:
    """One snapshot, drawn."""
    opened = opened_at(path)
    report(0.1, f"reading {sequence.snapshots[index].label}")
    module = opened.module(sequence.snapshots[index])
    drawing = draw(module, options)
    report(0.4, f"laying out {drawing.graph.box_count} boxes")
    with _too_large_names_results(module):
        places = place_view(path, sequence, index, drawing.graph, options.engine)
    return _side(sequence.snapshots[index], module, drawing, places)


def step_view(
    report: Report, path: Path, sequence: PassSequence, index: int, left: SideOptions, right: SideOptions
) -> StepView:
    """Snapshot `index` and the one before it, what changed between them, and one layout for both."""
    if index == 0:
        return StepView(None, single_view(report, path, sequence, 0, right), None)
    opened = opened_at(path)
    before, after = sequence.snapshots[index - 1], sequence.snapshots[index]
    report(0.1, f"reading {after.label}")
    left_module, right_module = opened.module(before), opened.module(after)
    diff = diff_step(left_module, right_module)
    right_drawing = draw(right_module, _focus_nearest(right, right_module, left_module))
    left = _like(left, right, right_drawing)
    left_drawing = draw(left_module, _focus_nearest(left, left_module, right_module))
    report(0.4, f"laying out {left_drawing.graph.box_count} and {right_drawing.graph.box_count} boxes")
    with _too_large_names_results(left_module, right_module):
        places = place_sides(path, sequence, index, left_drawing.graph, right_drawing.graph)
    return StepView(
        _side(before, left_module, left_drawing, places.left),
        _side(after, right_module, right_drawing, places.right),
        diff,
        places.is_shared,
    )


def _focus_nearest(options: SideOptions, module: HloModule, other: HloModule) -> SideOptions:
    """The options with a focus that `module` has: a neighbour's where the instruction is on the other side alone."""
    if options.focus is None or options.focus in module.computation_of:
        return options
    seen, frontier = {options.focus}, [options.focus]
    while frontier:
        found = next((name for name in frontier if name in module.computation_of), None)
        if found is not None:
            return replace(options, focus=found)
        near = (neighbour for name in frontier for neighbour in _neighbours(other, name))
        frontier = [name for name in dict.fromkeys(near) if name not in seen]
        seen.update(frontier)
    return options


def _neighbours(module: HloModule, name: str) -> tuple[str, ...]:
    computation = module.computation_of.get(name)
    if computation is None:
        return ()
    return (*computation.by_name[name].operands, *computation.users.get(name, ()))


def _like(left: SideOptions, right: SideOptions, drawing: DrawnSide) -> SideOptions:
    """The left side's options, with the same open as on the right where nobody has chosen: the two are compared."""
    if left.open != "default" or right.open != "default" or left.clusters != right.clusters:
        return left
    return replace(left, open=drawing.open, clusters=drawing.clusters)


def _side(snapshot: Snapshot, module: HloModule, drawing: DrawnSide, places: Places) -> Side:
    graph = drawing.graph
    notes = (*module.notes, *graph.notes)
    counts = len(module.computations), module.instruction_count
    return Side(snapshot, graph, places, drawing.open, *counts, notes, drawing.clusters, drawing.crumbs)
