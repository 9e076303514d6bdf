"""What the user sees of a module: boxes, open clusters and edges, with sizes and without places."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

from xlaviz.graph.families import Family

Kind = Literal["instruction", "closed", "open", "port"]


@dataclass(frozen=True, slots=True)
class DrawnNode:
    """One box. `instruction` is the name that selection, diff and lineage know it by.

    An instruction that calls computations is `closed` (one box) or `open` (a frame, the `parent` of what is inside);
    a `port` is a parameter of an open computation. `title` is bold, `tag` stands grey beside it, `lines` below.
    `hidden_operands` and `hidden_users` count the edges that are not drawn.
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


@dataclass(frozen=True, slots=True)
class DrawnEdge:
    """From operand to user. `operand` is its place among the user's operands, -1 for a control dependency."""

    source: int
    target: int
    operand: int
    label: str = ""


@dataclass(frozen=True)
class DrawnGraph:
    """Nodes with every frame before what it holds."""

    nodes: tuple[DrawnNode, ...]
    edges: tuple[DrawnEdge, ...]
    computation: str
    instruction_count: int
    notes: tuple[str, ...] = field(default=())

    @cached_property
    def nodes_of(self) -> dict[str, tuple[int, ...]]:
        """Instruction name -> the boxes that stand for it (a computation called twice and opened twice has two)."""
        found: dict[str, list[int]] = {}
        for index, node in enumerate(self.nodes):
            found.setdefault(node.instruction, []).append(index)
        return {name: tuple(indices) for name, indices in found.items()}

    @property
    def box_count(self) -> int:
        """Boxes a layout has to place, frames and ports left out."""
        return sum(1 for node in self.nodes if node.kind in ("instruction", "closed"))
