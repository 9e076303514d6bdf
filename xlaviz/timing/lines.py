"""The user's program with the time each of its lines took, in XLA's kernels and without XLA."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial

from xlaviz.dumps.tracebacks import Frame, Tracebacks
from xlaviz.hlo.model import HloInstruction, HloModule
from xlaviz.hlo.op_names import op_names
from xlaviz.profile.kernels import KernelTable
from xlaviz.profile.tf_ops import TfOps
from xlaviz.timing.attribution import Names, Shares

_ALIASES = (
    (re.compile(r"^.*/(?:body|cond)/_\d+/"), ""),  # a loop's op as it runs: `while/body/_12/while/MatMul`
    (re.compile(r"/unary_ops_composition$"), ""),  # names that TensorFlow's graph optimizer makes
    (re.compile(r"ArithmeticOptimizer/\w+?Rewrite_(Leaf_\d+_)?"), ""),
    (re.compile(r"(ConstantFolding|LayoutOptimizer)/|-folded$|-\d+-\w+$"), ""),
)
"""What is taken off a name that is no op of the traced graph to find the one it was made from."""

_MARK = "\x1f"  # no op's name has it
_LIBRARY = re.compile(r"(^|[/\\])(site-packages|dist-packages|tensorflow|framework)[/\\]")


@dataclass(frozen=True, slots=True)
class LineTime:
    """One line of the user's program. Times are microseconds of one run.

    `xla_us` is the time of XLA's kernels attributed to the ops that this line made: it is the innermost of the user's
    lines on their stack. `with_calls_us` adds those of the lines it calls. `no_xla_us` and `no_xla_with_calls_us` are
    the same for TensorFlow's own kernels, None where nothing of the line was recorded without XLA. `share` is `xla_us`
    over the time of a run. `kernels` names the kernels of the last snapshot behind it, the costliest first, `ops` the
    TensorFlow ops, and `before` the first snapshot's instructions. `folded` says which library's frames lie between
    this line and its ops. `kernels_us` are the parts of `xla_us` by kernel. `exact` is False
    where the end of one of them was inferred: the times are then upper bounds.
    """

    file: str
    line: int
    function: str
    xla_us: float
    with_calls_us: float
    no_xla_us: float | None
    no_xla_with_calls_us: float | None
    share: float
    kernels: tuple[str, ...]
    ops: tuple[str, ...]
    before: tuple[str, ...]
    folded: str = ""
    kernels_us: tuple[float, ...] = ()
    exact: bool = True


@dataclass(frozen=True, slots=True)
class SourceFile:
    """A file of the user's; `text` is None where it is not at hand."""

    path: str
    text: str | None


@dataclass(frozen=True, slots=True)
class LineTimes:
    """All lines with time, the costliest first, and the files they are in, the costliest first.

    `unattributed_us` is the time of kernels that lead to no line, those of `unattributed_kernels`;
    `unattributed_share` is that over the time of the kernels. `notes` are sentences for the user.
    """

    run_us: float
    lines: tuple[LineTime, ...]
    files: tuple[SourceFile, ...]
    unattributed_us: float
    unattributed_share: float
    unattributed_kernels: tuple[str, ...]
    no_xla_unattributed_us: float | None = None
    notes: tuple[str, ...] = ()


class Stacks:
    """From an op's name to the user's lines behind it: as a capture recorded them, else as the module's metadata tells.

    JAX and PyTorch write the user's own line there, for each instruction, and several of one op may have several lines:
    the names that `names_in` gives tell those apart. TensorFlow writes a line of its own, which says nothing.
    """

    def __init__(self, tracebacks: Tracebacks) -> None:
        self._tracebacks = tracebacks
        self._known: dict[str, tuple[Frame, ...]] = {}

    def names_in(self, module: HloModule) -> Names:
        """Gives the ops behind an instruction of the module, to be looked up here; `plain_name` takes off what tells
        lines apart."""
        return op_names if self._tracebacks.stacks else partial(self._names, module)

    def _names(self, module: HloModule, instruction: HloInstruction) -> tuple[str, ...]:
        names = op_names(instruction)
        frames = _own_frames(module, instruction)
        if not frames:
            return names
        mark = _MARK + ";".join(frame.place for frame in frames)
        self._known |= {f"{name}{mark}": frames for name in names}
        return tuple(f"{name}{mark}" for name in names)

    def __call__(self, name: str) -> tuple[Frame, ...]:
        """Innermost first; empty where nothing is known."""
        if name not in self._known:
            self._known[name] = self._recorded(name)
        return self._known[name]

    def _recorded(self, op_name: str) -> tuple[Frame, ...]:
        found = self._tracebacks.stack_of(op_name)
        for pattern, replacement in _ALIASES:
            if not found:
                op_name = pattern.sub(replacement, op_name)
                found = self._tracebacks.stack_of(op_name)
        return found

    def place_of(self, name: str) -> str:
        """`file:line` of the innermost line, "" where none is known."""
        stack = self(name)
        return stack[0].place if stack else ""


def plain_name(name: str) -> str:
    """The op's own name."""
    return name.partition(_MARK)[0]


def _own_frames(module: HloModule, instruction: HloInstruction) -> tuple[Frame, ...]:
    metadata = instruction.metadata
    named = (Frame(metadata.source_file, metadata.source_line, ""),)
    frames = _frames(module, metadata.stack_frame_id) or named
    return tuple(frame for frame in frames if frame.file and not _LIBRARY.search(frame.file))


def _frames(module: HloModule, number: int) -> tuple[Frame, ...]:
    frames = []
    seen = set()
    while 0 < number <= len(module.stack_frames) and number not in seen:
        seen.add(number)
        frame = module.stack_frames[number - 1]
        frames.append(Frame(frame.file, frame.line, frame.function))
        number = frame.parent
    return tuple(frames)


@dataclass(slots=True)
class _Sum:
    """What is added up for one line."""

    frame: Frame
    xla_us: float = 0.0
    with_calls_us: float = 0.0
    no_xla_us: float = 0.0
    no_xla_with_calls_us: float = 0.0
    share: float = 0.0
    exact: bool = True
    kernels: dict[str, float] = field(default_factory=lambda: defaultdict(float))
    ops: dict[str, None] = field(default_factory=dict)


def line_times(
    table: KernelTable,
    ops: Mapping[str, Shares],
    stacks: Stacks,
    *,
    before: HloModule | None = None,
    tf_ops: TfOps | None = None,
    sources: Mapping[str, str] | None = None,
) -> LineTimes:
    """The time of the table's kernels by line, given the ops in each: `attribution.op_shares` by the names of `stacks`.

    `before` is the first snapshot, whose instructions are listed by their lines; `tf_ops` what the same function ran
    without XLA; `sources` the texts that are at hand.
    """
    sums: dict[tuple[str, int], _Sum] = {}
    lost: dict[str, float] = defaultdict(float)
    for kernel in table.kernels:
        spent = 0.0
        for op, part in ops.get(kernel.name, {}).items():
            stack = stacks(op)
            time_us = kernel.self_per_run_us * part
            for each in _once(sums, stack):
                each.with_calls_us += time_us
                each.exact &= kernel.exact
            if stack:
                line = sums[stack[0].file, stack[0].line]
                line.xla_us += time_us
                line.share += kernel.share * part
                line.kernels[kernel.name] += time_us
                line.ops[plain_name(op)] = None
                spent += part
        if spent < 1 - 1e-9:
            lost[kernel.name] += kernel.self_per_run_us * (1 - spent)
    no_xla_lost = _add_tf_ops(sums, stacks, tf_ops) if tf_ops is not None else None
    instructions = _instructions_by_line(before, stacks, sums) if before is not None else {}
    lines = [_line(one, instructions.get(place, ()), has_no_xla=tf_ops is not None) for place, one in sums.items()]
    lines.sort(key=lambda line: (-line.xla_us, -(line.no_xla_us or 0.0), line.file, line.line))
    whole_us = sum(kernel.self_per_run_us for kernel in table.kernels)
    lost_us = sum(lost.values())
    return LineTimes(
        run_us=table.run_us,
        lines=tuple(lines),
        files=_files(lines, sources or {}),
        unattributed_us=lost_us,
        unattributed_share=lost_us / whole_us if whole_us else 0.0,
        unattributed_kernels=tuple(sorted(lost, key=lambda name: (-lost[name], name))),
        no_xla_unattributed_us=no_xla_lost,
        notes=() if sums else ("Nothing tells the lines behind these kernels: a capture by xlaviz records them.",),
    )


def _once(sums: dict[tuple[str, int], _Sum], stack: Iterable[Frame]) -> Iterator[_Sum]:
    """The sums of a stack's lines, each line once: a function may call itself."""
    seen = set()
    for frame in stack:
        place = frame.file, frame.line
        if place not in seen:
            seen.add(place)
            yield sums.setdefault(place, _Sum(frame))


def _add_tf_ops(sums: dict[tuple[str, int], _Sum], stacks: Stacks, tf_ops: TfOps) -> float:
    """Add what ran without XLA; returns the time that leads to no line."""
    lost_us = 0.0
    for op in tf_ops.ops:
        stack = stacks(op.name)
        for each in _once(sums, stack):
            each.no_xla_with_calls_us += op.per_run_us
        if stack:
            line = sums[stack[0].file, stack[0].line]
            line.no_xla_us += op.per_run_us
            line.ops[op.name] = None
        else:
            lost_us += op.per_run_us
    return lost_us


def _instructions_by_line(
    before: HloModule, stacks: Stacks, sums: Mapping[tuple[str, int], _Sum]
) -> dict[tuple[str, int], list[str]]:
    """The first snapshot's instructions that the innermost lines made."""
    found: dict[tuple[str, int], list[str]] = defaultdict(list)
    names = stacks.names_in(before)
    for computation in before.computations:
        for instruction in computation.instructions:
            stack = next(filter(None, map(stacks, names(instruction))), ())
            if stack and (stack[0].file, stack[0].line) in sums:
                found[stack[0].file, stack[0].line].append(instruction.name)
    return found


def _line(one: _Sum, before: Iterable[str], *, has_no_xla: bool) -> LineTime:
    kernels = sorted(one.kernels, key=lambda name: (-one.kernels[name], name))
    return LineTime(
        file=one.frame.file,
        line=one.frame.line,
        function=one.frame.function,
        xla_us=one.xla_us,
        with_calls_us=one.with_calls_us,
        no_xla_us=one.no_xla_us or None if has_no_xla else None,
        no_xla_with_calls_us=one.no_xla_with_calls_us or None if has_no_xla else None,
        share=one.share,
        kernels=tuple(kernels),
        ops=tuple(one.ops),
        before=tuple(before),
        folded=one.frame.folded,
        kernels_us=tuple(one.kernels[name] for name in kernels),
        exact=one.exact,
    )


def _files(lines: Iterable[LineTime], sources: Mapping[str, str]) -> tuple[SourceFile, ...]:
    spent: dict[str, float] = defaultdict(float)
    for line in lines:
        spent[line.file] += line.xla_us + (line.no_xla_us or 0.0)
    return tuple(SourceFile(path, sources.get(path)) for path in sorted(spent, key=lambda path: (-spent[path], path)))
