"""Back and forward through what was looked at."""

from __future__ import annotations

from dataclasses import dataclass, field

from xlaviz.session.drawing import SideOptions
from xlaviz.session.shown import Mode

_KEPT = 200


@dataclass(frozen=True, slots=True)
class ViewState:
    """All that makes a view: which snapshots, and how each side is drawn."""

    mode: Mode
    index: int
    left: SideOptions
    right: SideOptions


@dataclass(slots=True)
class History:
    """The views before the present one and, after going back, those behind it."""

    past: list[ViewState] = field(default_factory=list)
    future: list[ViewState] = field(default_factory=list)

    def leave(self, state: ViewState) -> None:
        """Another view takes the place of `state`."""
        if not self.past or self.past[-1] != state:
            self.past.append(state)
        self.future.clear()
        del self.past[:-_KEPT]

    def back(self, state: ViewState) -> ViewState | None:
        """The view before `state`, which is shown now; None where there is none."""
        return _move(state, self.past, self.future)

    def forward(self, state: ViewState) -> ViewState | None:
        return _move(state, self.future, self.past)

    def clear(self) -> None:
        self.past.clear()
        self.future.clear()


def _move(state: ViewState, source: list[ViewState], target: list[ViewState]) -> ViewState | None:
    while source:
        found = source.pop()
        if found != state:
            target.append(state)
            return found
    return None
