"""What differs between two snapshots, by instruction name. Says nothing about why, or what replaced what."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from xlaviz.hlo.model import HloComputation, HloInstruction, HloModule


@dataclass(frozen=True)
class StepDiff:
    """Names of instructions that differ. `changes` says for each changed one in what, as `operands`, `layout` or
    `attributes: backend_config`. An instruction can be both changed and moved (now in another computation)."""

    added: frozenset[str]
    removed: frozenset[str]
    changed: frozenset[str]
    moved: frozenset[str]
    changes: Mapping[str, tuple[str, ...]]

    @property
    def is_empty(self) -> bool:
        return not (self.added or self.removed or self.changed or self.moved)


def diff_step(left: HloModule, right: HloModule) -> StepDiff:
    """Compare by name what means something: no metadata, ids, file names or orders, and no computation's mere name.

    An operand that was replaced by one of another name is a change of its users.
    """
    at_left, at_right = left.computation_of, right.computation_of
    common = at_left.keys() & at_right.keys()
    computations = _Computations(left, right)
    changes: dict[str, tuple[str, ...]] = {}
    moved = set()
    for name in common:
        parts = _changed_parts(at_left[name].by_name[name], at_right[name].by_name[name], computations)
        if parts:
            changes[name] = parts
        if not computations.same_place(at_left[name].name, at_right[name].name):
            moved.add(name)
    return StepDiff(
        added=frozenset(at_right.keys() - common),
        removed=frozenset(at_left.keys() - common),
        changed=frozenset(changes),
        moved=frozenset(moved),
        changes=changes,
    )


def _changed_parts(left: HloInstruction, right: HloInstruction, computations: _Computations) -> tuple[str, ...]:
    parts = []
    if left.opcode != right.opcode:
        parts.append("opcode")
    if left.operands != right.operands:
        parts.append("operands")
    if left.shape != right.shape:
        same = left.shape.text(layout=False) == right.shape.text(layout=False)
        parts.append("layout" if same else "shape")
    if not computations.same_called(left.called_computations, right.called_computations):
        parts.append("called computations")
    if set(left.control_predecessors) != set(right.control_predecessors):
        parts.append("control predecessors")
    if left.parameter_number != right.parameter_number:
        parts.append("parameter number")
    if left.opcode == "constant" and left.literal != right.literal:
        parts.append("literal")
    parts.extend(f"attributes: {key}" for key in _differing_keys(left.attributes, right.attributes))
    return tuple(parts)


def _differing_keys(left: Mapping[str, str], right: Mapping[str, str]) -> list[str]:
    if left == right:
        return []
    return sorted(key for key in left.keys() | right.keys() if left.get(key) != right.get(key))


class _Computations:
    """Which computations are the same ones under another name: XLA renames them without meaning anything by it."""

    def __init__(self, left: HloModule, right: HloModule) -> None:
        self._left, self._right = left.by_name, right.by_name
        # A computation that is gone lives on in the new one that its root stands in.
        self._renamed = {
            computation.name: right.computation_of[computation.root].name
            for computation in left.computations
            if computation.name not in self._right
            and computation.root in right.computation_of
            and right.computation_of[computation.root].name not in self._left
        }
        self._same: dict[tuple[str, str], bool] = {}

    def same_place(self, left: str, right: str) -> bool:
        return self._renamed.get(left, left) == right

    def same_called(self, left: tuple[str, ...], right: tuple[str, ...]) -> bool:
        return left == right or (len(left) == len(right) and all(map(self._same_computation, left, right)))

    def _same_computation(self, left: str, right: str) -> bool:
        """Same place, or equal in all but names (a reducer's clone)."""
        if self.same_place(left, right):
            return True
        key = (left, right)
        if key not in self._same:
            self._same[key] = False  # A damaged module may call itself.
            if left in self._left and right in self._right:
                self._same[key] = self._equal(self._left[left], self._right[right])
        return self._same[key]

    def _equal(self, left: HloComputation, right: HloComputation) -> bool:
        if len(left.instructions) != len(right.instructions):
            return False
        pairs = list(zip(left.instructions, right.instructions, strict=True))
        renamed = {one.name: other.name for one, other in pairs}
        return renamed[left.root] == right.root and all(
            one.opcode == other.opcode
            and tuple(renamed.get(operand, operand) for operand in one.operands) == other.operands
            and not set(_changed_parts(one, other, self)) - {"operands", "control predecessors"}
            for one, other in pairs
        )
