"""How boxes look where the colours tell the time they take."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QPointF
from PySide6.QtGui import QColor, QLinearGradient

from xlaviz.graph.model import DrawnGraph, DrawnNode
from xlaviz.graph.overlay import Overlay
from xlaviz.scene.palette import Theme, heat_colour, ink_on, mixed

_LINE = 0.72
_WEAK_INK = 0.9
_COLD = 0.22
_GRADIENT_STEPS = 24


@dataclass(frozen=True, slots=True)
class HeatLook:
    """`ink` is for names and `weak_ink` for what stands beside and below them."""

    fill: QColor
    line: QColor
    ink: QColor
    weak_ink: QColor
    is_hot: bool


def tells_time(graph: DrawnGraph, node: DrawnNode) -> bool:
    """Whether a box has its instruction's time: the first alone, not the body of a loop as well, nor a second drawing
    of what is called twice."""
    return node.kind != "port" and graph.nodes[graph.nodes_of[node.instruction][0]] is node


def heat_look(graph: DrawnGraph, node: DrawnNode, overlay: Overlay, theme: Theme) -> HeatLook | None:
    """The look of a box by its heat, pale where it has none; None where heat is off."""
    if overlay.heat is None:
        return None
    share = overlay.heat.get(node.instruction) if tells_time(graph, node) else None
    if share is None:
        fill = mixed(QColor(theme.line), QColor(theme.canvas), _COLD)
        return HeatLook(fill, QColor(theme.line), QColor(theme.text), QColor(theme.muted), is_hot=False)
    fill = heat_colour(share, theme)
    ink = ink_on(fill)
    return HeatLook(fill, mixed(fill, ink, _LINE), ink, mixed(ink, fill, _WEAK_INK), is_hot=True)


def heat_gradient(start: QPointF, end: QPointF, theme: Theme) -> QLinearGradient:
    """The colours from no time to the longest, as a scale shows them."""
    gradient = QLinearGradient(start, end)
    for step in range(_GRADIENT_STEPS + 1):
        gradient.setColorAt(step / _GRADIENT_STEPS, heat_colour(step / _GRADIENT_STEPS, theme))
    return gradient
