"""Makes the record of a step from two snapshots."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from xlaviz.lineage.diff import StepDiff, diff_step
from xlaviz.lineage.patterns import Pattern, Place, find_patterns
from xlaviz.lineage.record import StepRecord
from xlaviz.lineage.step import StepLineage, match_views
from xlaviz.lineage.view import View
from xlaviz.lineage.wrapping import Wrapping, newly_inside, wrapping


class Names:
    """Each name once: every reader makes strings of its own, and a name stands in fifty snapshots."""

    def __init__(self) -> None:
        self._known: dict[str, str] = {}

    def __call__(self, name: str) -> str:
        return self._known.setdefault(name, name)

    def set(self, names: Iterable[str]) -> frozenset[str]:
        return frozenset(map(self, names))

    def tuple(self, names: Iterable[str]) -> tuple[str, ...]:
        return tuple(map(self, names))


def record_step(left: View, right: View, pass_name: str, own: Names) -> tuple[StepRecord, StepLineage]:
    """The record, and the lineage of the step it was made from."""
    step, diff = match_views(left, right), diff_step(left.module, right.module)
    wrapped = wrapping(left, right, step, diff)
    origins = {own(name): own.tuple(sorted(step.origins[name])) for name in _not_simply_kept(step)}
    record = StepRecord(
        pass_name=pass_name,
        diff=_owned(diff, own),
        origins=origins,
        how={name: step.how[name] for name in origins},
        merged={own(gone): own(kept) for gone, kept in step.merged.items()},
        entered={own(name): own(wrapper) for name, wrapper in newly_inside(left, right, step, diff, wrapped)},
        wrapped={own(name): own.tuple(sorted(members)) for name, members in wrapped.formed.items()},
        unwrapped={own(name): own.tuple(found) for name, found in _unwrapped(step, wrapped)},
        relaid=own.set(_relaid(left, right, step, origins)),
        patterns=tuple(_owned_pattern(pattern, own) for pattern in find_patterns(left, right, step, diff)),
        opcodes=opcode_counts(right, own),
    )
    return record, step


def opcode_counts(view: View, own: Names) -> Mapping[str, int]:
    return Counter(own(instruction.opcode) for instruction in view.instructions.values())


def _not_simply_kept(step: StepLineage) -> Iterator[str]:
    for name, origins in step.origins.items():
        if origins and (step.how[name] != "name" or len(origins) > 1):
            yield name


def _unwrapped(step: StepLineage, found: Wrapping) -> Iterator[tuple[str, tuple[str, ...]]]:
    """What stands for each fusion or call that went: the new ones it went into, else what was inside it."""
    inside = set().union(*found.gone.values())
    heirs: dict[str, list[str]] = {}
    for name, origins in step.origins.items() if inside else ():
        for origin in origins & inside:
            heirs.setdefault(origin, []).append(name)
    for gone, members in found.gone.items():
        opened = {heir for member in members for heir in heirs.get(member, ())}
        yield gone, found.heirs(gone) or tuple(sorted(opened))


def _relaid(left: View, right: View, step: StepLineage, names: Iterable[str]) -> Iterator[str]:
    for name in names:
        if step.how[name] == "structure" and len(step.origins[name]) == 1:
            one, other = left.instructions[min(step.origins[name])].shape, right.instructions[name].shape
            if one != other and one.text(layout=False) == other.text(layout=False):
                yield name


def _owned(diff: StepDiff, own: Names) -> StepDiff:
    return replace(
        diff,
        added=own.set(diff.added),
        removed=own.set(diff.removed),
        changed=own.set(diff.changed),
        moved=own.set(diff.moved),
        changes={own(name): own.tuple(parts) for name, parts in diff.changes.items()},
    )


def _owned_pattern(pattern: Pattern, own: Names) -> Pattern:
    places = tuple(Place(own.tuple(place.removed), own.tuple(place.added)) for place in pattern.places)
    return replace(pattern, places=places)
