"""The selection follows its instruction from snapshot to snapshot: by lineage, not by name."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from xlaviz.session.shown import PANES, Pane
from xlaviz.session.stories import Followed

if TYPE_CHECKING:
    from xlaviz.session.session import Session


@dataclass(frozen=True, slots=True)
class Anchor:
    """What the user picked: an instruction of a snapshot. Every step is followed from here, so that the way back leads
    to it again, and not to all that it was fused with in between."""

    index: int
    name: str


class Following(QObject):
    """Knows what the session's selection is in the two snapshots that are shown."""

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self._session = session
        self.anchor: Anchor | None = None
        self._found: tuple[Anchor, tuple[int, ...], Followed] | None = None

    def select(self, pane: Pane, name: str) -> None:
        """The user picked something."""
        self.anchor = self._found = None
        if name and self._session.sequence is not None:
            self.anchor = Anchor(self._session.shown.snapshot_index(pane), name)
            self.refresh()

    def take(self, pane: Pane, name: str, left: frozenset[str], right: frozenset[str]) -> None:
        """The user picked something of which it is known already what it is on either side."""
        self.anchor = Anchor(self._session.shown.snapshot_index(pane), name)
        self._found = self.anchor, self._indices, Followed(left, right)

    def forget(self) -> None:
        self.anchor = self._found = None

    def refresh(self) -> None:
        """Find what the selection is in what is shown now. To be called again when more of the story is told."""
        session, anchor = self._session, self.anchor
        if anchor is None or session.sequence is None or self.names() is not None:
            return
        if self._is_composed():
            session.show_followed()
            return
        indices = self._indices
        if not session.stories.knows(max(*indices, anchor.index)):
            return

        def done(found: Followed) -> None:
            if anchor == self.anchor:
                self._found = anchor, indices, found
                session.show_followed()

        arguments = (anchor.index, anchor.name, *indices)
        session.stories.ask("follow", "following an instruction", "follow", arguments, done)

    @property
    def _indices(self) -> tuple[int, ...]:
        return tuple(self._session.shown.snapshot_index(pane) for pane in PANES)

    def _is_composed(self) -> bool:
        """Whether the session knows without asking: from one end to the other it has the lineage itself."""
        return self._session.mode == "compare" and self.anchor is not None and self.anchor.index in self._indices

    def names(self) -> tuple[frozenset[str], frozenset[str]] | None:
        """What the selection is on the left and on the right; None while it is not known."""
        if self._found is None or self._found[:2] != (self.anchor, self._indices):
            return None
        return self._found[2].left, self._found[2].right

    def place(self, pane: Pane, name: str) -> tuple[Pane, str]:
        """Where the selection, now under this name in this pane, stands in what is shown: in the same pane and under
        the same name if it can."""
        found = self.names()
        if found is None and self._is_composed() and self.anchor is not None:
            return PANES[self._indices.index(self.anchor.index)], self.anchor.name
        if found is None:
            return pane, name
        of: dict[Pane, frozenset[str]] = {"left": found[0], "right": found[1]}
        panes: tuple[Pane, ...] = (pane, "right" if pane == "left" else "left")
        for one in panes:
            if name in of[one]:
                return one, name
        return next(((one, min(of[one])) for one in panes if of[one]), (pane, name))
