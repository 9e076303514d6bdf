"""What the compiler did during a profile: every HLO pass, those that changed nothing included."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xlaviz.profile.xplane import Event, Line, Plane, read_planes

_CHECKERS = "RunInvariantCheckers"
_PIPELINES = ("sharding-removal", "SubbytePacker pipeline", "hlo normalization")
_PIPELINE_PREFIX = "HLO passes "
_BACKEND = "CpuCompiler::RunBackend"
_NOISE = "ThreadpoolListener::"


@dataclass(frozen=True, slots=True)
class PassEvent:
    """One pass, pipeline or phase of the backend. Times are absolute picoseconds.

    `pipelines` are the names of the events it is nested in, the outermost first; `depth` is their number. A
    pipeline XLA repeats until nothing changes stands once for the whole and, inside, once for each round.
    """

    name: str
    pipelines: tuple[str, ...]
    start_ps: int
    duration_ps: int
    depth: int


def read_compilation(data: bytes, *, file: str) -> tuple[PassEvent, ...]:
    """The passes in a profile recorded around a function's first call, in order of their start; a pipeline
    precedes its passes. Empty where nothing was compiled. Several modules compiled in one profile follow each other.

    Raises XlavizError where the bytes are cut short or are no profile.
    """
    found: list[PassEvent] = []
    for plane in read_planes(data, file=file):
        if plane.name == "/host:CPU":
            wanted = plane.metadata_ids(lambda name: not name.startswith(_NOISE))
            for line in plane.lines:
                found += _line_passes(plane, line, wanted)
    return tuple(sorted(found, key=lambda event: (event.start_ps, event.depth)))


@dataclass(slots=True)
class _Node:
    name: str
    event: Event
    parent: _Node | None
    is_pipeline: bool


def _line_passes(plane: Plane, line: Line, wanted: frozenset[int]) -> list[PassEvent]:
    nodes = _nest(plane, sorted(line.events(wanted), key=lambda event: (event.start_ps, -event.end_ps)))
    passes: list[PassEvent] = []
    for node in nodes:
        path = _path(node)
        if path is not None and node.name != _CHECKERS:
            duration_ps = node.event.end_ps - node.event.start_ps
            passes.append(PassEvent(node.name, path, node.event.start_ps, duration_ps, len(path)))
    return passes


def _nest(plane: Plane, events: Sequence[Event]) -> list[_Node]:
    """The line's events with their parents. From TensorFlow 2.20 on a pipeline checks its module before its first
    pass, which tells a pipeline of any name; in older ones only those known by name are found.
    """
    nodes: list[_Node] = []
    open_nodes: list[_Node] = []
    for event in events:
        while open_nodes and open_nodes[-1].event.end_ps <= event.start_ps:
            open_nodes.pop()
        parent = open_nodes[-1] if open_nodes else None
        name = plane.event_names[event.metadata_id]
        if name == _CHECKERS and parent is not None:
            parent.is_pipeline = True
        is_pipeline = name in _PIPELINES or name == _BACKEND or name.startswith(_PIPELINE_PREFIX)
        open_nodes.append(_Node(name, event, parent, is_pipeline))
        nodes.append(open_nodes[-1])
    return nodes


def _path(node: _Node) -> tuple[str, ...] | None:
    """Names from the outermost pipeline to the node's parent; None for an event that is part of no pipeline."""
    chain = [node]
    while (parent := chain[-1].parent) is not None:
        chain.append(parent)
    chain.reverse()
    for position, ancestor in enumerate(chain):
        if ancestor.is_pipeline:
            return tuple(other.name for other in chain[position:-1])
    return None
