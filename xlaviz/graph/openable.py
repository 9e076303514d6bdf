"""Which instructions can be opened, and which are when nobody has chosen."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from xlaviz.graph.clusters import Clusters, clusters_of
from xlaviz.graph.labels import called_computations, is_trivial_reducer
from xlaviz.graph.options import ClusterChoice
from xlaviz.graph.parts import Cluster, Part
from xlaviz.hlo.model import HloComputation, HloInstruction, HloModule

OPEN_AT_MOST = 350
"""Instructions up to which everything is opened when a module is first shown."""

MAX_DEPTH = 24
_ALWAYS_OPENABLE = ("fusion", "call", "while", "conditional")
_NOT_COUNTED = ("parameter", "constant")
_FUSION_WITH_SCOPES = 40


def is_openable(module: HloModule, instruction: HloInstruction) -> bool:
    """Whether the instruction calls something worth a frame."""
    called = called_computations(module, instruction)
    if instruction.opcode in _ALWAYS_OPENABLE:
        return bool(called)
    return not all(is_trivial_reducer(computation) for computation in called)


def default_open(module: HloModule, computation: str | None = None) -> frozenset[str]:
    """Everything where the whole stays a readable page, nothing otherwise."""
    start = module.by_name[computation or module.entry]
    is_readable = instructions_below(module, start) <= OPEN_AT_MOST
    return frozenset(_openable_below(module, start)) if is_readable else frozenset()


def all_open(module: HloModule, computation: str | None = None, clusters: ClusterChoice = "calls") -> frozenset[str]:
    """The names of all instructions that can be opened, and with `scopes` the ids of all clusters."""
    start = module.by_name[computation or module.entry]
    ids = _clusters_below(module, start) if clusters == "scopes" else ()
    return frozenset((*_openable_below(module, start), *ids))


def instructions_below(module: HloModule, computation: HloComputation) -> int:
    """How many instructions there are to see with everything open: what is called twice counts twice."""
    return _size_opened(module, computation, {})


def sizes_inside(module: HloModule) -> Callable[[HloInstruction], int]:
    """Counts an instruction with all that is inside it; what was counted for one is known for the next."""
    known: dict[str, int] = {}

    def size(instruction: HloInstruction) -> int:
        if not instruction.called_computations:
            return 1
        return 1 + sum(_size_opened(module, c, known) for c in called_computations(module, instruction))

    return size


def _size_opened(module: HloModule, computation: HloComputation, known: dict[str, int], depth: int = 0) -> int:
    """How many instructions there are to see with everything open: what is called twice counts twice."""
    if computation.name not in known:
        known[computation.name] = 0  # ends the way round where a damaged file has a computation call itself
        size = sum(1 for i in computation.instructions if i.opcode not in _NOT_COUNTED)
        if depth < MAX_DEPTH:
            opened = (i for i in computation.instructions if is_openable(module, i))
            inside = [c for i in opened for c in called_computations(module, i)]
            size += sum(_size_opened(module, c, known, depth + 1) for c in inside)
        known[computation.name] = size
    return known[computation.name]


def _reached(module: HloModule, start: HloComputation) -> Iterator[HloComputation]:
    seen: set[str] = set()
    stack = [start.name]
    while stack:
        name = stack.pop()
        if name not in seen and name in module.by_name:
            seen.add(name)
            yield module.by_name[name]
            stack.extend(c for i in module.by_name[name].instructions for c in i.called_computations)


def _openable_below(module: HloModule, start: HloComputation) -> Iterator[str]:
    for computation in _reached(module, start):
        for instruction in computation.instructions:
            if is_openable(module, instruction):
                yield instruction.name


def scopes_of(module: HloModule, computation: HloComputation, caller: HloInstruction | None) -> Clusters | None:
    """The clusters that the scopes make of a computation, as it is drawn by itself or within its caller; None in a
    fusion that is small enough without."""
    is_small = len(computation.instructions) <= _FUSION_WITH_SCOPES
    if caller is not None and caller.opcode == "fusion" and is_small:
        return None
    return clusters_of(module, computation, is_called=caller is not None)


def _clusters_below(module: HloModule, start: HloComputation) -> Iterator[str]:
    for computation in _reached(module, start):
        callers = module.callers.get(computation.name, ())
        clusters = scopes_of(module, computation, callers[0] if callers and computation is not start else None)
        stack: list[Part] = list(clusters.top()) if clusters is not None else []
        while clusters is not None and stack:
            part = stack.pop()
            if isinstance(part, Cluster):
                yield part.id
                stack.extend(clusters.parts(part))
