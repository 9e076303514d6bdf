"""The window stays sound when work is stopped, and workers die."""

from __future__ import annotations

import os
import signal
from pathlib import Path

from helpers.driving import PATIENCE_MS, press, settle
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from xlaviz.session.shown import Pane
from xlaviz.ui.main_window import MainWindow


def message(window: MainWindow, pane: Pane) -> str:
    return window.panes[pane].canvas.message


def test_stopping_a_drawing_says_so_and_the_next_one_works(opened: MainWindow, qtbot: QtBot) -> None:
    opened.session.go_to(5)
    opened.status.cancel.click()
    assert "Stopped drawing" in message(opened, "right")
    assert "Stopped drawing" in message(opened, "left")
    press(opened, qtbot, Qt.Key.Key_Right)
    assert opened.panes["right"].canvas.graph is not None


def test_a_worker_killed_from_outside_is_one_sentence(opened: MainWindow, qtbot: QtBot) -> None:
    worker_id = opened.session.views.worker_id
    os.kill(worker_id, signal.SIGSTOP)  # so that it cannot answer first
    opened.session.go_to(5)
    os.kill(worker_id, signal.SIGKILL)
    settle(opened, qtbot)
    assert "The worker process ended" in message(opened, "right")
    press(opened, qtbot, Qt.Key.Key_Right)
    assert opened.panes["right"].canvas.graph is not None


def test_an_idle_worker_killed_from_outside_is_not_missed(opened: MainWindow, qtbot: QtBot) -> None:
    os.kill(opened.session.views.worker_id, signal.SIGKILL)
    qtbot.waitUntil(lambda: opened.session.views.worker_id == 0)
    press(opened, qtbot, Qt.Key.Key_End)
    assert opened.panes["right"].canvas.graph is not None


def test_the_window_closes_while_jobs_run(window: MainWindow, matmul_bundle: Path, qtbot: QtBot) -> None:
    with qtbot.waitSignal(window.session.document_changed, timeout=PATIENCE_MS):
        window.open_path(matmul_bundle)
    assert window.session.is_busy
    window.close()
    assert not window.session.is_busy


# The window itself
