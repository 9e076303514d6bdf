"""What a step did, as a table: each kind of rewrite once, with its places. The same in 12 layers is one row."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from xlaviz.lineage.diff import StepDiff
from xlaviz.lineage.order import ordering
from xlaviz.lineage.regions import Regions, path
from xlaviz.lineage.step import StepLineage
from xlaviz.lineage.view import INLINE, View
from xlaviz.lineage.wrapping import Wrapping, inside, wrapping

_KINDS = {"kLoop": "loop", "kInput": "input", "kOutput": "output", "kCustom": "custom"}
_COUNTED = re.compile(r"# ([\w -]*?(?:fusion|call))s")


@dataclass(frozen=True, slots=True)
class Place:
    """Where a pattern was applied: names of the left, names of the right. Where something was merged or fused, `added`
    is what it is in now, which may be an old acquaintance."""

    removed: tuple[str, ...]
    added: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Pattern:
    """A row of the table. `count` is the number of places, or of what has none (computations that were scheduled).
    `form` is the text with # where it says the count: rows of several steps are put together by it."""

    text: str
    count: int
    places: tuple[Place, ...]
    form: str

    @classmethod
    def of(cls, form: str, places: Iterable[Place], count: int = 0) -> Pattern:
        listed = tuple(sorted(places, key=lambda place: (place.removed, place.added)))
        total = count or len(listed)
        text = _COUNTED.sub(r"1 \1", form) if total == 1 else form.replace("#", str(total))
        return cls(text, total, listed, form)


_Found = Iterator[tuple[str, Place]]


def find_patterns(left: View, right: View, step: StepLineage, diff: StepDiff) -> tuple[Pattern, ...]:
    """The rewrites of a step, most frequent first. A user whose operand was rewritten is part of no row: that it uses
    what took the place is said by the rewrite."""
    regions, wrapped = Regions(left, right, step, diff), wrapping(left, right, step, diff)
    rows: dict[str, list[Place]] = {}
    sources: tuple[Callable[[], _Found], ...] = (
        lambda: _regions(step, regions),
        lambda: _merged(left, step),
        lambda: _wrapped(left, right, wrapped),
        lambda: _unwrapped(left, right, wrapped),
        lambda: _duplicated(left, right, step),
        lambda: _cloned_computations(left, right, step),
        lambda: _bypassed(left, right, diff),
        lambda: _changed(left, right, diff, regions.swallowing),
        lambda: _moved(right, diff, wrapped),
    )
    for source in sources:
        for form, place in source():
            rows.setdefault(form, []).append(place)
    patterns = [Pattern.of(form, places) for form, places in rows.items()]
    patterns += [Pattern.of(form, (), count) for form, count in ordering(left.module, right.module)]
    return in_order(patterns)


def in_order(patterns: Iterable[Pattern]) -> tuple[Pattern, ...]:
    return tuple(sorted(patterns, key=lambda pattern: (-pattern.count, pattern.text)))


def put_together(steps: Iterable[Iterable[Pattern]]) -> tuple[Pattern, ...]:
    """The table of several steps: rows of the same form are one."""
    places: dict[str, list[Place]] = {}
    counts: dict[str, int] = {}
    for pattern in (pattern for step in steps for pattern in step):
        places.setdefault(pattern.form, []).extend(pattern.places)
        counts[pattern.form] = counts.get(pattern.form, 0) + pattern.count
    return in_order(Pattern.of(form, found, counts[form]) for form, found in places.items())


def _regions(step: StepLineage, regions: Regions) -> _Found:
    for rewrite in step.rewrites:
        text, removed, added = regions.describe(rewrite)
        yield text, Place(removed, added)


def _merged(left: View, step: StepLineage) -> _Found:
    for gone, kept in step.merged.items():
        yield f"`{left.instructions[gone].opcode}` merged with an equal one", Place((gone,), (kept,))


def _wrapped(left: View, right: View, found: Wrapping) -> _Found:
    """Fusions and calls that were formed, those that only wrap one operation on their own."""
    for name, members in found.formed.items():
        computing = inside(right, name)
        kind = _kind(right, name)
        if not computing:
            continue
        alone = len({one for one in computing if right.instructions[one].opcode not in ("constant", "parameter")}) == 1
        verb = "wrapped" if alone and kind != "call" else ("outlined" if kind == "call" else "fused")
        yield f"{verb} into # {kind}s", Place(tuple(sorted(members)), (name,))
    for name, members in found.grown.items():
        yield f"fused into # existing {_kind(right, name)}s", Place(tuple(sorted(members)), (name,))


def _kind(view: View, name: str) -> str:
    """`loop fusion`, `multi-output loop fusion`, `call`."""
    instruction = view.instructions[name]
    if instruction.opcode != "fusion":
        return instruction.opcode
    kind = instruction.attributes.get("kind", "")
    several = "multi-output " if instruction.shape.elements else ""
    return f"{several}{_KINDS.get(kind, kind)} fusion".strip()


def _unwrapped(left: View, right: View, found: Wrapping) -> _Found:
    for name, members in found.gone.items():
        kind = _kind(left, name)
        if name in found.renamed:
            yield f"{kind} renamed", Place((name,), (found.renamed[name],))
        elif not found.heirs(name):
            here = tuple(sorted(one for one in members if one in right.instructions))
            if not left.module.by_name[left.home[name]].users[name]:
                yield f"dead {kind} removed", Place((name,), ())
            elif (equal := _instead(left, right, name)) is not None:
                yield f"{kind} merged with an equal one", Place((name,), (equal,))
            else:
                yield f"{kind} {'inlined' if kind == 'call' else 'dissolved'}", Place((name,), here)


def _instead(left: View, right: View, gone: str) -> str | None:
    """The fusion or call that was there already and is now used instead of one that went."""
    for user in left.module.by_name[left.home[gone]].users[gone]:
        before, after = left.instructions[user].operands, right.instructions.get(user)
        if after is not None and len(after.operands) == len(before):
            instead = after.operands[before.index(gone)]
            known = left.instructions.get(instead)
            return instead if known is not None and known.opcode in INLINE else None
    return None


def _duplicated(left: View, right: View, step: StepLineage) -> _Found:
    """One on the left that is several on the right. Copied data, reducers and loop bodies are told elsewhere."""
    copies: dict[str, list[str]] = {}
    for name, how in step.how.items():
        if how in ("name", "structure"):
            for origin in step.origins[name]:
                copies.setdefault(origin, []).append(name)
    for origin, names in copies.items():
        same = [name for name in names if right.instructions[name].opcode == left.instructions[origin].opcode]
        if len(same) > 1 and all(_is_inline(right, name) for name in same):
            yield f"`{left.instructions[origin].opcode}` duplicated", Place((origin,), tuple(sorted(same)))


def _is_inline(view: View, name: str) -> bool:
    home = view.home[name]
    return home == view.module.entry or home in view.inline_callers


def _cloned_computations(left: View, right: View, step: StepLineage) -> _Found:
    """Reducers, bodies and conditions under a new name, their instructions all like before."""
    for computation in right.module.computations:
        if computation.name in left.module.by_name or computation.name in right.inline_callers:
            continue
        callers = right.module.callers.get(computation.name, ())
        origins = step.origins[computation.root]
        if callers and step.how.get(computation.root) == "structure" and len(origins) == 1:
            text = f"computation of `{callers[0].opcode}` cloned"
            yield text, Place(tuple(origins), (computation.root,))


def _bypassed(left: View, right: View, diff: StepDiff) -> _Found:
    """Operands that users no longer use, but what those were made of: the next DCE removes them."""
    told = set()
    for name in diff.changes:
        for before, after in _rewired(name, left, right):
            way = path(left, before, after) if after in left.instructions else None
            if way and before not in diff.removed and (before, after) not in told:
                told.add((before, after))
                opcodes = ", ".join(left.instructions[one].opcode for one in way)
                yield f"`{opcodes}` bypassed", Place(way, (after,))


def _rewired(name: str, left: View, right: View) -> Iterator[tuple[str, str]]:
    """The operands of a kept instruction that are others now, seen through fusions and calls."""
    before, after = list(left.sources(name)), list(right.sources(name))
    if len(before) == len(after):
        yield from ((one, other) for one, other in zip(before, after, strict=True) if one != other)


def _changed(left: View, right: View, diff: StepDiff, swallowing: set[str]) -> _Found:
    """Kept instructions that changed in themselves, by what of them changed."""
    for name, parts in diff.changes.items():
        one, other = left.instructions[name], right.instructions[name]
        if one.opcode != other.opcode:
            continue  # One of the regions.
        own = [part for part in parts if part not in ("operands", "called computations")]
        if not own and not _follows(name, left, right, diff):
            own = list(parts)
        if name in swallowing:
            own = [part for part in own if not part.startswith("attributes")]
        for part in own:
            yield f"{part.removeprefix('attributes: ')} of `{other.opcode}` changed", Place((name,), (name,))


def _follows(name: str, left: View, right: View, diff: StepDiff) -> bool:
    """Whether a change of operands or called computations only follows from what the other rows say."""
    one, other = left.instructions[name], right.instructions[name]
    if set(one.operands) & diff.removed or set(other.operands) & diff.added or one.opcode in INLINE:
        return True
    if one.called_computations != other.called_computations:
        return True
    return any(path(left, before, after) for before, after in _rewired(name, left, right) if after in left.instructions)


def _moved(right: View, diff: StepDiff, found: Wrapping) -> _Found:
    """Into another computation, not by wrapping or unwrapping, which have rows of their own."""
    told = set().union(*found.formed.values(), *found.grown.values(), *found.gone.values())
    for name in diff.moved - told:
        where = "the entry computation" if right.home[name] == right.module.entry else "another computation"
        yield f"moved to {where}", Place((name,), (name,))
