"""Has the story of the shown module told in a worker of its own, and puts questions to it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject, Signal

from xlaviz.dumps.sequence import PassSequence
from xlaviz.lineage.sequence import Lineage
from xlaviz.session.jobs import WORKER, JobRunner
from xlaviz.session.stories import SnapshotSummary, StoryPart
from xlaviz.session.worker import BACKGROUND

_TITLE = "following instructions through the passes"


class StoryTeller(QObject):
    """The story is told a stretch at a time, and questions are answered between two stretches.

    Signals: `told` when more snapshots are known, the last time with the lineage over all; `failed` with an error.
    """

    told = Signal()
    failed = Signal(object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.runner = JobRunner(self, worker=(*WORKER, BACKGROUND))
        self.summaries: tuple[SnapshotSummary, ...] = ()
        self.lineage: Lineage | None = None
        self._path = Path()
        self._sequence: PassSequence | None = None

    @property
    def is_busy(self) -> bool:
        return self.runner.is_busy

    def begin(self, path: Path, sequence: PassSequence) -> None:
        """Tell the story of this sequence from now on; one snapshot alone has none.

        What was told to its end of another module stays in the worker, for one may come back to it.
        """
        self.runner.cancel_all()
        self._path, self._sequence = path, sequence
        self.summaries, self.lineage = (), None
        if sequence.last_index > 0:
            self._ask_for_more()

    def close(self) -> None:
        self.runner.close()

    def knows(self, index: int) -> bool:
        """Whether the story is told as far as snapshot `index`."""
        return index < len(self.summaries)

    def ask(
        self,
        slot: str,
        title: str,
        call: str,
        arguments: tuple[Any, ...],
        done: Callable[[Any], None],
        failed: Callable[[Any], None] | None = None,
    ) -> None:
        """Put a question of `stories`; its last arguments are these."""
        if self._sequence is not None:
            whole = (self._path, self._sequence, len(self.summaries), *arguments)
            self.runner.submit(slot, title, call, whole, done, failed or self.failed.emit)

    def _ask_for_more(self) -> None:
        self.ask("story", _TITLE, "story", (), self._on_part)

    def _on_part(self, part: StoryPart) -> None:
        self.summaries += part.summaries
        self.lineage = part.lineage
        if part.lineage is None:
            self._ask_for_more()
        self.told.emit()
