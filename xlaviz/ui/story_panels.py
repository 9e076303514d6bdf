"""The bottom tabs that tell the story of the passes, filled when they are looked at."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer

from xlaviz.base.errors import XlavizError
from xlaviz.plots.passes import PassesPanel
from xlaviz.session.stories import Rewrites
from xlaviz.session.text_diff import TextDiff, TextOptions
from xlaviz.ui.rewrites_panel import RewritesPanel
from xlaviz.ui.style import Themed
from xlaviz.ui.text_panel import TextPanel

if TYPE_CHECKING:
    from xlaviz.ui.main_window import MainWindow

_ALL_PASSES = "All passes together"


class StoryPanels(QObject):
    """Keeps the tabs at what the session shows. What nobody looks at is not worked out."""

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self._window = window
        self.rewrites = RewritesPanel()
        self._rewrites_of: tuple[object, int, int] | None = None
        self._centres_next = False
        self.passes = PassesPanel()
        self.text = TextPanel()
        self._text_of: tuple[object, ...] | None = None
        window.bottom.addTab(self.rewrites, "Rewrites")
        window.bottom.addTab(self.text, "Text")
        window.bottom.addTab(self.passes, "Passes")
        self._connect()

    def _connect(self) -> None:
        session = self._window.session
        session.document_changed.connect(self._forget)
        for signal in (session.position_changed, session.view_changed, session.summaries_changed):
            signal.connect(self.refresh)
        self._window.bottom.currentChanged.connect(self.refresh)
        self.rewrites.place_chosen.connect(self._show_place)
        inspector = self._window.inspector
        session.biographer.changed.connect(lambda: inspector.show_selection(session))
        inspector.chapter_wanted.connect(self.go_to)
        session.view_changed.connect(self._on_view)
        session.compile_times_changed.connect(self._show_times)
        self.passes.snapshot_chosen.connect(session.go_to)
        session.selection_changed.connect(self._on_selection)
        self.text.line_chosen.connect(self._window.commands.select_and_centre)
        self.text.options_changed.connect(self._refresh_text)

    def _forget(self) -> None:
        """Another document: what is shown of the old one is not to be taken for its own."""
        self._rewrites_of = self._text_of = None
        self._centres_next = False
        self.rewrites.show_words("")
        self.text.show_words("")

    def themed(self) -> Iterator[Themed]:
        yield from (self.rewrites, self.text, self.passes)

    def refresh(self) -> None:
        if self._window.session.sequence is not None:
            self._refresh_rewrites()
            self._refresh_passes()
            self._refresh_text()

    def _show_times(self) -> None:
        self._window.pass_list.passes.show_times(self._window.session.compile_times)
        self.refresh()

    def _refresh_passes(self) -> None:
        session = self._window.session
        if session.sequence is not None and self._window.bottom.currentWidget() is self.passes:
            self.passes.show_passes(session.sequence, session.summaries, session.compile_times)
            self.passes.show_position(session.index if session.mode == "step" else None)

    def _refresh_rewrites(self) -> None:
        session = self._window.session
        assert session.sequence is not None
        left, right = (session.shown.snapshot_index(pane) for pane in ("left", "right"))
        wanted = session.sequence, left, right
        if self._rewrites_of == wanted or self._window.bottom.currentWidget() is not self.rewrites:
            return
        title = _ALL_PASSES if session.mode == "compare" else session.sequence.snapshots[right].label
        if session.sequence.last_index == 0:
            self.rewrites.show_words("There is one snapshot alone: no pass to tell of.")
            return
        if not session.stories.knows(right):
            self.rewrites.show_words(f"{title}: still following instructions through the passes…")
            return
        self._rewrites_of = wanted

        def done(rows: tuple[Rewrites, ...]) -> None:
            if self._rewrites_of == wanted:
                self.rewrites.show_rewrites(title, rows)

        def failed(error: XlavizError) -> None:
            self._rewrites_of = None
            self.rewrites.show_words(str(error))

        session.stories.ask("rewrites", "listing rewrites", "rewrites", (left, right), done, failed)

    def _on_selection(self) -> None:
        names = self._selected
        self.text.select(names)
        if names and not self.text.has(names):
            self._refresh_text()

    @property
    def _selected(self) -> frozenset[str]:
        return self._window.session.selection.left | self._window.session.selection.right

    def _refresh_text(self) -> None:
        """The text of what is shown, with the selection in it."""
        session = self._window.session
        if session.sequence is None or session.info is None or self._window.bottom.currentWidget() is not self.text:
            return
        left, right = (session.shown.snapshot_index(pane) for pane in ("left", "right"))
        focus = self._selected
        options = TextOptions(self.text.metadata.isChecked(), not self.text.unchanged.isChecked(), focus)
        where = session.sequence, left, right, options.metadata, options.folded
        known = self._text_of
        if known is not None and known[:-1] == where and (known[-1] == focus or not focus or self.text.has(focus)):
            return
        self._text_of = (*where, focus)
        title = session.shown.heading("right")

        def done(diff: TextDiff) -> None:
            self.text.show_diff(title, diff)
            self.text.select(self._selected)

        def failed(error: XlavizError) -> None:
            self._text_of = None
            self.text.show_words(str(error))

        arguments = (session.info.path, session.sequence, left, right, options)
        session.views.submit("text", "comparing text", "text_diff", arguments, done, failed)

    def go_to(self, index: int) -> None:
        """To a step, with what is selected in the middle."""
        session = self._window.session
        if session.mode == "step" and session.index == index:
            self._window.commands.centre()
            return
        self._centres_next = True
        session.go_to(index)

    def _on_view(self) -> None:
        if self._centres_next and not self._window.session.views.is_waiting_for("view"):
            self._centres_next = False
            QTimer.singleShot(0, self, self._window.commands.centre)  # once the selection is known there

    def _show_place(self, before: tuple[str, ...], after: tuple[str, ...]) -> None:
        self._window.session.select_place(before, after)
        self._window.commands.centre()
