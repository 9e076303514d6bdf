"""Ctrl+K: type some letters of what you want, press Enter."""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtGui import QAction
from PySide6.QtWidgets import QWidget

from xlaviz.ui.actions import plain_text
from xlaviz.ui.pick_dialog import PickDialog


class CommandPalette(PickDialog):
    """Lists the actions that can be used now; `action` is the one the user picked."""

    def __init__(self, actions: Iterable[QAction], parent: QWidget | None = None) -> None:
        self._actions = [action for action in actions if action.isEnabled()]
        super().__init__("Commands", "Type a command…", [_words(action) for action in self._actions], parent)

    @property
    def action(self) -> QAction | None:
        return self._actions[self.chosen] if self.chosen is not None else None


def _words(action: QAction) -> str:
    keys = action.shortcut().toString()
    return f"{plain_text(action)}    {keys}" if keys else plain_text(action)
