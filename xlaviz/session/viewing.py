"""Which snapshots are shown and how each side is drawn, what the user changes of it, and the way back."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from PySide6.QtCore import QObject, Signal

from xlaviz.dumps.sequence import PassSequence
from xlaviz.graph.options import ClusterChoice, Direction
from xlaviz.layout.place import EngineName
from xlaviz.lineage.diff import StepDiff
from xlaviz.session.drawing import Opened, SideOptions
from xlaviz.session.history import History, ViewState
from xlaviz.session.selection import NOTHING_SELECTED
from xlaviz.session.shown import PANES, Mode, Pane
from xlaviz.session.work import Side

CLUSTER = "scope:"
"""What the id of a cluster begins with, and no instruction's name."""


class Viewing(QObject):
    """The view that is wanted. To be built on by what can draw it: `_request_view`."""

    position_changed = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.sequence: PassSequence | None = None
        self.mode: Mode = "compare"
        self.index = 0
        self.sides: dict[Pane, Side | None] = {"left": None, "right": None}
        self.diff: StepDiff | None = None
        self.selection = NOTHING_SELECTED
        self.clusters: ClusterChoice | None = None
        self.fold_repeats = False
        self.engine: EngineName = "xlaviz"
        self.history = History()
        self._options: dict[Pane, SideOptions] = {"left": SideOptions(), "right": SideOptions()}
        self._keep = ""

    def _request_view(self, only: Pane | None = None) -> None:
        raise NotImplementedError

    def _request_detail(self) -> None:
        raise NotImplementedError

    def show_compare(self) -> None:
        """Before optimizations on the left, after them on the right."""
        if self.sequence is not None and self.mode != "compare":
            self._change_view("compare", self.sequence.last_index)

    def go_to(self, index: int) -> None:
        """Show snapshot `index` against the one before it; a single snapshot has no steps."""
        if self.sequence is None or self.sequence.last_index == 0:
            return
        index = min(max(index, 0), self.sequence.last_index)
        if self.mode != "step" or index != self.index:
            self._change_view("step", index)

    def go_to_last(self) -> None:
        if self.sequence is not None:
            self.go_to(self.sequence.last_index)

    def step(self, by: int) -> None:
        """To the neighbouring snapshot; from before/after, backward goes to the last step and forward to the first."""
        if self.sequence is None:
            return
        if self.mode == "compare":
            self.go_to(self.sequence.last_index if by < 0 else 1)
        else:
            self.go_to(self.index + by)

    def _change_view(self, mode: Mode, index: int) -> None:
        """Another snapshot. What the user opened in one step is open in the next."""
        self._leave_view()
        is_stepping = mode == self.mode == "step"
        for pane in PANES:
            opened = self._options[pane].open if is_stepping else "default"
            clusters = self._options[pane].clusters if is_stepping else self.clusters
            self._options[pane] = replace(self._plain_options, open=opened, clusters=clusters)
        self._show(ViewState(mode, index, self._options["left"], self._options["right"]))

    def _show(self, state: ViewState) -> None:
        self.mode, self.index = state.mode, state.index
        self._options = {"left": state.left, "right": state.right}
        self._keep = self.selection.name
        self.diff = None
        self.position_changed.emit()
        self._request_view()
        self._request_detail()

    @property
    def _plain_options(self) -> SideOptions:
        return SideOptions(clusters=self.clusters, fold_repeats=self.fold_repeats, engine=self.engine)

    @property
    def _state(self) -> ViewState:
        return ViewState(self.mode, self.index, self._options["left"], self._options["right"])

    def _leave_view(self) -> None:
        self.history.leave(self._state)

    def go_back(self) -> None:
        """To the view before this one."""
        state = self.history.back(self._state)
        if state is not None:
            self._show(state)

    def go_forward(self) -> None:
        state = self.history.forward(self._state)
        if state is not None:
            self._show(state)

    def _change_options(self, pane: Pane, keep: str, **changes: Any) -> None:
        """Draw a side anew; the two of a step go together."""
        self._leave_view()
        for one in PANES if self.mode == "step" else (pane,):
            self._options[one] = replace(self._options[one], **changes)
        self._keep = keep
        self._request_view(pane)

    def set_open(self, opened: Opened) -> None:
        """Open all clusters of both sides, or just these."""
        self._leave_view()
        for pane in PANES:
            side = self.sides[pane]
            clusters = side.clusters if side is not None else self._options[pane].clusters
            self._options[pane] = replace(self._options[pane], open=opened, clusters=clusters)
        self._keep = self.selection.name
        self._request_view()

    def set_clusters(self, clusters: ClusterChoice | None) -> None:
        """Draw both sides with clusters of another kind; None leaves that to the first page."""
        self.clusters = clusters
        self._leave_view()
        for pane in PANES:
            self._options[pane] = replace(self._options[pane], open="default", clusters=clusters)
        self._keep = self.selection.name
        self._request_view()

    def set_fold_repeats(self, *, fold: bool) -> None:
        self.fold_repeats = fold
        self._leave_view()
        for pane in PANES:
            self._options[pane] = replace(self._options[pane], fold_repeats=fold)
        self._keep = self.selection.name
        self._request_view()

    def set_engine(self, engine: EngineName) -> None:
        """Lay both sides out anew by another engine."""
        self.engine = engine
        for pane in PANES:
            self._options[pane] = replace(self._options[pane], engine=engine)
        self._keep = self.selection.name
        self._request_view()

    def toggle(self, pane: Pane, name: str) -> None:
        """Open or close one cluster; its box stays where it is on the screen."""
        side = self.sides[pane]
        if side is not None:
            self._leave_view()
            self._options[pane] = replace(self._options[pane], open=side.open ^ {name}, clusters=side.clusters)
            other: Pane = "right" if pane == "left" else "left"
            other_side = self.sides[other]
            if self.mode == "step" and other_side is not None:
                opened = other_side.open | {name} if name not in side.open else other_side.open - {name}
                self._options[other] = replace(self._options[other], open=opened, clusters=other_side.clusters)
            self._keep = name
            self._request_view(pane)

    def show_neighbourhood(self, pane: Pane, name: str | None, hops: int = 3) -> None:
        """Only what is within `hops` of an instruction, or everything again where `name` is None."""
        self._change_options(pane, name or self.selection.name, focus=name, hops=hops, to=None)

    def change_neighbourhood(self, pane: Pane, *, by: int = 0, direction: Direction | None = None) -> None:
        """Farther or nearer, or another way; from everything to the neighbourhood of what is selected."""
        options = self._options[pane]
        focus = options.focus or self.selection.name
        if focus and options.to is None:
            hops = max(options.hops + by, 1) if options.focus else options.hops
            changes = {"focus": focus, "hops": hops, "direction": direction or options.direction}
            self._change_options(pane, focus, **changes)

    def show_paths(self) -> None:
        """Only what lies between the two selected instructions."""
        selection = self.selection
        if selection.name and selection.second:
            self._change_options(selection.pane, selection.name, focus=selection.name, to=selection.second)

    def enter(self, pane: Pane, name: str) -> None:
        """Show the computation alone that an instruction calls."""
        side = self.sides[pane]
        if side is None or not self.can_enter(pane, name):
            return
        way = [name]
        box = side.graph.boxes_of(name)[0]
        while box >= 0:
            node = side.graph.nodes[box]
            if node.cluster is None and node.instruction != way[0]:
                way.insert(0, node.instruction)
            box = node.parent
        entered = (*self._options[pane].entered[: len(side.crumbs) - 1], *way)
        self._change_options(pane, self.selection.name, entered=entered, focus=None, to=None, open="default")

    def can_enter(self, pane: Pane, name: str) -> bool:
        """Whether the instruction calls something, or is within a closed cluster and may."""
        side = self.sides[pane]
        if side is None or name.startswith(CLUSTER):
            return False
        nodes = [side.graph.nodes[box] for box in side.graph.boxes_of(name)]
        return any(node.cluster is not None or node.kind in ("open", "closed") for node in nodes)

    def leave_to(self, pane: Pane, depth: int) -> None:
        """Back to a computation on the way to the one that is drawn, 0 is the entry, as it was left; the way in stays
        in view."""
        entered = self._options[pane].entered
        if 0 <= depth < len(entered):
            past = (state.left if pane == "left" else state.right for state in reversed(self.history.past))
            left = next((options for options in past if options.entered == entered[:depth]), SideOptions())
            changes = {"open": left.open, "clusters": left.clusters}
            self._change_options(pane, entered[depth], entered=entered[:depth], focus=None, to=None, **changes)

    def show_whole(self, pane: Pane) -> None:
        """Everything again after a neighbourhood, then the entry again after a computation alone."""
        if self._options[pane].focus is not None:
            self.show_neighbourhood(pane, None)
        elif self._options[pane].entered:
            self.leave_to(pane, 0)

    def reveal(self, pane: Pane, name: str) -> None:
        """Show everything again where what is drawn leaves an instruction out."""
        side = self.sides[pane]
        if side is not None and not side.graph.boxes_of(name) and not self._options[pane].is_whole:
            self._change_options(pane, name, focus=None, to=None, entered=())

    def options(self, pane: Pane) -> SideOptions:
        return self._options[pane]
