"""What the user sees of a module: boxes, open clusters and edges, with sizes and without places."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

from xlaviz.graph.families import Family

Kind = Literal["instruction", "closed", "open", "port"]
ClusterKind = Literal["scope", "block", "inputs", "outputs", "repeat"]


@dataclass(frozen=True, slots=True)
class DrawnNode:
    """One box. `instruction` is the name that selection, diff and lineage know it by.

    An instruction that calls computations is `closed` (one box) or `open` (a frame, the `parent` of what is inside);
    a `port` is a parameter of an open computation. `title` is bold, `tag` stands grey beside it, `lines` below.
    `hidden_operands` and `hidden_users` count the edges that are not drawn.

    A cluster that no instruction stands for (a scope, a block, inputs, outputs) is `closed` or `open` too: `cluster`
    says which kind it is, and `instruction` is its id, such as `scope:functional_1/dense`, which no instruction can be
    called. A `repeat` stands for several equal ones, its `members`: ids of clusters or names of instructions.
    """

    instruction: str
    kind: Kind
    family: Family
    title: str
    tag: str
    lines: tuple[str, ...]
    width_px: float
    height_px: float
    parent: int = -1
    hidden_operands: int = 0
    hidden_users: int = 0
    cluster: ClusterKind | None = None
    members: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class DrawnEdge:
    """From operand to user. `operand` is its place among the user's operands, -1 for a control dependency."""

    source: int
    target: int
    operand: int
    label: str = ""


@dataclass(frozen=True)
class DrawnGraph:
    """Nodes with every frame before what it holds. `held` maps each instruction of the drawn computations that is
    within a closed cluster to the box that stands for it."""

    nodes: tuple[DrawnNode, ...]
    edges: tuple[DrawnEdge, ...]
    computation: str
    instruction_count: int
    notes: tuple[str, ...] = field(default=())
    held: Mapping[str, int] = field(default_factory=dict, compare=False, repr=False)

    @cached_property
    def nodes_of(self) -> dict[str, tuple[int, ...]]:
        """Instruction name -> the boxes that stand for it (a computation called twice and opened twice has two)."""
        found: dict[str, list[int]] = {}
        for index, node in enumerate(self.nodes):
            found.setdefault(node.instruction, []).append(index)
        return {name: tuple(indices) for name, indices in found.items()}

    def boxes_of(self, instruction: str) -> tuple[int, ...]:
        """The boxes that stand for an instruction, or the closed cluster that holds it; none where neither is drawn."""
        own = self.nodes_of.get(instruction, ())
        return own or ((self.held[instruction],) if instruction in self.held else ())

    @property
    def box_count(self) -> int:
        """Boxes a layout has to place, frames and ports left out."""
        return sum(1 for node in self.nodes if node.kind in ("instruction", "closed"))
