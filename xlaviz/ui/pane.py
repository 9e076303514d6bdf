"""One side of the comparison: a title, the canvas, and a strip that says when only a part is shown."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QLabel, QVBoxLayout, QWidget

from xlaviz.base.errors import XlavizError
from xlaviz.graph.overlay import Overlay
from xlaviz.scene.canvas import GraphCanvas
from xlaviz.scene.palette import Theme
from xlaviz.session.work import Side


class GraphPane(QWidget):
    """Signal: `whole_wanted` when the user has seen enough of a neighbourhood."""

    whole_wanted = Signal()

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName(name)
        self.title = QLabel()
        self.title.setObjectName("paneTitle")
        self.strip = QLabel()
        self.strip.setContentsMargins(10, 3, 10, 3)
        self.strip.setTextFormat(Qt.TextFormat.RichText)
        self.strip.linkActivated.connect(lambda _: self.whole_wanted.emit())
        self.strip.hide()
        self.canvas = GraphCanvas()
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        for widget in (self.title, self.strip, self.canvas):
            layout.addWidget(widget)
        layout.setStretch(2, 1)

    def set_theme(self, theme: Theme) -> None:
        self.canvas.set_theme(theme)

    def show_side(self, heading: str, side: Side, overlay: Overlay, *, keep: str, focus: str | None) -> None:
        """Show one side of the view; `keep` names the instruction whose box stays where it is."""
        fusions = sum(1 for node in side.graph.nodes if node.family == "fusion" and node.kind in ("open", "closed"))
        words = [f"{side.graph.instruction_count} in entry"]
        if fusions:
            words.append(f"{fusions} fusion{'s' * (fusions > 1)}")
        words.append(f"{side.instructions} in the module")
        self.title.setText(f"<b>{heading}</b> · {' · '.join(words)}")
        self.strip.setVisible(focus is not None)
        if focus is not None:
            self.strip.setText(f"Only what is near {focus}. <a href='#'>Show everything</a> (Esc)")
        self.canvas.show_graph(side.graph, side.places, overlay, keep=keep)

    def show_nothing(self, heading: str, text: str) -> None:
        self.title.setText(f"<b>{heading}</b>" if heading else "")
        self.strip.hide()
        self.canvas.show_message(text)

    def show_error(self, error: XlavizError) -> None:
        """The reason why this side cannot be drawn, and what helps."""
        self.strip.hide()
        self.canvas.show_message(str(error))
