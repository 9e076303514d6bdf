"""The life of one instruction along the pass sequence, as chapters."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from xlaviz.lineage.record import StepRecord

ChapterKind = Literal[
    "given",
    "created",
    "cloned",
    "rewritten",
    "derived",
    "copied",
    "duplicated",
    "fused",
    "merged",
    "moved",
    "changed",
    "removed",
]
"""`derived`: something new stands for it too, while it stays: the window that a reduction was split into. `merged`: on
the left into another, or others into it."""


@dataclass(frozen=True, slots=True)
class Chapter:
    """What a pass did to an instruction in the step to snapshot `index`. `before` are its names in the snapshot before,
    `after` those in this one; `what` says more: the pattern of the rewrite, the parts that changed, the fusion."""

    index: int
    pass_name: str
    kind: ChapterKind
    before: tuple[str, ...]
    after: tuple[str, ...]
    what: str = ""


def tell(records: Sequence[StepRecord], index: int, name: str) -> tuple[Chapter, ...]:
    """The chapters of an instruction of snapshot `index`, in the order of the passes."""
    return (*reversed(list(_backward(records, index, name))), *_forward(records, index, name))


def _backward(records: Sequence[StepRecord], index: int, name: str) -> Iterator[Chapter]:
    names: tuple[str, ...] = (name,)
    for place in range(index, 0, -1):
        record = records[place - 1]
        formed = [one for one in names if one in record.wrapped and one in record.diff.added]
        origins = tuple(dict.fromkeys(o for one in names if one not in formed for o in record.back(one)))
        chapters = list(_chapters(record, place, origins, names))
        yield from reversed(chapters)
        # A fusion's life begins when it is formed: what is inside it has a life of its own.
        names = origins
        if not names:
            return
    yield Chapter(0, "", "given", (), names)


def _forward(records: Sequence[StepRecord], index: int, name: str) -> Iterator[Chapter]:
    names: tuple[str, ...] = (name,)
    for place in range(index + 1, len(records) + 1):
        record = records[place - 1]
        heirs = tuple(dict.fromkeys(heir for one in names for heir in record.forth(one)))
        yield from _chapters(record, place, names, heirs)
        # While one is there itself, what was copied or derived from it is told of and has a story of its own from then.
        names = tuple(dict.fromkeys(heir for one in names for heir in record.same(one) or record.forth(one)))
        if not names:
            return


def _chapters(record: StepRecord, index: int, before: tuple[str, ...], after: tuple[str, ...]) -> Iterator[Chapter]:
    """What happened in one step, of each kind one chapter for all the names it happened to alike."""
    told: dict[tuple[ChapterKind, str], tuple[dict[str, None], dict[str, None]]] = {}
    events = (*_births(record, after), *_ends(record, before), *_changes(record, before, after))
    for kind, what, lefts, rights in events:
        one, other = told.setdefault((kind, what), ({}, {}))
        one.update(dict.fromkeys(lefts))
        other.update(dict.fromkeys(rights))
    for (kind, what), (gone, new) in told.items():
        yield Chapter(index, record.pass_name, kind, tuple(gone), tuple(new), what)


_Event = tuple[ChapterKind, str, tuple[str, ...], tuple[str, ...]]


def _births(record: StepRecord, after: tuple[str, ...]) -> Iterator[_Event]:
    """Where names come from that were not there before."""
    for name in after:
        origins = record.origins.get(name, ())
        if not origins and name not in record.diff.added:
            continue
        if name in record.wrapped:
            yield "created", f"of {len(record.wrapped[name])} instructions", record.wrapped[name], (name,)
        elif not origins:
            yield "created", record.pattern_of(right=name), (), (name,)
        elif name in record.entered:
            continue  # It has a chapter as fused.
        elif record.how.get(name) == "structure":
            yield "cloned", "", origins, (name,)
        elif record.how.get(name) == "copy":
            yield "copied", "", origins, (name,)
        elif record.how.get(name) == "name" and len(origins) > 1:
            yield "merged", "it stands for them too", tuple(one for one in origins if one != name), (name,)
        else:
            kind: ChapterKind = "derived" if any(map(record.is_kept, origins)) else "rewritten"
            yield kind, record.pattern_of(left=origins[0] if kind == "rewritten" else "", right=name), origins, (name,)


def _ends(record: StepRecord, before: tuple[str, ...]) -> Iterator[_Event]:
    """Names that are no more."""
    for name in before:
        heirs = record.forth(name)
        if name in record.merged and not record.is_kept(name) and name not in record.heirs:
            yield "merged", f"with its equal {record.merged[name]}", (name,), heirs
        elif name in record.unwrapped and heirs:
            yield "rewritten", record.pattern_of(left=name) or f"now inside {heirs[0]}", (name,), heirs
        elif not heirs:
            yield "removed", record.pattern_of(left=name), (name,), ()


def _changes(record: StepRecord, before: tuple[str, ...], after: tuple[str, ...]) -> Iterator[_Event]:
    """What happened to those that live on."""
    for name in after:
        if name in record.entered:
            yield "fused", f"into {record.entered[name]}", record.back(name), (name,)
        elif name in record.diff.moved:
            yield "moved", "to another computation", (name,), (name,)
        if name in record.diff.changes and record.is_kept(name):
            yield "changed", ", ".join(record.diff.changes[name]), (name,), (name,)
        elif name in record.relaid:
            yield "changed", "layout", record.back(name), (name,)
        if name in record.swallowed and name in before:
            equals = record.swallowed[name]
            yield "merged", f"{len(equals)} equal{'s' * (len(equals) > 1)} into it", equals, (name,)
    for name in before:
        same = record.same(name)
        if len(same) > 1:
            yield "duplicated", f"in {len(same)} places", (name,), same
