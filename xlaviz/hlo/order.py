"""The order of a module's computations."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from xlaviz.hlo.model import HloComputation


def in_call_order(computations: Sequence[HloComputation], entry: str) -> tuple[HloComputation, ...]:
    """Called computations before their callers, the entry last.

    XLA lists the computations of one snapshot in one order in its text and in another in its proto; this order
    depends on neither.
    """
    by_name = {computation.name: computation for computation in computations}
    found: dict[str, None] = {}
    _visit(entry, by_name, found)
    apart = sorted(name for name in by_name if name not in found)
    called = {name for other in apart for name in _called(by_name[other])}
    before: dict[str, None] = {}
    for name in (*(name for name in apart if name not in called), *apart):
        _visit(name, by_name, before)
    return tuple(by_name[name] for name in (*(name for name in before if name not in found), *found))


def _visit(root: str, by_name: dict[str, HloComputation], found: dict[str, None]) -> None:
    """Adds `root` to `found`, behind all that it calls. A call in a circle, which XLA forbids, is passed over."""
    if root in found:
        return
    entered = {root}
    stack = [(root, _called(by_name[root]))]
    while stack:
        name, called = stack[-1]
        following = next((n for n in called if n not in entered and n not in found and n in by_name), None)
        if following is None:
            found[name] = None
            stack.pop()
        else:
            entered.add(following)
            stack.append((following, _called(by_name[following])))


def _called(computation: HloComputation) -> Iterator[str]:
    for instruction in computation.instructions:
        yield from instruction.called_computations
