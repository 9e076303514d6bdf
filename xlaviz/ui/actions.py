"""Every action of the window in one table: name, words, place, shortcut."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QMainWindow


@dataclass(frozen=True, slots=True)
class ActionSpec:
    """`menu` is where it stands; "" makes a shortcut alone. `needs_document` greys it out without one."""

    name: str
    text: str
    menu: str
    shortcuts: tuple[str, ...] = ()
    needs_document: bool = True
    is_checkable: bool = False
    starts_group: bool = False


ACTIONS = (
    ActionSpec("open", "&Open…", "&File", ("Ctrl+O",), needs_document=False),
    ActionSpec("open_folder", "Open dump &folder…", "&File", ("Ctrl+Shift+O",), needs_document=False),
    ActionSpec("capture", "&Capture…", "&File", ("Ctrl+N",), needs_document=False, starts_group=True),
    ActionSpec("demo", "Capture the &demo", "&File", (), needs_document=False),
    ActionSpec("export", "&Export…", "&File", ("Ctrl+E",), starts_group=True),
    ActionSpec("quit", "&Quit", "&File", ("Ctrl+Q",), needs_document=False, starts_group=True),
    ActionSpec("compare", "&Before and after", "&View", ("B",)),
    ActionSpec("left_only", "Left pane", "&View", ("Ctrl+1",), is_checkable=True),
    ActionSpec("right_only", "Right pane", "&View", ("Ctrl+2",), is_checkable=True),
    ActionSpec("open_all", "&Open all clusters", "&View", ("Ctrl+Shift+E",), starts_group=True),
    ActionSpec("close_all", "&Close all clusters", "&View", ("Ctrl+Shift+W",)),
    ActionSpec("toggle", "Open or close selected cluster", "&View", ("Return",)),
    ActionSpec("neighbourhood", "&Neighbourhood of selection", "&View", ("N",)),
    ActionSpec("whole", "Show &everything", "&View", ("Esc",)),
    ActionSpec("fit", "&Fit", "&View", ("F",), starts_group=True),
    ActionSpec("zoom_in", "Zoom &in", "&View", ("Ctrl++", "Ctrl+=")),
    ActionSpec("zoom_out", "Zoom &out", "&View", ("Ctrl+-",)),
    ActionSpec("centre", "Centre selection", "&View", ("C",)),
    ActionSpec("dark", "&Dark theme", "&View", ("Ctrl+T",), needs_document=False, is_checkable=True, starts_group=True),
    ActionSpec("previous", "&Previous pass", "&Go", ("Left",)),
    ActionSpec("next", "&Next pass", "&Go", ("Right",)),
    ActionSpec("first", "Before &optimizations", "&Go", ("Home",)),
    ActionSpec("last", "&After optimizations", "&Go", ("End",)),
    ActionSpec("palette", "Command &palette…", "&Help", ("Ctrl+K",), needs_document=False),
    ActionSpec("shortcuts", "&Keys", "&Help", ("F1",), needs_document=False),
    ActionSpec("about", "&About xlaviz", "&Help", (), needs_document=False),
)

TOOLS = (
    ("compare", "Before | After"),
    ("previous", "◂ Pass"),
    ("next", "Pass ▸"),
    ("open_all", "Open all"),
    ("close_all", "Close all"),
    ("neighbourhood", "Neighbourhood"),
    ("fit", "Fit"),
    ("export", "Export"),
)
"""What stands as a button beside the menus."""


def make_actions(window: QMainWindow, slots: Mapping[str, Callable[[], object]]) -> dict[str, QAction]:
    """Make the actions, their menus and shortcuts; `slots` has one callable for each name of the table."""
    actions: dict[str, QAction] = {}
    menus = {menu: window.menuBar().addMenu(menu) for menu in dict.fromkeys(spec.menu for spec in ACTIONS)}
    for spec in ACTIONS:
        action = QAction(spec.text, window)
        action.setObjectName(spec.name)
        action.setShortcuts([QKeySequence(keys) for keys in spec.shortcuts])
        action.setCheckable(spec.is_checkable)
        action.setEnabled(not spec.needs_document)
        action.triggered.connect(slots[spec.name])
        if spec.starts_group:
            menus[spec.menu].addSeparator()
        menus[spec.menu].addAction(action)
        actions[spec.name] = action
    return actions


def enable_actions(actions: Mapping[str, QAction], *, has_document: bool) -> None:
    for spec in ACTIONS:
        actions[spec.name].setEnabled(has_document or not spec.needs_document)


def plain_text(action: QAction) -> str:
    """The action's words without the marks for the keyboard."""
    return action.text().replace("&", "")
