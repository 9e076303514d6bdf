"""The bottom tab with the user's files: what each line costs, and what is behind it."""

from __future__ import annotations

from collections.abc import Collection
from urllib.parse import unquote

from PySide6.QtCore import Qt, QUrl, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import (
    QCheckBox,
    QHBoxLayout,
    QLabel,
    QSizePolicy,
    QSplitter,
    QTextBrowser,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from xlaviz.base.units import time_text
from xlaviz.scene.palette import Theme
from xlaviz.timing.lines import LineTime, LineTimes, SourceFile
from xlaviz.ui.arrangement import let_tab_leave
from xlaviz.ui.source_files import SourceFiles
from xlaviz.ui.source_lines import SourceLines
from xlaviz.ui.source_text import (
    KERNEL_LINK,
    cells,
    columns,
    line_html,
    notes_html,
    unattributed_text,
    unattributed_tip,
)
from xlaviz.ui.source_view import SourceView

_WIDTHS_PX = (200, 900, 230)
_NARROW_WIDTHS_PX = (100, 270, 140)
_NARROW_BELOW_PX = 800


class SourcePanel(QWidget):
    """Signals: `line_chosen` with the instructions of the first snapshot and the kernels behind a line that is chosen,
    `kernel_wanted` with the name of one."""

    line_chosen = Signal(object, object)
    kernel_wanted = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._lines: SourceLines | None = None
        self._file: SourceFile | None = None
        self._marked: frozenset[tuple[str, int]] = frozenset()
        self._is_narrow = False
        self.summary = QLabel()
        self.summary.setObjectName("muted")
        self.summary.setContentsMargins(10, 3, 10, 3)
        self.summary.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)  # or it widens the window
        self.with_calls = QCheckBox("with calls")
        self.with_calls.setToolTip("Count with each line the lines that it calls.")
        self.with_calls.toggled.connect(self._on_with_calls)
        self.hotter = self._button("▲ hotter", "The next line that costs more (Ctrl+Up)", -1)
        self.colder = self._button("▼ colder", "The next line that costs less (Ctrl+Down)", 1)
        self.files = SourceFiles()
        self.files.file_chosen.connect(self._on_file)
        self.unattributed = QLabel()
        self.unattributed.setObjectName("muted")
        self.unattributed.setContentsMargins(10, 5, 10, 6)
        self.unattributed.setWordWrap(True)
        self.view = SourceView()
        self.view.line_pressed.connect(self._on_line)
        self.view.hotter_wanted.connect(lambda: self._step(-1))
        self.view.colder_wanted.connect(lambda: self._step(1))
        self.detail = QTextBrowser()
        self.detail.setObjectName("inspector")
        self.detail.setOpenLinks(False)
        let_tab_leave(self.detail)
        self.detail.anchorClicked.connect(self._on_link)
        self.detail.document().setDocumentMargin(10)
        self._lay_out()
        self.show_lines(None)

    def _button(self, text: str, tip: str, step: int) -> QToolButton:
        button = QToolButton()
        button.setText(text)
        button.setToolTip(tip)
        button.clicked.connect(lambda: self._step(step))
        return button

    def _lay_out(self) -> None:
        top = QHBoxLayout()
        top.setContentsMargins(0, 2, 10, 2)
        top.setSpacing(8)
        top.addWidget(self.summary, 1)
        for widget in (self.with_calls, self.hotter, self.colder):
            top.addWidget(widget)
        left = QWidget()
        column = QVBoxLayout(left)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.files, 1)
        column.addWidget(self.unattributed)
        self.splitter = QSplitter(Qt.Orientation.Horizontal)
        self.splitter.setHandleWidth(1)
        self.splitter.setChildrenCollapsible(False)
        for part in (left, self.view, self.detail):
            self.splitter.addWidget(part)
        self.splitter.setStretchFactor(1, 1)
        self.splitter.setSizes(list(_WIDTHS_PX))
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addLayout(top)
        layout.addWidget(self.splitter, 1)
        layout.addStretch()  # holds the words at the top where there is nothing but them

    def set_theme(self, theme: Theme) -> None:
        self.view.set_theme(theme)
        self.detail.document().setDefaultStyleSheet(
            f"a {{ color: {theme.accent}; text-decoration: none; }} h2 {{ font-size: 15px; margin: 2px 0 8px 0; }}"
            f"h4 {{ color: {theme.muted}; font-size: 11px; margin: 12px 0 3px 0; }} p {{ margin: 8px 0 2px 0; }}"
            f".muted {{ color: {theme.muted}; }} td {{ padding: 1px 8px 3px 0; }}"
        )
        self.files.set_theme(theme)
        self._show_detail()

    def show_lines(self, times: LineTimes | None, message: str = "") -> None:
        """Show the lines of a capture, the costliest file first, or say in one sentence why there are none."""
        self._lines = SourceLines(times) if times is not None else None
        self._file, self._marked = None, frozenset()
        for widget in (self.splitter, self.with_calls, self.hotter, self.colder):
            widget.setVisible(times is not None)
        self.summary.setText(message)
        if times is None or self._lines is None:
            self.view.show_text("")
            return
        self._lines.with_calls = self.with_calls.isChecked()
        timed = self._lines.timed
        files = _count(len({line.file for line in timed}), "file")
        self.summary.setText(f"{time_text(times.run_us)} a run  ·  {_count(len(timed), 'line')} with time in {files}")
        self.unattributed.setText(unattributed_text(times))
        self.unattributed.setToolTip(unattributed_tip(times))
        self._show_files()
        self._show_file(next(iter(self._lines.files), None))

    @property
    def line(self) -> LineTime | None:
        """The chosen line, where it has time."""
        if self._lines is None or self._file is None:
            return None
        return self._lines.by_place.get((self._file.path, self.view.current))

    @property
    def file(self) -> SourceFile | None:
        """The file that is shown."""
        return self._file

    def mark_places(self, places: Collection[tuple[str, int]]) -> None:
        """Mark the lines (file, line) behind what is selected and show the costliest, telling nobody."""
        self._marked = frozenset(places)
        known = {file.path: file for file in self._lines.files} if self._lines is not None else {}
        shown = [place for place in self._marked if place[0] in known]
        if not shown:
            self.view.mark(())
            return
        here = self._file.path if self._file is not None else ""
        # The file in view is kept where it has a line of them; of several lines the costliest comes first.
        file, number = min(shown, key=lambda place: (place[0] != here, -self._cost(place), place))
        if file != here:
            self._show_file(known[file])
        if (file, self.view.current) not in self._marked:
            self.view.choose(number)
            self._show_detail()
        self.view.mark({number for path, number in self._marked if path == file})

    def _cost(self, place: tuple[str, int]) -> float:
        return self._lines.cost_us(self._lines.by_place.get(place)) if self._lines is not None else 0.0

    # Filling

    def _show_files(self) -> None:
        if self._lines is not None:
            rows = [self._lines.row(file) for file in self._lines.files]
            self.files.show_rows(rows, has_no_xla=self._lines.has_no_xla)

    def _show_file(self, file: SourceFile | None) -> None:
        self._file = file
        self.files.choose(file.path if file is not None else "")
        if file is None or self._lines is None:
            self.view.show_text("")
        elif file.text is not None:
            self.view.show_text(file.text)
        else:
            lines = self._lines.of_file(file.path)
            text = "\n".join(f"in {line.function}" if line.function else "…" for line in lines)
            self.view.show_text(text, [line.line for line in lines], is_python=False)
        self._show_cells()
        self.view.mark({number for path, number in self._marked if file is not None and path == file.path})
        self._show_detail()

    def _show_cells(self) -> None:
        lines, file = self._lines, self._file
        if lines is None or file is None:
            return
        here = [line for line in lines.by_place.values() if line.file == file.path]
        last = max(self.view.blockCount(), max((line.line for line in here), default=0))
        with_calls, hottest_us = lines.with_calls, lines.hottest_us
        self.view.show_cells(
            columns(with_calls=with_calls, has_no_xla=lines.has_no_xla, last_number=last, is_narrow=self._is_narrow),
            {line.line: cells(line, lines.times, hottest_us, with_calls=with_calls) for line in here},
        )

    def _show_detail(self) -> None:
        if self._lines is None:
            self.detail.clear()
            return
        line = self.line
        if line is not None:
            text = line_html(self._lines.names[line.file], line, self._lines.times)
        elif self.view.current:
            text = f"<p class='muted'>Line {self.view.current} made no op that takes time in a run.</p>"
        else:
            text = "<p class='muted'>Choose a line to see the kernels and the ops behind it.</p>"
        self.detail.setHtml(text + notes_html(self._lines.times))

    # What the user does

    def _on_file(self, path: str) -> None:
        """Go to the costliest line of a file."""
        if self._lines is None:
            return
        self._show_file(self._lines.file(path))
        line = next((line for line in self._lines.by_cost if line.file == path), None)
        if line is not None:
            self.view.choose(line.line)
            self._show_detail()

    def _on_with_calls(self) -> None:
        """What only calls others comes and goes; the chosen line stays chosen where its file stays."""
        if self._lines is None:
            return
        self._lines.with_calls = self.with_calls.isChecked()
        self._show_files()
        file, number = self._file, self.view.current
        if file is not None and file.text is not None:
            self.files.choose(file.path)
            self._show_cells()
            return
        known = self._lines.file(file.path) if file is not None else None
        self._show_file(known or next(iter(self._lines.files), None))
        if known is not None and number:
            self.view.choose(number)
            self._show_detail()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        is_narrow = self.width() < _NARROW_BELOW_PX
        if is_narrow != self._is_narrow:
            self._is_narrow = is_narrow
            self.splitter.setSizes(list(_NARROW_WIDTHS_PX if is_narrow else _WIDTHS_PX))
            self._show_cells()

    def _on_line(self, number: int) -> None:
        self._show_detail()
        self._tell()

    def _tell(self) -> None:
        line = self.line
        if line is not None and (line.before or line.kernels):
            self.line_chosen.emit(line.before, line.kernels)

    def _on_link(self, url: QUrl) -> None:
        kind, _, name = url.toString().partition(":")
        if kind == KERNEL_LINK:
            self.kernel_wanted.emit(unquote(name))
        else:
            self._tell()

    def _step(self, step: int) -> None:
        """Go to the next line by cost, up or down; the first time to the costliest."""
        if self._lines is None or not self._lines.by_cost:
            return
        order = self._lines.by_cost
        place = order.index(self.line) + step if self.line in order else 0
        line = order[min(max(place, 0), len(order) - 1)]
        if self._file is None or line.file != self._file.path:
            self._show_file(self._lines.file(line.file))
        self.view.choose(line.line)
        self._on_line(line.line)


def _count(count: int, word: str) -> str:
    return f"{count:,} {word}{'s' * (count != 1)}"
