"""What the actions do that lead from pass to pass."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from xlaviz.ui.first_change_dialog import FirstChangeDialog
from xlaviz.ui.pick_dialog import PickDialog

if TYPE_CHECKING:
    from xlaviz.ui.main_window import MainWindow


class StoryCommands:
    """The slots of the stepping actions."""

    def __init__(self, window: MainWindow) -> None:
        self._window = window
        self._first_change: FirstChangeDialog | None = None

    def slots(self) -> dict[str, Callable[[], object]]:
        session = self._window.session
        return {
            "previous": lambda: session.step_to_change(-1),
            "next": lambda: session.step_to_change(1),
            "previous_any": lambda: session.step(-1),
            "next_any": lambda: session.step(1),
            "first": lambda: session.go_to(0),
            "last": session.go_to_last,
            "go_to_pass": self.go_to_pass,
            "first_change": self.first_change,
        }

    def go_to_pass(self) -> None:
        """Ask for a pass by name."""
        session = self._window.session
        if session.sequence is None:
            return
        rows = []
        for snapshot in session.sequence.snapshots:
            where = f"  ·  {snapshot.pipeline.replace('_', ' ')}" if snapshot.pipeline else ""
            rows.append(f"{snapshot.index}  {snapshot.label}{where}")
        dialog = PickDialog("Go to pass", "A pass, a pipeline, a number…", rows, self._window)
        dialog.pick(session.index if session.mode == "step" else 0)
        dialog.exec()
        if dialog.chosen is not None:
            session.go_to(dialog.chosen)
        dialog.deleteLater()

    def first_change(self) -> None:
        """Ask for the first pass after which something is so."""
        if self._first_change is None:
            self._first_change = FirstChangeDialog(self._window.session, self._window)
            self._first_change.found.connect(self._window.story_panels.go_to)
        anchor = self._window.session.following.anchor
        self._first_change.open_for(anchor.name if anchor is not None else "")

    def close(self) -> None:
        if self._first_change is not None:
            self._first_change.close()
