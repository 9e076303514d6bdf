"""How the window's parts are put together, and put back as they were left."""

from __future__ import annotations

from base64 import b64decode
from collections.abc import Callable

from PySide6.QtCore import QByteArray
from PySide6.QtWidgets import QSplitter, QStackedWidget, QVBoxLayout, QWidget


def column(*widgets: QWidget) -> QWidget:
    """Widgets under one another without space, the one before the last or the only large one growing."""
    column = QWidget()
    layout = QVBoxLayout(column)
    layout.setContentsMargins(0, 0, 0, 0)
    layout.setSpacing(0)
    for widget in widgets:
        layout.addWidget(widget, 1 if isinstance(widget, QSplitter | QStackedWidget) else 0)
    return column


def try_restoring(restore: Callable[[QByteArray], bool], text: str) -> bool:
    """Restore what was remembered, and say whether there was something; a damaged value leaves the default."""
    try:
        return bool(text) and restore(QByteArray(b64decode(text, validate=True)))
    except ValueError:
        return False
