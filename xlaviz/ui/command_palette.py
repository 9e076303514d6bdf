"""Ctrl+K: type some letters of what you want, press Enter."""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QAction, QKeyEvent
from PySide6.QtWidgets import QDialog, QLineEdit, QListWidget, QListWidgetItem, QVBoxLayout, QWidget

from xlaviz.ui.actions import plain_text

_ACTION = Qt.ItemDataRole.UserRole


class CommandPalette(QDialog):
    """Lists the actions that can be used now; `chosen` is the one the user picked."""

    def __init__(self, actions: Iterable[QAction], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle("Commands")
        self.resize(460, 380)
        self.chosen: QAction | None = None
        self._actions = [action for action in actions if action.isEnabled()]
        self.field = QLineEdit()
        self.field.setPlaceholderText("Type a command…")
        self.list = QListWidget()
        layout = QVBoxLayout(self)
        layout.addWidget(self.field)
        layout.addWidget(self.list)
        self.field.textChanged.connect(self._fill)
        self.field.returnPressed.connect(self._choose)
        self.field.installEventFilter(self)
        self.list.itemActivated.connect(self._choose)
        self.list.itemClicked.connect(self._choose)
        self._fill("")

    def _fill(self, text: str) -> None:
        self.list.clear()
        words = text.lower().split()
        for action in self._actions:
            name = plain_text(action)
            if all(word in name.lower() for word in words):
                keys = action.shortcut().toString()
                item = QListWidgetItem(f"{name}    {keys}" if keys else name)
                item.setData(_ACTION, action)
                self.list.addItem(item)
        self.list.setCurrentRow(0)

    def _choose(self) -> None:
        item = self.list.currentItem()
        if item is not None:
            self.chosen = item.data(_ACTION)
            self.accept()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """The arrows move in the list while the field keeps the focus."""
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress:
            by = {Qt.Key.Key_Down: 1, Qt.Key.Key_Up: -1}.get(Qt.Key(event.key()))
            if by is not None:
                row = self.list.currentRow() + by
                self.list.setCurrentRow(min(max(row, 0), self.list.count() - 1))
                return True
        return super().eventFilter(watched, event)
