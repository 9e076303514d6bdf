"""What the actions do that change the view: clusters, neighbourhoods, computations, the way back, walking."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from xlaviz.scene.walking import Way, next_box
from xlaviz.session.shown import PANES

if TYPE_CHECKING:
    from xlaviz.ui.main_window import MainWindow

_WAYS: dict[str, Way] = {"to_operand": "operand", "to_user": "user", "to_left": "left", "to_right": "right"}


class ViewCommands:
    """Slots of the action table."""

    def __init__(self, window: MainWindow) -> None:
        self._window = window
        self._came_from: dict[str, str] = {}
        """Where a walk entered each box from: the way back leads there."""

    def slots(self) -> dict[str, Callable[[], object]]:
        session = self._window.session
        walks = {name: partial(self.walk, way) for name, way in _WAYS.items()}
        return walks | {
            "open_all": lambda: session.set_open("all"),
            "close_all": lambda: session.set_open(frozenset()),
            "clusters_calls": lambda: session.set_clusters("calls"),
            "clusters_scopes": lambda: session.set_clusters("scopes"),
            "clusters_none": lambda: session.set_clusters("none"),
            "first_page": lambda: session.set_clusters(None),
            "nearer": lambda: session.change_neighbourhood(self._window.active_pane, by=-1),
            "farther": lambda: session.change_neighbourhood(self._window.active_pane, by=1),
            "near_both": lambda: session.change_neighbourhood(self._window.active_pane, direction="both"),
            "near_operands": lambda: session.change_neighbourhood(self._window.active_pane, direction="operands"),
            "near_users": lambda: session.change_neighbourhood(self._window.active_pane, direction="users"),
            "paths": session.show_paths,
            "back": session.go_back,
            "forward": session.go_forward,
            "fold_repeats": self.fold_repeats,
            "graphviz": self.graphviz,
            "toggle": self.toggle,
            "neighbourhood": self.neighbourhood,
            "enter": self.enter,
            "leave": self.leave,
            "whole": self.whole,
            "heat": self.heat,
            "scroll_together": self.scroll_together,
            "animate": self.animate,
        }

    def show_state(self) -> None:
        """Check what is the case in the view that is shown."""
        window = self._window
        session, actions, pane = window.session, window.actions_by_name, window.active_pane
        side = session.sides[pane]
        if side is not None:
            actions[f"clusters_{side.clusters}"].setChecked(True)
        actions[f"near_{session.options(pane).direction}"].setChecked(True)
        actions["fold_repeats"].setChecked(session.fold_repeats)
        actions["graphviz"].setChecked(session.engine == "graphviz")
        actions["scroll_together"].setChecked(window.scrolling.is_on)

    def fold_repeats(self) -> None:
        self._window.session.set_fold_repeats(fold=self._window.actions_by_name["fold_repeats"].isChecked())

    def graphviz(self) -> None:
        is_chosen = self._window.actions_by_name["graphviz"].isChecked()
        self._window.session.set_engine("graphviz" if is_chosen else "xlaviz")

    def toggle(self) -> None:
        selection = self._window.session.selection
        graph = self._window.panes[selection.pane].canvas.graph
        if graph is None or not selection.name:
            return
        kinds = {graph.nodes[index].kind for index in graph.nodes_of.get(selection.name, ())}
        if kinds & {"open", "closed"}:
            self._window.session.toggle(selection.pane, selection.name)

    def neighbourhood(self) -> None:
        selection = self._window.session.selection
        if selection.name:
            self._window.session.show_neighbourhood(selection.pane, selection.name)

    def enter(self) -> None:
        selection = self._window.session.selection
        self._window.session.enter(selection.pane, selection.name)

    def leave(self) -> None:
        pane = self._window.active_pane
        self._window.session.leave_to(pane, len(self._window.session.options(pane).entered) - 1)

    def whole(self) -> None:
        """Esc closes what was opened last: the search, a neighbourhood, a computation."""
        window = self._window
        if window.search.is_open:
            window.search.close_search()
            return
        panes = PANES if window.session.mode == "compare" else (window.active_pane,)
        for pane in panes:
            window.session.show_whole(pane)

    def walk(self, way: Way) -> None:
        """Select the next box on a way from the selected one, and have it in view."""
        window = self._window
        pane = window.active_pane
        painter = window.panes[pane].canvas.painter
        selection = window.session.selection
        if painter is None:
            return
        graph = painter.graph
        boxes = graph.boxes_of(selection.name) if selection.pane == pane else ()
        start = boxes[0] if boxes else None
        found = next_box(graph, painter.places, start, way, self._came_from.get(selection.name, ""))
        if found is None:
            return
        name = graph.nodes[found].instruction
        if way in ("operand", "user"):
            self._came_from = {name: selection.name}
        window.session.select(pane, name)
        window.panes[pane].canvas.bring_into_view(found)
        window.show_counterpart(pane)

    def heat(self) -> None:
        """Colour by time, or again by what the boxes are."""
        window = self._window
        is_heated = window.actions_by_name["heat"].isChecked()
        window.session.set_heated(heated=is_heated)
        if is_heated and window.legend.heat is None:
            is_reading = window.session.times.is_waiting
            words = "The times are still being read." if is_reading else "No times are known for what is shown."
            window.status.showMessage(words, 6000)

    def scroll_together(self) -> None:
        self._window.scrolling.set_on(on=self._window.actions_by_name["scroll_together"].isChecked())

    def animate(self) -> None:
        window = self._window
        is_on = window.actions_by_name["animate"].isChecked()
        window.settings = replace(window.settings, motion="on" if is_on else "off")
        for pane in PANES:
            window.panes[pane].canvas.is_animated = is_on
