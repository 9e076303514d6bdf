"""Fusions and calls over one step: which were formed, took more in, or went. They compute nothing themselves, so
origins say nothing of them; what stands inside them does."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from xlaviz.lineage.diff import StepDiff
from xlaviz.lineage.step import StepLineage
from xlaviz.lineage.view import INLINE, View


@dataclass(frozen=True)
class Wrapping:
    """`formed`: fusion or call new on the right -> the left's instructions inside it. `grown`: kept one -> those of the
    left that it took in. `gone`: the left's that went -> what stood inside. `renamed`: gone one -> the new one with the
    very same inside; those are not in `formed`."""

    formed: Mapping[str, frozenset[str]]
    grown: Mapping[str, frozenset[str]]
    gone: Mapping[str, frozenset[str]]
    renamed: Mapping[str, str]

    def heirs(self, gone: str) -> tuple[str, ...]:
        """The new fusions or calls that hold all of what stood inside one that went."""
        if gone in self.renamed:
            return (self.renamed[gone],)
        inside = self.gone[gone]
        holding = self._formed_of.get(min(inside), ()) if inside else ()
        return tuple(new for new in holding if inside <= self.formed[new])

    @cached_property
    def _formed_of(self) -> Mapping[str, list[str]]:
        """Instruction of the left -> the new fusions and calls it is inside of, by name."""
        found: dict[str, list[str]] = {}
        for new, members in sorted(self.formed.items()):
            for member in members:
                found.setdefault(member, []).append(new)
        return found


def wrapping(left: View, right: View, step: StepLineage, diff: StepDiff) -> Wrapping:
    gone = {name: inside(left, name) for name in diff.removed if left.instructions[name].opcode in INLINE}
    by_inside = {members: name for name, members in sorted(gone.items()) if members}
    formed, grown, renamed = {}, {}, {}
    for name, members in sorted(step.members.items()):
        if name in diff.added:
            if members in by_inside:
                renamed[by_inside[members]] = name
            else:
                formed[name] = members
        elif name in diff.changes and name in left.instructions and left.instructions[name].opcode in INLINE:
            taken = members - inside(left, name)
            if taken:
                grown[name] = taken
    return Wrapping(formed, grown, gone, renamed)


def inside(view: View, wrapper: str) -> frozenset[str]:
    """What computes something inside a fusion or call, those inside it opened."""
    found: set[str] = set()
    seen: set[str] = set()
    waiting = list(view.instructions[wrapper].called_computations)
    while waiting:
        computation = waiting.pop()
        if computation in seen or computation not in view.module.by_name:
            continue
        seen.add(computation)
        for instruction in view.module.by_name[computation].instructions:
            if instruction.opcode in INLINE:
                waiting.extend(instruction.called_computations)
            elif not view.is_plumbing(instruction):
                found.add(instruction.name)
    return frozenset(found)


def wrapper_of(view: View, name: str) -> str | None:
    """The fusion or call an instruction stands in, the first of those that share its computation."""
    callers = view.inline_callers.get(view.home[name])
    return callers[0].name if callers else None


def newly_inside(
    left: View, right: View, step: StepLineage, diff: StepDiff, found: Wrapping
) -> Iterator[tuple[str, str]]:
    """Instructions of the right and the fusion or call they stand in, where what they stand for was not in there."""
    for name in diff.added | diff.moved:
        now = wrapper_of(right, name)
        if now is None or right.is_plumbing(right.instructions[name]):
            continue
        before = {wrapper_of(left, origin) for origin in step.origins[name]}
        if before and now not in {found.renamed.get(one, one) if one else None for one in before}:
            yield name, now
