"""What is open, shown and selected. Knows no widget: the window shows what it says and tells it what the user wants."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from PySide6.QtCore import QObject, Signal

from xlaviz.base.errors import XlavizError
from xlaviz.dumps.sequence import PassSequence
from xlaviz.lineage.diff import StepDiff
from xlaviz.lineage.sequence import Lineage
from xlaviz.profile.kernels import KernelTable
from xlaviz.session.detail import InstructionDetail
from xlaviz.session.documents import DocumentInfo, ModuleFacts
from xlaviz.session.jobs import WORKER, JobRunner
from xlaviz.session.shown import PANES, Mode, Pane, Shown
from xlaviz.session.work import (
    Side,
    SideOptions,
    SnapshotSummary,
    StepView,
)
from xlaviz.session.worker import BACKGROUND


@dataclass(frozen=True, slots=True)
class Selection:
    """What the user picked, in which pane, and the instructions lit for it on either side."""

    pane: Pane = "right"
    name: str = ""
    left: frozenset[str] = frozenset()
    right: frozenset[str] = frozenset()

    def names(self, pane: Pane) -> frozenset[str]:
        return self.left if pane == "left" else self.right


NOTHING_SELECTED = Selection()


class Session(QObject):
    """One open document and the view of it.

    Signals: `document_changed` when another document or module is shown; `position_changed` at once when another
    snapshot is wanted; `view_changed` when it is there, with the name of the instruction whose box should stay in
    place, or ""; `pane_failed` (pane, error); the rest as they are named.
    """

    document_changed = Signal()
    position_changed = Signal()
    view_changed = Signal(str)
    pane_failed = Signal(str, object)
    overlay_changed = Signal()
    selection_changed = Signal()
    detail_changed = Signal()
    summaries_changed = Signal()
    kernels_changed = Signal()
    facts_changed = Signal()
    file_read = Signal(str, str)
    failed = Signal(object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.views = JobRunner(self)
        self.background = JobRunner(self, worker=(*WORKER, BACKGROUND))
        self.info: DocumentInfo | None = None
        self.sequence: PassSequence | None = None
        self.mode: Mode = "compare"
        self.index = 0
        self.sides: dict[Pane, Side | None] = {"left": None, "right": None}
        self.errors: dict[Pane, XlavizError | None] = {"left": None, "right": None}
        self.diff: StepDiff | None = None
        self.is_shared = False
        self.lineage: Lineage | None = None
        self.kernels: KernelTable | None = None
        self.kernels_error: XlavizError | None = None
        self.summaries: tuple[SnapshotSummary, ...] = ()
        self.facts: tuple[ModuleFacts, ...] = ()
        self.selection = NOTHING_SELECTED
        self.detail: InstructionDetail | None = None
        self._options: dict[Pane, SideOptions] = {"left": SideOptions(), "right": SideOptions()}
        self._keep = ""

    @property
    def is_busy(self) -> bool:
        return self.views.is_busy or self.background.is_busy

    def close(self) -> None:
        self.views.close()
        self.background.close()

    # Documents and modules

    def open(self, path: Path) -> None:
        """Open a document; the one that is open stays until the new one has been read."""
        path = path.absolute()
        self.views.submit("open", f"opening {path.name}", "open_info", (path,), self._on_opened, self.failed.emit)

    def _on_opened(self, info: DocumentInfo) -> None:
        self.info = info
        self.facts = ()
        self.show_sequence(info.sequences[info.main_index])

    def show_sequence(self, sequence: PassSequence) -> None:
        """Show another module of the document, before against after."""
        self.background.cancel_all()
        self.sequence = sequence
        self.mode, self.index = "compare", sequence.last_index
        self.sides = {"left": None, "right": None}
        self.errors = {"left": None, "right": None}
        self._options = {"left": SideOptions(), "right": SideOptions()}
        self.diff = self.lineage = self.kernels = self.kernels_error = self.detail = None
        self.summaries = ()
        self.selection = NOTHING_SELECTED
        self.document_changed.emit()
        self._request_view()
        self._request_background(sequence)

    def _request_background(self, sequence: PassSequence) -> None:
        assert self.info is not None
        path = self.info.path

        def submit(title: str, call: str, field: str, error_field: str = "") -> None:
            def done(value: object) -> None:
                setattr(self, field, value)
                self._after_background(field)

            def failed(error: XlavizError) -> None:
                if error_field:
                    setattr(self, error_field, error)
                    self._after_background(field)
                else:
                    self.failed.emit(error)

            self.background.submit(field, title, call, (path, sequence), done, failed)

        submit("reading the profile", "kernels", "kernels", "kernels_error")
        if len(sequence.snapshots) > 1:
            submit("comparing snapshots", "snapshot_summaries", "summaries")
            submit("following instructions through the passes", "lineage", "lineage")
        if not self.facts:
            self._request_facts(path)

    def _request_facts(self, path: Path) -> None:
        """Sizes and shapes of all modules: the last thing to be worked out, for there may be hundreds."""

        def done(facts: tuple[ModuleFacts, ...]) -> None:
            self.facts = facts
            self.facts_changed.emit()

        self.background.submit("facts", "reading all modules", "module_facts", (path,), done, self.failed.emit)

    def read_side_file(self, name: str) -> None:
        """Read a file that lies beside the modules; `file_read` tells its text."""
        if self.info is not None:
            arguments = (self.info.path, name)

            def done(text: str) -> None:
                self.file_read.emit(name, text)

            self.views.submit("file", f"reading {name}", "side_file_text", arguments, done, self.failed.emit)

    def _after_background(self, field: str) -> None:
        if field == "summaries":
            self.summaries_changed.emit()
        if field == "kernels":
            self.kernels_changed.emit()
        if field in ("kernels", "lineage"):
            self.overlay_changed.emit()
            self._reselect()

    # The view

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
        self.mode, self.index = mode, index
        self._options = {"left": SideOptions(), "right": SideOptions()}
        self._keep = self.selection.name
        self.diff = None
        self.position_changed.emit()
        self._request_view()
        self._request_detail()

    def set_open(self, opened: Literal["all"] | frozenset[str]) -> None:
        """Open all clusters of both sides, or just these."""
        for pane in PANES:
            self._options[pane] = replace(self._options[pane], open=opened)
        self._keep = self.selection.name
        self._request_view()

    def toggle(self, pane: Pane, name: str) -> None:
        """Open or close one cluster; its box stays where it is on the screen."""
        side = self.sides[pane]
        if side is not None:
            self._options[pane] = replace(self._options[pane], open=side.open ^ {name})
            self._keep = name
            self._request_view(pane)

    def show_neighbourhood(self, pane: Pane, name: str | None, hops: int = 3) -> None:
        """Only what is within `hops` of an instruction, or everything again where `name` is None. The two sides of a
        step go together."""
        for one in PANES if self.mode == "step" else (pane,):
            self._options[one] = replace(self._options[one], focus=name, hops=hops)
        self._keep = name or self.selection.name
        self._request_view(pane)

    def options(self, pane: Pane) -> SideOptions:
        return self._options[pane]

    def _request_view(self, only: Pane | None = None) -> None:
        if self.info is None or self.sequence is None:
            return
        path, sequence = self.info.path, self.sequence
        if self.mode == "step":
            arguments = (path, sequence, self.index, self._options["left"], self._options["right"])
            title = f"drawing {sequence.snapshots[self.index].label}"
            self.views.submit("view", title, "step_view", arguments, self._on_step, self._on_step_failed)
            return
        self.diff, self.is_shared = None, False
        for pane in (only,) if only is not None else PANES:
            index = 0 if pane == "left" else sequence.last_index
            self._request_side(pane, path, sequence, index)

    def _request_side(self, pane: Pane, path: Path, sequence: PassSequence, index: int) -> None:
        def done(side: Side) -> None:
            if self.mode == "compare":
                self.sides[pane], self.errors[pane] = side, None
                self.view_changed.emit(self._keep)
                self._reselect()

        def failed(error: XlavizError) -> None:
            if self.mode == "compare":
                self._fail(pane, error)

        title = f"drawing {sequence.snapshots[index].label}"
        slot = "view" if pane == "right" else "view left"
        self.views.submit(slot, title, "single_view", (path, sequence, index, self._options[pane]), done, failed)

    def _on_step(self, view: StepView) -> None:
        if self.mode == "step":
            self.sides = {"left": view.left, "right": view.right}
            self.errors = {"left": None, "right": None}
            self.diff, self.is_shared = view.diff, view.is_shared
            self.view_changed.emit(self._keep)
            self._reselect()

    def _on_step_failed(self, error: XlavizError) -> None:
        if self.mode == "step":
            for pane in PANES:
                self._fail(pane, error)

    def _fail(self, pane: Pane, error: XlavizError) -> None:
        self.sides[pane], self.errors[pane] = None, error
        self.pane_failed.emit(pane, error)

    # Selection

    def select(self, pane: Pane, name: str) -> None:
        """Select an instruction and, on the other side, what it came from or went into."""
        left, right = self._counterparts(pane, name) if name else (frozenset(), frozenset())
        self.selection = Selection(pane, name, left, right)
        self.selection_changed.emit()
        self._request_detail()

    def select_kernel(self, name: str) -> None:
        """Select a kernel's instruction, which stands in the last snapshot."""
        self.select("right", name)

    def _reselect(self) -> None:
        """After a new view or new lineage: the same instruction, its counterparts anew."""
        if self.selection.name:
            left, right = self._counterparts(self.selection.pane, self.selection.name)
            if (left, right) != (self.selection.left, self.selection.right):
                self.selection = replace(self.selection, left=left, right=right)
        self.selection_changed.emit()

    def _counterparts(self, pane: Pane, name: str) -> tuple[frozenset[str], frozenset[str]]:
        own = frozenset((name,))
        if self.mode == "step" or self.lineage is None:
            return own, own
        if pane == "right":
            return self.origins_of(name), own
        return own, self.descendants_of(name)

    def origins_of(self, name: str) -> frozenset[str]:
        """The instructions before optimization that one of the last snapshot stands for, a fusion for its content."""
        if self.lineage is None:
            return frozenset()
        return self.lineage.fusion_origins.get(name) or self.lineage.origins.get(name, frozenset())

    def descendants_of(self, name: str) -> frozenset[str]:
        """What an instruction before optimization became; where that is drawn inside a closed fusion, the fusion."""
        if self.lineage is None:
            return frozenset()
        found = self.lineage.where(name)
        side = self.sides["right"]
        if side is None:
            return found
        drawn = side.graph.nodes_of
        hidden = {one for one in found if one not in drawn}
        if not hidden:
            return found
        closed = {f for f, origins in self.lineage.fusion_origins.items() if name in origins and f in drawn}
        return (found - hidden) | closed

    def _request_detail(self) -> None:
        self.detail = None
        self.detail_changed.emit()
        if not self.selection.name or self.info is None or self.sequence is None:
            return
        name, index = self.selection.name, self.shown.snapshot_index(self.selection.pane)
        path, sequence = self.info.path, self.sequence
        arguments = (path, sequence, index, name)

        def done(detail: InstructionDetail | None) -> None:
            if sequence is self.sequence and name == self.selection.name:
                self.detail = detail
                self.detail_changed.emit()

        self.views.submit("detail", "reading an instruction", "instruction_detail", arguments, done, self.failed.emit)

    @property
    def shown(self) -> Shown:
        """All that is shown now; there must be a document."""
        assert self.sequence is not None
        return Shown(
            self.sequence,
            self.mode,
            self.index,
            self.sides["left"],
            self.sides["right"],
            self.diff,
            self.lineage,
            self.kernels,
        )
