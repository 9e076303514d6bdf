"""The window on a real Keras train step, captured in this test run."""

from __future__ import annotations

from pathlib import Path

import pytest
from helpers.captures import EXAMPLES
from helpers.driving import click, kinds, open_in, press, settle
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from xlaviz.ui.capture_dialog import CaptureDialog
from xlaviz.ui.main_window import MainWindow

pytestmark = pytest.mark.tensorflow


@pytest.fixture
def opened(window: MainWindow, train_step_bundle: Path, qtbot: QtBot) -> MainWindow:
    return open_in(window, train_step_bundle, qtbot)


def test_both_sides_and_the_kernels_are_there(opened: MainWindow) -> None:
    session = opened.session
    assert session.kernels is not None
    assert session.lineage is not None
    assert session.kernels.unmatched == 0
    right = opened.panes["right"].canvas.graph
    assert right is not None
    fusions = [node for node in right.nodes if node.family == "fusion" and node.kind in ("open", "closed")]
    assert len(fusions) > 5
    assert len(opened.session.summaries) == session.sequence.last_index + 1  # type: ignore[union-attr]


def test_every_fusion_has_its_hue_on_both_sides(opened: MainWindow) -> None:
    lineage = opened.session.lineage
    assert lineage is not None
    left, right = (opened.panes[pane].canvas.painter for pane in ("left", "right"))  # type: ignore[index]
    assert left is not None
    assert right is not None
    with_origins = {name: origins for name, origins in lineage.fusion_origins.items() if origins}
    assert with_origins
    for fusion, origins in with_origins.items():
        (hue,) = right.overlay.hues[fusion]
        assert all(hue in left.overlay.hues[origin] for origin in origins)


def test_every_fusion_leads_to_the_left_and_back(opened: MainWindow, qtbot: QtBot) -> None:
    lineage = opened.session.lineage
    assert lineage is not None
    fusion = max(lineage.fusion_origins, key=lambda name: len(lineage.fusion_origins[name]))
    click(opened, qtbot, "right", fusion)
    assert opened.session.selection.left == lineage.fusion_origins[fusion]
    origin = next(name for name in sorted(opened.session.selection.left) if kinds(opened, "left", name))
    click(opened, qtbot, "left", origin)
    assert opened.session.selection.right
    settle(opened, qtbot)


def test_the_fusion_pass_shows_what_it_fused(opened: MainWindow, qtbot: QtBot) -> None:
    sequence = opened.session.sequence
    assert sequence is not None
    index = next(s.index for s in sequence.snapshots if s.pass_name == "fusion")
    opened.session.go_to(index)
    settle(opened, qtbot)
    diff = opened.session.diff
    assert diff is not None
    right = opened.panes["right"].canvas.painter
    assert right is not None
    added = [n for n in right.graph.nodes if n.family == "fusion" and right.overlay.marks.get(n.instruction) == "added"]
    assert added
    assert f"+{len(diff.added)} added" in opened.status.place.text()
    press(opened, qtbot, Qt.Key.Key_End)
    assert opened.session.index == sequence.last_index


def test_a_capture_from_the_dialog_opens_what_it_made(window: MainWindow, tmp_path: Path, qtbot: QtBot) -> None:
    window.actions_by_name["capture"].trigger()
    dialog = window.findChild(CaptureDialog)
    assert dialog is not None
    dialog.file.setText(str(EXAMPLES / "matmul.py"))
    dialog.target.setText("matmul_relu_sum")
    dialog.out.setText(str(tmp_path / "made.xlaviz"))
    dialog.runs.setValue(3)
    with qtbot.waitSignal(window.document_shown, timeout=120_000):
        qtbot.mouseClick(dialog.start_button, Qt.MouseButton.LeftButton)
    settle(window, qtbot)
    assert not dialog.isVisible()
    assert "made.xlaviz" in window.windowTitle()
    assert window.session.kernels is not None
    assert window.session.kernels.runs == 3
