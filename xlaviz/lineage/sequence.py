"""Lineage over a whole pass sequence, made step by step so that only two modules need be alive at once."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from xlaviz.hlo.model import HloModule
from xlaviz.lineage.step import StepLineage, match_views
from xlaviz.lineage.view import View


@dataclass(frozen=True)
class Lineage:
    """What the last snapshot's instructions stand for in the first one. Plain dicts: it pickles.

    Every instruction of the last snapshot is in `origins` or in `created_by`, never in both.
    """

    origins: Mapping[str, frozenset[str]] = field(default_factory=dict)
    """Last snapshot's instruction -> the first one's it stands for, never an empty set."""
    created_by: Mapping[str, str] = field(default_factory=dict)
    """Instructions without origin -> the pass that created them, or what they stand for."""
    descendants: Mapping[str, frozenset[str]] = field(default_factory=dict)
    """First snapshot's instruction -> the last one's that stand for it; what left nothing behind is not in it."""
    merged: Mapping[str, str] = field(default_factory=dict)
    """First snapshot's instruction that left nothing behind -> the one of its equals that XLA kept instead."""
    fusion_origins: Mapping[str, frozenset[str]] = field(default_factory=dict)
    """Fusion or call of the last snapshot -> the first one's instructions that ended inside it."""

    def where(self, first: str) -> frozenset[str]:
        """The last snapshot's instructions that compute this one's value: its own, or those of the equal it was
        merged with. Empty for what was simplified away."""
        seen = {first}
        while first not in self.descendants and first in self.merged and self.merged[first] not in seen:
            first = self.merged[first]
            seen.add(first)
        return self.descendants.get(first, frozenset())


class LineageBuilder:
    """Give it the snapshots in order; `lineage` is of those given so far."""

    def __init__(self) -> None:
        self._view: View | None = None
        self._composed = Composition()

    def add(self, module: HloModule, pass_name: str = "") -> StepLineage | None:
        """Add the next snapshot, made by `pass_name`. Returns the step to it, None for the first."""
        left, self._view = self._view, View(module)
        if left is None:
            self._composed.begin(self._view.instructions)
            return None
        step = match_views(left, self._view)
        self._composed.add(step, pass_name)
        return step

    @property
    def lineage(self) -> Lineage:
        return self._composed.lineage()


def compose(steps: Iterable[tuple[str, StepLineage]]) -> Lineage:
    """The lineage over steps that follow each other, each with the name of its pass."""
    composed = Composition()
    for pass_name, step in steps:
        composed.add(step, pass_name)
    return composed.lineage()


class Composition:
    """Puts steps behind each other. What stood in between is forgotten: only the first and the last snapshot remain."""

    def __init__(self) -> None:
        self._origins: dict[str, frozenset[str]] = {}
        self._begun = False
        self._created: dict[str, str] = {}
        self._fusions: dict[str, frozenset[str]] = {}
        self._merged: dict[str, str] = {}

    def begin(self, names: Iterable[str]) -> None:
        self._begun = True
        self._origins = {name: frozenset((name,)) for name in names}

    def add(self, step: StepLineage, pass_name: str) -> None:
        if not self._begun:
            self.begin({name for origins in step.origins.values() for name in origins} | step.merged.keys())
        origins: dict[str, frozenset[str]] = {}
        created: dict[str, str] = {}
        for name, parents in step.origins.items():
            first = self._first(parents)
            if first:
                origins[name] = first
            else:
                makers = sorted({self._created[parent] for parent in parents if parent in self._created})
                created[name] = makers[0] if makers else pass_name
        for gone, kept in step.merged.items():
            equals = self._origins.get(kept)
            if equals:
                for lost in self._origins.get(gone, frozenset()) - equals:
                    self._merged.setdefault(lost, min(equals))
        self._fusions = {name: self._first(members) for name, members in step.members.items()}
        self._origins, self._created = origins, created

    def _first(self, names: frozenset[str]) -> frozenset[str]:
        """What these instructions of the snapshot before stand for in the first one."""
        known = self._origins
        if len(names) == 1:
            return known.get(next(iter(names)), frozenset())
        return frozenset().union(*(known.get(name, ()) for name in names))

    def lineage(self) -> Lineage:
        descendants: dict[str, set[str]] = {}
        for name, firsts in self._origins.items():
            for first in firsts:
                descendants.setdefault(first, set()).add(name)
        return Lineage(
            origins=self._origins,
            created_by=self._created,
            descendants={name: frozenset(lasts) for name, lasts in descendants.items()},
            merged={first: equal for first, equal in self._merged.items() if first not in descendants},
            fusion_origins=self._fusions,
        )
