"""The whole pass sequence as a story that can be followed in both directions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from xlaviz.hlo.model import HloModule
from xlaviz.lineage.biography import Chapter, tell
from xlaviz.lineage.ends import as_at_the_ends
from xlaviz.lineage.patterns import Pattern, put_together
from xlaviz.lineage.record import StepRecord
from xlaviz.lineage.recording import Names, opcode_counts, record_step
from xlaviz.lineage.sequence import Composition, Lineage
from xlaviz.lineage.view import View


@dataclass(frozen=True)
class Story:
    """`records[i]` is the step from snapshot i to snapshot i + 1. It pickles."""

    first: frozenset[str] = frozenset()
    """The instructions of the first snapshot."""
    first_opcodes: Mapping[str, int] | None = None
    records: tuple[StepRecord, ...] = ()
    composed: Lineage | None = None

    @property
    def last_index(self) -> int:
        return len(self.records)

    def step_to(self, index: int) -> StepRecord:
        """The step that made snapshot `index`."""
        return self.records[index - 1]

    def opcodes(self, index: int) -> Mapping[str, int]:
        """How many instructions of each opcode a snapshot has."""
        return self.step_to(index).opcodes if index else self.first_opcodes or {}

    def snapshots_with(self, name: str) -> tuple[int, ...]:
        """The snapshots that have an instruction of this name."""
        found = [name in self.first]
        for record in self.records:
            found.append((found[-1] and name not in record.diff.removed) or name in record.diff.added)
        return tuple(index for index, has in enumerate(found) if has)

    def follow(self, index: int, names: Iterable[str], to_index: int) -> frozenset[str]:
        """What stands in snapshot `to_index` for these instructions of snapshot `index`, or they for it.

        By lineage, not by name: of one that was fused into several, all; of a fusion, going back, what is inside.
        """
        found = frozenset(names)
        for record in self.records[index:to_index]:
            found = frozenset(heir for name in found for heir in record.forth(name))
        for record in reversed(self.records[to_index:index]):
            found = frozenset(origin for name in found for origin in record.back(name))
        return found

    def patterns(self, left: int, right: int) -> tuple[Pattern, ...]:
        """What the passes between two snapshots did, all together, with the names of these two.

        What came and went in between has no names in either, and counts all the same.
        """
        if right == left + 1:
            return self.step_to(right).patterns
        return put_together(as_at_the_ends(self.records[left:right]))

    def biography(self, index: int, name: str) -> tuple[Chapter, ...]:
        """All that happened to an instruction of snapshot `index`, from its beginning to its end."""
        return tell(self.records, index, name)

    def lineage(self) -> Lineage:
        """Origins of the last snapshot's instructions in the first one."""
        return self.composed or Lineage()


class StoryBuilder:
    """Give it the snapshots in order, two of which it keeps; `story` is of those given so far."""

    def __init__(self) -> None:
        self._own = Names()
        self._view: View | None = None
        self._first: frozenset[str] = frozenset()
        self._first_opcodes: Mapping[str, int] = {}
        self._records: list[StepRecord] = []
        self._composed = Composition()

    def add(self, module: HloModule, pass_name: str = "") -> StepRecord | None:
        """Add the next snapshot, made by `pass_name`. Returns the step to it, None for the first."""
        left, self._view = self._view, View(module)
        if left is None:
            self._first = self._own.set(self._view.instructions)
            self._first_opcodes = opcode_counts(self._view, self._own)
            self._composed.begin(self._first)
            return None
        record, step = record_step(left, self._view, pass_name, self._own)
        self._composed.add(step, pass_name)
        self._records.append(record)
        return record

    @property
    def story(self) -> Story:
        return Story(self._first, self._first_opcodes, tuple(self._records), self._composed.lineage())
