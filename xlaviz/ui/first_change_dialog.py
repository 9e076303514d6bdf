"""Asks for the first pass after which something is so, and goes there."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QDialog,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QListWidget,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from xlaviz.base.errors import XlavizError
from xlaviz.lineage.first_change import QUESTIONS
from xlaviz.session.session import Session


class FirstChangeDialog(QDialog):
    """Stays open beside the window, so that one question can follow another. Signal: `found` with a snapshot's
    index."""

    found = Signal(int)

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self.setWindowTitle("First change")
        self.resize(460, 460)
        self.field = QLineEdit()
        self.field.setPlaceholderText("opcode:transpose grows")
        self.forms = QListWidget()
        self.forms.itemClicked.connect(lambda item: self.field.setText(item.text()))
        self.forms.itemActivated.connect(lambda item: self.field.setText(item.text()))
        self.answer = QLabel("The first pass after which this is so:")
        self.answer.setWordWrap(True)
        self.answer.setTextFormat(Qt.TextFormat.PlainText)
        self.first = QPushButton("First")
        self.first.setDefault(True)
        self.next = QPushButton("Next from here")
        self.first.clicked.connect(lambda: self.ask(0))
        self.next.clicked.connect(self._ask_from_here)
        buttons = QHBoxLayout()
        buttons.addStretch()
        buttons.addWidget(self.next)
        buttons.addWidget(self.first)
        layout = QVBoxLayout(self)
        for widget in (self.field, self.answer, self.forms):
            layout.addWidget(widget)
        layout.addLayout(buttons)

    def open_for(self, name: str) -> None:
        """Show the questions about an instruction, or with a placeholder where none is selected."""
        self.forms.clear()
        for question in QUESTIONS:
            self.forms.addItem(question.replace("%x", f"%{name}") if name else question)
        if name and not self.field.text():
            self.field.setText(f"%{name} changes")
        self.answer.setText("The first pass after which this is so:")
        self.show()
        self.raise_()
        self.field.setFocus()
        self.field.selectAll()

    def _ask_from_here(self) -> None:
        """After the snapshot that is shown; before and after all passes, from the first one on."""
        self.ask(self._session.index if self._session.mode == "step" else 0)

    def ask(self, start: int) -> None:
        question = self.field.text().strip()
        if not question or self._session.sequence is None:
            return
        if self._session.sequence.last_index == 0:
            self.answer.setText("There is one snapshot alone: nothing ever changes.")
            return
        self.answer.setText("…")

        def done(index: int | None) -> None:
            sequence = self._session.sequence
            if index is None or sequence is None:
                followed = "" if self._session.stories.lineage is not None else " in the passes followed so far"
                self.answer.setText(f"It never becomes so after snapshot {start}{followed}.")
                return
            self.answer.setText(f"Snapshot {index}: {sequence.snapshots[index].label}")
            self.found.emit(index)

        def failed(error: XlavizError) -> None:
            self.answer.setText(error.message)

        arguments = (question, start)
        self._session.stories.ask("first", "looking for a change", "first_change_after", arguments, done, failed)
