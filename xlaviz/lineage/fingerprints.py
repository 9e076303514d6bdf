"""Renamed subgraphs that no anchor leads down to, found upwards: the same operation on operands already matched."""

from __future__ import annotations

from collections.abc import Hashable

from xlaviz.hlo.model import HloInstruction
from xlaviz.lineage.matches import Matches


def match_fingerprints(matches: Matches) -> list[tuple[str, str]]:
    """Match unmatched instructions whose fingerprint an unclaimed one of the left has; returns the pairs found."""
    found: list[tuple[str, str]] = []
    left, right = matches.left, matches.right
    unclaimed = [left.instructions[name] for name in matches.unclaimed()]
    if not unclaimed:
        return found
    buckets: dict[Hashable, list[HloInstruction]] = {}
    for instruction in unclaimed:
        buckets.setdefault(_fingerprint(instruction, list(left.sources(instruction.name))), []).append(instruction)
    for name in list(matches.unmatched()):
        instruction = right.instructions[name]
        # An operand that stands for several has merged them; any one of them will do, the smallest is a steady choice.
        operands = [min(matches.origins.get(source, (source,))) for source in right.sources(name)]
        bucket = buckets.get(_fingerprint(instruction, operands), [])
        same = next((one for one in bucket if one.attributes == instruction.attributes), None)
        if same is not None:
            matches.add(name, (same.name,), "structure")
            found.append((name, same.name))
            if len(bucket) > 1:  # Equals pair off in order; when the right has more, the last serves the rest.
                bucket.remove(same)
    return found


def _fingerprint(instruction: HloInstruction, operands: list[str]) -> Hashable:
    """Operation, type and operands. What has no operands is known by its value and op_name; a parameter, not at all."""
    shape = instruction.shape
    own = () if operands else (instruction.literal, instruction.metadata.op_name)
    if instruction.opcode == "parameter":
        own = (instruction.name, "")
    return (instruction.opcode, shape.element_type, shape.dimensions, len(shape.elements), own, *operands)
