"""The actions one needs most and the field of the search, beside the menus."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QAction, QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QMenuBar, QToolBar, QWidget

from xlaviz.ui.actions import TOOLS, plain_text

_FIELD_PX = (150, 300)
_GAP_PX = 8
_END_PX = 6
_ROUND_A_MENU_PX = 30


class ToolRow(QWidget):
    """Takes what the menus leave. Where that is little the field becomes narrow first, then the last buttons go into a
    menu behind »."""

    def __init__(self, bar: QMenuBar, actions: Mapping[str, QAction], field: QWidget) -> None:
        super().__init__(bar)
        self._bar = bar
        self._field = field
        self.tools = QToolBar()
        self.tools.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextOnly)
        for name, text in TOOLS:
            action = actions[name]
            action.setIconText(text)
            self.tools.addAction(action)
            self.tools.widgetForAction(action).setToolTip(f"{plain_text(action)} ({action.shortcut().toString()})")
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, _END_PX, 0)
        row.setSpacing(_GAP_PX)
        row.addWidget(self.tools, 1)
        row.addWidget(field)

    def sizeHint(self) -> QSize:
        """As wide as all of it, or as the menus let it be."""
        wanted = self.tools.sizeHint().width() + _FIELD_PX[1] + _GAP_PX + _END_PX
        titles = (action.text().replace("&", "") for action in self._bar.actions())
        menus = sum(self._bar.fontMetrics().horizontalAdvance(title) + _ROUND_A_MENU_PX for title in titles)
        return QSize(min(wanted, max(self._bar.width() - menus, 0)), super().sizeHint().height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        least, most = _FIELD_PX
        left = self.width() - self.tools.sizeHint().width() - _GAP_PX - _END_PX
        self._field.setFixedWidth(min(max(left, least), most))
