"""File > Export: which view, which format, where."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtWidgets import (
    QComboBox,
    QDialog,
    QDialogButtonBox,
    QFileDialog,
    QFormLayout,
    QHBoxLayout,
    QLineEdit,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from xlaviz.export.views import FORMATS

SHOWN = {"both panes as shown": "side-by-side", "left pane": "left", "right pane": "right"}


class ExportDialog(QDialog):
    """Asks what of the window goes into a file; `what` is a value of SHOWN."""

    def __init__(self, *, folder: str, stem: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle("Export")
        self.setMinimumWidth(520)
        self.view = QComboBox()
        self.view.addItems(list(SHOWN))
        self.format = QComboBox()
        self.format.addItems([kind.upper() for kind in FORMATS])
        self.path = QLineEdit(str(Path(folder) / f"{stem}.svg"))
        self.format.currentTextChanged.connect(self._on_format)
        browse = QPushButton("…")
        browse.setMaximumWidth(40)
        browse.setAutoDefault(False)
        browse.clicked.connect(self._browse)
        row = QHBoxLayout()
        row.addWidget(self.path)
        row.addWidget(browse)
        form = QFormLayout()
        form.addRow("What", self.view)
        form.addRow("Format", self.format)
        form.addRow("File", row)
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Cancel)
        buttons.addButton("Export", QDialogButtonBox.ButtonRole.AcceptRole)
        buttons.accepted.connect(self.accept)
        buttons.rejected.connect(self.reject)
        layout = QVBoxLayout(self)
        layout.addLayout(form)
        layout.addWidget(buttons)

    @property
    def what(self) -> str:
        return SHOWN[self.view.currentText()]

    @property
    def file(self) -> Path:
        return Path(self.path.text().strip()).expanduser()

    def _on_format(self, text: str) -> None:
        self.path.setText(str(self.file.with_suffix(f".{text.lower()}")))

    def _browse(self) -> None:
        name, _ = QFileDialog.getSaveFileName(self, "Export to", self.path.text())
        if name:
            self.path.setText(name)
