"""`passes`, `diff`, `history` and `origins`: what each pass did, and what became of an instruction."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from xlaviz.base.errors import XlavizError
from xlaviz.cli.tables import snapshot_index
from xlaviz.dumps.document import Document
from xlaviz.dumps.sequence import PassSequence, Snapshot
from xlaviz.hlo.model import HloInstruction, HloModule
from xlaviz.lineage.biography import Chapter
from xlaviz.lineage.diff import diff_step
from xlaviz.lineage.patterns import Pattern
from xlaviz.lineage.record import StepRecord
from xlaviz.lineage.sequence import Lineage
from xlaviz.lineage.story import Story, StoryBuilder
from xlaviz.session import documents

_MOST_SHOWN = 20  # Names of a kind that people are shown; --json has all.


@contextmanager
def _opened(path: Path, module: str | None) -> Iterator[tuple[Document, PassSequence]]:
    path = path.absolute()
    try:
        sequence = documents.open_info(documents.silent, path).sequence(module)
        yield documents.opened_at(path).document, sequence
    finally:
        documents.close_all()


def _read(
    document: Document, sequence: PassSequence
) -> Iterator[tuple[Snapshot, HloModule, StepRecord | None, StoryBuilder]]:
    """Every snapshot with the step to it, and the builder that knows all of those so far."""
    builder = StoryBuilder()
    for snapshot in sequence.snapshots:
        module = document.read_module(snapshot)
        yield snapshot, module, builder.add(module, snapshot.pass_name or snapshot.label), builder


def passes(path: Path, module: str | None, *, as_json: bool) -> int:
    """List every snapshot with what the pass before it did."""
    with _opened(path, module) as (document, sequence):
        rows = [
            _pass_row(snapshot, read.instruction_count, record)
            for snapshot, read, record, _ in _read(document, sequence)
        ]
    if as_json:
        print(json.dumps({"passes": rows}, indent=1))
        return 0
    keys = ("instructions", "added", "removed", "changed", "moved", "rewrites")
    print("".join(key.rjust(14 if key == "instructions" else 10) for key in keys) + "  pass")
    for row in rows:
        counts = (f"{row[key] or '·':>{14 if key == 'instructions' else 10}}" for key in keys)
        where = f"  ({row['pipeline']})" if row["pass_name"] else ""
        print(f"{''.join(counts)}  {row['index']} {row['label']}{where}")
    return 0


def _pass_row(snapshot: Snapshot, instructions: int, record: StepRecord | None) -> dict[str, Any]:
    diff = record.diff if record else None
    return {
        "index": snapshot.index,
        "label": snapshot.label,
        "pipeline": snapshot.pipeline,
        "pass_name": snapshot.pass_name,
        "instructions": instructions,
        "added": len(diff.added) if diff else 0,
        "removed": len(diff.removed) if diff else 0,
        "changed": len(diff.changed) if diff else 0,
        "moved": len(diff.moved) if diff else 0,
        "rewrites": record.rewrites if record else 0,
    }


def diff(path: Path, module: str | None, left: str, right: str, *, as_json: bool) -> int:
    """Compare two snapshots of a module. Where others lie between them, their rewrites are those of all the passes."""
    with _opened(path, module) as (document, sequence):
        ends = [snapshot_index(sequence, one) for one in (left, right)]
        before, after = (document.read_module(sequence.snapshots[index]) for index in ends)
        patterns = _patterns_between(document, sequence, *ends)
    found = diff_step(before, after)
    labels = [f"{index} {sequence.snapshots[index].label}" for index in ends]
    kinds = {"added": found.added, "removed": found.removed, "changed": found.changed, "moved": found.moved}
    if as_json:
        rewrites = {"rewrites": [_pattern(pattern) for pattern in patterns]}
        print(json.dumps({kind: sorted(names) for kind, names in kinds.items()} | rewrites, indent=1))
        return 0
    print(f"from {labels[0]} to {labels[1]}")
    if found.is_empty and not patterns:
        print("no difference")
        return 0
    _print_patterns(patterns)
    for kind, names in kinds.items():
        _print_names(kind, sorted(names), before if kind == "removed" else after, found.changes)
    return 0


def _patterns_between(document: Document, sequence: PassSequence, left: int, right: int) -> tuple[Pattern, ...]:
    builder = StoryBuilder()
    steps = range(left, right + 1) if left <= right else (left, right)  # Backwards no pass did anything: one step.
    for index in steps:
        builder.add(document.read_module(sequence.snapshots[index]))
    return builder.story.patterns(0, len(steps) - 1)


def _print_patterns(patterns: Sequence[Pattern]) -> None:
    print(f"rewrites ({len(patterns)} kinds, {sum(pattern.count for pattern in patterns)} places)")
    for pattern in patterns:
        print(f"  {pattern.count:>6}  {pattern.text}")


def _pattern(pattern: Pattern) -> dict[str, Any]:
    places = [{"removed": place.removed, "added": place.added} for place in pattern.places]
    return {"pattern": pattern.text, "count": pattern.count, "places": places}


def _print_names(kind: str, names: Sequence[str], module: HloModule, changes: Mapping[str, Sequence[str]]) -> None:
    if names:
        print(f"{kind} ({len(names)})")
    for name in names[:_MOST_SHOWN]:
        what = f"  ({', '.join(changes[name])})" if kind == "changed" else ""
        print(f"  {_line(module.computation_of[name].by_name[name])}{what}")
    if len(names) > _MOST_SHOWN:
        print(f"  … and {len(names) - _MOST_SHOWN} more; --json has all")


def _line(instruction: HloInstruction) -> str:
    """An instruction as HLO text has it, without attributes and metadata; shortened in the middle, as large tuples are
    what makes it long."""
    inside = instruction.literal if instruction.opcode == "constant" else ", ".join(instruction.operands)
    shape, inside = (f"{text[:60]}…" if len(text) > 61 else text for text in (instruction.shape.text(), inside))
    return f"{instruction.name} = {shape} {instruction.opcode}({inside})"


def history(path: Path, module: str | None, instruction: str, *, as_json: bool) -> int:
    """Tell what became of an instruction, found in the last snapshot that has one of this name."""
    name = instruction.removeprefix("%")
    with _opened(path, module) as (document, sequence):
        for *_, builder in _read(document, sequence):
            story = builder
    chapters = _chapters(story.story, name, sequence)
    labels = [snapshot.label for snapshot in sequence.snapshots]
    if as_json:
        print(json.dumps({"instruction": name, "chapters": [_chapter(one, labels) for one in chapters]}, indent=1))
        return 0
    for chapter in chapters:
        print(f"{chapter.index:>4} {labels[chapter.index]}: {_sentence(chapter)}")
    return 0


def _chapters(story: Story, name: str, sequence: PassSequence) -> tuple[Chapter, ...]:
    there = story.snapshots_with(name)
    if not there:
        raise XlavizError(
            f"No snapshot of {sequence.name} has an instruction '{name}'.",
            hint="xlaviz print writes the instructions of a snapshot.",
        )
    return story.biography(there[-1], name)


def _chapter(chapter: Chapter, labels: Sequence[str]) -> dict[str, Any]:
    return {
        "index": chapter.index,
        "label": labels[chapter.index],
        "pass_name": chapter.pass_name or None,
        "kind": chapter.kind,
        "before": chapter.before,
        "after": chapter.after,
        "what": chapter.what,
    }


def _sentence(chapter: Chapter) -> str:
    names = _names(chapter.after)
    if chapter.kind == "given":
        return f"{names} as given"
    if chapter.before and chapter.before != chapter.after:
        names = f"{_names(chapter.before)} -> {names}" if chapter.after else _names(chapter.before)
    return f"{chapter.kind} {names}" + (f" ({chapter.what})" if chapter.what else "")


def _names(names: Sequence[str]) -> str:
    more = f" and {len(names) - 4} more" if len(names) > 5 else ""
    return ", ".join(names[:4] if more else names) + more


def origins(path: Path, module: str | None, *, as_json: bool) -> int:
    """List what every instruction of the last snapshot stands for in the first one."""
    with _opened(path, module) as (document, sequence):
        for _, last, _, builder in _read(document, sequence):
            read, story = last, builder
    rows = list(_origin_rows(read, story.story.lineage()))
    if as_json:
        print(json.dumps({"instructions": rows}, indent=1))
        return 0
    width = max(len(row["name"]) for row in rows)
    for row in rows:
        made = f"created by {row['created_by']}" if row["created_by"] else ""
        text = ", from ".join(word for word in (made, _names(row["origins"])) if word)
        print(f"{row['name'].ljust(width)}  {row['opcode'].ljust(20)}  {text}")
    return 0


def _origin_rows(module: HloModule, lineage: Lineage) -> Iterator[dict[str, Any]]:
    """A fusion or call has both: the pass that formed it, and what ended inside it."""
    none: frozenset[str] = frozenset()
    for computation in module.computations:
        for instruction in computation.instructions:
            name = instruction.name
            found = lineage.origins.get(name) or lineage.fusion_origins.get(name, none)
            yield {
                "name": name,
                "opcode": instruction.opcode,
                "op_name": instruction.metadata.op_name,
                "origins": sorted(found),
                "created_by": lineage.created_by.get(name),
            }
