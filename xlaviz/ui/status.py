"""The status bar: where one is in the pipeline, and what runs, with its progress and a way to stop it."""

from __future__ import annotations

from PySide6.QtCore import Qt, QTimer
from PySide6.QtWidgets import QProgressBar, QPushButton, QStatusBar, QWidget

from xlaviz.session.jobs import JobRunner
from xlaviz.session.session import Session
from xlaviz.ui.one_line import OneLine

_SHOWN_AFTER_MS = 200


class Status(QStatusBar):
    """Work that is done within a moment does not flicker by."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setSizeGripEnabled(False)
        self.place = OneLine()
        self.job = OneLine()
        self.job.setObjectName("muted")
        self.job.setAlignment(Qt.AlignmentFlag.AlignRight)
        self.progress = QProgressBar()
        self.progress.setRange(0, 100)
        self.progress.setTextVisible(False)
        self.progress.setFixedWidth(120)
        self.cancel = QPushButton("Cancel")
        self.cancel.setFixedHeight(20)
        self.cancel.setStyleSheet("padding: 0 8px;")
        self.cancel.clicked.connect(self._on_cancel)
        self.addWidget(self.place, 1)
        self.addPermanentWidget(self.job, 1)
        for widget in (self.progress, self.cancel):
            self.addPermanentWidget(widget)
        self._runners = (session.views, session.background, session.stories.runner)
        self._titles: dict[JobRunner, str] = {}
        self._shares: dict[JobRunner, float] = {}
        self._delay = QTimer(self)
        self._delay.setSingleShot(True)
        self._delay.setInterval(_SHOWN_AFTER_MS)
        self._delay.timeout.connect(self._show_job)
        for runner in self._runners:
            self._watch(runner)
        self._hide_job()

    def _watch(self, runner: JobRunner) -> None:
        def on_started(_id: int, title: str) -> None:
            self._titles[runner], self._shares[runner] = title, 0.0
            self._refresh()

        def on_progressed(_id: int, share: float, text: str) -> None:
            self._titles[runner], self._shares[runner] = text, share
            self._refresh()

        def on_ended(_id: int) -> None:
            self._titles.pop(runner, None)
            QTimer.singleShot(0, self, self._refresh)  # the next stretch of the same work begins at once

        runner.started.connect(on_started)
        runner.progressed.connect(on_progressed)
        runner.ended.connect(on_ended)

    def _refresh(self) -> None:
        if not self._titles:
            self._delay.stop()
            self._hide_job()
        elif self.job.isVisible():
            self._show_job()
        elif not self._delay.isActive():
            self._delay.start()

    def _show_job(self) -> None:
        runner = next((one for one in self._runners if one in self._titles), None)
        if runner is None:
            return
        self.job.show_parts([(f"{self._titles[runner]}…", False)])
        self.progress.setValue(round(100 * self._shares[runner]))
        for widget in (self.job, self.progress, self.cancel):
            widget.show()

    def _hide_job(self) -> None:
        for widget in (self.job, self.progress, self.cancel):
            widget.hide()

    def _on_cancel(self) -> None:
        """Stop what the line names: first what the user waits for, then what runs behind."""
        runner = next((one for one in self._runners if one in self._titles), None)
        if runner is not None:
            runner.stop_all()

    def show_place(self, session: Session) -> None:
        """Say which step is shown and what it changed."""
        sequence = session.sequence
        if sequence is None:
            self.place.show_parts([])
            return
        if session.mode == "compare":
            count = len(sequence.snapshots)
            words = [sequence.snapshots[0].label]
            if count > 1:
                words = ["before and after optimizations", f"{count} snapshots"]
            words += [sequence.backend.upper(), session.info.environment if session.info is not None else ""]
            self.place.show_parts([(" · ".join(filter(None, words)), False)])
            return
        snapshot = sequence.snapshots[session.index]
        where = f"{snapshot.pipeline} › " if snapshot.pipeline else ""
        what = ""
        if session.diff is not None:
            diff = session.diff
            what = f"   +{len(diff.added)} added   −{len(diff.removed)} removed   ~{len(diff.changed)} changed"
        at = f"snapshot {session.index} of {sequence.last_index} · {where}"
        self.place.show_parts([(at, False), (snapshot.label, True), (what, False)])
