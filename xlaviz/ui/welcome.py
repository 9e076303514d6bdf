"""What a start without a document shows: open, capture, demo, and what was open last."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from pathlib import Path

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QGridLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from xlaviz.graph.metrics import elide_middle


class Welcome(QWidget):
    """Signals: `open_wanted`, `capture_wanted`, `demo_wanted`, `recent_wanted` with a path."""

    open_wanted = Signal()
    capture_wanted = Signal()
    demo_wanted = Signal()
    recent_wanted = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        outer = QVBoxLayout(self)
        outer.addStretch(2)
        heading = QLabel("xlaviz")
        heading.setObjectName("heading")
        heading.setAlignment(Qt.AlignmentFlag.AlignCenter)
        outer.addWidget(heading)
        about = QLabel("What XLA did to a tf.function: every pass, every fusion, every microsecond.")
        about.setObjectName("muted")
        about.setAlignment(Qt.AlignmentFlag.AlignCenter)
        outer.addWidget(about)
        outer.addSpacing(24)
        grid = QGridLayout()
        grid.setHorizontalSpacing(14)
        grid.setColumnStretch(0, 1)
        grid.setColumnStretch(3, 1)
        for row, (text, about_it, signal) in enumerate(
            (
                ("Open…", "a bundle (.xlaviz), a dump folder or an HLO file", self.open_wanted),
                (
                    "Capture…",
                    "run a tf.function, a Keras model or a SavedModel under XLA",
                    self.capture_wanted,
                ),
                ("Demo", "capture and open the Keras train step that comes with xlaviz", self.demo_wanted),
            )
        ):
            button = QPushButton(text)
            button.setMinimumWidth(110)
            button.clicked.connect(signal)
            grid.addWidget(button, row, 1)
            label = QLabel(about_it)
            label.setObjectName("muted")
            grid.addWidget(label, row, 2)
        outer.addLayout(grid)
        outer.addSpacing(20)
        self.recent = QLabel()
        self.recent.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.recent.linkActivated.connect(self.recent_wanted)
        outer.addWidget(self.recent)
        outer.addStretch(3)

    def show_recent(self, paths: Sequence[str]) -> None:
        """List the documents opened last that are still there."""
        there = [path for path in paths if Path(path).exists()]
        lines = [f"<a href='{escape(path)}'>{escape(elide_middle(path, 80))}</a>" for path in there[:6]]
        self.recent.setText("<br>".join(["<b>Recent</b>", *lines]) if lines else "")
