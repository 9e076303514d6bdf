"""Every action of the window in one table: name, words, place, shortcut."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction, QActionGroup, QKeySequence
from PySide6.QtWidgets import QMainWindow, QMenu


@dataclass(frozen=True, slots=True)
class ActionSpec:
    """`menu` is where it stands, ">" before the title of a menu within one. `needs_document` greys it out without one.
    `choice` names those of which one is checked. `in_graph` has its keys work in a graph alone: lists need them too."""

    name: str
    text: str
    menu: str
    shortcuts: tuple[str, ...] = ()
    needs_document: bool = True
    is_checkable: bool = False
    starts_group: bool = False
    choice: str = ""
    in_graph: bool = False


def _choice(name: str, text: str, menu: str, choice: str) -> ActionSpec:
    return ActionSpec(name, text, menu, is_checkable=True, choice=choice)


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
    _choice("clusters_calls", "By &fusion and call", "&View>C&lusters", "clusters"),
    _choice("clusters_scopes", "By name &scope", "&View>C&lusters", "clusters"),
    _choice("clusters_none", "&None", "&View>C&lusters", "clusters"),
    ActionSpec("first_page", "As at &first", "&View>C&lusters", starts_group=True),
    ActionSpec("fold_repeats", "Fold &repeated blocks", "&View>C&lusters", is_checkable=True, starts_group=True),
    ActionSpec("graphviz", "Lay out small views with &Graphviz", "&View", is_checkable=True),
    ActionSpec("neighbourhood", "&Neighbourhood of selection", "&View", ("N",), starts_group=True),
    ActionSpec("nearer", "Nearer", "&View>Near", ("[",)),
    ActionSpec("farther", "Farther", "&View>Near", ("]",)),
    _choice("near_both", "&Both ways", "&View>Near", "direction"),
    _choice("near_operands", "&Operands alone", "&View>Near", "direction"),
    _choice("near_users", "&Users alone", "&View>Near", "direction"),
    ActionSpec("paths", "&Paths between the two", "&View", ("P",)),
    ActionSpec("enter", "Enter computation", "&View", ("Ctrl+Return",)),
    ActionSpec("leave", "Leave computation", "&View", ("Backspace",)),
    ActionSpec("whole", "Show &everything", "&View", ("Esc",)),
    ActionSpec("heat", "&Heat: colour by time", "&View", ("H",), is_checkable=True, starts_group=True),
    ActionSpec("fit", "&Fit", "&View", ("F",), starts_group=True),
    ActionSpec("zoom_in", "Zoom &in", "&View", ("Ctrl++", "Ctrl+=")),
    ActionSpec("zoom_out", "Zoom &out", "&View", ("Ctrl+-",)),
    ActionSpec("centre", "Centre selection", "&View", ("C",)),
    ActionSpec("scroll_together", "&Scroll together", "&View", ("S",), is_checkable=True),
    ActionSpec("animate", "&Animate changes", "&View", (), needs_document=False, is_checkable=True),
    ActionSpec("dark", "&Dark theme", "&View", ("Ctrl+T",), needs_document=False, is_checkable=True, starts_group=True),
    ActionSpec("previous", "&Previous pass", "&Go", ("Left",)),
    ActionSpec("next", "&Next pass", "&Go", ("Right",)),
    ActionSpec("previous_any", "Previous snapshot, changed or not", "&Go", ("Shift+Left",)),
    ActionSpec("next_any", "Next snapshot, changed or not", "&Go", ("Shift+Right",)),
    ActionSpec("first", "Before &optimizations", "&Go", ("Home",)),
    ActionSpec("last", "&After optimizations", "&Go", ("End",)),
    ActionSpec("go_to_pass", "&Go to pass…", "&Go", ("Ctrl+G",)),
    ActionSpec("first_change", "First &change…", "&Go", ("Ctrl+Shift+F",)),
    ActionSpec("back", "&Back", "&Go", ("Alt+Left",), starts_group=True),
    ActionSpec("forward", "&Forward", "&Go", ("Alt+Right",)),
    ActionSpec("to_operand", "To the &operand", "&Go", ("Up",), starts_group=True, in_graph=True),
    ActionSpec("to_user", "To the &user", "&Go", ("Down",), in_graph=True),
    ActionSpec("to_left", "To what is &left of it", "&Go", ("Ctrl+Left",), in_graph=True),
    ActionSpec("to_right", "To what is &right of it", "&Go", ("Ctrl+Right",), in_graph=True),
    ActionSpec("search", "&Search…", "&Go", ("Ctrl+F",), starts_group=True),
    ActionSpec("next_hit", "&Next hit", "&Go", ("F3",)),
    ActionSpec("previous_hit", "Previous &hit", "&Go", ("Shift+F3",)),
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
    ("heat", "Heat"),
    ("fit", "Fit"),
    ("export", "Export"),
)
"""What stands as a button beside the menus."""


def make_actions(window: QMainWindow, slots: Mapping[str, Callable[[], object]]) -> dict[str, QAction]:
    """Make the actions, their menus and shortcuts; `slots` has one callable for each name of the table."""
    actions: dict[str, QAction] = {}
    menus: dict[str, QMenu] = {}
    choices: dict[str, QActionGroup] = {}
    for spec in ACTIONS:
        action = QAction(spec.text, window)
        action.setObjectName(spec.name)
        action.setShortcuts([QKeySequence(keys) for keys in spec.shortcuts])
        action.setCheckable(spec.is_checkable)
        action.setEnabled(not spec.needs_document)
        action.triggered.connect(slots[spec.name])
        if spec.in_graph:
            action.setShortcutContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
        if spec.choice:
            choices.setdefault(spec.choice, QActionGroup(window)).addAction(action)
        menu = _menu(window, menus, spec.menu)
        if spec.starts_group:
            menu.addSeparator()
        menu.addAction(action)
        actions[spec.name] = action
    return actions


def _menu(window: QMainWindow, menus: dict[str, QMenu], title: str) -> QMenu:
    if title not in menus:
        outer, _, inner = title.rpartition(">")
        menus[title] = _menu(window, menus, outer).addMenu(inner) if outer else window.menuBar().addMenu(inner)
    return menus[title]


def enable_actions(actions: Mapping[str, QAction], *, has_document: bool) -> None:
    for spec in ACTIONS:
        actions[spec.name].setEnabled(has_document or not spec.needs_document)


def plain_text(action: QAction) -> str:
    """The action's words without the marks for the keyboard."""
    return action.text().replace("&", "")
