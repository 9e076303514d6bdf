"""Tells the user what went wrong, in one place: a strip in the window, no box to click away."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QPlainTextEdit, QPushButton, QVBoxLayout, QWidget

from xlaviz.base.errors import XlavizError
from xlaviz.scene.palette import Theme


class Notifications(QFrame):
    """Shows the last error until it is closed; its long form is folded away."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("notification")
        self.text = QLabel()
        self.text.setTextFormat(Qt.TextFormat.PlainText)
        self.text.setWordWrap(True)
        self.text.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.detail = QPlainTextEdit()
        self.detail.setReadOnly(True)
        self.detail.setMaximumHeight(160)
        self.more = QPushButton("Details")
        self.more.setCheckable(True)
        self.more.toggled.connect(self.detail.setVisible)
        close = QPushButton("Close")
        close.clicked.connect(self.hide)
        row = QHBoxLayout()
        row.addWidget(self.text, 1)
        row.addWidget(self.more)
        row.addWidget(close)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(12, 6, 8, 6)
        layout.addLayout(row)
        layout.addWidget(self.detail)
        self.hide()

    def set_theme(self, theme: Theme) -> None:
        self.setStyleSheet(
            f"QFrame#notification {{ background: {theme.panel}; border-left: 4px solid {theme.removed}; }}"
        )

    def show_error(self, error: XlavizError) -> None:
        self.text.setText(str(error))
        self.more.setChecked(False)
        self.more.setVisible(bool(error.detail))
        self.detail.setPlainText(error.detail)
        self.detail.hide()
        self.show()
