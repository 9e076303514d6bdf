"""What a region of removed and added instructions is called: `convert` removed, `dot` -> `reshape, dot, reshape`."""

from __future__ import annotations

from collections.abc import Iterator

from xlaviz.lineage.diff import StepDiff
from xlaviz.lineage.expressions import Expression, Letters
from xlaviz.lineage.rewrites import Rewrite
from xlaviz.lineage.step import StepLineage
from xlaviz.lineage.view import View

_FOLDS = frozenset({"backend_config", "frontend_attributes", "sharding"})
"""Attributes that say nothing of the operation: one that swallowed its operand has others changed."""

_LONGEST_PATH = 4


class Regions:
    """Names the regions of one step."""

    def __init__(self, left: View, right: View, step: StepLineage, diff: StepDiff) -> None:
        self._left, self._right, self._step, self._diff = left, right, step, diff
        self._heirs: dict[str, list[str]] = {}
        """Left instruction -> those of the right that are this very one, under whatever name."""
        for name, how in step.how.items():
            if how in ("name", "structure"):
                for origin in step.origins[name]:
                    self._heirs.setdefault(origin, []).append(name)
        self._slots: dict[tuple[str, str], dict[str, str]] = {}
        self.swallowing: set[str] = set()
        """Kept instructions that a region was folded into. Their own changes are said by that."""

    def describe(self, rewrite: Rewrite) -> tuple[str, tuple[str, ...], tuple[str, ...]]:
        """The region's name, its removed and its added instructions, what the name shows first."""
        letters = Letters()
        removed = Expression(self._left, rewrite.removed, letters, str) if rewrite.removed else None
        added = Expression(self._right, rewrite.added, letters, self._origin) if rewrite.added else None
        if removed is not None and added is not None:
            text = self._rewritten(removed, added)
        elif removed is not None:
            text = self._removed(removed, rewrite)
        elif added is not None:
            text = f"`{added.text}` inserted"
        else:
            text = "nothing"
        return text, _names(removed), _names(added)

    def _origin(self, name: str) -> str:
        """What something outside the region, on the right, is called on the left."""
        return name if self._step.how.get(name) == "name" else min(self._step.origins[name], default=name)

    def _rewritten(self, removed: Expression, added: Expression) -> str:
        constants = all(self._left.instructions[one].opcode == "constant" for one in removed.inputs)
        if constants and set(added.opcodes) == {"constant"} and set(removed.opcodes) != {"constant"}:
            return f"constant folded: `{removed.nested}`"
        if removed.text == added.text:
            return self._alike(removed, added)
        return f"`{removed.text}` -> `{added.text}`"

    def _alike(self, removed: Expression, added: Expression) -> str:
        """The same operations: they differ in shape, layout or attributes."""
        one, other = self._left.instructions[removed.names[-1]], self._right.instructions[added.names[-1]]
        if one.shape != other.shape:
            same = one.shape.text(layout=False) == other.shape.text(layout=False)
            what = "of another layout" if same else "of another shape"
        else:
            what = "with other attributes" if one.attributes != other.attributes else "of its kind"
        return f"`{removed.text}` -> `{added.text}` {what}"

    def _removed(self, removed: Expression, rewrite: Rewrite) -> str:
        roots = [name for name in removed.outputs if self._is_root(name)]
        if roots and all(self._left.home[name] not in self._right.module.by_name for name in removed.outputs):
            return f"unused computation removed: `{removed.text}`"
        users = {user for name in removed.outputs for user, _ in self._uses(name)}
        if not users and not roots:
            return f"dead `{removed.text}` removed"
        if users and all(map(self._swallows, users)):
            self.swallowing |= users
            opcodes = sorted({self._right.instructions[user].opcode for user in users})
            return f"`{removed.text}` folded into `{', '.join(opcodes)}`"
        took = self._took_place(removed)
        if took is None or (removed.inputs == (took,) and len(removed.names) == 1):
            return f"`{removed.text}` removed"
        return self._replaced(removed, rewrite, took)

    def _replaced(self, removed: Expression, rewrite: Rewrite, took: str) -> str:
        """What was replaced by something that was there, with the kept ones between the two: `reshape(reshape(x))`."""
        way = path(self._left, removed.inputs[0], took) if len(removed.inputs) == 1 else None
        letters = Letters()
        whole = Expression(self._left, rewrite.removed | set(way or ()), letters, str)
        if took not in whole.inputs:
            return f"`{removed.text}` -> `{self._left.instructions[took].opcode}` that was there"
        nested = whole.nested
        return f"`{nested}` -> `{letters.known(took) or whole.constant(took) or self._left.instructions[took].opcode}`"

    def _is_root(self, name: str) -> bool:
        return self._left.module.by_name[self._left.home[name]].root == name

    def _uses(self, name: str) -> Iterator[tuple[str, str]]:
        """What used a removed instruction and is still there: its name on the right, and what it uses instead."""
        for user in self._left.users.get(name, ()):
            for heir in self._heirs.get(user, ()):
                yield heir, self._instead(user, heir).get(name, "")

    def _instead(self, user: str, heir: str) -> dict[str, str]:
        """What a user used -> what it uses now. Kept: a tuple of a thousand is asked a thousand times."""
        if (user, heir) not in self._slots:
            before, after = list(self._left.sources(user)), list(self._right.sources(heir))
            self._slots[user, heir] = dict(zip(before, after, strict=True)) if len(before) == len(after) else {}
        return self._slots[user, heir]

    def _swallows(self, user: str) -> bool:
        parts = self._diff.changes.get(user, ())
        attributes = {part.removeprefix("attributes: ") for part in parts if part.startswith("attributes: ")}
        return bool(attributes - _FOLDS)

    def _took_place(self, removed: Expression) -> str | None:
        """The one value, by its name on the left, that all users of the region's only output use instead."""
        if len(removed.outputs) != 1:
            return None
        took = {self._origin(new) for _, new in self._uses(removed.outputs[0]) if new}
        if self._is_root(removed.outputs[0]):
            home = self._right.module.by_name.get(self._left.home[removed.outputs[0]])
            if home is not None:
                took.add(self._origin(home.root))
        name = took.pop() if len(took) == 1 else None
        return name if name in self._left.instructions else None


def _names(side: Expression | None) -> tuple[str, ...]:
    return (*side.names, *side.hidden) if side is not None else ()


def path(view: View, name: str, source: str) -> tuple[str, ...] | None:
    """The instructions from this one up its first operands to what stands above `source`; None without such a way."""
    found: list[str] = []
    while name != source and len(found) < _LONGEST_PATH:
        found.append(name)
        operands = list(view.sources(name))
        if not operands:
            return None
        name = operands[0]
    return tuple(found) if name == source else None
