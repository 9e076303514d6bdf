"""The bottom tab that shows a side file as text: LLVM IR, a buffer assignment, options."""

from __future__ import annotations

from PySide6.QtGui import QFontDatabase
from PySide6.QtWidgets import QLabel, QPlainTextEdit, QSizePolicy, QVBoxLayout, QWidget

from xlaviz.graph.metrics import elide_middle


class FileView(QWidget):
    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.title = QLabel("A double click on a file in the list of modules shows it here.")
        self.title.setObjectName("muted")
        self.title.setContentsMargins(10, 3, 10, 3)
        self.title.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)  # dump names are long
        self.text = QPlainTextEdit()
        self.text.setReadOnly(True)
        self.text.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self.text.setFont(QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont))
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self.title)
        layout.addWidget(self.text, 1)

    def show_file(self, name: str, text: str) -> None:
        self.title.setText(elide_middle(name, 140))
        self.title.setToolTip(name)
        self.text.setPlainText(text)
