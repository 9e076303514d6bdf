"""One side of the comparison: a title, the canvas, a strip that says what is left out, and the ways out of a view that
is too large."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QLabel, QPushButton, QVBoxLayout, QWidget

from xlaviz.base.errors import XlavizError
from xlaviz.graph.metrics import elide_middle
from xlaviz.graph.overlay import Overlay
from xlaviz.scene.canvas import GraphCanvas
from xlaviz.scene.palette import Theme
from xlaviz.session.drawing import SideOptions
from xlaviz.session.offers import Offer
from xlaviz.session.work import Side
from xlaviz.ui.breadcrumb import Breadcrumb
from xlaviz.ui.one_line import OneLine


class GraphPane(QWidget):
    """Signals: `whole_wanted` when the user has seen enough of a neighbourhood; `crumb_wanted` with the place of a
    computation on the way to the one that is shown."""

    whole_wanted = Signal()
    crumb_wanted = Signal(int)

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName(name)
        self.title = OneLine()
        self.title.setObjectName("paneTitle")
        self.breadcrumb = Breadcrumb()
        self.breadcrumb.crumb_wanted.connect(self.crumb_wanted)
        self.strip = QLabel()
        self.strip.setContentsMargins(10, 3, 10, 3)
        self.strip.setTextFormat(Qt.TextFormat.RichText)
        for label in (self.breadcrumb, self.strip):
            label.setWordWrap(True)
            label.setMinimumWidth(1)  # or a long name widens the window
        self.strip.linkActivated.connect(lambda _: self.whole_wanted.emit())
        self.strip.hide()
        self.canvas = GraphCanvas()
        self.offer_buttons: list[QPushButton] = []
        self._offers = QVBoxLayout(self.canvas)
        self._offers.addStretch(3)
        self._offers.addStretch(2)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        for widget in (self.title, self.breadcrumb, self.strip, self.canvas):
            layout.addWidget(widget)
        layout.setStretch(3, 1)

    def set_theme(self, theme: Theme) -> None:
        self.canvas.set_theme(theme)

    def show_side(self, heading: str, side: Side, overlay: Overlay, *, keep: str, options: SideOptions) -> None:
        """Show one side of the view; `keep` names the instruction whose box stays where it is."""
        nodes = (node for node in side.graph.nodes if node.family == "fusion" and node.cluster is None)
        fusions = sum(1 for node in nodes if node.kind in ("open", "closed"))
        words = [f"{side.graph.instruction_count:,} in {side.crumbs[-1].words if side.crumbs else 'entry'}"]
        if fusions:
            words.append(f"{fusions} fusion{'s' * (fusions > 1)}")
        words.append(f"{side.instructions:,} in the module")
        self._show_title(heading, *words)
        self._show_offers(())
        self.breadcrumb.show_crumbs(side.crumbs)
        notes = list(side.notes)
        near = notes.pop() if options.focus is not None and notes and _is_of_part(notes[-1]) else ""
        texts = [escape(note) for note in notes]
        if options.focus is not None:
            near = near[:1].upper() + near[1:] if near else f"{options.focus} is not here, so all is shown"
            texts.insert(0, f"{escape(near)}. <a href='#'>Show everything</a> (Esc)")
        self.strip.setText("<br>".join(texts))
        self.strip.setVisible(bool(texts))
        self.canvas.show_graph(side.graph, side.places, overlay, keep=keep)

    def show_nothing(self, heading: str, text: str) -> None:
        self._show_title(heading)
        self._show_offers(())
        self.strip.hide()
        self.breadcrumb.hide()
        self.canvas.show_message(text)

    def show_error(self, heading: str, error: XlavizError, offers: Sequence[Offer] = ()) -> None:
        """The reason why this side cannot be drawn, and what helps, to be clicked."""
        self.show_nothing(heading, error.message if offers else str(error))
        self._show_offers(offers)

    def _show_title(self, heading: str, *words: str) -> None:
        self.title.show_parts([(heading, True), *((f" · {word}", False) for word in words)] if heading else [])

    def _show_offers(self, offers: Sequence[Offer]) -> None:
        for button in self.offer_buttons:
            if button.hasFocus():
                self.canvas.setFocus()
            self._offers.removeWidget(button)
            button.hide()
            button.deleteLater()
        self.offer_buttons = [_offer_button(offer) for offer in offers]
        for place, button in enumerate(self.offer_buttons, 1):
            self._offers.insertWidget(place, button, 0, Qt.AlignmentFlag.AlignHCenter)


def _is_of_part(note: str) -> bool:
    return note.startswith(("neighbourhood of", "paths between", "no path between"))


def _offer_button(offer: Offer) -> QPushButton:
    button = QPushButton(elide_middle(offer.text, 60))
    button.setToolTip(offer.text)
    button.clicked.connect(lambda: offer.act())
    return button
