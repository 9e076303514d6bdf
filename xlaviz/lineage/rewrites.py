"""What took the place of what: origins for instructions that are new because a pass rewrote something.

Removed and added instructions of one step form small connected regions; within one, an added instruction gets the
removed ones whose operand slot it took, then those with its op_name, then those of its nearest added neighbour.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from xlaviz.hlo.model import HloInstruction
from xlaviz.lineage.matches import How, Matches
from xlaviz.lineage.structure import COPIES, same_type
from xlaviz.lineage.view import Place, View

_HANDING_ON = COPIES | {"bitcast", "get-tuple-element", "tuple", "opt-barrier"}
_MOST_ORIGINS = 8  # An instruction that would stand for more by guesswork says nothing.


@dataclass(frozen=True)
class Rewrite:
    """A region of removed instructions and the added ones that took their place. Without `added` it was simplified
    away; without `removed` something was put in."""

    removed: frozenset[str]
    added: frozenset[str]


class Rewriting:
    """Gives origins to what names and structure left unmatched in one step."""

    def __init__(self, matches: Matches, places: Mapping[str, set[str]]) -> None:
        self._matches, self._places = matches, places
        self._left, self._right = matches.left, matches.right
        self._added = dict.fromkeys(matches.unmatched())
        self._removed = dict.fromkeys(matches.unclaimed())

    def match(self) -> None:
        """Fill in origins, the surest way first."""
        self._by_place()
        self._by_handing_on()
        self._by_op_name()
        self._by_users()
        self._by_operands()
        self._by_callers()

    def _by_place(self) -> None:
        for name in self._added:
            taken = self._places.get(name, set())
            # Of several places it took, those count that nothing else stands for.
            origins = {left for left in taken if left in self._removed} or taken
            if origins:
                self._matches.add(name, origins, "rewrite")

    def _by_handing_on(self) -> None:
        """A copy stands for what it copies, an element or a tuple for what it holds."""
        for name in self._added:
            instruction = self._right.instructions[name]
            if name not in self._matches.how and instruction.opcode in _HANDING_ON:
                element = self._right.source(Place(name)).name
                held = [element] if element != name else self._right.sources(name)
                self._inherit(name, held, "copy")

    def _by_op_name(self) -> None:
        """XLA gives what it makes the metadata of what it replaces, and a kept instruction that of what it swallows."""
        buckets: dict[tuple[str, ...], set[str]] = {}
        for name in self._removed:
            instruction = self._left.instructions[name]
            for op_name in op_names(instruction):
                buckets.setdefault((op_name,), set()).add(name)
                buckets.setdefault((op_name, instruction.opcode), set()).add(name)
        for name in (*self._added, *self._renamed_ops()):
            instruction = self._right.instructions[name]
            wanted = op_names(instruction)
            known = self._matches.origins.get(name, ())
            if not wanted or any(wanted & op_names(self._left.instructions[left]) for left in known):
                continue
            tiers = [set(self._beside(name)), set(self._nearby(name))]
            tiers = [{left for left in tier if wanted & op_names(self._left.instructions[left])} for tier in tiers]
            nearest = [tier & self._removed.keys() for tier in tiers]
            anywhere = [
                buckets.get((op_name, *key), set()) for key in ((instruction.opcode,), ()) for op_name in sorted(wanted)
            ]
            chosen = self._closest(instruction, [*nearest, *anywhere, *tiers])
            if chosen:
                self._matches.add(name, chosen, "rewrite")

    def _closest(self, instruction: HloInstruction, tiers: Iterable[set[str]]) -> set[str]:
        """The first of these sets that is small enough to say something; of it, what has the same type if any has."""
        for tier in tiers:
            alike = {left for left in tier if same_type(self._left.instructions[left].shape, instruction.shape)}
            if 0 < len(alike or tier) <= _MOST_ORIGINS:
                return alike or tier
        return set()

    def _renamed_ops(self) -> Iterator[str]:
        """Kept instructions that XLA gave another op_name."""
        for name, how in self._matches.how.items():
            if how == "name":
                one, other = self._right.instructions[name].metadata, self._left.instructions[name].metadata
                if one.op_name != other.op_name:
                    yield name

    def _beside(self, name: str) -> Iterator[str]:
        """Instructions of the left next to this one, or that those next to it stand for."""
        if self._matches.kept(name):
            yield from _neighbours(self._left, name)
        else:
            for neighbour in _neighbours(self._right, name):
                yield from self._matches.origins.get(neighbour, ())

    def _nearby(self, name: str) -> Iterator[str]:
        """The same for its neighbours on the right in any case, and the operands of what they stand for."""
        for neighbour in _neighbours(self._right, name):
            for origin in self._matches.origins.get(neighbour, ()):
                yield origin
                yield from self._left.sources(origin)

    def _by_users(self) -> None:
        """What is still without is there for its users: the inside of an expansion, work split off a kept reduce."""
        for name in reversed(self._added):
            if name not in self._matches.how and self._right.instructions[name].opcode != "parameter":
                users = self._right.users.get(name, ())
                # A user that is new itself says more than a kept one that is merely fed; a tuple that was there
                # before does no work that something could be part of.
                fed = [user for user in users if self._right.instructions[user].opcode not in _HANDING_ON]
                self._inherit(name, [user for user in users if not self._matches.kept(user)] or fed)

    def _by_operands(self) -> None:
        """Last, what follows something that took a place."""
        for name in self._added:
            if name not in self._matches.how:
                operands = self._right.sources(name)
                self._inherit(name, [one for one in operands if self._matches.how.get(one) == "rewrite"])

    def _by_callers(self) -> None:
        """The inside of a new loop is there for the loop. Callers are listed after what they call."""
        for name in reversed(self._added):
            if name not in self._matches.how:
                callers = self._right.module.callers.get(self._right.home[name], ())
                self._inherit(name, [one.name for one in callers if not self._matches.kept(one.name)])

    def _inherit(self, name: str, relatives: Iterable[str], how: How = "rewrite") -> None:
        origins: set[str] = set().union(*(self._matches.origins.get(relative, ()) for relative in relatives))
        if 0 < len(origins) <= _MOST_ORIGINS:
            self._matches.add(name, origins, how)

    def regions(self) -> tuple[Rewrite, ...]:
        """The rewrites of this step, larger ones first. Call after `match`."""
        groups = _Groups([("left", name) for name in self._removed] + [("right", name) for name in self._added])
        for name in self._removed:
            for operand in self._left.sources(name):
                groups.join(("left", name), ("left", operand))
        for name in self._added:
            for operand in self._right.sources(name):
                groups.join(("right", name), ("right", operand))
            for origin in self._matches.origins.get(name, ()):
                groups.join(("right", name), ("left", origin))
        rewrites = [
            Rewrite(
                frozenset(name for side, name in group if side == "left"),
                frozenset(name for side, name in group if side == "right"),
            )
            for group in groups.all()
        ]
        return tuple(sorted(rewrites, key=lambda one: (-len(one.removed) - len(one.added), sorted(one.removed))))


def op_names(instruction: HloInstruction) -> set[str]:
    """The op_names of an instruction: `a;b` is what XLA makes of two when it merges instructions."""
    name = instruction.metadata.op_name
    return set(name.split(";")) if name else set()


def _neighbours(view: View, name: str) -> Iterator[str]:
    yield from view.users.get(name, ())
    yield from view.sources(name)


_Key = tuple[str, str]


class _Groups:
    """Disjoint sets over a fixed set of keys; joins with other keys are passed over."""

    def __init__(self, keys: Iterable[_Key]) -> None:
        self._parent = {key: key for key in keys}

    def _find(self, key: _Key) -> _Key:
        while self._parent[key] != key:
            self._parent[key] = key = self._parent[self._parent[key]]
        return key

    def join(self, one: _Key, other: _Key) -> None:
        if one in self._parent and other in self._parent:
            self._parent[self._find(one)] = self._find(other)

    def all(self) -> list[list[_Key]]:
        found: dict[_Key, list[_Key]] = {}
        for key in self._parent:
            found.setdefault(self._find(key), []).append(key)
        return list(found.values())
