"""The table the matchers fill together: which instructions of the left each one of the right stands for."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Literal

from xlaviz.lineage.view import View

How = Literal["name", "structure", "copy", "rewrite"]
"""How an origin was found: the same name; the same place in the same structure; by what a copy, an element or a tuple
only hands on; by the place of something removed."""


class Matches:
    """Origins found so far for one step. The first way an instruction was matched stays its `how`."""

    def __init__(self, left: View, right: View) -> None:
        self.left, self.right = left, right
        self.origins: dict[str, set[str]] = {}
        self.how: dict[str, How] = {}
        self.claimed: set[str] = set()
        """Instructions of the left that some instruction of the right stands for by name or structure."""
        self.merged: dict[str, str] = {}
        """Removed instruction of the left -> the kept one that does the very same, as CSE leaves it."""

    def add(self, right: str, left: Iterable[str], how: How) -> None:
        self.origins.setdefault(right, set()).update(left)
        self.how.setdefault(right, how)
        if how in ("name", "structure"):
            self.claimed.update(left)

    def merge(self, left: str, kept: str) -> None:
        """Merging is not standing for: the one zero that a module keeps would stand for hundreds."""
        self.merged.setdefault(left, kept)
        self.claimed.add(left)

    def kept(self, name: str) -> bool:
        """Whether this very name stands for the same instruction on both sides."""
        return self.how.get(name) == "name"

    def unmatched(self) -> Iterator[str]:
        """Instructions of the right still without origin that compute something, operands before users."""
        return (
            i.name for i in self.right.instructions.values() if i.name not in self.how and not self.right.is_plumbing(i)
        )

    def unclaimed(self) -> Iterator[str]:
        """Instructions of the left that nothing stands for by name or structure."""
        return (
            i.name
            for i in self.left.instructions.values()
            if i.name not in self.claimed and not self.left.is_plumbing(i)
        )
