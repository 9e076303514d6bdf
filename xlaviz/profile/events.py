"""What every adapter makes of a profile: one table of op events, and the executions of a program they fall into."""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple, TypeVar, overload

import numpy as np
import numpy.typing as npt

NO_RUN = -1
PS_PER_US = 1e6

Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]


class Op(NamedTuple):
    """An instruction of a program that left events."""

    program_id: int
    hlo_op: str
    hlo_module: str


@dataclass(frozen=True, slots=True)
class OpEvent:
    """One execution of one HLO instruction. Times are absolute picoseconds.

    `run` is the index of its window in `Profile.runs`, or None outside every window. `exact` is False where the
    event marks only the hand-over to other threads and `end_ps` was inferred (an upper bound). `is_busy` is False for
    what only goes on beside the ops, as a copy under way does on a TPU: it is no kernel. `symbol` is the kernel's own
    name where the device tells it.
    """

    program_id: int
    hlo_op: str
    hlo_module: str
    start_ps: int
    end_ps: int
    lane: str
    run: int | None
    exact: bool
    device: str = "CPU"
    symbol: str = ""
    is_busy: bool = True


@dataclass(frozen=True)
class OpEvents(Sequence[OpEvent]):
    """All op events of a profile as columns of one length, in order of start. A million of them take 40 MB.

    `op`, `lane`, `device` and `symbol` number the tables of their plural; `run` is NO_RUN outside every window.
    """

    ops: tuple[Op, ...]
    lanes: tuple[str, ...]
    devices: tuple[str, ...]
    symbols: tuple[str, ...]
    op: Ints
    lane: Ints
    device: Ints
    symbol: Ints
    start_ps: Ints
    end_ps: Ints
    run: Ints
    exact: Bools
    is_busy: Bools

    def __len__(self) -> int:
        return len(self.op)

    @overload
    def __getitem__(self, index: int) -> OpEvent: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[OpEvent, ...]: ...
    def __getitem__(self, index: int | slice) -> OpEvent | tuple[OpEvent, ...]:
        if isinstance(index, slice):
            return tuple(self[each] for each in range(*index.indices(len(self))))
        run = int(self.run[index])
        op = self.ops[self.op[index]]
        return OpEvent(
            program_id=op.program_id,
            hlo_op=op.hlo_op,
            hlo_module=op.hlo_module,
            start_ps=int(self.start_ps[index]),
            end_ps=int(self.end_ps[index]),
            lane=self.lanes[self.lane[index]],
            run=None if run == NO_RUN else run,
            exact=bool(self.exact[index]),
            device=self.devices[self.device[index]],
            symbol=self.symbols[self.symbol[index]],
            is_busy=bool(self.is_busy[index]),
        )

    def __iter__(self) -> Iterator[OpEvent]:
        return (self[index] for index in range(len(self)))

    def of_program(self, program_id: int) -> Bools:
        """Which events are the program's."""
        return np.array([op.program_id == program_id for op in self.ops], np.bool_)[self.op]

    def where(self, mask: Bools) -> OpEvents:
        """These events alone."""
        columns = ("op", "lane", "device", "symbol", "start_ps", "end_ps", "run", "exact", "is_busy")
        return replace(self, **{name: getattr(self, name)[mask] for name in columns})


Key = TypeVar("Key")


class Numbering(dict[Key, int]):
    """Gives every new key the next number."""

    def __missing__(self, key: Key) -> int:
        number = self[key] = len(self)
        return number


@dataclass(slots=True)
class EventColumns:
    """Op events as an adapter finds them, still growing. Rows are in any order."""

    ops: Numbering[Op] = field(default_factory=Numbering)
    lanes: Numbering[str] = field(default_factory=Numbering)
    devices: Numbering[str] = field(default_factory=Numbering)
    symbols: Numbering[str] = field(default_factory=Numbering)
    op: array[int] = field(default_factory=lambda: array("q"))
    lane: array[int] = field(default_factory=lambda: array("q"))
    device: array[int] = field(default_factory=lambda: array("q"))
    symbol: array[int] = field(default_factory=lambda: array("q"))
    start_ps: array[int] = field(default_factory=lambda: array("q"))
    end_ps: array[int] = field(default_factory=lambda: array("q"))
    is_busy: array[int] = field(default_factory=lambda: array("b"))

    def __len__(self) -> int:
        return len(self.op)

    def add(
        self, op: Op, start_ps: int, end_ps: int, *, lane: str, device: str, symbol: str = "", is_busy: bool = True
    ) -> None:
        self.op.append(self.ops[op])
        self.lane.append(self.lanes[lane])
        self.device.append(self.devices[device])
        self.symbol.append(self.symbols[symbol])
        self.start_ps.append(start_ps)
        self.end_ps.append(end_ps)
        self.is_busy.append(is_busy)

    def finished(self, run: Ints, *, end_ps: Ints | None = None, exact: Bools | None = None) -> OpEvents:
        """The table, sorted; `run` and what replaces `end_ps` and `exact` are by row. Exact where nothing is said."""
        start_ps = integers(self.start_ps)
        order = np.argsort(start_ps, kind="stable")
        return OpEvents(
            ops=tuple(self.ops),
            lanes=tuple(self.lanes),
            devices=tuple(self.devices),
            symbols=tuple(self.symbols),
            op=integers(self.op)[order],
            lane=integers(self.lane)[order],
            device=integers(self.device)[order],
            symbol=integers(self.symbol)[order],
            start_ps=start_ps[order],
            end_ps=(integers(self.end_ps) if end_ps is None else end_ps)[order],
            run=run[order],
            exact=(np.ones(len(self), np.bool_) if exact is None else exact)[order],
            is_busy=np.array(self.is_busy, np.bool_)[order],
        )


def integers(column: array[int]) -> Ints:
    """A column's numbers; those of 64 bits are not copied."""
    return np.frombuffer(column, np.int64) if len(column) else np.zeros(0, np.int64)


@dataclass(frozen=True, slots=True)
class RunWindow:
    """One execution of one program, from the call to the moment its outputs were ready, in picoseconds."""

    program_id: int
    start_ps: int
    end_ps: int
    device: str = "CPU"
