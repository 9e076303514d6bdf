"""The way from the entry to the computation that a pane shows, each computation on it a link."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QLabel, QWidget

from xlaviz.session.drawing import Crumb


class Breadcrumb(QLabel):
    """Signal: `crumb_wanted` with the place on the way, 0 for the entry. Hidden where the entry itself is shown."""

    crumb_wanted = Signal(int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("breadcrumb")
        self.setContentsMargins(10, 2, 10, 3)
        self.setTextFormat(Qt.TextFormat.RichText)
        self.linkActivated.connect(lambda place: self.crumb_wanted.emit(int(place)))
        self.hide()

    def show_crumbs(self, crumbs: Sequence[Crumb]) -> None:
        links = [f"<a href='{place}'>{escape(crumb.words)}</a>" for place, crumb in enumerate(crumbs[:-1])]
        here = f"<b>{escape(crumbs[-1].words)}</b>" if crumbs else ""
        self.setText(" &nbsp;›&nbsp; ".join((*links, here)))
        self.setVisible(len(crumbs) > 1)
