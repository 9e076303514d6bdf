"""The heavy work, as plain functions of plain values: run in a worker process by the window, in place by the command
line."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Literal

from xlaviz.dumps.document import Document
from xlaviz.dumps.sequence import PassSequence, Snapshot
from xlaviz.graph.build import GraphOptions, all_open, build_graph, default_open
from xlaviz.graph.model import DrawnGraph
from xlaviz.hlo.model import HloModule
from xlaviz.layout.model import LayoutTooLargeError, Places
from xlaviz.layout.place import place_graph
from xlaviz.layout.union import place_step
from xlaviz.lineage.diff import StepDiff, diff_step
from xlaviz.lineage.sequence import Lineage, LineageBuilder
from xlaviz.profile.kernels import KernelTable, kernel_table
from xlaviz.session.documents import Report, opened_at

Opened = frozenset[str] | Literal["default", "all"]


@dataclass(frozen=True, slots=True)
class SideOptions:
    """How one side is drawn: which clusters are open, and of which instruction only the neighbourhood is shown."""

    open: Opened = "default"
    focus: str | None = None
    hops: int = 3


@dataclass(frozen=True, slots=True)
class Side:
    """One pane's content. `open` is what `SideOptions.open` came to."""

    snapshot: Snapshot
    graph: DrawnGraph
    places: Places
    open: frozenset[str]
    computations: int
    instructions: int
    notes: tuple[str, ...] = ()
    """What the reader had to mend and what the drawing leaves out, a sentence each."""


@dataclass(frozen=True, slots=True)
class StepView:
    """Two neighbouring snapshots; `left` is None where nothing comes before. `is_shared`: laid out together, what is on
    both sides at the same place."""

    left: Side | None
    right: Side
    diff: StepDiff | None
    is_shared: bool = False


@dataclass(frozen=True, slots=True)
class SnapshotSummary:
    """Counts of one snapshot, and against the one before it."""

    index: int
    computations: int
    instructions: int
    added: int = 0
    removed: int = 0
    changed: int = 0


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
    graph, is_open = _build(module, options)
    report(0.4, f"laying out {graph.box_count} boxes")
    with _too_large_names_results(module):
        places = _placed(graph)
    return _side(sequence.snapshots[index], module, graph, places, is_open)


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
    left_graph, left_open = _build(left_module, _focus_nearest(left, left_module, right_module))
    right_graph, right_open = _build(right_module, _focus_nearest(right, right_module, left_module))
    report(0.4, f"laying out {left_graph.box_count} and {right_graph.box_count} boxes")
    with _too_large_names_results(left_module, right_module):
        left_places, right_places, is_shared = place_step(left_graph, right_graph)
    return StepView(
        _side(before, left_module, left_graph, left_places, left_open),
        _side(after, right_module, right_graph, right_places, right_open),
        diff,
        is_shared,
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


def _build(module: HloModule, options: SideOptions) -> tuple[DrawnGraph, frozenset[str]]:
    match options.open:
        case "default":
            is_open = default_open(module)
        case "all":
            is_open = all_open(module)
        case _:
            is_open = options.open
    return build_graph(module, GraphOptions(open=is_open, focus=options.focus, hops=options.hops)), is_open


@lru_cache(maxsize=24)
def _placed(graph: DrawnGraph) -> Places:
    return place_graph(graph)


def _side(snapshot: Snapshot, module: HloModule, graph: DrawnGraph, places: Places, is_open: frozenset[str]) -> Side:
    notes = (*module.notes, *graph.notes)
    return Side(snapshot, graph, places, is_open, len(module.computations), module.instruction_count, notes)


def snapshot_summaries(report: Report, path: Path, sequence: PassSequence) -> tuple[SnapshotSummary, ...]:
    """Counts and changes of every snapshot, reading each once."""
    opened = opened_at(path)
    return tuple(_summaries(report, opened.document, sequence))


def _summaries(report: Report, document: Document, sequence: PassSequence) -> Iterator[SnapshotSummary]:
    left: HloModule | None = None
    for snapshot in sequence.snapshots:
        report(snapshot.index / len(sequence.snapshots), f"comparing {snapshot.label}")
        right = document.read_module(snapshot)
        diff = diff_step(left, right) if left is not None else None
        yield SnapshotSummary(
            snapshot.index,
            len(right.computations),
            right.instruction_count,
            len(diff.added) if diff else 0,
            len(diff.removed) if diff else 0,
            len(diff.changed) if diff else 0,
        )
        left = right


def lineage(report: Report, path: Path, sequence: PassSequence) -> Lineage:
    """Origins of the last snapshot's instructions in the first, over every snapshot between."""
    document = opened_at(path).document
    builder = LineageBuilder()
    for snapshot in sequence.snapshots:
        report(snapshot.index / len(sequence.snapshots), f"following instructions through {snapshot.label}")
        builder.add(document.read_module(snapshot), snapshot.pass_name or snapshot.label)
    return builder.lineage


def kernels(report: Report, path: Path, sequence: PassSequence) -> KernelTable | None:
    """Kernel times of the module, None where the document has no profile of it."""
    opened = opened_at(path)
    report(0.1, "reading the profile")
    profile = opened.document.read_profile(sequence)
    if profile is None:
        return None
    programs = [id_ for id_, name in profile.programs.items() if name == sequence.name]
    if not programs:
        return None
    program = sequence.id if sequence.id in programs else programs[0]
    return kernel_table(profile, program, opened.module(sequence.snapshots[-1]))
