"""Structural descent: from a pair known to correspond down its operands on both sides at once.

Fusing, inlining, outlining and cloning give instructions new names and change nothing else. Seen through fusions and
calls (`View.source`), both sides of such a pass are the same graph, so from anchors (kept names, the entry's root and
parameters) every renamed instruction is reached by walking.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Hashable, Iterable, Iterator

from xlaviz.hlo.model import HloComputation, HloInstruction
from xlaviz.hlo.shapes import Shape
from xlaviz.lineage.matches import Matches
from xlaviz.lineage.view import Place, View

COPIES = frozenset({"copy", "copy-start", "copy-done"})

_MOST_CONTEXTS = 8  # Ways into a shared computation that are followed for one pair; calls nested n deep have 2^n.

_DEEPEST_TUPLE = 20  # Tuples nest two or three deep; in a damaged module one may hold itself.


class Descent:
    """Walks pairs. `places` collects what it cannot match: right instruction -> left ones whose operand slot it has."""

    def __init__(self, matches: Matches) -> None:
        self.matches = matches
        self.places: dict[str, set[str]] = {}
        self._left, self._right = matches.left, matches.right
        self._queue: deque[tuple[Place, Place]] = deque()
        self._seen: set[tuple[Place, Place]] = set()
        self._contexts: dict[tuple[str, str], int] = {}
        self._computations: set[tuple[str, str]] = set()

    def from_anchors(self) -> None:
        """Walk from every instruction that kept its name and from the entry computations."""
        anchors = [name for name in self.matches.origins if not self._is_settled(name)]
        self._meet_computations(self._right.module.entry_computation, self._left.module.entry_computation)
        self.follow((name, name) for name in anchors)

    def _is_settled(self, name: str) -> bool:
        """Whether all below a kept instruction is kept too and so is its own anchor: most are, in most steps."""
        one, other = self._right.instructions[name], self._left.instructions[name]
        return (
            bool(one.operands)
            and one.operands == other.operands
            and one.called_computations == other.called_computations
            and all(map(self.matches.kept, one.operands))
            and all(map(self._has_kept_root, one.called_computations))
        )

    def _has_kept_root(self, computation: str) -> bool:
        right, left = (view.module.by_name[computation].root for view in (self._right, self._left))
        return right == left and self.matches.kept(right)

    def follow(self, pairs: Iterable[tuple[str, str]]) -> None:
        """Walk from these pairs of right and left as far as it goes."""
        for right, left in list(pairs):
            self._push(Place(right), Place(left))
        while self._queue:
            self._walk(*self._queue.popleft())

    def follow_callers(self) -> None:
        """Walk into loops, sorts and the like that were replaced by one of their kind: alone of their op_name."""
        waiting: dict[tuple[str, str], list[str]] = {}
        for name in self.matches.unclaimed():
            instruction = self._left.instructions[name]
            if instruction.called_computations and instruction.metadata.op_name:
                waiting.setdefault((instruction.opcode, instruction.metadata.op_name), []).append(name)
        for name in list(self.matches.unmatched()) if waiting else ():
            instruction = self._right.instructions[name]
            alike = waiting.get((instruction.opcode, instruction.metadata.op_name), [])
            if len(alike) == 1:
                self.places.setdefault(name, set()).update(alike)
                self.follow([(name, alike[0])])

    def _push(self, right: Place, left: Place) -> None:
        if (right, left) in self._seen:
            return
        pair = (right.name, left.name)
        self._contexts[pair] = self._contexts.get(pair, 0) + 1
        if self._contexts[pair] <= _MOST_CONTEXTS:
            self._seen.add((right, left))
            self._queue.append((right, left))

    def _walk(self, right: Place, left: Place) -> None:
        """Go from a pair to its operands and called computations."""
        one, other = self._right.instructions[right.name], self._left.instructions[left.name]
        if (self._right.source(right), self._left.source(left)) != (right, left):
            self._meet(right, left)  # A wrapper, or a tuple's element, that hands on what something else computes.
            return
        if len(one.operands) == len(other.operands):
            for mine, yours in zip(one.operands, other.operands, strict=True):
                # Pairs of one kept name are anchors of their own.
                if mine != yours or right.context or left.context or not self.matches.kept(mine):
                    self._meet(Place(mine, right.context), Place(yours, left.context))
        elif one.opcode == "tuple":
            for pair in self._align(right, left):
                self._meet(*pair)
        if len(one.called_computations) == len(other.called_computations):
            for called, was in zip(one.called_computations, other.called_computations, strict=True):
                self._meet_computations(self._right.module.by_name[called], self._left.module.by_name[was])

    def _align(self, right: Place, left: Place) -> Iterator[tuple[Place, Place]]:
        """The elements two tuples share, in order: passes drop, append and flatten elements of a loop's state."""
        waiting: dict[Hashable, deque[tuple[int, Place]]] = {}
        for position, place in enumerate(_elements(self._left, left)):
            kind = _kind(self._left.instructions[place.name])
            waiting.setdefault(kind, deque()).append((position, place))
        last = -1
        for place in _elements(self._right, right):
            alike = waiting.get(_kind(self._right.instructions[place.name]), deque())
            while alike and alike[0][0] < last:
                alike.popleft()
            if alike:
                last, partner = alike.popleft()
                yield place, partner

    def _meet_computations(self, right: HloComputation, left: HloComputation) -> None:
        """Bodies, conditions, branches, reducers: parameters correspond by number, roots by being roots."""
        if (right.name, left.name) in self._computations:
            return
        self._computations.add((right.name, left.name))
        for number, parameter in right.parameters.items():
            if number in left.parameters:
                self._meet(Place(parameter.name), Place(left.parameters[number].name))
        self._meet(Place(right.root), Place(left.root))

    def _meet(self, right: Place, left: Place) -> None:
        """Two places that hold the same value: match what computes it, or remember who took whose place."""
        outermost = self._right.source(right)
        right, left = self._through_copies(outermost, self._left.source(left))
        one, other = self._right.instructions[right.name], self._left.instructions[left.name]
        if self._right.is_plumbing(one) or self._left.is_plumbing(other):
            return  # A parameter of a shared computation, reached without saying by which call.
        kept, gone = self.matches.kept(one.name), not self.matches.kept(other.name)
        if kept and one.name == other.name:
            if right.context or left.context:
                self._push(right, left)
        elif one.opcode != other.opcode or not same_type(one.shape, other.shape):
            self._take_place(outermost if kept else right, left)
        elif not kept:
            self.matches.add(one.name, (other.name,), "structure")
            self._push(right, left)
        elif gone and self._is_merged(other, one):
            self.matches.merge(other.name, one.name)
            self._push(right, left)

    def _take_place(self, right: Place, left: Place) -> None:
        one, other = self._right.instructions[right.name], self._left.instructions[left.name]
        if self.matches.kept(right.name):
            return
        producer = other
        for _ in range(_DEEPEST_TUPLE):
            if producer.opcode == "get-tuple-element" and producer.operands:
                producer = self._left.instructions[producer.operands[0]]
        if producer.opcode == one.opcode:
            other = producer  # As when a sort loses an output nobody uses, and with it its tuple.
        if self.matches.kept(other.name) and self._right.is_used(other.name):
            return  # It lost this use, not its place. Without any use it is dead and waits for DCE.
        self.places.setdefault(right.name, set()).add(other.name)
        if one.opcode == other.opcode and (one.opcode == "tuple" or one.called_computations):
            self._push(right, Place(other.name, left.context))  # A loop with another state is still that loop.

    def _through_copies(self, right: Place, left: Place) -> tuple[Place, Place]:
        """Both places, past copies that only one side has."""
        one, other = self._right.instructions[right.name].opcode, self._left.instructions[left.name].opcode
        if one in COPIES and other not in COPIES:
            return self._past_copies(self._right, right), left
        if other in COPIES and one not in COPIES:
            return right, self._past_copies(self._left, left)
        return right, left

    def _past_copies(self, view: View, place: Place) -> Place:
        instruction = view.instructions[place.name]
        passed: set[str] = set()  # A damaged module may copy in a circle.
        while instruction.opcode in COPIES and instruction.operands and place.name not in passed:
            if self.matches.kept(place.name):
                break
            passed.add(place.name)
            place = view.source(Place(instruction.operands[0], place.context))
            instruction = view.instructions[place.name]
        return place

    def _is_merged(self, left: HloInstruction, right: HloInstruction) -> bool:
        """Whether a kept instruction may have swallowed a removed one: it does the same to the same operands."""
        if len(left.operands) != len(right.operands) or left.attributes != right.attributes:
            return False
        for yours, mine in zip(left.operands, right.operands, strict=True):
            other, one = self._left.source(Place(yours)).name, self._right.source(Place(mine)).name
            if one != other and self.matches.kept(other):
                return False
        return left.literal == right.literal


def _elements(view: View, place: Place, depth: int = 0) -> Iterator[Place]:
    """What a tuple holds, tuples inside it opened."""
    for operand in view.instructions[place.name].operands:
        element = view.source(Place(operand, place.context))
        if view.instructions[element.name].opcode == "tuple" and depth < _DEEPEST_TUPLE:
            yield from _elements(view, element, depth + 1)
        else:
            yield element


def _kind(instruction: HloInstruction) -> Hashable:
    shape = instruction.shape
    return instruction.opcode, instruction.metadata.op_name, shape.element_type, shape.dimensions


def same_type(one: Shape, other: Shape) -> bool:
    """Whether both have the same element type and dimensions; of tuples, as many elements."""
    return (
        one.dimensions == other.dimensions
        and one.element_type == other.element_type
        and len(one.elements) == len(other.elements)
    )
