"""The dialogs by themselves."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAction
from pytestqt.qtbot import QtBot

from xlaviz.base.errors import XlavizError
from xlaviz.capture.request import CaptureRequest
from xlaviz.ui.capture_dialog import CaptureDialog
from xlaviz.ui.command_palette import CommandPalette
from xlaviz.ui.export_dialog import ExportDialog
from xlaviz.ui.main_window import MainWindow
from xlaviz.ui.notifications import Notifications
from xlaviz.ui.welcome import Welcome

PATIENCE_MS = 60_000


@pytest.fixture
def dialog(qtbot: QtBot) -> CaptureDialog:
    dialog = CaptureDialog()
    qtbot.addWidget(dialog)
    with qtbot.waitExposed(dialog):
        dialog.show()
    return dialog


@pytest.fixture
def program(tmp_path: Path) -> Path:
    file = tmp_path / "step.py"
    file.write_text("def train_step(x):\n    return x\n", "utf-8")
    return file


def interpreter(tmp_path: Path, text: str) -> str:
    """A stand-in for Python, so that no TensorFlow is needed."""
    file = tmp_path / "interpreter"
    file.write_text(f"#!{sys.executable}\n{text}\n", "utf-8")
    file.chmod(0o755)
    return str(file)


@pytest.mark.parametrize(
    ("file", "target", "inputs", "said"),
    [
        ("", "", "", "Choose the Python file"),
        ("step.py", "", "", "Name the function"),
        ("missing.py", "f", "", "There is no file"),
        ("step.py", "train_step", "f32[oops", "f32[oops"),
        ("step.py", "train_step", "'f32[2]", "The inputs cannot be read"),
    ],
)
def test_wrong_fields_are_named_at_once(
    dialog: CaptureDialog, program: Path, qtbot: QtBot, file: str, target: str, inputs: str, said: str
) -> None:
    dialog.file.setText(str(program.parent / file) if file else "")
    dialog.target.setText(target)
    dialog.inputs.setText(inputs)
    qtbot.mouseClick(dialog.start_button, Qt.MouseButton.LeftButton)
    assert said in dialog.status.text()
    assert dialog.start_button.isEnabled()
    assert not dialog.is_running


def test_the_bundle_goes_beside_the_file_unless_said_otherwise(dialog: CaptureDialog, program: Path) -> None:
    dialog.file.setText(str(program))
    dialog.target.setText("model.call")
    dialog.inputs.setText("f32[32,784] s32[32]")
    request = dialog.request()
    assert request.out == program.parent / "call.xlaviz"
    assert request.args == ("f32[32,784]", "s32[32]")
    dialog.out.setText(str(program.parent / "other.xlaviz"))
    assert dialog.request().out.name == "other.xlaviz"


def test_a_capture_that_fails_says_why_and_can_be_tried_again(
    dialog: CaptureDialog, program: Path, tmp_path: Path, qtbot: QtBot
) -> None:
    python = interpreter(tmp_path, "import sys; sys.exit('no such thing')")
    dialog.run(CaptureRequest(program, "train_step", tmp_path / "a.xlaviz", python=python))
    qtbot.waitUntil(lambda: not dialog.is_running, timeout=PATIENCE_MS)
    assert "could not run the capture" in dialog.status.text()
    assert "no such thing" in dialog.detail.toPlainText()
    assert dialog.start_button.isEnabled()
    assert dialog.progress.isHidden()


def test_close_stops_a_capture_and_says_so(dialog: CaptureDialog, program: Path, tmp_path: Path, qtbot: QtBot) -> None:
    python = interpreter(tmp_path, "import signal; signal.pause()")
    dialog.run(CaptureRequest(program, "train_step", tmp_path / "a.xlaviz", python=python))
    assert dialog.progress.isVisible()
    dialog.reject()
    qtbot.waitUntil(lambda: not dialog.is_running, timeout=PATIENCE_MS)
    assert dialog.isVisible()
    assert "stopped" in dialog.status.text()
    assert not (tmp_path / "a.xlaviz").exists()
    dialog.reject()
    assert not dialog.isVisible()


def test_a_window_that_closes_takes_its_capture_along(window: MainWindow, program: Path, tmp_path: Path) -> None:
    window.commands.capture()
    dialog = window.findChild(CaptureDialog)
    assert dialog is not None
    python = interpreter(tmp_path, "import signal; signal.pause()")
    dialog.run(CaptureRequest(program, "train_step", tmp_path / "a.xlaviz", python=python))
    window.close()
    assert not dialog.is_running


def test_the_palette_finds_by_words_in_any_order(qtbot: QtBot) -> None:
    names = ("&Open all clusters", "&Close all clusters", "&Fit")
    actions = [QAction(name) for name in names]
    actions[2].setEnabled(False)
    palette = CommandPalette(actions)
    qtbot.addWidget(palette)
    with qtbot.waitExposed(palette):
        palette.show()
    assert palette.list.count() == 2
    qtbot.keyClicks(palette.field, "clusters cl")
    assert palette.list.count() == 2
    qtbot.keyClick(palette.field, Qt.Key.Key_Down)
    qtbot.keyClick(palette.field, Qt.Key.Key_Down)
    qtbot.keyClick(palette.field, Qt.Key.Key_Up)
    qtbot.keyClick(palette.field, Qt.Key.Key_Down)
    qtbot.keyClick(palette.field, Qt.Key.Key_Return)
    assert palette.action is actions[1]


def test_the_palette_with_nothing_found_stays_open(qtbot: QtBot) -> None:
    palette = CommandPalette([QAction("Fit")])
    qtbot.addWidget(palette)
    with qtbot.waitExposed(palette):
        palette.show()
    qtbot.keyClicks(palette.field, "xyz")
    qtbot.keyClick(palette.field, Qt.Key.Key_Down)
    qtbot.keyClick(palette.field, Qt.Key.Key_Return)
    assert palette.action is None
    assert palette.isVisible()


def test_the_format_changes_the_file_s_ending(qtbot: QtBot, tmp_path: Path) -> None:
    dialog = ExportDialog(folder=str(tmp_path), stem="step.1", parent=None)
    qtbot.addWidget(dialog)
    assert dialog.file == tmp_path / "step.1.svg"
    dialog.format.setCurrentText("PNG")
    assert dialog.file == tmp_path / "step.1.png"
    assert dialog.what == "side-by-side"
    dialog.view.setCurrentText("left pane")
    assert dialog.what == "left"


def test_a_notification_folds_its_long_form_away(qtbot: QtBot) -> None:
    strip = Notifications()
    qtbot.addWidget(strip)
    with qtbot.waitExposed(strip):
        strip.show_error(XlavizError("This is <wrong>.", hint="Try that.", detail="line 1\nline 2"))
    assert strip.text.text() == "This is <wrong>. Try that."
    assert strip.detail.isHidden()
    strip.more.click()
    assert strip.detail.isVisible()
    strip.show_error(XlavizError("Another."))
    assert strip.detail.isHidden()
    assert strip.more.isHidden()


def test_the_welcome_page_lists_only_what_is_there(qtbot: QtBot, tmp_path: Path) -> None:
    there = tmp_path / "it's <here> & now.xlaviz"
    there.touch()
    welcome = Welcome()
    qtbot.addWidget(welcome)
    welcome.show_recent([str(there), str(tmp_path / "gone.xlaviz")])
    text = welcome.recent.text()
    assert "it&#x27;s &lt;here&gt; &amp; now.xlaviz" in text
    assert "gone" not in text
