"""What the parser hands to the linker: the text's own structure, with names not yet resolved."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from xlaviz.hlo.model import NO_ATTRIBUTES, NO_METADATA, Metadata, StackFrame
from xlaviz.hlo.shapes import Shape


@dataclass(slots=True)
class DraftOperand:
    """An operand that is more than a name: `%t#0#1` has a path; in a lone instruction the shape matters.

    Without a name it is a bare shape, or `null` in place of a deleted operand.
    """

    name: str
    path: tuple[int, ...] = ()
    shape: Shape | None = None


@dataclass(slots=True)
class DraftInstruction:
    """`name` is empty where the text gives none. An operand can be an instruction written in place."""

    name: str
    opcode: str
    shape: Shape | None
    operands: Sequence[str | DraftOperand | DraftInstruction]
    position: int
    is_root: bool = False
    called: tuple[str | DraftComputation, ...] = ()
    control_predecessors: tuple[str, ...] = ()
    parameter_number: int | None = None
    metadata: Metadata = NO_METADATA
    attributes: Mapping[str, str] = field(default_factory=lambda: NO_ATTRIBUTES)
    read_literal: Callable[[], str] | None = None


@dataclass(slots=True)
class DraftComputation:
    """`position` is where it starts in the text; `is_bare` marks instructions that stood in no computation."""

    name: str
    position: int
    instructions: list[DraftInstruction] = field(default_factory=list)
    is_entry: bool = False
    is_bare: bool = False
    execution_thread: str = "main"


@dataclass(slots=True)
class DraftModule:
    name: str
    computations: list[DraftComputation] = field(default_factory=list)
    attributes: dict[str, str] = field(default_factory=dict)
    stack_frames: tuple[StackFrame, ...] = ()
    notes: list[str] = field(default_factory=list)
    is_truncated: bool = False
