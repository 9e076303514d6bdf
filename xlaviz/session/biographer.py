"""Keeps the biography of what is selected."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from xlaviz.lineage.biography import Chapter

if TYPE_CHECKING:
    from xlaviz.session.following import Anchor
    from xlaviz.session.session import Session


class Biographer(QObject):
    """The chapters of the instruction the user picked; they stay the same while one steps through them.

    Signal: `changed` when there are other ones. `is_whole` is False while the passes are still being followed.
    """

    changed = Signal()

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self._session = session
        self.chapters: tuple[Chapter, ...] = ()
        self.is_whole = False
        self._asked: tuple[Anchor, bool] | None = None
        for signal in (session.selection_changed, session.summaries_changed, session.document_changed):
            signal.connect(self.refresh)

    def refresh(self) -> None:
        """Ask for the chapters where they are not known: as far as they go, and again when the story is whole."""
        session = self._session
        anchor, is_whole = session.following.anchor, session.stories.lineage is not None
        if self._asked is not None and (anchor is None or self._asked[0] != anchor):
            self._forget()
        if anchor is None or self._asked == (anchor, is_whole) or not session.stories.knows(anchor.index):
            return
        if self._asked is not None and not is_whole:
            return
        self._asked = asked = anchor, is_whole

        def done(chapters: tuple[Chapter, ...]) -> None:
            if self._asked == asked:
                self.chapters, self.is_whole = chapters, is_whole
                self.changed.emit()

        arguments = (anchor.index, anchor.name)
        session.stories.ask("biography", "looking up what happened to an instruction", "biography", arguments, done)

    def _forget(self) -> None:
        self._asked = None
        self.chapters, self.is_whole = (), False
        self.changed.emit()
