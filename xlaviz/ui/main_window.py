"""The window: docks round two panes, and the wiring between the session and what shows it."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from PySide6.QtCore import QPoint, Qt, Signal
from PySide6.QtGui import QCloseEvent, QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import (
    QDockWidget,
    QMainWindow,
    QMenu,
    QSplitter,
    QStackedWidget,
    QTabWidget,
    QWidget,
)

from xlaviz.base.errors import XlavizError
from xlaviz.base.settings import Settings, load_settings, save_settings
from xlaviz.graph.overlay import Mark, Overlay
from xlaviz.scene.palette import THEMES, Theme
from xlaviz.session.heat import Heat, heat_of, heated_overlay
from xlaviz.session.offers import offers
from xlaviz.session.session import Session
from xlaviz.session.shown import PANES, Pane, mark_counts
from xlaviz.ui.actions import ACTIONS, enable_actions, make_actions
from xlaviz.ui.arrangement import column, let_tab_leave, try_restoring
from xlaviz.ui.commands import Commands
from xlaviz.ui.file_view import FileView
from xlaviz.ui.hover_card import HoverCard
from xlaviz.ui.inspector import Inspector
from xlaviz.ui.legend import Legend, families_of, heat_legend
from xlaviz.ui.notifications import Notifications
from xlaviz.ui.pane import GraphPane
from xlaviz.ui.pass_bar import PassBar
from xlaviz.ui.pass_list import PassList
from xlaviz.ui.scrolling import Scrolling
from xlaviz.ui.search import Search
from xlaviz.ui.status import Status
from xlaviz.ui.story_panels import StoryPanels
from xlaviz.ui.style import Themed, apply_theme
from xlaviz.ui.timing_panels import TimingPanels
from xlaviz.ui.tool_row import ToolRow
from xlaviz.ui.welcome import Welcome

_LEAST_DOCK_PX = 180


class MainWindow(QMainWindow):
    """Signals: `document_shown` when both panes of a newly opened document are drawn or have failed."""

    document_shown = Signal()

    def __init__(self, settings: Settings | None = None) -> None:
        super().__init__()
        self.settings = settings if settings is not None else load_settings()
        self.session = Session(self)
        self.theme: Theme = THEMES.get(self.settings.theme, THEMES["light"])
        self.commands = Commands(self)
        self.panes: dict[Pane, GraphPane] = {pane: GraphPane(pane) for pane in PANES}
        self.pass_bar = PassBar()
        self.pass_list = PassList()
        self.inspector = Inspector()
        self.file_view = FileView()
        self.legend = Legend()
        self.welcome = Welcome()
        self.notifications = Notifications()
        self.status = Status(self.session)
        self.search = Search(self)
        self.scrolling = Scrolling(self)
        self.cards = {pane: HoverCard(self.session, pane, self.panes[pane].canvas) for pane in PANES}
        self._waiting_for_panes = False
        self._has_started = False
        self.setWindowTitle("xlaviz")
        self.setAcceptDrops(True)
        self.resize(1600, 1000)
        self._build()
        self.actions_by_name = make_actions(self, self.commands.slots())
        self.actions_by_name["dark"].setChecked(self.theme.is_dark)
        self.actions_by_name["animate"].setChecked(self.settings.motion == "on")
        for pane in PANES:
            self.actions_by_name[f"{pane}_only"].setChecked(True)
            self.panes[pane].canvas.is_animated = self.settings.motion == "on"
            self.panes[pane].canvas.addActions([self.actions_by_name[spec.name] for spec in ACTIONS if spec.in_graph])
        self._add_tools()
        self._connect()
        self.set_theme(self.theme)
        self.welcome.show_recent(self.settings.recent)
        self.inspector.show_selection(self.session)
        self._restore_layout()

    # Building

    def _build(self) -> None:
        let_tab_leave(self.inspector)
        self.splitter = QSplitter(Qt.Orientation.Horizontal)
        for pane in PANES:
            self.splitter.addWidget(self.panes[pane])
        self.splitter.setHandleWidth(1)
        self.splitter.setChildrenCollapsible(False)
        work = column(self.pass_bar, self.splitter, self.legend)
        self.pages = QStackedWidget()
        self.pages.addWidget(self.welcome)
        self.pages.addWidget(work)
        self.setCentralWidget(column(self.notifications, self.pages))
        self.setStatusBar(self.status)
        self.setCorner(Qt.Corner.BottomLeftCorner, Qt.DockWidgetArea.LeftDockWidgetArea)
        self.setCorner(Qt.Corner.BottomRightCorner, Qt.DockWidgetArea.RightDockWidgetArea)
        self.bottom = QTabWidget()
        self.bottom.setDocumentMode(True)
        self.timing = TimingPanels(self)
        self.kernel_panel = self.timing.kernels
        self.story_panels = StoryPanels(self)
        self.bottom.addTab(self.file_view, "File")
        self._docks = [
            self._dock("passes_dock", "Modules and passes", self.pass_list, Qt.DockWidgetArea.LeftDockWidgetArea),
            self._dock("inspector_dock", "Inspector", self.inspector, Qt.DockWidgetArea.RightDockWidgetArea),
            self._dock("bottom_dock", "Kernels", self.bottom, Qt.DockWidgetArea.BottomDockWidgetArea),
        ]
        self.resizeDocks(self._docks[:2], [304, 300], Qt.Orientation.Horizontal)
        self.resizeDocks(self._docks[2:], [270], Qt.Orientation.Vertical)

    def _dock(self, name: str, title: str, widget: QWidget, area: Qt.DockWidgetArea) -> QDockWidget:
        dock = QDockWidget(title)
        dock.setObjectName(name)
        dock.setWidget(widget)
        widget.setMinimumWidth(max(widget.minimumSizeHint().width(), _LEAST_DOCK_PX))
        if area == Qt.DockWidgetArea.BottomDockWidgetArea:
            dock.setTitleBarWidget(QWidget())  # its tabs are title enough
        self.addDockWidget(area, dock)
        dock.setVisible(False)
        return dock

    def _add_tools(self) -> None:
        """The actions one needs most, beside the menus, and the docks in the View menu."""
        self.tool_row = ToolRow(self.menuBar(), self.actions_by_name, self.search.field)
        self.menuBar().setCornerWidget(self.tool_row)
        view_menu = next(menu for menu in self.menuBar().findChildren(QMenu) if menu.title() == "&View")
        view_menu.addSeparator()
        for dock in self._docks:
            view_menu.addAction(dock.toggleViewAction())

    def _connect(self) -> None:
        session = self.session
        session.document_changed.connect(self._on_document)
        session.position_changed.connect(self._show_position)
        session.view_changed.connect(self._on_view)
        session.pane_failed.connect(self._on_pane_failed)
        session.settling.settled.connect(self._on_settled)
        session.overlay_changed.connect(lambda: self._on_overlay())
        self.legend.filtered.connect(self._on_overlay)
        session.selection_changed.connect(self._on_selection)
        session.detail_changed.connect(lambda: self.inspector.show_selection(session))
        session.summaries_changed.connect(self._on_summaries)
        session.background.idled.connect(self._select_first)
        session.stories.runner.idled.connect(self._select_first)
        session.kernels_changed.connect(self._refresh_offers)
        session.failed.connect(self.show_error)
        self.pass_bar.valueChanged.connect(session.go_to)
        self.pass_list.snapshot_chosen.connect(session.go_to)
        self.pass_list.modules.module_chosen.connect(session.show_sequence)
        self.pass_list.modules.file_chosen.connect(session.read_side_file)
        session.facts_changed.connect(lambda: self.pass_list.modules.show_facts(session.facts))
        session.file_read.connect(self._on_file_read)
        self.timing.connect_signals()
        self.inspector.instruction_wanted.connect(self.commands.select_and_centre)
        self.welcome.open_wanted.connect(self.commands.open)
        self.welcome.capture_wanted.connect(self.commands.capture)
        self.welcome.demo_wanted.connect(self.commands.demo)
        self.welcome.recent_wanted.connect(lambda path: self.open_path(Path(path)))
        for pane in PANES:
            self._connect_pane(pane)

    def _connect_pane(self, pane: Pane) -> None:
        canvas = self.panes[pane].canvas

        def on_clicked(name: str) -> None:
            self.session.select(pane, name)
            self.show_counterpart(pane)

        canvas.instruction_added.connect(lambda name: self.session.select_second(pane, name))
        canvas.instruction_clicked.connect(on_clicked)
        canvas.cluster_toggled.connect(lambda name: self.session.toggle(pane, name))
        canvas.view_moved.connect(lambda: self.scrolling.on_moved(pane))
        canvas.view_dragged.connect(lambda: self.scrolling.on_dragged(pane))
        canvas.context_menu_requested.connect(lambda name, at: self._show_menu(pane, name, at))
        self.panes[pane].whole_wanted.connect(lambda: self.session.show_neighbourhood(pane, None))
        self.panes[pane].crumb_wanted.connect(lambda depth: self.session.leave_to(pane, depth))

    # What the commands call

    def open_path(self, path: Path) -> None:
        self.notifications.hide()
        self.session.open(path)

    def show_error(self, error: XlavizError) -> None:
        self.notifications.show_error(error)

    def set_theme(self, theme: Theme) -> None:
        self.theme = theme
        apply_theme(theme)
        for widget in self._themed():
            widget.set_theme(theme)
        self.pass_list.show_summaries(self.session.summaries)
        self.inspector.show_selection(self.session)
        self.settings = replace(self.settings, theme=theme.name)

    def _themed(self) -> Iterator[Themed]:
        yield from (self.pass_bar, self.pass_list, self.inspector)
        yield from (*self.story_panels.themed(), *self.timing.themed())
        yield from (self.legend, self.notifications)
        yield from self.panes.values()

    @property
    def active_pane(self) -> Pane:
        """The pane that has the keyboard, else the one that was clicked last."""
        return next((p for p in PANES if self.panes[p].canvas.hasFocus()), self.session.selection.pane)

    # What the session tells

    def _on_document(self) -> None:
        info, sequence = self.session.info, self.session.sequence
        assert info is not None
        assert sequence is not None
        self.settings = self.settings.with_recent(info.path)
        save_settings(self.settings)
        self.welcome.show_recent(self.settings.recent)
        self.setWindowTitle(f"{info.path.name} — {info.title(sequence)} — xlaviz")
        if self.pages.currentIndex() == 0:
            self.pages.setCurrentIndex(1)
            if not try_restoring(self.restoreState, self.settings.layout):
                for dock in self._docks:
                    dock.setVisible(True)
        enable_actions(self.actions_by_name, has_document=True)
        self.pass_bar.set_sequence(sequence)
        self.pass_list.show_document(info, sequence)
        if session_facts := self.session.facts:
            self.pass_list.modules.show_facts(session_facts)
        for pane in PANES:
            self.panes[pane].show_nothing("", "Drawing…")
        single = len(sequence.snapshots) == 1
        self.pass_bar.setVisible(not single)
        self.panes["left"].setVisible(not single and self.actions_by_name["left_only"].isChecked())
        self._waiting_for_panes, self._has_started = True, False
        self._show_position()

    def _on_view(self, keep: str) -> None:
        shown, heat = self.session.shown, self._heat()
        with self.scrolling.held():
            for pane in PANES:
                side = self.session.sides[pane]
                if side is None:
                    if self.session.mode == "step":
                        self.panes[pane].show_nothing("", "Nothing comes before the first snapshot.")
                    continue
                canvas = self.panes[pane].canvas
                if canvas.graph is not side.graph:
                    options = self.session.options(pane)
                    dress = self._overlay(pane, heat)
                    self.panes[pane].show_side(shown.heading(pane), side, dress, keep=keep, options=options)
        self.legend.set_families(families_of(shown))
        self.search.light()
        self.commands.view.show_state()
        if self.session.is_shared:
            right = self.panes["right"].canvas
            self.panes["left"].canvas.set_view(right.origin, right.zoom)
        self._show_position()
        self._tell_when_shown()

    def _on_settled(self, pane: Pane) -> None:
        side = self.session.sides[pane]
        if side is not None:
            self.panes[pane].canvas.show_graph(side.graph, side.places, self._overlay(pane, self._heat()))

    def _on_pane_failed(self, pane: Pane, error: XlavizError) -> None:
        self.panes[pane].show_error(self.session.shown.heading(pane), error, offers(self.session, pane))
        self._show_position()
        self._tell_when_shown()

    def _refresh_offers(self) -> None:
        """Another selection or the kernels make another neighbourhood worth showing."""
        for pane, error in self.session.errors.items():
            if error is not None:
                self.panes[pane].show_error(self.session.shown.heading(pane), error, offers(self.session, pane))

    def _tell_when_shown(self) -> None:
        if self._waiting_for_panes and not self.session.views.is_waiting_for("view"):
            self._waiting_for_panes = False
            self.document_shown.emit()

    def _show_position(self) -> None:
        is_compare = self.session.mode == "compare"
        self.pass_bar.set_position(self.session.index, is_compare=is_compare)
        self.pass_list.show_position(None if is_compare else self.session.index)
        self.legend.set_counts(mark_counts(self.session.diff) if not is_compare else {})
        self.status.show_place(self.session)

    def _on_overlay(self, only: Mark | None = None) -> None:
        if self.session.sequence is None:
            return
        heat = self._heat()
        for pane in PANES:
            self.panes[pane].canvas.set_overlay(self._overlay(pane, heat, only))

    def _heat(self) -> Heat | None:
        """The heat of what is shown, where it is wanted; told in the legend."""
        session = self.session
        heat = heat_of(session.shown, session.times.members) if session.is_heated else None
        self.legend.set_heat(heat_legend(session.shown, heat) if heat is not None else None)
        return heat

    def _overlay(self, pane: Pane, heat: Heat | None, only: Mark | None = None) -> Overlay:
        return heated_overlay(self.session.shown, pane, heat, only)

    def _on_summaries(self) -> None:
        self.pass_bar.set_summaries(self.session.summaries)
        self.pass_list.show_summaries(self.session.summaries)

    def _on_selection(self) -> None:
        selection = self.session.selection
        for pane in PANES:
            self.panes[pane].canvas.set_selected(selection.names(pane))
        self.inspector.show_selection(self.session)
        self._refresh_offers()

    def show_counterpart(self, pane: Pane) -> None:
        """Centre on the other side what the selection of this one stands for."""
        other: Pane = "right" if pane == "left" else "left"
        names = self.session.selection.names(other)
        if names and not self.session.is_shared:
            self.panes[other].canvas.centre(names)

    def _on_file_read(self, name: str, text: str) -> None:
        self.file_view.show_file(name, text)
        self.bottom.setCurrentWidget(self.file_view)

    def _select_first(self) -> None:
        """All is known: start at the kernel that costs most, unless the user is somewhere already."""
        session = self.session
        if session.kernels is None or session.mode != "compare" or session.selection.name or self._has_started:
            return
        if session.background.is_busy or session.stories.is_busy:
            return
        self._has_started = True
        if not session.kernels.kernels:
            return
        graph = self.panes["right"].canvas.graph
        is_page = graph is not None and any(node.cluster is not None for node in graph.nodes)
        # A page of named boxes reads from its top; of single instructions the costly one tells more than the first.
        start = session.select_kernel if is_page else self.commands.select_kernel
        start(session.kernels.kernels[0].name)

    def _show_menu(self, pane: Pane, name: str, at: QPoint) -> None:
        if not name:
            return
        if not self.session.selection.second:
            self.session.select(pane, name)
        menu = QMenu(self)
        for action in ("toggle", "enter", "neighbourhood", "paths", "centre", "whole"):
            menu.addAction(self.actions_by_name[action])
        menu.exec(at)

    # Layout of the window, and its end

    def _restore_layout(self) -> None:
        """Size and place; the docks stay hidden until there is a document, and then come as they were left."""
        try_restoring(self.restoreGeometry, self.settings.geometry)

    def closeEvent(self, event: QCloseEvent) -> None:
        if self.pages.currentIndex() == 1:
            layout = b64encode(self.saveState().data()).decode()
            geometry = b64encode(self.saveGeometry().data()).decode()
            self.settings = replace(self.settings, layout=layout, geometry=geometry)
        save_settings(self.settings)
        self.commands.close()
        self.session.close()
        super().closeEvent(event)

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if event.mimeData().hasUrls():
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        paths = [url.toLocalFile() for url in event.mimeData().urls() if url.isLocalFile()]
        if paths:
            self.open_path(Path(paths[0]))
