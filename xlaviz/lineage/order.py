"""Whether a step put instructions in another order. Before scheduling, order means nothing."""

from __future__ import annotations

from collections.abc import Iterator

from xlaviz.hlo.model import HloComputation, HloModule


def ordering(left: HloModule, right: HloModule) -> Iterator[tuple[str, int]]:
    """`scheduled` or `order changed` with the number of computations."""
    if right.is_scheduled and not left.is_scheduled:
        fused = {
            one
            for calls in right.callers.values()
            for call in calls
            if call.opcode == "fusion"
            for one in call.called_computations
        }
        yield "scheduled", sum(one.name not in fused for one in right.computations)
    elif right.is_scheduled:
        both = ((left.by_name[one.name], one) for one in right.computations if one.name in left.by_name)
        count = sum(_is_reordered(before, after) for before, after in both)
        if count:
            yield "order changed", count


def _is_reordered(left: HloComputation, right: HloComputation) -> bool:
    if left.instructions == right.instructions:
        return False
    before = [one.name for one in left.instructions if one.name in right.by_name]
    return before != [one.name for one in right.instructions if one.name in left.by_name]
