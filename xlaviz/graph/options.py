"""What a drawing shows of a module, as one value."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

ClusterChoice = Literal["calls", "scopes", "none"]
"""`calls`: fusions and called computations; `scopes`: the model's own layers too, these within them; `none`: flat."""

Direction = Literal["operands", "users", "both"]


@dataclass(frozen=True, slots=True)
class GraphOptions:
    """`computation` is the entry where None. `open` names what is drawn open: instructions, and clusters by their ids.
    `focus` with `hops` and `direction` keeps only the neighbourhood of one box. `fold_repeats` draws equal clusters and
    calls beside each other as one box with a count."""

    computation: str | None = None
    open: frozenset[str] = frozenset()
    focus: str | None = None
    hops: int = 3
    clusters: ClusterChoice = "calls"
    fold_repeats: bool = False
    direction: Direction = "both"
