"""Two snapshots' HLO text as one diff: what changed, with some lines round it. Runs in the worker process."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from xlaviz.dumps.sequence import PassSequence
from xlaviz.hlo.model import NO_METADATA, HloComputation, HloInstruction, HloModule
from xlaviz.hlo.printer import computation_text, instruction_text
from xlaviz.lineage.diff import StepDiff, diff_step
from xlaviz.session.documents import Report, opened_at

Sign = Literal[" ", "-", "+", "…"]
CONTEXT = 3
MAX_LINES = 3000
MAX_LINE_CHARS = 1000
"""A tuple of all weights has a line longer than some modules."""


@dataclass(frozen=True, slots=True)
class TextLine:
    """`sign`: on both sides, on the left alone, on the right alone, or left out. `name` is the instruction's, "" where
    the line is none."""

    sign: Sign
    text: str
    name: str = ""


@dataclass(frozen=True, slots=True)
class TextDiff:
    """`before` and `after` are how many lines there would be above and below: only so many are made."""

    lines: tuple[TextLine, ...]
    before: int = 0
    after: int = 0


@dataclass(frozen=True, slots=True)
class TextOptions:
    """`focus` are instructions to be within what is shown. Without `folded`, what did not change is there too."""

    metadata: bool = False
    folded: bool = True
    focus: frozenset[str] = frozenset()


@dataclass(slots=True)
class _Row:
    """A line that is not made yet: an instruction, or a computation's first or last line."""

    sign: Sign
    module: HloModule
    computation: HloComputation
    instruction: HloInstruction | None = None
    is_end: bool = False
    skipped: int = 0


def text_diff(
    report: Report, path: Path, sequence: PassSequence, left_index: int, right_index: int, options: TextOptions
) -> TextDiff:
    """The diff of two snapshots; of one alone, its text."""
    opened = opened_at(path)
    report(0.2, "comparing text")
    right = opened.module(sequence.snapshots[right_index])
    if left_index == right_index:
        rows = [row for computation in right.computations for row in _all(" ", right, computation)]
    else:
        left = opened.module(sequence.snapshots[left_index])
        rows = list(_rows(left, right, diff_step(left, right)))
        if options.folded:
            rows = list(_folded(rows, options.focus))
    return _lines(rows, options)


def _lines(rows: Sequence[_Row], options: TextOptions) -> TextDiff:
    """The lines of a stretch that has the focus in it."""
    in_focus = (
        n for n, row in enumerate(rows) if row.instruction is not None and row.instruction.name in options.focus
    )
    middle = next(in_focus, 0)
    start = min(max(middle - MAX_LINES // 2, 0), max(len(rows) - MAX_LINES, 0))
    chosen = rows[start : start + MAX_LINES]
    lines = tuple(_line(row, metadata=options.metadata) for row in chosen)
    return TextDiff(lines, start, len(rows) - start - len(chosen))


def _line(row: _Row, *, metadata: bool) -> TextLine:
    if row.sign == "…":
        return TextLine("…", f"{row.skipped} line{'s' * (row.skipped > 1)} without a change")
    instruction, computation = row.instruction, row.computation
    if instruction is None:
        text = "}" if row.is_end else next(iter(computation_text(row.module, computation))).rstrip("\n")
        return TextLine(row.sign, _cut(text))
    if not metadata and instruction.metadata != NO_METADATA:
        instruction = replace(instruction, metadata=NO_METADATA)
    root = "ROOT " if instruction.name == computation.root else ""
    text = f"  {root}{instruction_text(row.module, computation, instruction)}"
    return TextLine(row.sign, _cut(text), instruction.name)


def _cut(text: str) -> str:
    return text if len(text) <= MAX_LINE_CHARS else f"{text[:MAX_LINE_CHARS]} … {len(text) - MAX_LINE_CHARS} more"


def _rows(left: HloModule, right: HloModule, diff: StepDiff) -> Iterator[_Row]:
    """Every line of both, in the order of the right. Where a line stands means nothing in HLO, so one that is only
    elsewhere is no change; what is gone stands behind what it stood behind."""
    partners = _partners(left, right)
    gone: dict[str, list[HloComputation]] = {}
    last = ""
    partnered = {one.name for one in partners.values()}
    for computation in left.computations:
        if computation.name in partnered:
            last = computation.name
        else:
            gone.setdefault(last, []).append(computation)
    for lost in gone.get("", ()):
        yield from _all("-", left, lost)
    for computation in right.computations:
        partner = partners.get(computation.name)
        if partner is None:
            yield from _all("+", right, computation)
            continue
        yield from _both(left, partner, right, computation, diff)
        for lost in gone.get(partner.name, ()):
            yield from _all("-", left, lost)


def _partners(left: HloModule, right: HloModule) -> dict[str, HloComputation]:
    """Right computation -> the left one that it is: of the same name, or that which its root stood in."""
    found = {c.name: left.by_name[c.name] for c in right.computations if c.name in left.by_name}
    taken = {one.name for one in found.values()}
    for computation in right.computations:
        origin = left.computation_of.get(computation.root) if computation.name not in found else None
        if origin is not None and origin.name not in taken and origin.root == computation.root:
            found[computation.name] = origin
            taken.add(origin.name)
    return found


def _all(sign: Sign, module: HloModule, computation: HloComputation) -> Iterator[_Row]:
    yield _Row(sign, module, computation)
    for instruction in computation.instructions:
        yield _Row(sign, module, computation, instruction)
    yield _Row(sign, module, computation, is_end=True)


def _both(
    left: HloModule, before: HloComputation, right: HloModule, after: HloComputation, diff: StepDiff
) -> Iterator[_Row]:
    yield _Row(" ", right, after)
    gone: dict[str, list[HloInstruction]] = {}
    last = ""
    for instruction in before.instructions:
        if instruction.name in after.by_name:
            last = instruction.name
        else:
            gone.setdefault(last, []).append(instruction)
    for lost in gone.get("", ()):
        yield _Row("-", left, before, lost)
    for instruction in after.instructions:
        name = instruction.name
        if name not in before.by_name:
            yield _Row("+", right, after, instruction)
            continue
        if name in diff.changed:
            yield _Row("-", left, before, before.by_name[name])
            yield _Row("+", right, after, instruction)
        else:
            yield _Row(" ", right, after, instruction)
        for lost in gone.get(name, ()):
            yield _Row("-", left, before, lost)
    yield _Row(" ", right, after, is_end=True)


def _folded(rows: Sequence[_Row], focus: frozenset[str]) -> Iterator[_Row]:
    """What changed and what is in focus, each with the lines round it and the computation's first one."""
    kept = bytearray(len(rows))
    head = 0
    for place, row in enumerate(rows):
        if row.instruction is None and not row.is_end:
            head = place
        if row.sign != " " or (row.instruction is not None and row.instruction.name in focus):
            kept[head] = 1
            low, high = max(place - CONTEXT, head), place + CONTEXT + 1
            kept[low:high] = b"\1" * len(kept[low:high])
    skipped = 0
    for row, is_kept in zip(rows, kept, strict=True):
        if not is_kept:
            skipped += 1
            continue
        if skipped:
            yield _Row("…", row.module, row.computation, skipped=skipped)
            skipped = 0
        yield row
    if skipped:
        yield _Row("…", rows[-1].module, rows[-1].computation, skipped=skipped)
