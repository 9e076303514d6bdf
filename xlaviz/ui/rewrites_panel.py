"""The bottom tab with what a step did: each kind of rewrite a row, its places below it."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QBrush, QColor
from PySide6.QtWidgets import (
    QHBoxLayout,
    QHeaderView,
    QLabel,
    QLineEdit,
    QSizePolicy,
    QTreeWidget,
    QTreeWidgetItem,
    QVBoxLayout,
    QWidget,
)

from xlaviz.scene.palette import LIGHT, Theme
from xlaviz.session.stories import Rewrites

_ROW = Qt.ItemDataRole.UserRole
_PLACE = Qt.ItemDataRole.UserRole + 1
_NAMES_SHOWN = 4
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter


class RewritesPanel(QWidget):
    """Signal: `place_chosen` with the names before and the names after."""

    place_chosen = Signal(object, object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = LIGHT
        self._rows: tuple[Rewrites, ...] = ()
        self.summary = QLabel()
        self.summary.setObjectName("muted")
        self.summary.setContentsMargins(10, 3, 10, 3)
        self.summary.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)  # or it widens the window
        self.filter = QLineEdit()
        self.filter.setPlaceholderText("Filter: an opcode, a word, an instruction…")
        self.filter.setClearButtonEnabled(True)
        self.filter.textChanged.connect(self._fill)
        self.tree = self._make_tree()
        top = QHBoxLayout()
        top.setContentsMargins(0, 2, 6, 2)
        top.addWidget(self.summary, 3)
        top.addWidget(self.filter, 2)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addLayout(top)
        layout.addWidget(self.tree, 1)
        layout.addStretch()  # holds the words at the top where there is nothing but them
        self.show_words("")

    def _make_tree(self) -> QTreeWidget:
        tree = QTreeWidget()
        tree.setObjectName("rewrites")
        tree.setHeaderLabels(["places", "rewrite", "before", "after"])
        tree.setUniformRowHeights(True)
        tree.setIndentation(14)
        tree.setTextElideMode(Qt.TextElideMode.ElideRight)
        header = tree.header()
        header.setStretchLastSection(True)
        header.setSectionResizeMode(QHeaderView.ResizeMode.Interactive)
        for column, width in enumerate((76, 360, 320)):
            header.resizeSection(column, width)
        tree.itemExpanded.connect(self._add_places)
        tree.itemClicked.connect(self._on_item)
        tree.itemActivated.connect(self._on_item)
        return tree

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        self._fill()

    def show_words(self, text: str) -> None:
        """Words in place of a table."""
        self._rows = ()
        self.summary.setText(text)
        self.filter.hide()
        self.tree.hide()

    def show_rewrites(self, title: str, rows: tuple[Rewrites, ...]) -> None:
        """The table of a step, or of all passes."""
        if not rows:
            self.show_words(f"{title}: nothing was rewritten.")
            return
        self._rows = rows
        total = sum(row.count for row in rows)
        self.summary.setText(f"{title}  ·  {total} rewrites of {len(rows)} kinds")
        self.filter.show()
        self.tree.show()
        self._fill()

    def _fill(self) -> None:
        self.tree.clear()
        words = self.filter.text().lower().split()
        for row in self._rows:
            if words and not all(_has(row, word) for word in words):
                continue
            item = QTreeWidgetItem([str(row.count), plain(row.text)])
            item.setData(0, _ROW, row)
            item.setToolTip(1, plain(row.text))
            if any(before or after for before, after in row.places):
                item.setChildIndicatorPolicy(QTreeWidgetItem.ChildIndicatorPolicy.ShowIndicator)
                self._show_names(item, row.places[0] if row.count == 1 else ((), ()))
            self.tree.addTopLevelItem(item)

    def _show_names(self, item: QTreeWidgetItem, place: tuple[tuple[str, ...], tuple[str, ...]]) -> None:
        for column, (names, colour) in enumerate(zip(place, (self._theme.removed, self._theme.added), strict=True), 2):
            item.setText(column, _short(names))
            item.setToolTip(column, "\n".join(names[:60]))
            item.setForeground(column, QBrush(QColor(colour)))

    def _add_places(self, item: QTreeWidgetItem) -> None:
        """The places come when a row is opened: all together there may be thousands."""
        row = item.data(0, _ROW)
        if row is None or item.childCount():
            return
        places = [place for place in row.places if place[0] or place[1]]
        for place in places:
            child = QTreeWidgetItem(item)
            child.setData(0, _PLACE, place)
            self._show_names(child, place)
        if row.count > len(places):
            rest = QTreeWidgetItem(item, ["", f"and {row.count - len(places)} more, whose names are not listed"])
            rest.setForeground(1, QBrush(QColor(self._theme.muted)))

    def _on_item(self, item: QTreeWidgetItem) -> None:
        place, row = item.data(0, _PLACE), item.data(0, _ROW)
        if place is None and row is not None and row.count == 1 and row.places:
            place = row.places[0]
        if place is not None and (place[0] or place[1]):
            self.place_chosen.emit(*place)


def plain(text: str) -> str:
    """The words of a rewrite without the marks round code, and with arrows as people draw them."""
    return text.replace("`", "").replace("->", "→")


def _short(names: tuple[str, ...]) -> str:
    more = f" … {len(names) - _NAMES_SHOWN} more" if len(names) > _NAMES_SHOWN + 1 else ""
    return ", ".join(names[:_NAMES_SHOWN] if more else names) + more


def _has(row: Rewrites, word: str) -> bool:
    return word in plain(row.text).lower() or any(
        word in name.lower() for place in row.places for names in place for name in names
    )
