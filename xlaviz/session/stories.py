"""The story of a pass sequence in the worker: told a stretch at a time, so that questions are answered in between.

What the passes did to every instruction is worked out once and kept; the window gets counts, the composed lineage when
all is told, and answers.
"""

from __future__ import annotations

import time
from collections import Counter, OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from xlaviz.base.errors import XlavizError
from xlaviz.dumps.sequence import PassSequence
from xlaviz.graph.families import Family, family_of
from xlaviz.hlo.model import HloModule
from xlaviz.lineage.biography import Chapter
from xlaviz.lineage.first_change import first_change
from xlaviz.lineage.patterns import Pattern
from xlaviz.lineage.record import StepRecord
from xlaviz.lineage.sequence import Lineage, LineageBuilder
from xlaviz.lineage.story import Story, StoryBuilder
from xlaviz.session.documents import Report, opened_at

STRETCH_S = 0.5
"""A question asked while the story is told waits about this long."""
PLACES_LISTED = 200
STORIES_KEPT = 3


@dataclass(frozen=True, slots=True)
class SnapshotSummary:
    """Counts of one snapshot, and against the one before it. `families` are its instructions by opcode family."""

    index: int
    computations: int
    instructions: int
    added: int = 0
    removed: int = 0
    changed: int = 0
    moved: int = 0
    rewrites: int = 0
    families: Mapping[Family, int] = field(default_factory=dict)

    @property
    def changes(self) -> int:
        """How much the pass did, 0 where it left everything as it was."""
        return self.added + self.removed + self.changed + self.moved


@dataclass(frozen=True, slots=True)
class StoryPart:
    """The summaries of one stretch, and after the last snapshot the lineage over all of them."""

    summaries: tuple[SnapshotSummary, ...]
    lineage: Lineage | None = None


@dataclass(frozen=True, slots=True)
class Rewrites:
    """A row of the table of rewrites: `count` places, of which `places` are the first, as (removed, added)."""

    text: str
    count: int
    places: tuple[tuple[tuple[str, ...], tuple[str, ...]], ...]


@dataclass(frozen=True, slots=True)
class Followed:
    """What an instruction is in the two snapshots that are shown."""

    left: frozenset[str]
    right: frozenset[str]


@dataclass(slots=True)
class _Telling:
    """A story that is being told. The builder goes when all is told, and the module it holds with it."""

    stamp: int
    builder: StoryBuilder | None = field(default_factory=StoryBuilder)
    summaries: list[SnapshotSummary] = field(default_factory=list)
    story: Story | None = None

    def so_far(self) -> Story:
        if self.story is None:
            self.story = self.builder.story if self.builder is not None else Story()
        return self.story


_tellings: OrderedDict[tuple[Path, PassSequence], _Telling] = OrderedDict()


def _telling(path: Path, sequence: PassSequence) -> _Telling:
    """The story of this sequence as far as it is told; begun anew where the file has changed since."""
    stamp = opened_at(path).stamp
    key = path, sequence
    known = _tellings.pop(key, None)
    _tellings[key] = known if known is not None and known.stamp == stamp else _Telling(stamp)
    while len(_tellings) > STORIES_KEPT:
        _tellings.popitem(last=False)
    return _tellings[key]


def story(report: Report, path: Path, sequence: PassSequence, told: int) -> StoryPart:
    """The next stretch of the story for someone who has heard of the first `told` snapshots."""
    telling = _telling(path, sequence)
    count, started = len(sequence.snapshots), time.monotonic()
    while len(telling.summaries) < count:
        if len(telling.summaries) > told and time.monotonic() - started >= STRETCH_S:
            break
        try:
            _tell_next(report, path, sequence, telling)
        except XlavizError:
            if len(telling.summaries) > told:
                break  # first what is known: the one who asks for more is told what is wrong
            raise
    new = tuple(telling.summaries[told:])
    if len(telling.summaries) < count:
        return StoryPart(new)
    whole = telling.so_far()
    telling.builder = None
    return StoryPart(new, whole.lineage())


def _tell_next(report: Report, path: Path, sequence: PassSequence, telling: _Telling) -> None:
    snapshot = sequence.snapshots[len(telling.summaries)]
    report(snapshot.index / len(sequence.snapshots), f"following instructions through {snapshot.label}")
    assert telling.builder is not None
    module = opened_at(path).document.read_module(snapshot)
    telling.story = None
    record = telling.builder.add(module, snapshot.pass_name or snapshot.label)
    telling.summaries.append(_summary(snapshot.index, module, record))


def _story_told(report: Report, path: Path, sequence: PassSequence, told: int) -> Story:
    """The story as far as it is told, which is at least as far as the asker has heard: told again where this process
    took the place of one that died."""
    telling = _telling(path, sequence)
    while len(telling.summaries) < told:
        _tell_next(report, path, sequence, telling)
    return telling.so_far()


def lineage(report: Report, path: Path, sequence: PassSequence) -> Lineage:
    """Origins of the last snapshot's instructions in the first, for those who want nothing else of the story."""
    document = opened_at(path).document
    builder = LineageBuilder()
    for snapshot in sequence.snapshots:
        report(snapshot.index / len(sequence.snapshots), f"following instructions through {snapshot.label}")
        builder.add(document.read_module(snapshot), snapshot.pass_name or snapshot.label)
    return builder.lineage


def _summary(index: int, module: HloModule, record: StepRecord | None) -> SnapshotSummary:
    families = Counter(
        family_of(instruction.opcode) for computation in module.computations for instruction in computation.instructions
    )
    counts = len(module.computations), module.instruction_count
    if record is None:
        return SnapshotSummary(index, *counts, families=dict(families))
    diff = record.diff
    changes = len(diff.added), len(diff.removed), len(diff.changed), len(diff.moved)
    return SnapshotSummary(index, *counts, *changes, record.rewrites, dict(families))


# Questions. `told` is how many snapshots the asker has heard of, the ones asked about among them.


def follow(
    report: Report,
    path: Path,
    sequence: PassSequence,
    told: int,
    index: int,
    name: str,
    left_index: int,
    right_index: int,
) -> Followed:
    """What an instruction of snapshot `index` is in two others."""
    known = _story_told(report, path, sequence, told)
    return Followed(*(known.follow(index, (name,), other) for other in (left_index, right_index)))


def biography(
    report: Report, path: Path, sequence: PassSequence, told: int, index: int, name: str
) -> tuple[Chapter, ...]:
    """All that happened to an instruction of snapshot `index`, as far as the story is told."""
    return _story_told(report, path, sequence, told).biography(index, name)


def rewrites(
    report: Report, path: Path, sequence: PassSequence, told: int, left_index: int, right_index: int
) -> tuple[Rewrites, ...]:
    """The rewrites between two snapshots, most frequent first."""
    if left_index >= right_index:
        return ()
    return tuple(map(_rewrites, _story_told(report, path, sequence, told).patterns(left_index, right_index)))


def _rewrites(pattern: Pattern) -> Rewrites:
    places = tuple((place.removed, place.added) for place in pattern.places[:PLACES_LISTED])
    return Rewrites(pattern.text, pattern.count, places)


def first_change_after(
    report: Report, path: Path, sequence: PassSequence, told: int, question: str, start: int
) -> int | None:
    """The first snapshot after `start` at which what is asked for becomes true, None where it never does."""
    return first_change(_story_told(report, path, sequence, told), question, start)
