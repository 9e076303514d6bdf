"""How the window's parts are put together, and put back as they were left."""

from __future__ import annotations

from base64 import b64decode
from collections.abc import Callable

from PySide6.QtCore import QByteArray, Qt
from PySide6.QtWidgets import QSplitter, QStackedWidget, QTextBrowser, QVBoxLayout, QWidget


def column(*widgets: QWidget) -> QWidget:
    """Widgets under one another without space, the one before the last or the only large one growing."""
    column = QWidget()
    layout = QVBoxLayout(column)
    layout.setContentsMargins(0, 0, 0, 0)
    layout.setSpacing(0)
    for widget in widgets:
        layout.addWidget(widget, 1 if isinstance(widget, QSplitter | QStackedWidget) else 0)
    return column


def let_tab_leave(browser: QTextBrowser) -> None:
    """The tab key goes to the next widget, and not through all links first: they are for the mouse."""
    browser.setTextInteractionFlags(
        Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.LinksAccessibleByMouse
    )


def try_restoring(restore: Callable[[QByteArray], bool], text: str) -> bool:
    """Restore what was remembered, and say whether there was something; a damaged value leaves the default."""
    try:
        return bool(text) and restore(QByteArray(b64decode(text, validate=True)))
    except ValueError:
        return False
