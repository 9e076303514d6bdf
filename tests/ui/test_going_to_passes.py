"""Going to a pass by name, and to the first one after which something is so."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from helpers.driving import settle
from PySide6.QtCore import Qt, QTimer
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from xlaviz.ui.first_change_dialog import FirstChangeDialog
from xlaviz.ui.main_window import MainWindow
from xlaviz.ui.pick_dialog import PickDialog

FUSION = "broadcast_maximum_fusion"


def fusion_index(window: MainWindow) -> int:
    assert window.session.sequence is not None
    return next(s.index for s in window.session.sequence.snapshots if s.pass_name == "fusion")


def in_dialog(act: Callable[[PickDialog], None]) -> None:
    """Do something in the modal dialog that opens next."""

    def run() -> None:
        dialog = QApplication.activeModalWidget()
        assert isinstance(dialog, PickDialog)
        act(dialog)

    QTimer.singleShot(0, run)


def test_a_pass_is_found_by_some_letters_of_its_name(opened: MainWindow, qtbot: QtBot) -> None:
    def act(dialog: PickDialog) -> None:
        assert dialog.list.count() == opened.pass_bar.maximum() + 1
        qtbot.keyClicks(dialog.field, "fusion after layout")
        while "  fusion  " not in dialog.list.currentItem().text():
            qtbot.keyClick(dialog.field, Qt.Key.Key_Down)
        qtbot.keyClick(dialog.field, Qt.Key.Key_Return)

    in_dialog(act)
    opened.actions_by_name["go_to_pass"].trigger()
    settle(opened, qtbot)
    assert opened.session.index == fusion_index(opened)


def test_who_thinks_better_of_it_stays(opened: MainWindow, qtbot: QtBot) -> None:
    in_dialog(lambda dialog: dialog.reject())
    opened.actions_by_name["go_to_pass"].trigger()
    assert opened.session.mode == "compare"


@pytest.fixture
def dialog(opened: MainWindow, qtbot: QtBot) -> FirstChangeDialog:
    opened.session.select("left", min(opened.session.origins_of(FUSION)))
    settle(opened, qtbot)
    opened.actions_by_name["first_change"].trigger()
    (found,) = opened.findChildren(FirstChangeDialog)
    assert found.isVisible()
    return found


def ask(window: MainWindow, dialog: FirstChangeDialog, qtbot: QtBot, question: str) -> str:
    dialog.field.setText(question)
    qtbot.mouseClick(dialog.first, Qt.MouseButton.LeftButton)
    settle(window, qtbot)
    return dialog.answer.text()


def test_the_questions_have_the_selection_filled_in(opened: MainWindow, dialog: FirstChangeDialog) -> None:
    forms = [dialog.forms.item(row).text() for row in range(dialog.forms.count())]
    assert f"%{opened.session.selection.name} is fused" in forms
    assert not any("%x" in form for form in forms)
    assert dialog.field.text() == f"%{opened.session.selection.name} changes"


def test_an_answer_leads_to_its_pass(opened: MainWindow, dialog: FirstChangeDialog, qtbot: QtBot) -> None:
    name = opened.session.selection.name
    answer = ask(opened, dialog, qtbot, f"%{name} is fused")
    assert "fusion" in answer
    assert opened.session.index == fusion_index(opened)
    assert dialog.isVisible()


def test_the_next_one_is_looked_for_from_where_one_is(
    opened: MainWindow, dialog: FirstChangeDialog, qtbot: QtBot
) -> None:
    ask(opened, dialog, qtbot, "instructions change")
    first = opened.session.index
    qtbot.mouseClick(dialog.next, Qt.MouseButton.LeftButton)
    settle(opened, qtbot)
    assert opened.session.index > first


def test_what_never_happens_and_what_is_no_question_is_said(
    opened: MainWindow, dialog: FirstChangeDialog, qtbot: QtBot
) -> None:
    assert "never" in ask(opened, dialog, qtbot, "opcode:no-such appears")
    assert "no question" in ask(opened, dialog, qtbot, "why?")
    assert "no_such" in ask(opened, dialog, qtbot, "%no_such is fused")
    assert opened.session.mode == "compare"
    assert not opened.notifications.isVisible()
