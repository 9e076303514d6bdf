"""Equal clusters and calls beside each other, folded to one with a count."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

from xlaviz.graph.clusters import Clusters
from xlaviz.graph.labels import called_computations
from xlaviz.graph.openable import is_openable
from xlaviz.graph.partition import divide
from xlaviz.graph.parts import Cluster, Part, look, part_operands, structure
from xlaviz.hlo.model import HloModule


@dataclass(frozen=True, slots=True, eq=False)
class Repeat:
    """Several equal parts, the one that stands for all of them first."""

    id: str
    title: str
    parts: tuple[Part, ...]


def fold(module: HloModule, clusters: Clusters, parts: Sequence[Part]) -> list[Part | Repeat]:
    """The parts with each run of equal ones as a Repeat. Equal parts that something else stands between stay apart: one
    box for all of them would be before and after it."""
    numbers: dict[Hashable, str] = {}
    names = {}
    for index, part in enumerate(parts):
        same = _structure(module, clusters, part)
        if same is not None:
            names[index] = numbers.setdefault(same, str(len(numbers)))
    pieces = divide(range(len(parts)), part_operands(clusters.flow, parts), names, takes_in=False)
    found: list[Part | Repeat] = []
    for piece in pieces:
        content = tuple(parts[index] for index in piece.items)
        found.append(_repeat(clusters, content) if len(content) > 1 else content[0])
    return found


def _structure(module: HloModule, clusters: Clusters, part: Part) -> Hashable:
    """Equal for parts that compute the same; None for what is never folded."""
    if isinstance(part, Cluster):
        return structure(clusters.flow, part.members) if part.kind in ("scope", "block") else None
    instruction = clusters.flow.instructions[part]
    if not is_openable(module, instruction):
        return None
    called = called_computations(module, instruction)
    return look(instruction), tuple(tuple(map(look, computation.instructions)) for computation in called)


def _repeat(clusters: Clusters, content: tuple[Part, ...]) -> Repeat:
    first = content[0]
    if isinstance(first, Cluster):
        return Repeat(f"{first.id} ×{len(content)}", f"{first.title} ×{len(content)}", content)
    instruction = clusters.flow.instructions[first]
    return Repeat(f"scope:{instruction.name} ×{len(content)}", f"{instruction.name} ×{len(content)}", content)
