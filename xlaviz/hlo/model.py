"""HLO as XLA wrote it: modules, computations, instructions. Plain frozen data, made by the readers.

Instruction names are unique in a module and computation names too (the readers rename as XLA does), so a name is
all that is needed to point at one. Operands, called computations and control predecessors are names.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, fields
from functools import cached_property

from xlaviz.hlo.shapes import Shape


class LazyAttributes(Mapping[str, str]):
    """An instruction's attributes as XLA prints them (`dimensions` -> `{0,1}`), read when first asked for.

    Holds what makes the operation what it is and nothing else: no operands, called computations, control
    predecessors, metadata or literal, which have fields of their own.
    """

    __slots__ = ("_load", "_values")

    def __init__(self, load: Callable[[], dict[str, str]]) -> None:
        self._load: Callable[[], dict[str, str]] | None = load
        self._values: dict[str, str] = {}

    @classmethod
    def of(cls, values: dict[str, str]) -> LazyAttributes:
        """Attributes that are read already; `values` must not change after."""
        attributes = cls(dict)
        attributes._load, attributes._values = None, values
        return attributes

    def _read(self) -> dict[str, str]:
        if self._load is not None:
            self._values = self._load()
            self._load = None
        return self._values

    def __getitem__(self, key: str) -> str:
        return self._read()[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._read())

    def __len__(self) -> int:
        return len(self._read())

    def __repr__(self) -> str:
        return repr(self._read())

    def __reduce__(self) -> tuple[object, ...]:
        return (LazyAttributes.of, (self._read(),))


class LazyText:
    """A text that is made when first asked for."""

    __slots__ = ("_make", "_text")

    def __init__(self, make: Callable[[], str]) -> None:
        self._make: Callable[[], str] | None = make
        self._text = ""

    @classmethod
    def of(cls, text: str) -> LazyText:
        """A text that is there already."""
        lazy = cls(str)
        lazy._make, lazy._text = None, text
        return lazy

    def __call__(self) -> str:
        if self._make is not None:
            self._text = self._make()
            self._make = None
        return self._text

    def __reduce__(self) -> tuple[object, ...]:
        return (LazyText.of, (self(),))


NO_ATTRIBUTES = LazyAttributes.of({})


@dataclass(frozen=True, slots=True)
class Metadata:
    """Where an instruction came from. `others` holds the rarer fields as (name, text) in XLA's order."""

    op_type: str = ""
    op_name: str = ""
    source_file: str = ""
    source_line: int = 0
    stack_frame_id: int = 0
    others: tuple[tuple[str, str], ...] = ()


NO_METADATA = Metadata()


@dataclass(frozen=True, slots=True)
class StackFrame:
    """One row of a module's stack frame table: a place in a source file, and the caller's frame (0 for none)."""

    file: str
    function: str = ""
    line: int = 0
    end_line: int = 0
    column: int = 0
    end_column: int = 0
    parent: int = 0


@dataclass(frozen=True, slots=True)
class HloInstruction:
    """One instruction. `called_computations` come in XLA's order: a while's are its body, then its condition.

    `literal` is a constant's value as text (large ones elided to `{...}`), empty for every other opcode.
    """

    name: str
    opcode: str
    shape: Shape
    operands: tuple[str, ...] = ()
    called_computations: tuple[str, ...] = ()
    control_predecessors: tuple[str, ...] = ()
    parameter_number: int | None = None
    metadata: Metadata = NO_METADATA
    attributes: Mapping[str, str] = field(default_factory=dict)
    read_literal: Callable[[], str] | None = field(default=None, compare=False, repr=False)

    @property
    def literal(self) -> str:
        return self.read_literal() if self.read_literal is not None else ""


@dataclass(frozen=True)
class HloComputation:
    """Instructions in schedule order where the module is scheduled, else operands before users."""

    name: str
    instructions: tuple[HloInstruction, ...]
    root: str
    execution_thread: str = "main"

    def __getstate__(self) -> dict[str, object]:
        """The fields without the look-up tables, which are quickly made again."""
        return {each.name: getattr(self, each.name) for each in fields(self)}

    @cached_property
    def by_name(self) -> dict[str, HloInstruction]:
        return {instruction.name: instruction for instruction in self.instructions}

    @cached_property
    def users(self) -> dict[str, tuple[str, ...]]:
        """Name -> names of the instructions that use it, each once, in order."""
        found: dict[str, dict[str, None]] = {i.name: {} for i in self.instructions}
        for instruction in self.instructions:
            for operand in instruction.operands:
                found.setdefault(operand, {})[instruction.name] = None
        return {name: tuple(users) for name, users in found.items()}

    @cached_property
    def parameters(self) -> dict[int, HloInstruction]:
        return {i.parameter_number: i for i in self.instructions if i.parameter_number is not None}

    @property
    def root_instruction(self) -> HloInstruction:
        return self.by_name[self.root]


@dataclass(frozen=True)
class HloModule:
    """A module as it stood at one point. `notes` are the reader's own sentences about what it had to mend."""

    name: str
    computations: tuple[HloComputation, ...]
    entry: str
    id: int | None = None
    is_scheduled: bool = False
    attributes: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = field(default=(), compare=False)
    stack_frames: tuple[StackFrame, ...] = ()
    """Frame N of `Metadata.stack_frame_id` is `stack_frames[N - 1]`."""

    def __getstate__(self) -> dict[str, object]:
        """The fields without the look-up tables, which are quickly made again."""
        return {each.name: getattr(self, each.name) for each in fields(self)}

    @cached_property
    def by_name(self) -> dict[str, HloComputation]:
        return {computation.name: computation for computation in self.computations}

    @property
    def entry_computation(self) -> HloComputation:
        return self.by_name[self.entry]

    @cached_property
    def computation_of(self) -> dict[str, HloComputation]:
        """Instruction name -> the computation it stands in."""
        return {i.name: c for c in self.computations for i in c.instructions}

    @cached_property
    def callers(self) -> dict[str, tuple[HloInstruction, ...]]:
        """Computation name -> the instructions that call it."""
        found: dict[str, list[HloInstruction]] = {}
        for computation in self.computations:
            for instruction in computation.instructions:
                for called in instruction.called_computations:
                    found.setdefault(called, []).append(instruction)
        return {name: tuple(callers) for name, callers in found.items()}

    @property
    def instruction_count(self) -> int:
        return sum(len(computation.instructions) for computation in self.computations)

    def instruction(self, name: str) -> HloInstruction | None:
        computation = self.computation_of.get(name)
        return computation.by_name[name] if computation is not None else None
