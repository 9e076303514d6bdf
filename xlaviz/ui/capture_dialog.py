"""File > Capture: what to run, and how it goes."""

from __future__ import annotations

import shlex
from pathlib import Path

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QCloseEvent
from PySide6.QtWidgets import (
    QCheckBox,
    QDialog,
    QDialogButtonBox,
    QFileDialog,
    QFormLayout,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QPlainTextEdit,
    QProgressBar,
    QPushButton,
    QSpinBox,
    QVBoxLayout,
    QWidget,
)

from xlaviz.base.errors import XlavizError
from xlaviz.capture.progress import Progress
from xlaviz.capture.request import CaptureRequest, check
from xlaviz.session.capture_job import CaptureJob


class CaptureDialog(QDialog):
    """Asks for the target and runs the capture. Signal: `captured` with the bundle's path."""

    captured = Signal(object)

    def __init__(self, *, folder: str = "", python: str = "", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle("Capture")
        self.setMinimumWidth(620)
        self._job: CaptureJob | None = None
        self._folder = folder
        self.file = QLineEdit()
        self.file.setPlaceholderText("a Python file, or the folder of a SavedModel")
        self.target = QLineEdit()
        self.target.setPlaceholderText("train_step, model, model.call; a signature of a SavedModel")
        self.inputs = QLineEdit()
        self.inputs.setPlaceholderText("f32[32,784] s32[32]; empty: from xlaviz_inputs() or the function itself")
        self.out = QLineEdit()
        self.out.setPlaceholderText("where the bundle goes; empty: beside the file")
        self.python = QLineEdit(python)
        self.python.setPlaceholderText("the Python that has TensorFlow; empty: this one")
        self.runs = QSpinBox()
        self.runs.setRange(1, 10_000)
        self.runs.setValue(30)
        self.exact = QCheckBox("one thread: the end of every kernel is exact")
        self.progress = QProgressBar()
        self.progress.setTextVisible(False)
        self.progress.hide()
        self.status = QLabel()
        self.status.setWordWrap(True)
        self.status.setTextFormat(Qt.TextFormat.PlainText)
        self.detail = QPlainTextEdit()
        self.detail.setReadOnly(True)
        self.detail.hide()
        self.buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        self.start_button = self.buttons.addButton("Capture", QDialogButtonBox.ButtonRole.ActionRole)
        self.start_button.setDefault(True)
        self.start_button.clicked.connect(self.start)
        self.buttons.rejected.connect(self.reject)
        self._lay_out()

    def _lay_out(self) -> None:
        form = QFormLayout()
        form.addRow("File", self._with_browse(self.file, self._browse_file))
        form.addRow("Function or model", self.target)
        form.addRow("Inputs", self.inputs)
        form.addRow("Bundle", self.out)
        form.addRow("Python", self._with_browse(self.python, self._browse_python))
        form.addRow("Runs", self.runs)
        form.addRow("", self.exact)
        layout = QVBoxLayout(self)
        layout.addLayout(form)
        for widget in (self.progress, self.status, self.detail, self.buttons):
            layout.addWidget(widget)

    def _with_browse(self, field: QLineEdit, browse: object) -> QWidget:
        row = QWidget()
        layout = QHBoxLayout(row)
        layout.setContentsMargins(0, 0, 0, 0)
        button = QPushButton("…")
        button.setMaximumWidth(40)
        button.setAutoDefault(False)
        button.clicked.connect(browse)
        layout.addWidget(field)
        layout.addWidget(button)
        return row

    def _browse_file(self) -> None:
        name, _ = QFileDialog.getOpenFileName(self, "Python file", self._folder, "Python (*.py)")
        if name:
            self.file.setText(name)

    def _browse_python(self) -> None:
        name, _ = QFileDialog.getOpenFileName(self, "Python with TensorFlow")
        if name:
            self.python.setText(name)

    def request(self) -> CaptureRequest:
        """What the fields ask for; raises XlavizError where they do not say enough."""
        if not self.file.text().strip():
            raise XlavizError("Choose the Python file or the SavedModel folder to capture from.")
        file = Path(self.file.text().strip()).expanduser()
        target = self.target.text().strip()
        if not target and not file.is_dir():
            raise XlavizError(f"Name the function or model in {file.name} that is to be captured.")
        out = self.out.text().strip()
        name = target.rpartition(".")[2] or file.name
        return CaptureRequest(
            file=file,
            target=target,
            out=Path(out).expanduser() if out else file.parent / f"{name}.xlaviz",
            args=tuple(shlex.split(self.inputs.text())),
            runs=self.runs.value(),
            exact=self.exact.isChecked(),
            python=self.python.text().strip() or None,
        )

    def start(self) -> None:
        """Start the capture, or say at once what is wrong with the fields."""
        self.detail.hide()
        try:
            request = self.request()
            check(request)
        except (XlavizError, ValueError) as error:
            known = error if isinstance(error, XlavizError) else XlavizError(f"The inputs cannot be read: {error}.")
            self._show_error(known)
            return
        self.run(request)

    def run(self, request: CaptureRequest) -> None:
        """Run a capture, whatever the fields say."""
        self.start_button.setEnabled(False)
        self.progress.show()
        self.progress.setRange(0, 0)
        self._say("Starting…")
        job = CaptureJob(request, self)
        job.progressed.connect(self._on_progress)
        job.captured.connect(self._on_captured)
        job.failed.connect(self._on_failed)
        job.stopped.connect(self._on_stopped)
        self._job = job
        job.start()

    @property
    def is_running(self) -> bool:
        return self._job is not None

    def _on_progress(self, progress: Progress) -> None:
        if progress.text:
            self._say(progress.text)
        self.progress.setRange(0, progress.total)
        self.progress.setValue(progress.done)

    def _on_captured(self, bundle: Path) -> None:
        self._end("")
        self.captured.emit(bundle)
        self.accept()

    def _on_failed(self, error: XlavizError) -> None:
        self._end("")
        self._show_error(error)

    def _on_stopped(self) -> None:
        self._end("The capture was stopped; nothing was written.")

    def _end(self, text: str) -> None:
        if self._job is not None:
            self._job.wait()
            self._job.deleteLater()
            self._job = None
        self.start_button.setEnabled(True)
        self.progress.hide()
        self._say(text)

    def _say(self, text: str) -> None:
        self.status.setObjectName("")
        self.status.setText(text)
        self._restyle()

    def _show_error(self, error: XlavizError) -> None:
        self.status.setObjectName("error")
        self.status.setText(str(error))
        self._restyle()
        self.detail.setVisible(bool(error.detail))
        self.detail.setPlainText(error.detail)

    def _restyle(self) -> None:
        self.status.style().unpolish(self.status)
        self.status.style().polish(self.status)

    def reject(self) -> None:
        """Close; a capture that runs is stopped first, and the dialog stays to say so."""
        if self._job is not None:
            self._job.stop()
            return
        super().reject()

    def closeEvent(self, event: QCloseEvent) -> None:
        if self._job is not None:
            self._job.stop()
            self._end("")
        super().closeEvent(event)
