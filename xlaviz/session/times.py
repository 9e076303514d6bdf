"""The times of the module that is shown: its kernels, on all devices or on one, and whatever is asked of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject, Signal

from xlaviz.base.errors import XlavizError
from xlaviz.dumps.sequence import PassSequence
from xlaviz.profile.kernels import KernelTable
from xlaviz.profile.peaks import NO_PEAKS, Peaks
from xlaviz.session.jobs import JobRunner
from xlaviz.timing.attribution import Shares


class Times(QObject):
    """Signals: `changed` when the kernels are known, are not to be had (`error` says why), or are another device's;
    `members_changed` when it is known how their times divide among the instructions in them; `peaks_changed`.

    `peaks` are what the user typed in or had measured; they go before those of the document, until another is opened.
    """

    changed = Signal()
    members_changed = Signal()
    peaks_changed = Signal()

    def __init__(self, runner: JobRunner, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._runner = runner
        self._of: tuple[Path, PassSequence] | None = None
        self._path: Path | None = None
        self._table: KernelTable | None = None
        self.device = ""
        self.error: XlavizError | None = None
        self.members: Mapping[str, Shares] = {}
        self.peaks = NO_PEAKS

    @property
    def table(self) -> KernelTable | None:
        if self._table is None or self.peaks == NO_PEAKS:
            return self._table
        return replace(self._table, peaks=self.peaks)

    @property
    def is_waiting(self) -> bool:
        return self._runner.is_waiting_for("kernels")

    def begin(self, path: Path, sequence: PassSequence) -> None:
        """Forget the module before and read this one's times."""
        self._of = (path, sequence)
        if path != self._path:  # another document may be of another machine
            self._path, self.peaks = path, NO_PEAKS
        self._table, self.error, self.members, self.device = None, None, {}, ""
        self._request_table()

        def done(members: Mapping[str, Shares]) -> None:
            self.members = members
            self.members_changed.emit()

        self.ask("members", "dividing kernels' times", "kernel_members", (), done, lambda _: None)

    def forget(self) -> None:
        self._of, self._table, self.error, self.members = None, None, None, {}

    def set_device(self, device: str) -> None:
        """Show another device's kernels, all devices' where it is empty."""
        if device != self.device:
            self.device = device
            self._request_table()

    def set_peaks(self, peaks: Peaks) -> None:
        self.peaks = peaks
        self.peaks_changed.emit()

    def measure_peaks(self, failed: Callable[[XlavizError], None]) -> None:
        """Measure what this machine can do, and take it."""
        self._runner.submit("peaks", "measuring this machine", "machine_peaks", (), self.set_peaks, failed)

    def ask(
        self,
        slot: str,
        title: str,
        call: str,
        arguments: tuple[Any, ...],
        done: Callable[[Any], None],
        failed: Callable[[XlavizError], None],
    ) -> None:
        """Call a function of `session.timings` for this module; a late answer, for another one, is dropped."""
        if self._of is None:
            return
        asked_for = self._of

        def take(value: Any) -> None:
            if self._of == asked_for:
                done(value)

        self._runner.submit(slot, title, call, (*asked_for, *arguments), take, failed)

    def _request_table(self) -> None:
        def done(table: KernelTable | None) -> None:
            self._table, self.error = table, None
            self.changed.emit()

        def failed(error: XlavizError) -> None:
            self._table, self.error = None, error
            self.changed.emit()

        self.ask("kernels", "reading the profile", "kernels", (self.device,), done, failed)
