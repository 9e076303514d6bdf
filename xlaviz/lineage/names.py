"""Same name, same opcode: the same instruction. XLA keeps names from pass to pass."""

from __future__ import annotations

from xlaviz.lineage.matches import Matches


def match_names(matches: Matches) -> None:
    """Match every instruction of the right that the left has by this name and opcode."""
    left = matches.left.instructions
    for name, instruction in matches.right.instructions.items():
        same = left.get(name)
        if same is not None and same.opcode == instruction.opcode:
            matches.add(name, (name,), "name")
