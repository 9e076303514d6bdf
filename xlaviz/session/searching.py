"""A search that the user makes in what is shown, and again in what is shown next."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from xlaviz.base.errors import XlavizError
from xlaviz.session.finding import Found
from xlaviz.session.shown import PANES, Pane

if TYPE_CHECKING:
    from xlaviz.session.session import Session


class Searching(QObject):
    """Signals: `found` with a Found; `failed` with the reason why a query cannot be searched."""

    found = Signal(object)
    failed = Signal(object)

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self._session = session
        self._text = ""

    def search(self, text: str) -> None:
        self._text = text
        self.refresh()

    def forget(self) -> None:
        self._text = ""

    def refresh(self) -> None:
        """Search again: other snapshots are shown, or times are known now."""
        session, text = self._session, self._text
        if not text or session.info is None or session.sequence is None:
            return
        shown, sequence = session.shown, session.sequence
        indices: dict[Pane, int] = {pane: shown.snapshot_index(pane) for pane in PANES}
        if indices["left"] == indices["right"]:
            indices.pop("left")
        times: dict[Pane, dict[str, float]] = {}
        if session.kernels is not None:
            known = {kernel.name: kernel.share * session.kernels.run_us for kernel in session.kernels.kernels}
            times = {pane: known for pane, index in indices.items() if index == sequence.last_index}

        def done(found: Found) -> None:
            if text == self._text and sequence is session.sequence:
                self.found.emit(found)

        def failed(error: XlavizError) -> None:
            if text == self._text:
                self.failed.emit(error)

        arguments = (session.info.path, sequence, indices, text, times)
        session.views.submit("search", "searching", "find_instructions", arguments, done, failed)
