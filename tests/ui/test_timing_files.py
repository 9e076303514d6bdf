"""What the tabs about time give away: the page and the kernels, to the clipboard and to files."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest
from helpers.tabs import look_at
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QFileDialog
from pytestqt.qtbot import QtBot

from xlaviz.ui.main_window import MainWindow


@pytest.fixture
def report(opened: MainWindow, qtbot: QtBot) -> MainWindow:
    look_at(opened, opened.timing.report, qtbot)
    return opened


def answer(monkeypatch: pytest.MonkeyPatch, chosen: Path | str, kind: str = "") -> None:
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(chosen), kind))


def test_the_page_is_shown_and_copied(report: MainWindow, qtbot: QtBot) -> None:
    panel = report.timing.report
    assert panel.message.isHidden()
    assert panel.verdict.text()
    QGuiApplication.clipboard().setText("")
    qtbot.mouseClick(panel.copy, Qt.MouseButton.LeftButton)
    assert panel.verdict.text() in " ".join(QGuiApplication.clipboard().text().split())


@pytest.mark.parametrize(
    ("name", "kind", "is_json"),
    [
        ("page.txt", "JSON (*.json)", False),
        ("page.json", "", True),
        ("page", "JSON (*.json)", True),
        ("page", "", False),
    ],
)
def test_the_page_is_saved_as_text_or_json(
    report: MainWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, kind: str, is_json: bool
) -> None:
    answer(monkeypatch, tmp_path / name, kind)
    report.timing.report.save.click()
    text = (tmp_path / name).read_text(encoding="utf-8")
    if is_json:
        json.loads(text)
    else:
        assert report.timing.report.verdict.text() in " ".join(text.split())
    assert name in report.status.currentMessage()


def test_csv_holds_the_rows_that_are_shown(opened: MainWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    answer(monkeypatch, tmp_path / "kernels.csv")
    opened.kernel_panel.head.csv.click()
    with (tmp_path / "kernels.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    table = opened.session.kernels
    assert table is not None
    assert [row["name"] for row in rows] == [*(kernel.name for kernel in table.kernels), "unattributed"]
    assert float(rows[0]["self_per_run_us"]) == pytest.approx(table.kernels[0].self_per_run_us)
    answer(monkeypatch, "")
    opened.kernel_panel.head.csv.click()
    assert opened.notifications.isHidden()


def test_what_cannot_be_written_is_one_sentence(
    report: MainWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for button in (report.kernel_panel.head.csv, report.timing.report.save):
        report.notifications.hide()
        answer(monkeypatch, tmp_path / "nowhere" / "file")
        button.click()
        assert report.notifications.isVisible()
        assert "cannot be written" in report.notifications.text.text()
