"""Names of any snapshot as they are at both ends of a story. Goes through every step once, so that it is quick for all
the places of all the rewrites together."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from xlaviz.lineage.patterns import Pattern, Place
from xlaviz.lineage.record import StepRecord


def as_at_the_ends(records: Sequence[StepRecord]) -> Iterator[list[Pattern]]:
    """The patterns of each step, those of the left called as before the first step and those of the right as after
    the last. What was not there has no name."""
    firsts = list(_firsts(records))
    lasts = list(reversed(list(_lasts(records))))
    for record, first, last in zip(records, firsts, lasts, strict=True):
        yield [
            Pattern.of(one.form, [_place(place, first, last) for place in one.places], one.count)
            for one in record.patterns
        ]


_Known = dict[str, frozenset[str]]
"""Names that are others at the end; what is not in it is called so there too. A name that is gone does no harm in it:
it is overwritten should it be used again."""


def _place(place: Place, first: _Known, last: _Known) -> Place:
    return Place(tuple(sorted(_all(place.removed, first))), tuple(sorted(_all(place.added, last))))


def _all(names: Iterable[str], known: _Known) -> frozenset[str]:
    return frozenset(end for name in names for end in known.get(name, (name,)))


def _firsts(records: Sequence[StepRecord]) -> Iterator[_Known]:
    """For each step, the names of its left as in the first snapshot."""
    known: _Known = {}
    for record in records:
        yield known
        new = {name: _all(record.back(name), known) for name in record.diff.added | record.origins.keys()}
        known = known | new


def _lasts(records: Sequence[StepRecord]) -> Iterator[_Known]:
    """For each step, the last one first, the names of its right as in the last snapshot."""
    known: _Known = {}
    for record in reversed(records):
        yield known
        new = {name: _all(record.forth(name), known) for name in record.diff.removed | record.heirs.keys()}
        known = known | new
