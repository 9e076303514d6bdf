"""The words of the inspector: what they share, and what it says of a cluster."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from html import escape
from urllib.parse import quote

from xlaviz.session.detail import ClusterDetail
from xlaviz.session.session import Session
from xlaviz.session.words import kernels_note

LISTED = 24
_KINDS = {
    "scope": "name scope",
    "block": "block of instructions",
    "inputs": "inputs",
    "outputs": "outputs",
    "repeat": "repeated block",
}


def cluster_parts(session: Session, detail: ClusterDetail) -> Iterator[str]:
    """What the cluster is, what it costs and what is in it."""
    pane = session.selection.pane
    yield f"<span class='muted'>{_KINDS[detail.kind]}</span><h2>{escape(detail.title)}</h2>"
    yield table(_rows(session, detail))
    opcodes = (f"{escape(opcode)} <span class='muted'>{count:,}</span>" for opcode, count in detail.opcodes[:LISTED])
    yield "<h4>OPCODES</h4>" + "<br>".join(opcodes)
    yield f"<h4>INSTRUCTIONS ({len(detail.instructions):,})</h4>" + links(pane, detail.instructions)


def _rows(session: Session, detail: ClusterDetail) -> Iterator[tuple[str, str]]:
    if detail.scope:
        yield "scope", escape(detail.scope).replace("/", "/&#8203;")
    yield "inside", f"{len(detail.instructions):,} instruction{'s' * (len(detail.instructions) != 1)}"
    yield "in", escape(detail.computation)
    shown = session.shown
    if session.kernels is None or shown.snapshot_index(session.selection.pane) != shown.sequence.last_index:
        return
    inside = set(detail.instructions)
    kernels = [kernel for kernel in session.kernels.kernels if kernel.name in inside]
    if kernels:
        time = kernels_note(kernels, session.kernels.run_us)
        yield "time", f"<b>{time}</b> of a run in {len(kernels)} kernel{'s' * (len(kernels) != 1)}"


def link(pane: str, name: str) -> str:
    return f"<a href='{pane}:{quote(name)}'>{escape(name)}</a>"


def links(pane: str, names: Sequence[str]) -> str:
    more = f"<br><span class='muted'>and {len(names) - LISTED:,} more</span>" if len(names) > LISTED else ""
    return "<br>".join(link(pane, name) for name in names[:LISTED]) + more


def table(rows: Iterable[tuple[str, str]]) -> str:
    cells = "".join(f"<tr><td class='muted'>{escape(name)}</td><td>{value}</td></tr>" for name, value in rows)
    return f"<table>{cells}</table>"
