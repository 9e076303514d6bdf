"""The window's look: one style sheet from the theme's colours."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol

import pyqtgraph as pg
from PySide6.QtGui import QColor, QPalette
from PySide6.QtWidgets import QApplication

from xlaviz.scene.palette import Theme


class Themed(Protocol):
    """A widget that paints in the theme's colours itself."""

    def set_theme(self, theme: Theme) -> None: ...


def apply_theme(theme: Theme) -> None:
    """Give the application the theme's palette and style sheet."""
    application = QApplication.instance()
    assert isinstance(application, QApplication)
    with _no_collecting():
        if application.style().objectName().lower() != "fusion":
            application.setStyle("Fusion")
        application.setPalette(_palette(theme))
        application.setStyleSheet(_sheet(theme))
    pg.setConfigOptions(antialias=True, background=theme.window, foreground=theme.muted)


@contextmanager
def _no_collecting() -> Iterator[None]:
    """Qt goes through a list of all widgets and calls some of ours: if Python's collector then deletes one that nobody
    holds any more, Qt still has it in its list."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def _palette(theme: Theme) -> QPalette:
    palette = QPalette()
    role = QPalette.ColorRole
    for roles, colour in (
        ((role.Window, role.Button, role.AlternateBase), theme.panel),
        ((role.Base, role.ToolTipBase), theme.window),
        ((role.WindowText, role.Text, role.ButtonText, role.ToolTipText), theme.text),
        ((role.Highlight,), theme.selection),
        ((role.HighlightedText,), theme.text),
        ((role.PlaceholderText,), theme.muted),
        ((role.Link,), theme.accent),
        ((role.Mid, role.Dark, role.Midlight, role.Light), theme.line),
    ):
        for one in roles:
            palette.setColor(one, QColor(colour))
    for one in (role.WindowText, role.Text, role.ButtonText):
        palette.setColor(QPalette.ColorGroup.Disabled, one, QColor(theme.muted))
    return palette


def _sheet(theme: Theme) -> str:
    return f"""
    QWidget {{ font-size: 12px; }}
    QMainWindow, QMenuBar, QStatusBar, QDockWidget {{ background: {theme.panel}; }}
    QMainWindow::separator {{ background: {theme.line}; width: 1px; height: 1px; }}
    QMenuBar {{ border-bottom: 1px solid {theme.line}; padding: 2px; }}
    QMenuBar::item {{ padding: 4px 9px; background: transparent; border-radius: 4px; }}
    QMenuBar::item:selected {{ background: {theme.selection}; }}
    QMenu {{ background: {theme.window}; border: 1px solid {theme.line}; padding: 4px; }}
    QMenu::item {{ padding: 4px 26px 4px 18px; }}
    QMenu::item:selected {{ background: {theme.selection}; }}
    QMenu::item:disabled {{ color: {theme.muted}; }}
    QMenu::separator {{ height: 1px; background: {theme.line}; margin: 4px 8px; }}
    QToolBar {{ border: none; background: transparent; spacing: 2px; }}
    QToolButton {{ padding: 3px 9px; border: 1px solid transparent; border-radius: 4px; }}
    QToolButton:hover {{ border-color: {theme.line}; background: {theme.window}; }}
    QToolButton:disabled {{ color: {theme.muted}; }}
    QToolButton#qt_toolbar_ext_button {{ padding: 0; }}
    QStatusBar {{ border-top: 1px solid {theme.line}; color: {theme.muted}; }}
    QStatusBar::item {{ border: none; }}
    QDockWidget::title {{ padding: 7px 10px 4px 10px; background: {theme.panel}; font-weight: bold; }}
    QToolTip {{ background: {theme.window}; color: {theme.text}; border: 1px solid {theme.line}; padding: 4px; }}
    QTreeView, QTableView, QTextBrowser, QPlainTextEdit {{
        background: {theme.window}; border: none; outline: none; alternate-background-color: {theme.panel};
    }}
    QTreeView#passes, QTreeView#modules, QTextBrowser#inspector {{ background: {theme.panel}; }}
    QTreeView::item {{ padding: 2px 0; }}
    QTreeView::item:selected, QTableView::item:selected {{ background: {theme.selection}; color: {theme.text}; }}
    QHeaderView::section {{
        background: {theme.window}; color: {theme.muted}; border: none; padding: 4px 8px;
        border-bottom: 1px solid {theme.line};
    }}
    QTabBar::tab {{ padding: 6px 12px; color: {theme.muted}; border: none; background: transparent; }}
    QTabBar::tab:selected {{ color: {theme.accent}; border-bottom: 2px solid {theme.accent}; font-weight: bold; }}
    QTabBar::scroller {{ width: 36px; }}
    QTabBar QToolButton {{ padding: 0; border-radius: 0; background: {theme.panel}; }}
    QTabWidget::pane {{ border: none; }}
    QSplitter::handle {{ background: {theme.line}; }}
    QPushButton {{
        background: {theme.window}; border: 1px solid {theme.line}; border-radius: 5px; padding: 5px 14px;
    }}
    QPushButton:hover {{ border-color: {theme.accent}; }}
    QPushButton:default {{ background: {theme.accent}; color: {theme.window}; border-color: {theme.accent}; }}
    QPushButton:disabled {{ color: {theme.muted}; }}
    QCheckBox::indicator {{
        width: 13px; height: 13px; border: 1px solid {theme.muted}; border-radius: 3px; background: {theme.window};
    }}
    QCheckBox::indicator:checked {{ border: 4px solid {theme.accent}; width: 7px; height: 7px; }}
    QLineEdit {{
        background: {theme.window}; border: 1px solid {theme.line}; border-radius: 4px; padding: 4px 6px;
        selection-background-color: {theme.selection}; selection-color: {theme.text};
    }}
    QToolButton:checked {{ background: {theme.selection}; }}
    QLineEdit:focus {{ border-color: {theme.accent}; }}
    QProgressBar {{ border: 1px solid {theme.line}; border-radius: 4px; background: {theme.window}; height: 10px; }}
    QProgressBar::chunk {{ background: {theme.accent}; border-radius: 3px; }}
    QScrollBar:vertical {{ width: 11px; background: transparent; }}
    QScrollBar:horizontal {{ height: 11px; background: transparent; }}
    QScrollBar::handle {{ background: {theme.line}; border-radius: 4px; margin: 2px;
        min-height: 24px; min-width: 24px; }}
    QScrollBar::handle:hover {{ background: {theme.muted}; }}
    QScrollBar::add-line, QScrollBar::sub-line, QScrollBar::add-page, QScrollBar::sub-page {{
        background: none; border: none; width: 0; height: 0;
    }}
    QLabel#paneTitle {{ padding: 6px 10px; background: {theme.window}; }}
    QLabel#breadcrumb {{ background: {theme.window}; }}
    QFrame#searchBox {{ background: {theme.window}; border: 1px solid {theme.muted}; border-radius: 4px; }}
    QLabel#muted {{ color: {theme.muted}; }}
    QLabel#heading {{ font-size: 26px; font-weight: bold; }}
    QLabel#error {{ color: {theme.removed}; }}
    """
