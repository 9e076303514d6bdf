"""A capture in the background of the window. The child does the work; this thread only waits for its lines."""

from __future__ import annotations

from PySide6.QtCore import QObject, QThread, Signal

from xlaviz.base.errors import WorkFailedError, XlavizError
from xlaviz.capture.request import CaptureRequest
from xlaviz.capture.runner import CaptureProcess


class CaptureJob(QThread):
    """Signals, one of the last three at the end: `progressed` with a Progress; `captured` with the bundle's path;
    `failed` with an error; `stopped` after `stop`."""

    progressed = Signal(object)
    captured = Signal(object)
    failed = Signal(object)
    stopped = Signal()

    def __init__(self, request: CaptureRequest, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._request = request
        self._process: CaptureProcess | None = None
        self._is_stopped = False

    def stop(self) -> None:
        """Kill the child; no bundle is written."""
        self._is_stopped = True
        if self._process is not None:
            self._process.stop()

    def run(self) -> None:
        try:
            with CaptureProcess(self._request) as self._process:
                if self._is_stopped:
                    self._process.stop()
                for progress in self._process.progress():
                    self.progressed.emit(progress)
                bundle = self._process.bundle()
        except XlavizError as error:
            self._end(error)
        except Exception as error:  # noqa: BLE001 - a thread has nobody to raise to
            self._end(WorkFailedError(f"The capture failed ({type(error).__name__}: {error})."))
        else:
            if self._is_stopped:
                self.stopped.emit()
            else:
                self.captured.emit(bundle)

    def _end(self, error: XlavizError) -> None:
        if self._is_stopped:
            self.stopped.emit()
        else:
            self.failed.emit(error)
