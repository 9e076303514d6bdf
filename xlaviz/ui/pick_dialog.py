"""A field over a list that it narrows: type some letters, press Enter."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QDialog, QLineEdit, QListWidget, QListWidgetItem, QVBoxLayout, QWidget

_ROW = Qt.ItemDataRole.UserRole


class PickDialog(QDialog):
    """`rows` are the texts to pick from; `chosen` is the number of the picked one."""

    def __init__(self, title: str, hint: str, rows: Sequence[str], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(title)
        self.resize(480, 420)
        self.chosen: int | None = None
        self._rows = rows
        self.field = QLineEdit()
        self.field.setPlaceholderText(hint)
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
        for number, row in enumerate(self._rows):
            if all(word in row.lower() for word in words):
                item = QListWidgetItem(row)
                item.setData(_ROW, number)
                self.list.addItem(item)
        self.list.setCurrentRow(0)

    def pick(self, number: int) -> None:
        """Have a row under the cursor at first."""
        self.list.setCurrentRow(number)

    def _choose(self) -> None:
        item = self.list.currentItem()
        if item is not None:
            self.chosen = item.data(_ROW)
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
