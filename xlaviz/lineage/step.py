"""One step of the pass sequence: what each instruction of the right snapshot stands for in the left one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from xlaviz.hlo.model import HloModule
from xlaviz.lineage.fingerprints import match_fingerprints
from xlaviz.lineage.matches import How, Matches
from xlaviz.lineage.names import match_names
from xlaviz.lineage.rewrites import Rewrite, Rewriting
from xlaviz.lineage.structure import Descent
from xlaviz.lineage.view import INLINE, View

_MOST_ROUNDS = 3  # Up and down again: each round starts from what the last one found.


@dataclass(frozen=True)
class StepLineage:
    """Origins over one step.

    `origins` has every instruction of the right; an empty set means that the step created it. `how` has those with
    origins. `members` has each fusion and call of the right: what the instructions inside it stand for.
    `merged` has removed instructions of the left: the kept one that computes the very same. Those are no origins: the
    one zero that CSE leaves would stand for hundreds. `rewrites` are the regions of what was removed and added.
    """

    origins: Mapping[str, frozenset[str]]
    how: Mapping[str, How]
    members: Mapping[str, frozenset[str]]
    merged: Mapping[str, str]
    rewrites: tuple[Rewrite, ...]


def match_step(left: HloModule, right: HloModule) -> StepLineage:
    """Find the origins of right's instructions in left. Fusions, calls and the parameters of what they wrap compute
    nothing themselves: they are matched by name alone."""
    return match_views(View(left), View(right))


def match_views(left: View, right: View) -> StepLineage:
    """`match_step`, for a caller who goes through a sequence and keeps the views."""
    matches = Matches(left, right)
    match_names(matches)
    descent = Descent(matches)
    descent.from_anchors()
    descent.follow_callers()
    for _ in range(_MOST_ROUNDS):
        found = match_fingerprints(matches)
        if not found:
            break
        descent.follow(found)
    rewriting = Rewriting(matches, descent.places)
    rewriting.match()
    none: frozenset[str] = frozenset()
    origins = {
        name: frozenset(matches.origins[name]) if name in matches.origins else none for name in right.instructions
    }
    return StepLineage(origins, matches.how, _members(right, origins), matches.merged, rewriting.regions())


def _members(view: View, origins: Mapping[str, frozenset[str]]) -> dict[str, frozenset[str]]:
    """For each fusion and call, the origins of everything inside it, inner fusions included."""
    inside: dict[str, frozenset[str]] = {}

    def of(name: str) -> frozenset[str]:
        if name not in inside:
            inside[name] = frozenset()  # A damaged module may call itself.
            found: set[str] = set()
            for instruction in view.module.by_name[name].instructions:
                if instruction.opcode in INLINE:
                    found.update(*map(of, instruction.called_computations))
                elif not view.is_plumbing(instruction):
                    found |= origins[instruction.name]
            inside[name] = frozenset(found)
        return inside[name]

    return {
        instruction.name: frozenset().union(*map(of, instruction.called_computations))
        for instruction in view.instructions.values()
        if instruction.opcode in INLINE
    }
