"""The right dock: everything known of the selected instruction, its neighbours as links."""

from __future__ import annotations

import re
from collections.abc import Iterable
from html import escape
from urllib.parse import quote, unquote

from PySide6.QtCore import QUrl, Signal
from PySide6.QtWidgets import QTextBrowser, QWidget

from xlaviz.base.units import bytes_rate_text, bytes_text, flops_rate_text, flops_text, time_text
from xlaviz.profile.kernels import Kernel
from xlaviz.profile.peaks import NO_PEAKS, Peaks
from xlaviz.scene.palette import LIGHT, Theme
from xlaviz.session.detail import ClusterDetail, InstructionDetail, Neighbour
from xlaviz.session.following import Anchor
from xlaviz.session.session import Session
from xlaviz.session.shown import Pane
from xlaviz.session.words import at_most
from xlaviz.ui.biography import STEP_LINK, biography_html, step_counterparts_html
from xlaviz.ui.cluster_text import LISTED, cluster_parts, link, links, table

LINE_LINK = "line"
_ABOVE = 1.05


class Inspector(QTextBrowser):
    """Signals: `instruction_wanted` (pane, name) when a link is followed, `chapter_wanted` with a snapshot's index when
    that of a chapter of the biography is, `line_wanted` with `file:line` when that of the source is."""

    instruction_wanted = Signal(str, str)
    chapter_wanted = Signal(int)
    line_wanted = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("inspector")
        self.setOpenLinks(False)
        self.anchorClicked.connect(self._on_link)
        self._theme = LIGHT
        self._anchor: Anchor | None = None
        self.document().setDocumentMargin(10)

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        self.document().setDefaultStyleSheet(
            f"a {{ color: {theme.accent}; text-decoration: none; }} h2 {{ font-size: 15px; margin: 2px 0 8px 0; }}"
            f"h4 {{ color: {theme.muted}; font-size: 11px; margin: 14px 0 3px 0; }}"
            f".muted {{ color: {theme.muted}; }} td {{ padding: 1px 8px 3px 0; }}"
        )

    def show_selection(self, session: Session) -> None:
        """Show what is selected, or how to select."""
        detail, selection = session.detail, session.selection
        if not selection.name:
            self.setHtml("<p class='muted'>Select an instruction in a graph, or a kernel below.</p>")
            return
        if detail is None or detail.name != selection.name:
            self._show(session, f"<h2>{escape(selection.name)}</h2>{biography_html(session, self._theme)}")
            return
        if isinstance(detail, ClusterDetail):
            self.setHtml("".join(cluster_parts(session, detail)))
            return
        kernel = _kernel(session, selection.name)
        parts = [
            f"<span class='muted'>{escape(detail.opcode)}</span><h2>{escape(detail.name)}</h2>",
            table(self._rows(detail, kernel, session.kernels.peaks if session.kernels is not None else NO_PEAKS)),
            self._change(session, detail.name),
            self._counterparts(session, selection.pane, detail.name),
            biography_html(session, self._theme),
            _neighbours("OPERANDS", selection.pane, detail.operands, numbered=True),
            _neighbours("USERS", selection.pane, detail.users, numbered=False),
            _attributes(detail),
        ]
        self._show(session, "".join(parts))

    def _show(self, session: Session, html: str) -> None:
        """Show a page; one of the same instruction in another snapshot stays scrolled to where it was."""
        at = self.verticalScrollBar().value() if session.following.anchor == self._anchor else 0
        self._anchor = session.following.anchor
        self.setHtml(html)
        self.verticalScrollBar().setValue(at)

    def _rows(self, detail: InstructionDetail, kernel: Kernel | None, peaks: Peaks) -> Iterable[tuple[str, str]]:
        yield "shape", f"{escape(detail.shape)} <span class='muted'>· {bytes_text(detail.byte_count)}</span>"
        if detail.fused:
            yield "inside", f"{detail.fused} instructions"
        yield "in", escape(detail.computation)
        if kernel is not None:
            own = f", {time_text(kernel.self_us)} its own" if kernel.self_us < kernel.median_us else ""
            yield "time", f"<b>{at_most(kernel)}{time_text(kernel.median_us)}</b> median{own}"
            yield "p10–p90", f"{time_text(kernel.p10_us)} – {time_text(kernel.p90_us)}"
            ends = "exact" if kernel.exact else "end inferred"
            count = f"{kernel.runs:,} execution{'s' * (kernel.runs != 1)}, {ends}"
            yield "in a run", f"{at_most(kernel)}{time_text(kernel.self_per_run_us)} · {kernel.share:.1%}<br>{count}"
            yield from work_rows(kernel, peaks)
        if detail.op_name:
            yield "op", escape(detail.op_name).replace("/", "/&#8203;").replace(";", ";<br>")
        if detail.op_type:
            yield "op type", escape(detail.op_type)
        if detail.place:
            name = escape(re.split(r"[/\\]", detail.place)[-1])
            yield "line", f"<a href='{LINE_LINK}:{quote(detail.place)}' title='{escape(detail.place)}'>{name}</a>"

    def _change(self, session: Session, name: str) -> str:
        diff = session.diff
        if diff is None:
            return ""
        for names, word, colour in (
            (diff.added, "added in this step", self._theme.added),
            (diff.removed, "removed in this step", self._theme.removed),
            (diff.changed, f"changed: {', '.join(diff.changes.get(name, ()))}", self._theme.changed),
            (diff.moved, "moved to another computation", self._theme.changed),
        ):
            if name in names:
                return f"<p style='color: {colour}'>{escape(word)}</p>"
        return ""

    def _counterparts(self, session: Session, pane: Pane, name: str) -> str:
        """What it came from, or what became of it, over the whole pipeline or in the step that is shown."""
        if session.mode == "step":
            return step_counterparts_html(session, pane, name)
        if session.mode != "compare" or session.lineage is None:
            return ""
        if pane == "left":
            found, title, other = session.descendants_of(name), "BECAME", "right"
            nothing = "nothing: it is gone after optimization"
        else:
            found, title, other = session.origins_of(name), "CAME FROM", "left"
            maker = session.lineage.created_by.get(name)
            nothing = f"nothing before optimization: {maker} made it" if maker else "nothing before optimization"
        if not found:
            return f"<h4>{title}</h4><span class='muted'>{escape(nothing)}</span>"
        return f"<h4>{title} ({len(found)})</h4>" + links(other, sorted(found))

    def _on_link(self, url: QUrl) -> None:
        pane, _, name = url.toString().partition(":")
        if pane == LINE_LINK:
            self.line_wanted.emit(unquote(name))
            return
        if pane == STEP_LINK:
            self.chapter_wanted.emit(int(name))
            return
        self.instruction_wanted.emit(pane, unquote(name))


def _kernel(session: Session, name: str) -> Kernel | None:
    if session.kernels is None or session.sequence is None:
        return None
    if session.shown.snapshot_index(session.selection.pane) != session.sequence.last_index:
        return None
    return next((kernel for kernel in session.kernels.kernels if kernel.name == name), None)


def _neighbours(title: str, pane: str, found: tuple[Neighbour, ...], *, numbered: bool) -> str:
    if not found:
        return ""
    rows = []
    for place, neighbour in enumerate(found[:LISTED]):
        number = f"<span class='muted'>{place}</span>&nbsp; " if numbered else ""
        about = escape(f"{neighbour.opcode} {neighbour.shape}")
        rows.append(f"{number}{link(pane, neighbour.name)} <span class='muted'>{about}</span>")
    more = f"<br><span class='muted'>and {len(found) - LISTED} more</span>" if len(found) > LISTED else ""
    return f"<h4>{title}</h4>" + "<br>".join(rows) + more


def _attributes(detail: InstructionDetail) -> str:
    if not detail.attributes:
        return ""
    rows = ((name, escape(value if len(value) <= 600 else value[:600] + "…")) for name, value in detail.attributes)
    return "<h4>ATTRIBUTES</h4>" + table(rows)


def work_rows(kernel: Kernel, peaks: Peaks) -> Iterable[tuple[str, str]]:
    """What one execution does by the cost model, how fast it does that, and what keeps it from being faster."""
    if kernel.flops is None or not kernel.bytes:
        return
    work = [flops_text(kernel.flops)] if kernel.flops else []
    yield "work", " · ".join([*work, bytes_text(kernel.bytes)])
    rates = []
    for rate, peak, text in (
        (kernel.flops_per_s, peaks.flops_per_s, flops_rate_text),
        (kernel.bytes_per_s, peaks.bytes_per_s, bytes_rate_text),
    ):
        if rate:
            rates.append(text(rate) + _of_peak(rate, peak))
    bound = kernel.bound_by(peaks)
    yield "rate", "<br>".join([*rates, *([f"bound by {bound}"] if bound else [])])


def _of_peak(rate: float, peak: float | None) -> str:
    """What part of the peak a rate is. One above it uses other units, or caches: the peak is not its own."""
    if not peak or rate > peak * _ABOVE:
        return " (above the known peak)" if peak else ""
    return f" ({rate / peak:.0%} of the peak)" if rate > peak / 100 else " (&lt; 1% of the peak)"
