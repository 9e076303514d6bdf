"""What is laid over a graph and changes without a new layout: diff marks, fusion hues, selection."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

Mark = Literal["added", "removed", "changed", "moved"]
SIGNS: dict[Mark, str] = {"added": "+", "removed": "−", "changed": "~", "moved": "→"}


@dataclass(frozen=True, slots=True)
class Overlay:
    """All by instruction name. `hues` gives the numbers of the fusions an instruction belongs to; `notes` is the
    text in the title bar of a fusion or below a box, such as its time. Where `only` is set, what bears no such mark is
    pale. `heat` is the share of the hottest, 0 to 1, of instructions and clusters; where it is not None the colours
    tell it alone: no families and no hues."""

    marks: Mapping[str, Mark] = field(default_factory=dict)
    hues: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    notes: Mapping[str, str] = field(default_factory=dict)
    only: Mark | None = None
    heat: Mapping[str, float] | None = None

    def hues_of(self, name: str) -> tuple[int, ...]:
        """The hues to be seen of an instruction."""
        return self.hues.get(name, ()) if self.heat is None else ()

    def is_pale(self, name: str) -> bool:
        return self.only is not None and self.marks.get(name) != self.only


NO_OVERLAY = Overlay()
