"""The window on a real bundle: open, select, step, close."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from helpers.driving import PATIENCE_MS, click, double_click, kinds, open_in, place, press, settle
from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt, QTimer, QUrl
from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QDialog, QLineEdit
from pytestqt.qtbot import QtBot

from xlaviz.session.shown import PANES, Pane
from xlaviz.ui.actions import ACTIONS
from xlaviz.ui.main_window import MainWindow

FUSION = "broadcast_maximum_fusion"


def title(window: MainWindow, pane: Pane) -> str:
    return window.panes[pane].title.text()


def message(window: MainWindow, pane: Pane) -> str:
    return window.panes[pane].canvas.message


# Opening


def test_a_start_without_a_document_welcomes(window: MainWindow) -> None:
    assert window.welcome.isVisible()
    assert not any(dock.isVisible() for dock in window._docks)
    for spec in ACTIONS:
        assert window.actions_by_name[spec.name].isEnabled() != spec.needs_document


def test_no_shortcut_is_used_twice() -> None:
    shortcuts = [shortcut for spec in ACTIONS for shortcut in spec.shortcuts]
    assert len(shortcuts) == len(set(shortcuts))


def test_a_bundle_opens_before_against_after(opened: MainWindow) -> None:
    assert "matmul.xlaviz" in opened.windowTitle()
    assert "Before optimizations" in title(opened, "left")
    assert "After optimizations" in title(opened, "right")
    assert all(opened.panes[pane].canvas.graph is not None for pane in PANES)
    assert all(dock.isVisible() for dock in opened._docks)
    assert opened.session.kernels is not None
    costliest = opened.session.kernels.kernels[0].name
    assert opened.session.selection.name == costliest
    assert costliest in opened.inspector.toPlainText()
    assert opened.notifications.isHidden()


def test_a_dropped_file_is_opened(window: MainWindow, matmul_bundle: Path, qtbot: QtBot) -> None:
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(matmul_bundle))])
    how = (Qt.DropAction.CopyAction, data, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier)
    enter = QDragEnterEvent(QPoint(100, 100), *how)
    enter.ignore()
    window.dragEnterEvent(enter)
    assert enter.isAccepted()
    with qtbot.waitSignal(window.document_shown, timeout=PATIENCE_MS):
        window.dropEvent(QDropEvent(QPointF(100, 100), *how))
    settle(window, qtbot)


@pytest.mark.parametrize("content", [None, b"", b"PK\x03\x04 cut off", b"\xff" * 5000])
def test_a_bad_file_leaves_the_good_one_shown(
    opened: MainWindow, tmp_path: Path, qtbot: QtBot, content: bytes | None
) -> None:
    bad = tmp_path / "bad.xlaviz"
    if content is not None:
        bad.write_bytes(content)
    with qtbot.waitSignal(opened.session.failed):
        opened.open_path(bad)
    settle(opened, qtbot)
    assert opened.notifications.isVisible()
    assert "bad.xlaviz" in opened.notifications.text.text()
    assert "Traceback" not in opened.notifications.text.text()
    assert "matmul.xlaviz" in opened.windowTitle()
    press(opened, qtbot, Qt.Key.Key_End)
    assert opened.panes["right"].canvas.graph is not None


def test_another_document_takes_the_place_of_the_first(
    opened: MainWindow, matmul_bundle: Path, tmp_path: Path, qtbot: QtBot
) -> None:
    press(opened, qtbot, Qt.Key.Key_Left)
    second = shutil.copy(matmul_bundle, tmp_path / "second.xlaviz")
    open_in(opened, Path(second), qtbot)
    assert "second.xlaviz" in opened.windowTitle()
    assert opened.session.mode == "compare"
    assert [Path(path).name for path in opened.settings.recent] == ["second.xlaviz", "matmul.xlaviz"]


def test_one_hlo_file_has_one_pane_and_no_steps(window: MainWindow, tmp_path: Path, qtbot: QtBot) -> None:
    file = tmp_path / "one.hlo"
    file.write_text("HloModule one\n\nENTRY main {\n  x = f32[4] parameter(0)\n  ROOT y = f32[4] negate(x)\n}\n")
    open_in(window, file, qtbot)
    assert window.panes["left"].isHidden()
    assert window.panes["right"].canvas.graph is not None
    press(window, qtbot, Qt.Key.Key_Right)
    assert window.session.mode == "compare"
    assert "without a profile" in window.kernel_panel.summary.text()


# Selecting


def test_a_click_on_the_right_centres_its_origin_on_the_left(opened: MainWindow, qtbot: QtBot) -> None:
    click(opened, qtbot, "right", FUSION)
    origins = opened.session.selection.left
    assert origins
    left = opened.panes["left"].canvas
    assert left.painter is not None
    assert left.painter.selected == origins
    boxes = [left.painter.box(i) for name in origins for i in left.painter.graph.nodes_of.get(name, ())]
    united = boxes[0]
    for box in boxes[1:]:
        united = united.united(box)
    assert (left.to_widget(united.center()) - QPointF(left.rect().center())).manhattanLength() < 4
    settle(opened, qtbot)
    assert "CAME FROM" in opened.inspector.toPlainText()


def test_a_click_on_the_left_centres_what_became_of_it(opened: MainWindow, qtbot: QtBot) -> None:
    click(opened, qtbot, "right", FUSION)
    origin = min(name for name in opened.session.selection.left if kinds(opened, "left", name))
    click(opened, qtbot, "left", origin)
    assert opened.session.selection.name == origin
    right = opened.panes["right"].canvas
    assert right.painter is not None
    assert right.painter.selected
    settle(opened, qtbot)
    assert "BECAME" in opened.inspector.toPlainText()


def test_a_click_on_the_ground_selects_nothing(opened: MainWindow, qtbot: QtBot) -> None:
    qtbot.mouseClick(opened.panes["right"].canvas, Qt.MouseButton.LeftButton, pos=QPoint(2, 2))
    assert not opened.session.selection.name
    assert "Select an instruction" in opened.inspector.toPlainText()
    press(opened, qtbot, Qt.Key.Key_N)
    press(opened, qtbot, Qt.Key.Key_Return)
    press(opened, qtbot, Qt.Key.Key_C)


def test_a_link_of_the_inspector_selects_what_it_names(opened: MainWindow, qtbot: QtBot) -> None:
    click(opened, qtbot, "right", FUSION)
    settle(opened, qtbot)
    detail = opened.session.detail
    assert detail is not None
    operand = detail.operands[0].name
    assert f'href="right:{operand}"' in opened.inspector.toHtml()
    opened.inspector.anchorClicked.emit(QUrl(f"right:{operand}"))
    assert opened.session.selection.name == operand
    settle(opened, qtbot)
    assert operand in opened.inspector.toPlainText()


def test_kernels_and_graph_share_one_selection(opened: MainWindow, qtbot: QtBot) -> None:
    panel = opened.kernel_panel
    name = panel.shown_kernels[-1].name
    bar = panel.plot.mapFromScene(panel.bar_point(panel.shown_kernels[0].name))
    click(opened, qtbot, "right", name)
    (row,) = panel.view.selectionModel().selectedRows()
    assert row.data() == name
    qtbot.mouseClick(panel.plot.viewport(), Qt.MouseButton.LeftButton, pos=bar)
    assert opened.session.selection.name == panel.shown_kernels[0].name
    painter = opened.panes["right"].canvas.painter
    assert painter is not None
    assert painter.selected == {panel.shown_kernels[0].name}


def test_a_kernel_chosen_in_a_step_leads_back_to_what_ran(opened: MainWindow, qtbot: QtBot) -> None:
    press(opened, qtbot, Qt.Key.Key_Home)
    opened.kernel_panel.kernel_selected.emit(FUSION)
    settle(opened, qtbot)
    assert opened.session.mode == "compare"
    assert FUSION in opened.session.selection.right
    assert kinds(opened, "right", FUSION)


# Clusters


def test_a_double_click_closes_and_opens_a_fusion_in_place(opened: MainWindow, qtbot: QtBot) -> None:
    before = place(opened, "right", FUSION)
    canvas = opened.panes["right"].canvas
    assert kinds(opened, "right", FUSION) == {"open"}

    def corner() -> QPointF:
        assert canvas.painter is not None
        return canvas.to_widget(canvas.painter.box(canvas.painter.graph.nodes_of[FUSION][0]).topLeft())

    at, zoom = corner(), canvas.zoom
    double_click(opened, qtbot, "right", FUSION)
    assert kinds(opened, "right", FUSION) == {"closed"}
    assert (corner() - at).manhattanLength() < 0.1
    qtbot.mouseDClick(canvas, Qt.MouseButton.LeftButton, pos=before)
    settle(opened, qtbot)
    assert kinds(opened, "right", FUSION) == {"open"}
    assert (corner() - at).manhattanLength() < 0.1
    assert canvas.zoom == zoom


def test_the_keyboard_toggles_and_both_actions_do_all(opened: MainWindow, qtbot: QtBot) -> None:
    click(opened, qtbot, "right", FUSION)
    press(opened, qtbot, Qt.Key.Key_Return)
    assert kinds(opened, "right", FUSION) == {"closed"}
    opened.actions_by_name["open_all"].trigger()
    settle(opened, qtbot)
    assert kinds(opened, "right", FUSION) == {"open"}
    opened.actions_by_name["close_all"].trigger()
    settle(opened, qtbot)
    graph = opened.panes["right"].canvas.graph
    assert graph is not None
    assert not any(node.kind == "open" for node in graph.nodes)


def test_a_neighbourhood_and_everything_again(opened: MainWindow, qtbot: QtBot) -> None:
    click(opened, qtbot, "left", "XLA_Retvals.5")
    whole = opened.panes["left"].canvas.graph
    press(opened, qtbot, Qt.Key.Key_N)
    part = opened.panes["left"].canvas.graph
    assert whole is not None
    assert part is not None
    assert len(part.nodes) < len(whole.nodes)
    assert "XLA_Retvals.5" in opened.panes["left"].strip.text()
    assert opened.panes["left"].strip.isVisible()
    press(opened, qtbot, Qt.Key.Key_Escape)
    again = opened.panes["left"].canvas.graph
    assert again is not None
    assert len(again.nodes) == len(whole.nodes)
    assert opened.panes["left"].strip.isHidden()


def test_a_neighbourhood_in_a_step_holds_for_both_sides(opened: MainWindow, qtbot: QtBot) -> None:
    opened.session.go_to(1)
    settle(opened, qtbot)
    opened.session.select("left", "XLA_Retvals.5")
    press(opened, qtbot, Qt.Key.Key_N)
    sizes = {len(opened.panes[pane].canvas.graph.nodes) for pane in PANES}  # type: ignore[union-attr]
    assert len(sizes) == 1
    assert all(opened.panes[pane].strip.isVisible() for pane in PANES)


# Stepping


def changed(window: MainWindow) -> list[int]:
    """The snapshots whose pass changed something."""
    return [summary.index for summary in window.session.summaries if summary.changes]


def test_keys_step_through_the_passes(opened: MainWindow, qtbot: QtBot) -> None:
    last = opened.session.sequence.last_index  # type: ignore[union-attr]
    first, second = changed(opened)[:2]
    press(opened, qtbot, Qt.Key.Key_Right)
    assert (opened.session.mode, opened.session.index) == ("step", first)
    press(opened, qtbot, Qt.Key.Key_Right)
    assert opened.session.index == second
    press(opened, qtbot, Qt.Key.Key_Left)
    assert opened.session.index == first
    press(opened, qtbot, Qt.Key.Key_End)
    assert opened.session.index == last
    press(opened, qtbot, Qt.Key.Key_Right)
    assert opened.session.index == last
    press(opened, qtbot, Qt.Key.Key_Home)
    assert opened.session.index == 0
    assert "Nothing comes before" in message(opened, "left")
    press(opened, qtbot, Qt.Key.Key_B)
    assert opened.session.mode == "compare"
    press(opened, qtbot, Qt.Key.Key_Left)
    assert opened.session.index == last


def test_keys_step_wherever_the_focus_is(opened: MainWindow, qtbot: QtBot) -> None:
    press(opened, qtbot, Qt.Key.Key_Home)
    widgets = (opened.panes["left"].canvas, opened.pass_list.passes.tree, opened.kernel_panel.view, opened.inspector)
    for index, widget in zip(changed(opened), widgets, strict=False):
        widget.setFocus()
        qtbot.keyClick(widget, Qt.Key.Key_Right)
        settle(opened, qtbot)
        assert opened.session.index == index


def test_a_step_shows_what_its_pass_did(opened: MainWindow, qtbot: QtBot) -> None:
    index = next(s.index for s in opened.session.summaries if s.added and s.removed)
    opened.session.go_to(index)
    settle(opened, qtbot)
    diff = opened.session.diff
    assert diff is not None
    painters = {pane: opened.panes[pane].canvas.painter for pane in PANES}
    assert painters["left"] is not None
    assert painters["right"] is not None
    drawn = painters["right"].graph.nodes_of
    assert {n for n, mark in painters["right"].overlay.marks.items() if mark == "added" and n in drawn}
    assert {n for n, mark in painters["left"].overlay.marks.items() if mark == "removed"} == set(diff.removed)
    assert f"+{len(diff.added)} added" in opened.status.place.text()
    assert opened.pass_bar.value() == index


def test_the_last_of_twenty_quick_steps_is_shown(opened: MainWindow, qtbot: QtBot) -> None:
    opened.session.go_to(1)
    shown: list[int] = []
    opened.session.view_changed.connect(lambda _: shown.append(opened.session.sides["right"].snapshot.index))
    for _ in range(20):
        qtbot.keyClick(opened, Qt.Key.Key_Right, Qt.KeyboardModifier.ShiftModifier)
    assert opened.session.index == 21
    assert opened.pass_bar.value() == 21, "the bar does not wait for the drawing"
    settle(opened, qtbot)
    assert shown[-1] == 21
    assert len(shown) < 20


def test_the_pass_bar_is_clicked_and_dragged(opened: MainWindow, qtbot: QtBot) -> None:
    bar = opened.pass_bar
    at = {index: bar.column(index).center().toPoint() for index in (4, 9)}
    qtbot.mouseClick(bar, Qt.MouseButton.LeftButton, pos=at[4])
    assert opened.session.index == 4
    qtbot.mousePress(bar, Qt.MouseButton.LeftButton, pos=at[4])
    QTest.mouseMove(bar, at[9])
    qtbot.mouseRelease(bar, Qt.MouseButton.LeftButton, pos=at[9])
    qtbot.mouseClick(bar, Qt.MouseButton.LeftButton, pos=at[9])
    assert opened.session.index == 9
    settle(opened, qtbot)
    last = bar.maximum()
    opened.session.show_compare()
    qtbot.mouseClick(bar, Qt.MouseButton.LeftButton, pos=bar.column(last).center().toPoint())
    assert (opened.session.mode, opened.session.index) == ("step", last)
    settle(opened, qtbot)


def test_the_pass_list_goes_where_it_is_clicked(opened: MainWindow, qtbot: QtBot) -> None:
    tree = opened.pass_list.passes.tree
    first, second = changed(opened)[2:4]
    item = opened.pass_list.passes.items[first]
    tree.scrollToItem(item)
    qtbot.mouseClick(tree.viewport(), Qt.MouseButton.LeftButton, pos=tree.visualItemRect(item).center())
    assert opened.session.index == first
    settle(opened, qtbot)
    press(opened, qtbot, Qt.Key.Key_Right)
    assert tree.currentItem() is opened.pass_list.passes.items[second]


def test_the_theme_changes_everything_and_is_remembered(opened: MainWindow, windows: object, qtbot: QtBot) -> None:
    light = opened.grab().toImage()
    qtbot.keyClick(opened, Qt.Key.Key_T, Qt.KeyboardModifier.ControlModifier)
    dark = opened.grab().toImage()
    corners = [QPoint(40, 400), QPoint(600, 300), QPoint(1580, 500), QPoint(700, 995)]
    for corner in corners:
        assert light.pixelColor(corner).lightness() > 200 > 80 > dark.pixelColor(corner).lightness()
    opened.close()
    assert windows().theme.is_dark  # type: ignore[operator]


def test_a_pane_can_be_hidden_but_not_both(opened: MainWindow, qtbot: QtBot) -> None:
    opened.actions_by_name["left_only"].trigger()
    assert opened.panes["left"].isHidden()
    opened.actions_by_name["right_only"].trigger()
    assert opened.panes["right"].isHidden() != opened.panes["left"].isHidden()
    opened.actions_by_name["fit"].trigger()


def test_the_command_palette_runs_what_is_typed(opened: MainWindow, qtbot: QtBot) -> None:
    def type_it() -> bool:
        dialog = QApplication.activeModalWidget()
        if not isinstance(dialog, QDialog):
            return False
        field = dialog.findChild(QLineEdit)
        qtbot.keyClicks(field, "after opt")
        qtbot.keyClick(field, Qt.Key.Key_Return)
        return True

    QTimer.singleShot(0, opened, type_it)
    qtbot.keyClick(opened, Qt.Key.Key_K, Qt.KeyboardModifier.ControlModifier)
    settle(opened, qtbot)
    assert (opened.session.mode, opened.session.index) == ("step", opened.session.sequence.last_index)  # type: ignore[union-attr]
