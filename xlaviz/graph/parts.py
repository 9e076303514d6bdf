"""What a cluster consists of: clusters and instructions, and what can be asked of them."""

from __future__ import annotations

import re
from collections.abc import Hashable, Sequence
from dataclasses import dataclass

from xlaviz.graph.flow import Flow
from xlaviz.graph.model import ClusterKind
from xlaviz.graph.scopes import ScopePath
from xlaviz.hlo.model import HloInstruction


@dataclass(frozen=True, slots=True, eq=False)
class Cluster:
    """Some instructions of a computation as one box. `members` are their numbers in the flow, ascending.

    `path` is the scope they share, `given` the parts of a block, which holds clusters and instructions found before.
    """

    id: str
    title: str
    kind: ClusterKind
    members: tuple[int, ...]
    path: ScopePath = ()
    given: tuple[Part, ...] = ()

    @property
    def names_inside(self) -> list[str]:
        """The titles of the scopes that a block holds."""
        return [each.title for each in self.given if isinstance(each, Cluster) and each.kind == "scope"]


Part = Cluster | int
"""A cluster, or the number of an instruction."""


def members_of(part: Part) -> tuple[int, ...]:
    return (part,) if isinstance(part, int) else part.members


def part_operands(flow: Flow, parts: Sequence[Part]) -> list[tuple[int, ...]]:
    """For each part the places of those whose values it uses."""
    place = {member: index for index, part in enumerate(parts) for member in members_of(part)}
    found: list[set[int]] = [set() for _ in parts]
    for member, index in place.items():
        found[index].update(place[operand] for operand in flow.operands[member] if operand in place)
    return [tuple(sorted(used - {index})) for index, used in enumerate(found)]


def look(instruction: HloInstruction) -> Hashable:
    """Equal for instructions that look alike: of one opcode and type."""
    shape = instruction.shape
    return instruction.opcode, shape.element_type, shape.dimensions, len(shape.elements)


def look_of(flow: Flow, part: Part) -> Hashable:
    """Equal for parts that look alike: instructions of one opcode and type, scopes that differ in numbers only."""
    return look(flow.instructions[part]) if isinstance(part, int) else re.sub(r"[\d_]+", "", part.title)


def structure(flow: Flow, members: Sequence[int]) -> Hashable:
    """Equal for sets of instructions that compute the same: opcodes, types and operands in order."""
    place = {member: index for index, member in enumerate(members)}
    return tuple(
        (look(flow.instructions[member]), tuple(place.get(operand, -1) for operand in flow.operands[member]))
        for member in members
    )
