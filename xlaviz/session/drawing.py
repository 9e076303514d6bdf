"""What one side draws of a module, as its options ask for it. Runs in the worker process."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Literal

from xlaviz.graph.build import GraphOptions, all_open, build_graph, default_open
from xlaviz.graph.default_view import default_view
from xlaviz.graph.labels import called_computations
from xlaviz.graph.model import DrawnGraph
from xlaviz.graph.neighbourhood import neighbourhood, paths_between
from xlaviz.graph.openable import OPEN_AT_MOST, instructions_below
from xlaviz.graph.options import ClusterChoice, Direction
from xlaviz.hlo.model import HloComputation, HloModule
from xlaviz.layout.place import EngineName

Opened = frozenset[str] | Literal["default", "all"]


@dataclass(frozen=True, slots=True)
class SideOptions:
    """How one side is drawn.

    `open` says which clusters are open, `clusters` which kind there is: the first page's own where None. `focus` shows
    only the neighbourhood of an instruction, or with `to` the paths between the two. `entered` are the instructions,
    each in what the one before calls, whose computation is shown alone. `engine` lays the drawing out; a step is always
    laid out by our own, which keeps in place what a pass left alone.
    """

    open: Opened = "default"
    focus: str | None = None
    hops: int = 3
    direction: Direction = "both"
    to: str | None = None
    clusters: ClusterChoice | None = None
    fold_repeats: bool = False
    entered: tuple[str, ...] = ()
    engine: EngineName = "xlaviz"

    @property
    def is_whole(self) -> bool:
        """Whether nothing of the module is left out."""
        return self.focus is None and not self.entered


@dataclass(frozen=True, slots=True)
class Crumb:
    """A computation on the way from the entry to what is drawn, in some words."""

    words: str
    computation: str


@dataclass(frozen=True, slots=True)
class DrawnSide:
    """A graph, what `SideOptions` came to for it, and where in the module it is."""

    graph: DrawnGraph
    open: frozenset[str]
    clusters: ClusterChoice
    crumbs: tuple[Crumb, ...]


def draw(module: HloModule, options: SideOptions) -> DrawnSide:
    """What is to be placed."""
    crumbs = tuple(_crumbs(module, options.entered))
    wanted = _graph_options(module, options, crumbs[-1].computation if len(crumbs) > 1 else None)
    graph = _with_hidden(module, build_graph(module, wanted))
    if options.focus is not None and options.focus in graph.held and _is_scope(graph, graph.held[options.focus]):
        # What is near an instruction is asked for, not what is near the layer it is in.
        wanted = replace(wanted, clusters="calls")
        graph = _with_hidden(module, build_graph(module, wanted))
    if options.focus is not None and options.to is not None:
        graph = paths_between(graph, options.focus, options.to)
    elif options.focus is not None:
        graph = neighbourhood(graph, options.focus, options.hops, options.direction)
    return DrawnSide(graph, wanted.open, wanted.clusters, crumbs)


def _is_scope(graph: DrawnGraph, index: int) -> bool:
    return graph.nodes[index].cluster is not None


def _graph_options(module: HloModule, options: SideOptions, computation: str | None) -> GraphOptions:
    clusters = options.clusters
    first = default_view(module, computation) if clusters is None or options.open == "default" else None
    if clusters is None:
        assert first is not None
        clusters = first.clusters
    match options.open:
        case "default":
            assert first is not None
            is_open = first.open if clusters == first.clusters else _open_at_first(module, computation, clusters)
        case "all":
            is_open = all_open(module, computation, clusters)
        case _:
            is_open = options.open
    return GraphOptions(computation, is_open, clusters=clusters, fold_repeats=options.fold_repeats)


def _open_at_first(module: HloModule, computation: str | None, clusters: ClusterChoice) -> frozenset[str]:
    """With clusters that the user chose: all of a small module, of a large one none."""
    if clusters == "scopes" and instructions_below(module, module.by_name[computation or module.entry]) <= OPEN_AT_MOST:
        return all_open(module, computation, clusters)
    return default_open(module, computation)


def _crumbs(module: HloModule, entered: tuple[str, ...]) -> Iterator[Crumb]:
    """The entry, and what is entered of it, as far as this module has it."""
    words = "entry"
    computations = [module.by_name[module.entry]]
    for name in entered:
        home = next((each for each in computations if name in each.by_name), None)
        called = called_computations(module, home.by_name[name]) if home is not None else []
        if home is None or not called:
            break
        yield Crumb(words, home.name)
        opcode = home.by_name[name].opcode
        words = name + {"while": " body", "conditional": " branch 0"}.get(opcode, "")
        computations = called
    yield Crumb(words, computations[0].name)


def _with_hidden(module: HloModule, graph: DrawnGraph) -> DrawnGraph:
    """The graph, told of every instruction below it that has no box which box stands for it: the closed one that calls
    its computation, or that its value is folded into."""
    held = dict(graph.held)
    seen: set[str] = set()
    stack = [module.by_name[graph.computation]]
    while stack:
        computation = stack.pop()
        if computation.name in seen:
            continue
        seen.add(computation.name)
        _hide_folded(computation, graph, held)
        for instruction in computation.instructions:
            for called in called_computations(module, instruction) if instruction.called_computations else ():
                boxes = graph.nodes_of.get(instruction.name)
                box = boxes[0] if boxes else held.get(instruction.name)
                if box is not None:
                    _hide(called, graph, held, box)
                stack.append(called)
    return replace(graph, held=held)


def _hide(computation: HloComputation, graph: DrawnGraph, held: dict[str, int], box: int) -> None:
    for instruction in computation.instructions:
        if instruction.name not in graph.nodes_of:
            held.setdefault(instruction.name, box)


def _hide_folded(computation: HloComputation, graph: DrawnGraph, held: dict[str, int]) -> None:
    """A get-tuple-element has no box of its own, nor has a constant: the value's source, or its user, stands for it."""
    for instruction in computation.instructions:
        name = instruction.name
        if name in graph.nodes_of or name in held:
            continue
        near = instruction.operands if instruction.opcode == "get-tuple-element" else computation.users.get(name, ())
        for other in near[:1]:
            boxes = graph.boxes_of(other) or ((held[other],) if other in held else ())
            if boxes:
                held[name] = boxes[0]
