"""The inspector's section that tells an instruction's life, pass by pass."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape

from xlaviz.lineage.biography import Chapter
from xlaviz.scene.palette import Theme
from xlaviz.session.session import Session
from xlaviz.session.shown import Pane
from xlaviz.ui.cluster_text import links
from xlaviz.ui.rewrites_panel import plain

STEP_LINK = "step"
"""What stands in a link before the number of a snapshot, where others have a pane."""

_NAMES_SHOWN = 4
_CHAPTERS_SHOWN = 60


def biography_html(session: Session, theme: Theme) -> str:
    """Every chapter with a link to its step; empty where there is nothing to tell."""
    told = session.biographer
    if not told.chapters or session.sequence is None:
        return ""
    shown = session.index if session.mode == "step" else None
    labels = [snapshot.label for snapshot in session.sequence.snapshots]
    rows = [_chapter(chapter, labels, theme, shown) for chapter in told.chapters[:_CHAPTERS_SHOWN]]
    if len(told.chapters) > _CHAPTERS_SHOWN:
        rows.append(f"<p class='muted'>and {len(told.chapters) - _CHAPTERS_SHOWN} more chapters</p>")
    elif not told.is_whole:
        rows.append("<p class='muted'>still following the passes…</p>")
    return "<h4>BIOGRAPHY</h4>" + "".join(rows)


def step_counterparts_html(session: Session, pane: Pane, name: str) -> str:
    """What stands for an instruction on the other side of a step, or all that stand for what was picked elsewhere.
    Empty where it is simply the same one."""
    followed = session.following.names()
    if followed is None:
        return ""
    own, found = followed if pane == "left" else followed[::-1]
    if len(own) > 1:
        return f"<h4>SELECTED TOGETHER ({len(own)})</h4>" + links(pane, sorted(own))
    if found == {name}:
        return ""
    title = "BEFORE THIS PASS" if pane == "right" else "AFTER THIS PASS"
    if not found:
        gone = "nothing: this pass made it" if pane == "right" else "nothing: it is gone"
        return f"<h4>{title}</h4><span class='muted'>{gone}</span>"
    return f"<h4>{title} ({len(found)})</h4>" + links("left" if pane == "right" else "right", sorted(found))


def _chapter(chapter: Chapter, labels: Sequence[str], theme: Theme, shown: int | None) -> str:
    is_shown = chapter.index == shown
    label = escape(labels[chapter.index])
    title = f"<a href='{STEP_LINK}:{chapter.index}'>{f'<b>{label}</b>' if is_shown else label}</a>"
    colour = theme.accent if is_shown else theme.line
    lines = [f"<span style='color: {colour}'>●</span> {title} {_words(chapter)}"]
    lines += (f"<span class='muted'>{line}</span>" for line in _names(chapter))
    return f"<p style='margin: 2px 0 4px 0'>{'<br>'.join(lines)}</p>"


def _words(chapter: Chapter) -> str:
    if chapter.kind == "given":
        return "as given"
    return escape(f"{chapter.kind} {plain(chapter.what)}".strip())


def _names(chapter: Chapter) -> Iterator[str]:
    """The names it had before and has after, where a pass gave it others."""
    if chapter.before == chapter.after:
        return
    if chapter.before and chapter.after:
        yield f"{_listed(chapter.before)} → {_listed(chapter.after)}"
    elif chapter.before or chapter.after:
        yield _listed(chapter.before or chapter.after)


def _listed(names: Sequence[str]) -> str:
    more = f" … {len(names) - _NAMES_SHOWN} more" if len(names) > _NAMES_SHOWN + 1 else ""
    return escape(", ".join(names[:_NAMES_SHOWN] if more else names) + more)
