"""Runs work in a worker process, one request after the other, without ever blocking the window."""

from __future__ import annotations

import os
import pickle
import signal
import sys
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import QObject, QProcess, QTimer, Signal

from xlaviz.base.errors import WorkFailedError, XlavizError
from xlaviz.session.worker import LENGTH

# -P: a file in the folder one happens to be in must not take the place of a module
WORKER = ("-P", "-m", "xlaviz.session.worker")

PATIENCE_MS = 300
"""How long a job whose result nobody wants may run on before its worker, and all it has read, is thrown away."""

Done = Callable[[Any], None]
Failed = Callable[[XlavizError], None]


@dataclass(frozen=True, slots=True)
class Job:
    """A request. A newer job of the same `slot` takes its place, and a late result is dropped."""

    id: int
    slot: str
    title: str
    call: str
    arguments: tuple[Any, ...]
    done: Done
    failed: Failed


class JobRunner(QObject):
    """One worker process and its queue.

    Signals: `started` (id, title), `progressed` (id, share, text), `ended` (id) for every started job, however it
    ends; `idled` when nothing is left.
    """

    started = Signal(int, str)
    progressed = Signal(int, float, str)
    ended = Signal(int)
    idled = Signal()

    _next_id = 0

    def __init__(self, parent: QObject | None = None, *, worker: Sequence[str] = WORKER) -> None:
        """`worker` is what Python is started with."""
        super().__init__(parent)
        self._worker = list(worker)
        self._queue: deque[Job] = deque()
        self._current: Job | None = None
        self._is_dropped = False
        self._is_closed = False
        self._process: QProcess | None = None
        self.worker_id = 0
        self._buffer = bytearray()

    @property
    def is_busy(self) -> bool:
        return self._current is not None or bool(self._queue)

    def is_waiting_for(self, slot: str) -> bool:
        """Whether a job is queued or runs whose slot begins with `slot`."""
        jobs = [*self._queue, *([self._current] if self._current is not None else [])]
        return any(job.slot.startswith(slot) for job in jobs)

    def submit(self, slot: str, title: str, call: str, arguments: tuple[Any, ...], done: Done, failed: Failed) -> int:
        """Queue a call of `worker.CALLS`; `done` or `failed` is called from the event loop, never at once."""
        JobRunner._next_id += 1
        job = Job(JobRunner._next_id, slot, title, call, arguments, done, failed)
        if self._is_closed:
            return job.id
        self._queue = deque(queued for queued in self._queue if queued.slot != slot)
        if self._current is not None and self._current.slot == slot and not self._is_dropped:
            self._drop_current()
        self._queue.append(job)
        self._start_next()
        return job.id

    def cancel(self, job_id: int) -> None:
        """Forget a job; the worker is killed if it is at it."""
        self._queue = deque(job for job in self._queue if job.id != job_id)
        if self._current is not None and self._current.id == job_id:
            self._stop_current()
        self._start_next()

    def cancel_all(self) -> None:
        """Forget every job without a word to those who asked for them."""
        self._queue.clear()
        if self._current is not None:
            self._stop_current()
        self._start_next()

    def stop_all(self) -> None:
        """The user has seen enough: every job fails, saying that it was stopped."""
        wanted = [self._current] if self._current is not None and not self._is_dropped else []
        stopped = [*wanted, *self._queue]
        self.cancel_all()
        for job in stopped:
            job.failed(WorkFailedError(f"Stopped {job.title}."))

    def close(self) -> None:
        """Kill the worker, wait until it is gone, and start none again, whoever still asks."""
        self._is_closed = True
        self._queue.clear()
        self._current = None
        self._kill()

    def _drop_current(self) -> None:
        """Let a superseded job end if it soon does."""
        job, self._is_dropped = self._current, True

        def stop_if_still_running() -> None:
            if self._current is job and self._current is not None:
                self._stop_current()
                self._start_next()

        QTimer.singleShot(PATIENCE_MS, self, stop_if_still_running)

    def _stop_current(self) -> None:
        """A request cannot be taken back, so the worker goes, and a new one starts with the next request."""
        job, self._current = self._current, None
        self._kill()
        if job is not None:
            self.ended.emit(job.id)

    def _start_next(self) -> None:
        if self._current is not None:
            return
        if not self._queue:
            self.idled.emit()
            return
        self._current, self._is_dropped = self._queue.popleft(), False
        self.started.emit(self._current.id, self._current.title)
        data = pickle.dumps((self._current.call, self._current.arguments), protocol=pickle.HIGHEST_PROTOCOL)
        self._running_process().write(LENGTH.pack(len(data)) + data)

    def _running_process(self) -> QProcess:
        if self._process is None:
            process = QProcess(self)
            process.setProcessChannelMode(QProcess.ProcessChannelMode.ForwardedErrorChannel)
            process.readyReadStandardOutput.connect(self._read)
            process.finished.connect(self._on_worker_gone)
            process.errorOccurred.connect(self._on_worker_error)
            self._buffer.clear()
            self._process = process
            process.start(sys.executable, self._worker)
            self.worker_id = process.processId()
        return self._process

    def _read(self) -> None:
        if self._process is None:
            return
        self._buffer += self._process.readAllStandardOutput().data()
        while len(self._buffer) >= LENGTH.size:
            end = LENGTH.size + LENGTH.unpack_from(self._buffer)[0]
            if len(self._buffer) < end:
                return
            message = pickle.loads(bytes(self._buffer[LENGTH.size : end]))
            del self._buffer[:end]
            self._take(message)

    def _take(self, message: tuple[Any, ...]) -> None:
        job = self._current
        if job is None:
            return
        if message[0] == "progress":
            self.progressed.emit(job.id, message[1], message[2])
            return
        self._current = None
        self.ended.emit(job.id)
        try:
            if not self._is_dropped:
                (job.done if message[0] == "done" else job.failed)(message[1])
        finally:
            self._start_next()

    def _on_worker_error(self, error: QProcess.ProcessError) -> None:
        if error == QProcess.ProcessError.FailedToStart:
            self._on_worker_gone()

    def _on_worker_gone(self) -> None:
        """The worker died by itself: out of memory, killed, or it never started."""
        _kill_group(self.worker_id)
        self._forget_process()
        job, self._current = self._current, None
        if job is not None:
            self.ended.emit(job.id)
            if not self._is_dropped:
                text = f"The worker process ended while {job.title}."
                job.failed(WorkFailedError(text, hint="Try a smaller view."))
        self._start_next()

    def _kill(self) -> None:
        process = self._process
        if process is None:
            return
        process.finished.disconnect(self._on_worker_gone)
        process.errorOccurred.disconnect(self._on_worker_error)
        _kill_group(self.worker_id)
        process.kill()
        process.waitForFinished(2000)
        self._forget_process()

    def _forget_process(self) -> None:
        if self._process is not None:
            self._process.readyReadStandardOutput.disconnect(self._read)
            self._process.deleteLater()
            self._process, self.worker_id = None, 0


def _kill_group(process_id: int) -> None:
    """Kill the worker's children with it. The group bears the worker's number and outlives it; a worker that has just
    started leads none yet."""
    if process_id and hasattr(os, "killpg"):
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process_id, signal.SIGKILL)
