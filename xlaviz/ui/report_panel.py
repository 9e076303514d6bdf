"""The page "Does XLA pay?": the verdict, a chart of the calls and the figures behind it."""

from __future__ import annotations

import re

from PySide6.QtCore import QEvent, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QKeyEvent, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import (
    QBoxLayout,
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QScrollArea,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from xlaviz.plots.call_times import CallTimesChart
from xlaviz.scene.palette import LIGHT, Theme, ink_on
from xlaviz.timing.report import Bar, Figure, Report, Section
from xlaviz.timing.report_text import HOW, NOT_MEASURED, RATIO, WITH_XLA, WITHOUT, compares

_PAGE_PX = 1400
_STACKED_BELOW_PX = 900
_WORDS = 22  # characters of a value alone that stands in its own column
_UNBROKEN = "\u00a0"
_BREAK = "\u200b"  # nothing is seen of it, and a line can end there
_LONG_NAME = re.compile(r"\S{15,}")
_PIECES = re.compile(r"[^/_.,:]{1,18}[/_.,:]*|[/_.,:]+")
_COLUMNS_PX = (176, 112, 92, 92)
_NARROW_COLUMNS_PX = (120, 104, 84, 72)
_STRETCH = (3, 2, 2, 2, 9)
_NARROW_STRETCH = (3, 2, 2, 1, 0)
_LAST = len(_COLUMNS_PX)
_MARGIN_PX, _NARROW_MARGIN_PX = 24, 10
_NARROW_GAP_PX = 6
_ENDS = (Qt.Key.Key_Home, Qt.Key.Key_End)
_BELOW_LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignBottom
_BELOW_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignBottom
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignTop
_TOP = Qt.AlignmentFlag.AlignTop


class ReportPanel(QScrollArea):
    """Signals: `copy_wanted` and `save_wanted` when the report is wanted as text."""

    copy_wanted = Signal()
    save_wanted = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = LIGHT
        self._report: Report | None = None
        self._is_narrow = False
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.message = _label("", "muted")
        self.answer = QLabel()
        self.verdict = _label("")
        self.title = _label("", "muted")
        self.chart = CallTimesChart()
        self.copy = QPushButton("Copy as text")
        self.save = QPushButton("Save…")
        self.copy.clicked.connect(self.copy_wanted)
        self.save.clicked.connect(self.save_wanted)
        self.figures = QWidget()
        self._head = QBoxLayout(QBoxLayout.Direction.LeftToRight)
        self._page = self._make_page()
        self.setWidget(self._page)
        self.show_report(None)

    def _make_page(self) -> QWidget:
        buttons = QHBoxLayout()
        buttons.setSpacing(8)
        buttons.addWidget(self.copy)
        buttons.addWidget(self.save)
        buttons.addStretch()
        words = QVBoxLayout()
        words.setSpacing(8)
        words.addWidget(self.answer, 0, Qt.AlignmentFlag.AlignLeft)
        words.addWidget(self.verdict)
        words.addWidget(self.title)
        words.addSpacing(2)
        words.addLayout(buttons)
        words.addStretch()
        self._head.setSpacing(28)
        self._head.addLayout(words, 4)
        self._head.addWidget(self.chart, 5)
        page = QWidget()
        page.setObjectName("reportPage")
        page.setMaximumWidth(_PAGE_PX)
        self._layout = QVBoxLayout(page)
        self._layout.setContentsMargins(_MARGIN_PX, 14, _MARGIN_PX, 20)
        self._layout.setSpacing(14)
        self._layout.addWidget(self.message)
        self._layout.addLayout(self._head)
        self._layout.addWidget(self.figures)
        self._layout.addStretch()
        return page

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        self.setStyleSheet(f"ReportPanel, QWidget#reportPage {{ background: {theme.window}; }}")
        self.chart.set_theme(theme)
        self._fill()

    def show_report(self, report: Report | None, message: str = "") -> None:
        """Show a report, or say in one sentence why there is none."""
        self._report = report
        self.message.setText(message)
        self._fill()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        is_narrow = self.viewport().width() < _STACKED_BELOW_PX
        if is_narrow != self._is_narrow:
            self._is_narrow = is_narrow
            way = QBoxLayout.Direction.TopToBottom if is_narrow else QBoxLayout.Direction.LeftToRight
            self._head.setDirection(way)
            margin = _NARROW_MARGIN_PX if is_narrow else _MARGIN_PX
            self._layout.setContentsMargins(margin, 14, margin, 20)
            self._fill()

    def event(self, event: QEvent) -> bool:
        """Home and End are the window's keys elsewhere, and the page's where one of its buttons has the focus."""
        if event.type() == QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent) and event.key() in _ENDS:
            event.accept()
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in _ENDS:
            bar = self.verticalScrollBar()
            bar.setValue(bar.minimum() if event.key() == Qt.Key.Key_Home else bar.maximum())
        else:
            super().keyPressEvent(event)

    # Filling

    def _fill(self) -> None:
        report, is_known = self._report, self._report is not None
        self.message.setVisible(not is_known)
        for widget in (self.answer, self.verdict, self.title, self.copy, self.save, self.chart):
            widget.setVisible(is_known)
        figures = QWidget()
        if report is not None:
            self._show_verdict(report)
            self.chart.show_calls(report.calls)
            grid = _grid(figures, is_narrow=self._is_narrow)
            for section in report.sections:
                self._add_section(grid, section)
        self._layout.replaceWidget(self.figures, figures)
        self.figures.deleteLater()
        self.figures = figures

    def _show_verdict(self, report: Report) -> None:
        words, colour = {
            True: ("✓  XLA pays", self._theme.added),
            False: ("✗  XLA does not pay", self._theme.removed),
            None: ("?  not decided", self._theme.muted),
        }[report.pays]
        ink = ink_on(QColor(colour)).name()
        self.answer.setText(words)
        self.answer.setStyleSheet(
            f"background: {colour}; color: {ink}; border-radius: 5px; padding: 4px 12px; font-size: 17px;"
            "font-weight: bold;"
        )
        self.verdict.setText(_breakable(report.verdict))
        self.verdict.setStyleSheet(f"font-size: 17px; color: {self._theme.text};")
        self.title.setText(_breakable(report.title))

    def _add_section(self, grid: QGridLayout, section: Section) -> None:
        row = grid.rowCount()
        title = _label(section.title)
        title.setStyleSheet("font-size: 14px; font-weight: bold; padding-top: 8px;")
        grid.addWidget(title, row, 0, 1, 1 if compares(section) else _LAST)
        sides = (WITH_XLA, WITHOUT, RATIO) if compares(section) else ()
        for column, text in enumerate(sides, 1):
            grid.addWidget(_label(text, "muted", size_px=11), row, column, _BELOW_RIGHT)
        if not self._is_narrow:
            grid.addWidget(_label(HOW, "muted", size_px=11), row, _LAST, _BELOW_LEFT)
        line = QFrame()
        line.setFixedHeight(1)
        line.setStyleSheet(f"background: {self._theme.line};")
        grid.addWidget(line, row + 1, 0, 1, _LAST + 1)
        for figure in section.figures:
            self._add_figure(grid, grid.rowCount(), figure)
        if section.bars:
            grid.setRowMinimumHeight(grid.rowCount(), 4)
        longest = max((bar.value for bar in section.bars), default=0.0)
        room_px = max((self.fontMetrics().horizontalAdvance(bar.text) for bar in section.bars), default=0) + 12
        for place, bar in enumerate(section.bars, grid.rowCount()):
            grid.addWidget(_label(bar.label, "muted" if bar.is_part else "", indent_px=14 * bar.is_part), place, 0)
            grid.addWidget(BarStrip(bar, longest, room_px, self._theme), place, 1, 1, _LAST)

    def _add_figure(self, grid: QGridLayout, row: int, figure: Figure) -> None:
        colour = self._theme.removed if figure.is_warning else ""
        grid.addWidget(_label(f"⚠ {figure.label}" if figure.is_warning else figure.label, colour=colour), row, 0, _TOP)
        if figure.missing:
            grid.addWidget(_label(NOT_MEASURED + figure.missing, "muted"), row, 1, 1, _LAST)
            return
        how = _label(figure.how, "muted")
        if self._is_narrow:
            how.setContentsMargins(0, 0, 0, _NARROW_GAP_PX)
            grid.addWidget(how, row + 1, 0, 1, _LAST)
        else:
            grid.addWidget(how, row, _LAST)
        if not (figure.no_xla or figure.ratio) and len(figure.xla) > _WORDS:
            grid.addWidget(_label(figure.xla, colour=colour), row, 1, 1, _LAST - 1)
            return
        for column, text in enumerate((figure.xla, figure.no_xla, figure.ratio), 1):
            value = _label(self._in_lines(text), colour=colour, is_bold=column == _LAST - 1)
            value.setAlignment(_RIGHT)
            grid.addWidget(value, row, column)

    def _in_lines(self, value: str) -> str:
        """What is in brackets in a line of its own, a range in two where it is narrow."""
        value = "\n(".join(part.replace(" ", _UNBROKEN) for part in value.split(" ("))
        return value.replace(f"{_UNBROKEN}to{_UNBROKEN}", f"\nto{_UNBROKEN}") if self._is_narrow else value


class BarStrip(QWidget):
    """A bar with its text behind it. `room_px` is left for the text, the same for all bars that are compared."""

    def __init__(self, bar: Bar, longest: float, room_px: int, theme: Theme) -> None:
        super().__init__()
        self.bar, self._theme, self._room_px = bar, theme, room_px
        self._share = bar.value / longest if longest else 0.0
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def sizeHint(self) -> QSize:
        return QSize(200, max(self.fontMetrics().height(), 16))

    def paintEvent(self, event: QPaintEvent) -> None:
        with QPainter(self) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            height = 8.0 if self.bar.is_part else 12.0
            long = max((self.width() - self._room_px) * self._share, 2.0)
            bar = QRectF(0, (self.height() - height) / 2, long, height)
            fill = QColor(self._theme.accent)
            fill.setAlphaF(0.45 if self.bar.is_part else 0.85)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(fill)
            painter.drawRoundedRect(bar, 2, 2)
            painter.setPen(QColor(self._theme.muted if self.bar.is_part else self._theme.text))
            place = QRectF(bar.right() + 8, 0, self.width() - bar.right() - 8, self.height())
            painter.drawText(place, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, self.bar.text)


def _grid(parent: QWidget, *, is_narrow: bool) -> QGridLayout:
    """Columns for the label, both sides, their ratio and how it was measured; that goes below where it is narrow."""
    grid = QGridLayout(parent)
    grid.setContentsMargins(0, 0, 0, 0)
    grid.setHorizontalSpacing(8 if is_narrow else 18)
    grid.setVerticalSpacing(5)
    for column, width in enumerate(_NARROW_COLUMNS_PX if is_narrow else _COLUMNS_PX):
        grid.setColumnMinimumWidth(column, width)
    for column, stretch in enumerate(_NARROW_STRETCH if is_narrow else _STRETCH):
        grid.setColumnStretch(column, stretch)
    return grid


def _breakable(text: str) -> str:
    """With places in long names where a line can end, or a label is as wide as its longest name."""
    return _LONG_NAME.sub(lambda name: _BREAK.join(_PIECES.findall(name[0])), text)


def _label(
    text: str, name: str = "", *, colour: str = "", is_bold: bool = False, indent_px: int = 0, size_px: int = 0
) -> QLabel:
    label = QLabel(_breakable(text))
    label.setObjectName(name)
    label.setTextFormat(Qt.TextFormat.PlainText)
    label.setWordWrap(True)
    label.setIndent(0)
    label.setAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop)
    label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
    look = [f"color: {colour};"] * bool(colour) + ["font-weight: bold;"] * is_bold
    look += [f"font-size: {size_px}px;"] * bool(size_px) + [f"padding-left: {indent_px}px;"] * bool(indent_px)
    if look:
        label.setStyleSheet(" ".join(look))
    return label
