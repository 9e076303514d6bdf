"""What the tabs about time do: save, copy, select, ask for what a machine can do."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QTimer
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QDialog, QFileDialog

from xlaviz.base.errors import XlavizError
from xlaviz.session.shown import Pane
from xlaviz.timing.report_text import report_json, report_text
from xlaviz.ui.peaks_dialog import PeaksDialog

if TYPE_CHECKING:
    from xlaviz.ui.main_window import MainWindow
    from xlaviz.ui.timing_panels import TimingPanels


class TimingCommands:
    """Slots of the TimingPanels."""

    def __init__(self, window: MainWindow, panels: TimingPanels) -> None:
        self._window = window
        self._panels = panels
        self._centres_next = False

    def select_kernel(self, name: str) -> None:
        self._window.commands.select_kernel(name)
        self._centre()

    def select_line(self, before: tuple[str, ...], after: tuple[str, ...]) -> None:
        """Select what a line of the user's became, on both sides."""
        session = self._window.session
        if not before and not after:
            return
        session.following.forget()  # or the lines of what was selected before come between
        session.show_compare()
        places: tuple[tuple[Pane, tuple[str, ...]], ...] = (("left", before), ("right", after))
        for pane, names in places:
            side = session.sides[pane]
            if names and side is not None and not any(map(side.graph.boxes_of, names)):
                session.reveal(pane, names[0])
        session.select_place(before, after)
        self._window.commands.centre()
        self._centre()

    def _centre(self) -> None:
        """Once more when the view is there that the selection needs."""
        self._centres_next = self._window.session.views.is_waiting_for("view")

    def on_view(self) -> None:
        """A view has come."""
        if self._centres_next and not self._window.session.views.is_waiting_for("view"):
            self._centres_next = False
            QTimer.singleShot(0, self._panels, self._window.commands.centre)  # once the selection is known there

    def say(self, text: str) -> None:
        self._window.show_error(XlavizError(text))

    def save_csv(self) -> None:
        if self._window.session.kernels is not None:
            text = self._panels.kernels.as_csv()
            self._save("Save kernels", "kernels.csv", "CSV (*.csv)", lambda _: text)

    def copy_report(self) -> None:
        if self._panels.shown_report is not None:
            QGuiApplication.clipboard().setText(report_text(self._panels.shown_report))
            self._window.status.showMessage("Copied the page as text", 4000)

    def save_report(self) -> None:
        report = self._panels.shown_report
        if report is None:
            return

        def text(kind: str) -> str:
            return json.dumps(report_json(report), indent=1) if ".json" in kind.lower() else report_text(report)

        self._save("Save the page", "does-xla-pay.txt", "Text (*.txt);;JSON (*.json)", text)

    def _save(self, title: str, name: str, kinds: str, text: Callable[[str], str]) -> None:
        """`text` is given the chosen file's suffix, or the chosen one of `kinds` where it has none."""
        folder = Path(self._window.settings.last_folder or Path.cwd())
        chosen, kind = QFileDialog.getSaveFileName(self._window, title, str(folder / name), kinds)
        if not chosen:
            return
        path = Path(chosen)
        try:
            path.write_text(text(path.suffix or kind), encoding="utf-8")
        except OSError as error:
            self._window.show_error(XlavizError(f"{path} cannot be written: {error.strerror or error}."))
            return
        self._window.status.showMessage(f"Wrote {path}", 6000)

    def type_peaks(self) -> None:
        """Ask what the machine can do."""
        times = self._window.session.times
        table = times.table
        dialog = PeaksDialog(table.peaks if table is not None else times.peaks, self._window)
        if dialog.exec() == QDialog.DialogCode.Accepted:
            times.set_peaks(dialog.peaks)
        dialog.deleteLater()

    def measure_peaks(self) -> None:
        self._window.session.times.measure_peaks(self._window.show_error)
