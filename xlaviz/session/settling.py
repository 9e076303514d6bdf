"""The first layout is shown at once; a better one, found behind everything else, takes its place once."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import replace
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from xlaviz.graph.model import DrawnGraph
from xlaviz.layout.model import Places
from xlaviz.session.jobs import WORKER, JobRunner
from xlaviz.session.shown import Pane
from xlaviz.session.worker import BACKGROUND

if TYPE_CHECKING:
    from xlaviz.session.session import Session


class Settling(QObject):
    """Signal: `settled` with the pane whose side has better places now.

    Only what is placed for the first time is refined: whatever comes later keeps to what was there, so as not to move.
    """

    settled = Signal(str)

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self._session = session
        self.runner = JobRunner(self, worker=(*WORKER, BACKGROUND))
        self.is_on = True
        self._seen: set[Hashable] = set()
        self._jobs: dict[Pane, int] = {}

    def forget(self) -> None:
        """Another document or module is shown."""
        self._seen.clear()
        self.stop()

    def stop(self, pane: Pane | None = None) -> None:
        """What is being refined is not wanted any more."""
        for one in [pane] if pane is not None else list(self._jobs):
            job = self._jobs.pop(one, None)
            if job is not None:
                self.runner.cancel(job)

    def refine(self, pane: Pane) -> None:
        """A side has just been drawn: look for something better."""
        session, side = self._session, self._session.sides[pane]
        if side is None or session.sequence is None or session.info is None or session.mode != "compare":
            return
        key = (session.sequence.name, session.sequence.id, side.snapshot.index)
        if key in self._seen or not self.is_on:
            return
        self._seen.add(key)
        graph = side.graph

        def done(places: Places | None) -> None:
            self._jobs.pop(pane, None)
            if places is not None:
                self._take(pane, graph, places)

        def failed(_: object) -> None:
            self._jobs.pop(pane, None)  # the first layout will do

        title = f"improving the layout of {side.snapshot.label}"
        self._jobs[pane] = self.runner.submit(f"refine {pane}", title, "refine_view", (graph,), done, failed)

    def _take(self, pane: Pane, graph: DrawnGraph, places: Places) -> None:
        session, side = self._session, self._session.sides[pane]
        if side is None or side.graph is not graph or session.info is None or session.sequence is None:
            return
        session.sides[pane] = replace(side, places=places)
        arguments = (session.info.path, session.sequence, side.snapshot.index, graph, places)

        def ended(_: object) -> None:
            pass

        session.views.submit(f"adopt {pane}", "keeping a layout", "adopt_view", arguments, ended, ended)
        self.settled.emit(pane)
