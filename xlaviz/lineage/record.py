"""What is kept of one step: only what changed, so that a whole pass sequence fits in memory and pickles quickly."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, fields
from functools import cached_property

from xlaviz.lineage.diff import StepDiff
from xlaviz.lineage.matches import How
from xlaviz.lineage.patterns import Pattern


@dataclass(frozen=True)
class StepRecord:
    """The step to one snapshot from the one before. What is in none of these was kept as it was.

    `origins` and `how` have those of the right that are not simply kept under their name; what the step added and
    `origins` lacks, it created. `merged` has the left's that went: the equal one that was kept. `entered` has the
    right's that now stand in a fusion or call they were not in: that fusion or call. `wrapped` has each fusion or call
    that was formed: what of the left is inside it. `unwrapped` has those of the left that went: what of the right
    stands for them. `relaid` are renamed instructions with another layout.
    """

    pass_name: str
    diff: StepDiff
    origins: Mapping[str, tuple[str, ...]]
    how: Mapping[str, How]
    merged: Mapping[str, str]
    entered: Mapping[str, str]
    wrapped: Mapping[str, tuple[str, ...]]
    unwrapped: Mapping[str, tuple[str, ...]]
    relaid: frozenset[str]
    patterns: tuple[Pattern, ...]
    opcodes: Mapping[str, int]
    """How many instructions of each opcode the right snapshot has."""

    def __getstate__(self) -> dict[str, object]:
        """The fields without the look-up tables, which are quickly made again."""
        return {each.name: getattr(self, each.name) for each in fields(self)}

    @property
    def rewrites(self) -> int:
        """Number of places where something was done."""
        return sum(pattern.count for pattern in self.patterns)

    def back(self, name: str) -> tuple[str, ...]:
        """What an instruction of the right stands for in the left; for a new fusion, what is inside it."""
        if name in self.origins:
            return self.origins[name]
        if name in self.diff.added:
            return self.wrapped.get(name, ())
        return (name,)

    def forth(self, name: str) -> tuple[str, ...]:
        """What stands for an instruction of the left in the right. For one that was merged, its equal: that stands for
        itself alone, so the way back does not lead here."""
        heirs = self.heirs.get(name, ())
        if self.is_kept(name):
            return (name, *(heir for heir in heirs if heir != name))
        if heirs:
            return heirs
        return (self.merged[name],) if name in self.merged else self.unwrapped.get(name, ())

    def same(self, name: str) -> tuple[str, ...]:
        """The very same instruction in the right, under whatever names: not what it was rewritten to or merged with."""
        heirs = tuple(heir for heir in self.heirs.get(name, ()) if self.how.get(heir) in ("name", "structure"))
        return (name, *(heir for heir in heirs if heir != name)) if self.is_kept(name) else heirs

    def is_kept(self, name: str) -> bool:
        """Whether this name means the same in the left and in the right."""
        return name not in self.diff.removed and (name not in self.origins or self.how.get(name) == "name")

    @cached_property
    def heirs(self) -> Mapping[str, tuple[str, ...]]:
        """The other way round of `origins`: left -> right."""
        return _inverse((name, origin) for name, origins in self.origins.items() for origin in origins)

    @cached_property
    def swallowed(self) -> Mapping[str, tuple[str, ...]]:
        """Kept instruction -> those that were merged with it."""
        return _inverse(self.merged.items())

    @cached_property
    def _pattern_of(self) -> tuple[Mapping[str, str], Mapping[str, str]]:
        """The text of the pattern that each name of the left, and of the right, is a place of: the first one, which for
        what was removed and added is its rewrite."""
        removed: dict[str, str] = {}
        added: dict[str, str] = {}
        for pattern in self.patterns:
            for place in pattern.places:
                for name in place.removed:
                    removed.setdefault(name, pattern.text)
                for name in place.added:
                    added.setdefault(name, pattern.text)
        return removed, added

    def pattern_of(self, *, left: str = "", right: str = "") -> str:
        removed, added = self._pattern_of
        return removed.get(left, "") or added.get(right, "")


def _inverse(pairs: Iterable[tuple[str, str]] | Iterator[tuple[str, str]]) -> dict[str, tuple[str, ...]]:
    found: dict[str, list[str]] = {}
    for key, value in pairs:
        found.setdefault(value, []).append(key)
    return {value: tuple(keys) for value, keys in found.items()}
