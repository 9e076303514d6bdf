"""The search field at the right of the menus, and the list of hits under it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QObject, QPoint, Qt, QTimer
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QFrame, QHeaderView, QLabel, QLineEdit, QTreeWidget, QTreeWidgetItem, QVBoxLayout

from xlaviz.base.errors import XlavizError
from xlaviz.session.finding import NOTHING_FOUND, Found, Hit
from xlaviz.session.shown import PANES

if TYPE_CHECKING:
    from xlaviz.ui.main_window import MainWindow

_TYPING_MS = 150
_LIST_SIZE = (500, 330)
_HEAD_PX = 84
_LISTED = 500


class Search(QObject):
    """`field` takes the query, `list` shows the hits, the graphs light them. Enter goes to the next one."""

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self._window = window
        self._found: Found = NOTHING_FOUND
        self._place = -1
        self._go_when_found = 0
        self.field = QLineEdit()
        self.field.setPlaceholderText("Search instructions, ops, shapes, lines…  Ctrl+F")
        self.field.setClearButtonEnabled(True)
        self.field.setFixedWidth(300)
        self.field.setFocusPolicy(Qt.FocusPolicy.ClickFocus)  # or it would take the keys when the window opens
        self.field.setToolTip(
            "Words, /expressions/ and terms: opcode:fusion shape:bf16 op:dense time>5% users>16 -name:copy"
        )
        self.box = QFrame(window)
        self.box.setObjectName("searchBox")
        self.summary = QLabel()
        self.summary.setContentsMargins(10, 6, 10, 6)
        self.summary.setTextFormat(Qt.TextFormat.PlainText)
        self.summary.setWordWrap(True)
        self.list = QTreeWidget()
        self.list.setRootIsDecorated(False)
        self.list.setUniformRowHeights(True)
        self.list.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.list.setHeaderLabels(["Name", "Opcode", "Shape", "Side"])
        self.list.header().setSectionResizeMode(QHeaderView.ResizeMode.Interactive)
        for column, width in enumerate((200, 90, 140)):
            self.list.setColumnWidth(column, width)
        layout = QVBoxLayout(self.box)
        layout.setContentsMargins(1, 1, 1, 1)
        layout.setSpacing(0)
        layout.addWidget(self.summary)
        layout.addWidget(self.list)
        self.box.hide()
        self._delay = QTimer(self)
        self._delay.setSingleShot(True)
        self._delay.setInterval(_TYPING_MS)
        self._delay.timeout.connect(self.search_now)
        self.field.textChanged.connect(lambda _: self._delay.start())
        self.field.installEventFilter(self)
        self.list.itemClicked.connect(self._on_clicked)
        window.session.searching.found.connect(self._on_found)
        window.session.searching.failed.connect(self._on_failed)
        window.session.document_changed.connect(self.close_search)

    def slots(self) -> dict[str, Callable[[], object]]:
        return {
            "search": self.open_search,
            "next_hit": lambda: self.go(1),
            "previous_hit": lambda: self.go(-1),
        }

    @property
    def is_open(self) -> bool:
        return bool(self._found.text) or not self.box.isHidden()

    @property
    def found(self) -> Found:
        return self._found

    def open_search(self) -> None:
        self.field.setFocus()
        self.field.selectAll()
        if self.field.text().strip():
            self._show_box()

    def close_search(self) -> None:
        """Nothing is lit any more; what was typed stays for the next time."""
        self._delay.stop()
        self.box.hide()
        self._window.session.searching.forget()
        self._take(NOTHING_FOUND)
        if self.field.hasFocus():
            self._window.panes[self._window.session.selection.pane].canvas.setFocus()

    def search_now(self) -> None:
        self._delay.stop()
        text = self.field.text().strip()
        if not text:
            self.box.hide()
            self._window.session.searching.forget()
            self._take(NOTHING_FOUND)
        elif self._window.session.sequence is not None:
            self._window.session.searching.search(text)

    def go(self, by: int) -> None:
        """To the next hit or the one before."""
        if self.field.text().strip() != self._found.text:
            self._go_when_found = by
            self.search_now()
            return
        if self._found.hits:
            place = self._place + by if self._place >= 0 else (0 if by > 0 else -1)
            self._go_to(place % len(self._found.hits))

    def _go_to(self, place: int) -> None:
        self._place = place
        hit = self._found.hits[place]
        self._tell()
        item = self.list.topLevelItem(place)
        if item is not None:
            self.list.setCurrentItem(item)
        self._window.commands.select_and_centre(hit.pane, hit.name)

    # What the session tells

    def _on_found(self, found: Found) -> None:
        self._take(found)
        self._show_box()
        by, self._go_when_found = self._go_when_found, 0
        if by:
            self.go(by)

    def _take(self, found: Found) -> None:
        self._found, self._place = found, -1
        self.list.clear()
        self.list.addTopLevelItems([_item(hit) for hit in found.hits[:_LISTED]])
        self.light()
        self._tell()

    def light(self) -> None:
        """Light the hits in the graphs, in new ones too."""
        for pane in PANES:
            self._window.panes[pane].canvas.set_found(self._found.names.get(pane, frozenset()))

    def _tell(self) -> None:
        found = self._found
        sides = ", ".join(f"{len(found.names[pane]):,} on the {pane}" for pane in PANES if pane in found.names)
        words = "Nothing is found." if not found.count else f"{found.count:,} found: {sides}"
        if self._place >= 0:
            words = f"{self._place + 1:,} of {words}"
        self.summary.setText(words)
        self.list.setVisible(bool(found.hits))

    def _on_failed(self, error: XlavizError) -> None:
        self._take(NOTHING_FOUND)
        self.summary.setText(str(error))
        self._show_box()

    def _show_box(self) -> None:
        width, height = _LIST_SIZE
        corner = self.field.mapTo(self._window, QPoint(self.field.width() - width, self.field.height() + 2))
        rows = len(self._found.hits)
        wanted = _HEAD_PX + rows * self.list.sizeHintForRow(0) if rows else self.summary.heightForWidth(width) + 2
        self.box.setGeometry(max(corner.x(), 0), corner.y(), width, min(wanted, height))
        self.box.show()
        self.box.raise_()

    def _on_clicked(self, item: QTreeWidgetItem) -> None:
        self._go_to(self.list.indexOfTopLevelItem(item))

    # The field's keys

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Keys that mean something to the whole window mean something else in the field."""
        if not isinstance(event, QKeyEvent):
            return super().eventFilter(watched, event)
        act = self._act_of(event)
        if act is None:
            return super().eventFilter(watched, event)
        if event.type() == QEvent.Type.ShortcutOverride:
            event.accept()
        elif event.type() == QEvent.Type.KeyPress:
            act()
        return True

    def _act_of(self, event: QKeyEvent) -> Callable[[], object] | None:
        is_shifted = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
        match event.key():
            case Qt.Key.Key_Return | Qt.Key.Key_Enter:
                return lambda: self.go(-1 if is_shifted else 1)
            case Qt.Key.Key_Down:
                return lambda: self.go(1)
            case Qt.Key.Key_Up:
                return lambda: self.go(-1)
            case Qt.Key.Key_Escape:
                return self.close_search
        return None


def _item(hit: Hit) -> QTreeWidgetItem:
    item = QTreeWidgetItem([hit.name, hit.opcode, hit.shape, hit.pane])
    item.setToolTip(0, f"{hit.name}\n{hit.op_name}" if hit.op_name else hit.name)
    return item
