"""Both panes scroll together: by places where they share a layout, else by lineage."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QPointF

from xlaviz.scene.canvas import GraphCanvas
from xlaviz.session.shown import Mode, Pane

if TYPE_CHECKING:
    from xlaviz.ui.main_window import MainWindow

_TRIED = 24


class Scrolling(QObject):
    """On by default in steps; before against after, the two sides have little in the same place."""

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self._window = window
        self._is_on: dict[Mode, bool] = {"step": True, "compare": False}
        self._is_held = False

    @property
    def is_on(self) -> bool:
        return self._is_on[self._window.session.mode]

    @contextmanager
    def held(self) -> Iterator[None]:
        """While one pane has its new graph and the other has not, neither moves the other."""
        self._is_held = True
        try:
            yield
        finally:
            self._is_held = False

    def set_on(self, *, on: bool) -> None:
        self._is_on[self._window.session.mode] = on
        if on:
            pane = self._window.active_pane
            self.on_moved(pane)
            self.on_dragged(pane)

    def on_moved(self, pane: Pane) -> None:
        """A pane shows another part: with a shared layout, the other one shows the same part."""
        if self._window.session.is_shared and self.is_on and not self._is_held:
            canvas = self._window.panes[pane].canvas
            self._other(pane).set_view(canvas.origin, canvas.zoom)

    def on_dragged(self, pane: Pane) -> None:
        """The user moved a pane: what stands for the box in its middle goes to the same place of the other pane."""
        session = self._window.session
        canvas, other = self._window.panes[pane].canvas, self._other(pane)
        if session.is_shared or not self.is_on or canvas.painter is None or other.painter is None:
            return
        for index in canvas.middle_boxes()[:_TRIED]:
            names = session.counterparts_of(pane, canvas.painter.graph.nodes[index].instruction)
            boxes = [box for name in sorted(names) for box in other.painter.graph.boxes_of(name)]
            if boxes:
                middle = canvas.to_widget(canvas.painter.box(index).center())
                other.align(other.painter.box(boxes[0]).center(), _within(middle, other.width(), other.height()))
                return

    def _other(self, pane: Pane) -> GraphCanvas:
        return self._window.panes["right" if pane == "left" else "left"].canvas


def _within(point: QPointF, width: int, height: int) -> QPointF:
    return QPointF(min(max(point.x(), 0.0), width), min(max(point.y(), 0.0), height))
