"""What is open, shown and selected. Knows no widget: the window shows what it says and tells it what the user wants."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject, Signal

from xlaviz.base.errors import XlavizError
from xlaviz.dumps.sequence import PassSequence
from xlaviz.lineage.sequence import Lineage
from xlaviz.profile.kernels import KernelTable
from xlaviz.session.biographer import Biographer
from xlaviz.session.compile_times import CompileTimes
from xlaviz.session.detail import ClusterDetail, InstructionDetail
from xlaviz.session.documents import DocumentInfo, ModuleFacts
from xlaviz.session.following import Following
from xlaviz.session.history import ViewState
from xlaviz.session.jobs import WORKER, JobRunner
from xlaviz.session.searching import Searching
from xlaviz.session.selection import NOTHING_SELECTED, Selection, descendants_of, members_of, origins_of
from xlaviz.session.settling import Settling
from xlaviz.session.shown import PANES, Pane, Shown
from xlaviz.session.stepping import next_changed
from xlaviz.session.stories import SnapshotSummary
from xlaviz.session.storyteller import StoryTeller
from xlaviz.session.times import Times
from xlaviz.session.viewing import CLUSTER, Viewing
from xlaviz.session.work import Side, StepView
from xlaviz.session.worker import BACKGROUND


class Session(Viewing):
    """One open document and the view of it.

    Signals: `document_changed` when another document or module is shown; `position_changed` at once when another
    snapshot is wanted; `view_changed` when it is there, with the name of the instruction whose box should stay in
    place, or ""; `pane_failed` (pane, error); the rest as they are named.
    """

    document_changed = Signal()
    view_changed = Signal(str)
    pane_failed = Signal(str, object)
    overlay_changed = Signal()
    selection_changed = Signal()
    detail_changed = Signal()
    summaries_changed = Signal()
    kernels_changed = Signal()
    compile_times_changed = Signal()
    facts_changed = Signal()
    file_read = Signal(str, str)
    failed = Signal(object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.views = JobRunner(self)
        self.background = JobRunner(self, worker=(*WORKER, BACKGROUND))
        self.stories = StoryTeller(self)
        self.stories.told.connect(self._on_told)
        self.stories.failed.connect(self.failed)
        self.following = Following(self)
        self.biographer = Biographer(self)
        self.searching = Searching(self)
        self.settling = Settling(self)
        self.times = Times(self.background, self)
        self.times.changed.connect(self._on_times)
        self.times.peaks_changed.connect(self.kernels_changed)
        self.times.members_changed.connect(self.overlay_changed)
        self.kernels_changed.connect(self.searching.refresh)
        self.info: DocumentInfo | None = None
        self.errors: dict[Pane, XlavizError | None] = {"left": None, "right": None}
        self.is_shared = False
        self.lineage: Lineage | None = None
        self.is_heated = False
        self.compile_times: CompileTimes | None = None
        self.summaries: tuple[SnapshotSummary, ...] = ()
        self.facts: tuple[ModuleFacts, ...] = ()
        self.detail: InstructionDetail | ClusterDetail | None = None

    @property
    def is_busy(self) -> bool:
        return any(runner.is_busy for runner in self.runners)

    @property
    def runners(self) -> tuple[JobRunner, ...]:
        """The workers whose work belongs to what is shown; what only makes it nicer is not counted."""
        return (self.views, self.background, self.stories.runner)

    def close(self) -> None:
        self.views.close()
        self.background.close()
        self.stories.close()
        self.settling.runner.close()

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
        self._options = dict.fromkeys(PANES, self._plain_options)
        self.history.clear()
        self.diff = self.lineage = self.compile_times = self.detail = None
        self.times.forget()
        self.summaries = ()
        self.selection = NOTHING_SELECTED
        self.following.forget()
        self.settling.forget()
        self.document_changed.emit()
        self._request_view()
        self._request_background(sequence)

    def _request_background(self, sequence: PassSequence) -> None:
        assert self.info is not None
        path = self.info.path

        def done(times: CompileTimes | None) -> None:
            self.compile_times = times
            self.compile_times_changed.emit()

        self.times.begin(path, sequence)
        title = "reading compile times"
        self.background.submit("compile_times", title, "compile_times", (path, sequence), done, self.failed.emit)
        self.stories.begin(path, sequence)
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

    def _on_times(self) -> None:
        self.kernels_changed.emit()
        self.overlay_changed.emit()
        self._reselect()

    @property
    def kernels(self) -> KernelTable | None:
        return self.times.table

    def set_heated(self, *, heated: bool) -> None:
        """Colour the boxes by their time, or by what they are."""
        self.is_heated = heated
        self.overlay_changed.emit()

    def _on_told(self) -> None:
        """More of the story is known: first what each pass did, in the end what came from what."""
        self.summaries = self.stories.summaries
        self.summaries_changed.emit()
        if self.stories.lineage is not None:
            self.lineage = self.stories.lineage
            self.overlay_changed.emit()
            self._reselect()
        self.following.refresh()

    # The view

    def step_to_change(self, by: int) -> None:
        """To the next snapshot that way whose pass changed something."""
        if self.sequence is not None:
            last = self.sequence.last_index
            start = self.index if self.mode == "step" else last + 1 if by < 0 else 0
            self.go_to(next_changed(self.summaries, start, by, last))

    def _show(self, state: ViewState) -> None:
        super()._show(state)
        self.following.refresh()
        self.searching.refresh()

    def _request_view(self, only: Pane | None = None) -> None:
        if self.info is None or self.sequence is None:
            return
        path, sequence = self.info.path, self.sequence
        self.settling.stop(only)
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
                self.settling.refine(pane)

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
        """Select an instruction or a cluster and, on the other side, what it came from or went into."""
        self.following.forget()
        left, right = self._counterparts(pane, name) if name else (frozenset(), frozenset())
        self.selection = Selection(pane, name, left, right)
        self.selection_changed.emit()
        self._request_detail()
        self.following.select(pane, name)

    def select_place(self, left: tuple[str, ...], right: tuple[str, ...]) -> None:
        """Select where something was rewritten: these names on the left, those on the right."""
        pane: Pane = "right" if right else "left"
        name = (right or left)[0]
        self.following.take(pane, name, frozenset(left), frozenset(right))
        self.selection = Selection(pane, name, frozenset(left), frozenset(right))
        self.selection_changed.emit()
        self._request_detail()

    def select_second(self, pane: Pane, name: str) -> None:
        """Select one more instruction in the pane of the first."""
        first = self.selection
        if not name or not first.name or first.pane != pane or first.name == name:
            self.select(pane, name)
            return
        left, right = self._counterparts(pane, first.name)
        own = {"left": left, "right": right}
        own[pane] |= {name}
        self.selection = Selection(pane, first.name, own["left"], own["right"], name)
        self.selection_changed.emit()

    def select_kernel(self, name: str) -> None:
        """Select a kernel's instruction, which stands in the last snapshot."""
        self.select("right", name)

    def show_followed(self) -> None:
        """The selection is known in the snapshots that are shown, where it may have another name."""
        pane, name = self.following.place(self.selection.pane, self.selection.name)
        if (pane, name) != (self.selection.pane, self.selection.name):
            self.selection = replace(self.selection, pane=pane, name=name)
            self._request_detail()
        self._reselect()

    def _reselect(self) -> None:
        """After a new view or new lineage: the same instruction, its counterparts anew."""
        selection = self.selection
        if selection.name and not selection.second:
            left, right = self._counterparts(selection.pane, selection.name)
            if (left, right) != (selection.left, selection.right):
                self.selection = replace(selection, left=left, right=right)
        self.selection_changed.emit()

    def _counterparts(self, pane: Pane, name: str) -> tuple[frozenset[str], frozenset[str]]:
        own = frozenset((name,))
        followed = self.following.names()
        if followed is not None:
            return followed
        if self.mode == "step" or self.lineage is None:
            return own, own
        other = self.counterparts_of(pane, name)
        return (other, own) if pane == "right" else (own, other)

    def counterparts_of(self, pane: Pane, name: str) -> frozenset[str]:
        """What stands on the other side for an instruction; for a cluster the same one, or what its content stands
        for."""
        if self.mode == "step":
            return frozenset((name,))
        other = self.sides["left" if pane == "right" else "right"]
        names = frozenset((name,))
        if name.startswith(CLUSTER):
            if other is not None and name in other.graph.nodes_of:
                return names
            names = members_of(self.sides[pane], name)
        if pane == "right":
            return origins_of(self.lineage, names)
        return descendants_of(self.lineage, other, names)

    def origins_of(self, name: str) -> frozenset[str]:
        return origins_of(self.lineage, (name,))

    def descendants_of(self, name: str) -> frozenset[str]:
        return descendants_of(self.lineage, self.sides["right"], frozenset((name,)))

    def _request_detail(self) -> None:
        self.detail = None
        self.detail_changed.emit()
        if not self.selection.name or self.info is None or self.sequence is None:
            return
        name, index = self.selection.name, self.shown.snapshot_index(self.selection.pane)
        path, sequence = self.info.path, self.sequence
        arguments: tuple[Any, ...] = (path, sequence, index, name)
        call = "instruction_detail"
        if name.startswith(CLUSTER):
            call, arguments = "cluster_detail", (*arguments, self.fold_repeats)

        def done(detail: InstructionDetail | ClusterDetail | None) -> None:
            if sequence is self.sequence and name == self.selection.name:
                self.detail = detail
                self.detail_changed.emit()

        self.views.submit("detail", "reading an instruction", call, arguments, done, self.failed.emit)

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
