"""The words of the source page: names of files, cells beside lines, what is behind a line."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape
from pathlib import PurePath

from xlaviz.base.units import time_text
from xlaviz.session.words import NOTE_SEPARATOR, Timed, at_most
from xlaviz.timing.lines import LineTime, LineTimes
from xlaviz.ui.cluster_text import LISTED, links, table
from xlaviz.ui.source_gutter import Column, LineCells

KERNEL_LINK, SHOW_LINK = "kernel", "show"
_LEAST_US = 0.05
_LIBRARY_FOLDERS = {"site-packages", "dist-packages"}
_DIVIDED = "Attributed: a fusion's time is divided among its instructions by their estimated work."


def short_time(time_us: float | None) -> str:
    """A time, nothing where there is none."""
    if not time_us:
        return ""
    return time_text(time_us) if time_us >= _LEAST_US else "< 0.1 µs"


def bounded_time(timed: Timed, time_us: float | None) -> str:
    """A time with the sign that it is an upper bound where it is one; nothing where there is no time."""
    time = short_time(time_us)
    return f"{at_most(timed)}{time}" if time else ""


def short_names(paths: Sequence[str]) -> dict[str, str]:
    """Each path by as many of its last parts as tell it from the others."""
    names = {}
    for path in paths:
        parts = PurePath(path).parts
        for count in range(1, len(parts) + 1):
            ends = [other for other in paths if PurePath(other).parts[-count:] == parts[-count:]]
            if ends == [path]:
                break
        names[path] = "/".join(parts[-count:])
    return names


def is_library(path: str) -> bool:
    """Whether a file is of an installed package."""
    return not _LIBRARY_FOLDERS.isdisjoint(PurePath(path).parts)


def columns(*, with_calls: bool, has_no_xla: bool, last_number: int, is_narrow: bool = False) -> tuple[Column, ...]:
    """The columns left of the text; the one without XLA where it was measured. Where it is narrow the times alone."""
    whose = "made by this line and the lines it calls" if with_calls else "made by this line"
    found = [
        Column(
            "share",
            "of a run",
            f"Part of a run's time that XLA's kernels spend on ops {whose}.\n{_DIVIDED}",
            "100.0%  ",
        ),
        Column("xla", "XLA", f"Time in a run of XLA's kernels for ops {whose}.\n{_DIVIDED}", "≤ 999.9 µs"),
    ]
    if has_no_xla:
        tip = f"Time in a run without XLA of TensorFlow's own kernels for ops {whose}."
        found.append(Column("no_xla", "without XLA", tip, "999.9 µs"))
    found = [column for column in found if column.field == "xla"] if is_narrow else found
    return (*found, Column("number", "line", "Number of the line.", str(max(last_number, 999))))


def cost_us(line: LineTime, *, with_calls: bool) -> float:
    return line.with_calls_us if with_calls else line.xla_us


def is_listed(line: LineTime, *, with_calls: bool) -> bool:
    """Whether a line has time itself: one that only calls others has it with them alone."""
    return with_calls or bool(line.xla_us or line.no_xla_us)


def share_of(line: LineTime, times: LineTimes, *, with_calls: bool) -> float:
    if not with_calls:
        return line.share
    return line.with_calls_us / times.run_us if times.run_us else 0.0


def cells(line: LineTime, times: LineTimes, hottest_us: float, *, with_calls: bool) -> LineCells:
    """What stands beside a line; `hottest_us` is the cost of the costliest one."""
    cost = cost_us(line, with_calls=with_calls)
    own, with_those = (bounded_time(line, time_us) for time_us in (line.xla_us, line.with_calls_us))
    tip = f"{own or 'no time'} of its own, {with_those or 'none'} with calls"
    return LineCells(
        share=_percent(share_of(line, times, with_calls=with_calls)) if cost else "",
        xla=bounded_time(line, cost),
        no_xla=short_time(line.no_xla_with_calls_us if with_calls else line.no_xla_us),
        heat=min(cost / hottest_us, 1.0) if hottest_us else 0.0,
        note=line.folded,
        tip=f"{tip}\n{line.function}" if line.function else tip,
    )


def line_html(name: str, line: LineTime, times: LineTimes) -> str:
    """What is behind a line, its kernels as links."""
    parts = [
        f"<span class='muted'>{escape(name)}:{line.line}{_of(line.function)}</span>",
        f"<h2>{escape(bounded_time(line, line.xla_us)) or 'no time of its own'}</h2>",
        table(_rows(line, times)),
    ]
    if line.kernels or line.before:
        where = "both graphs" if line.kernels and line.before else "the graph"
        parts.append(f"<p><a href='{SHOW_LINK}:'>Show in {where}</a></p>")
    if line.kernels:
        parts.append(f"<h4>KERNELS ({len(line.kernels)})</h4>" + links(KERNEL_LINK, line.kernels))
    if line.ops:
        more = f"<br><span class='muted'>and {len(line.ops) - LISTED:,} more</span>" if len(line.ops) > LISTED else ""
        ops = "<br>".join(escape(op).replace("/", "/&#8203;") for op in line.ops[:LISTED])
        parts.append(f"<h4>OPS ({len(line.ops)})</h4>{ops}{more}")
    return "".join(parts)


def notes_html(times: LineTimes) -> str:
    if not times.notes:
        return ""
    return "<h4>NOTES</h4>" + "".join(f"<p class='muted'>{escape(note)}</p>" for note in times.notes)


def unattributed_text(times: LineTimes) -> str:
    text = f"unattributed  {short_time(times.unattributed_us) or '0 µs'}{NOTE_SEPARATOR}{times.unattributed_share:.1%}"
    if times.no_xla_unattributed_us is not None:
        text += f"\nwithout XLA  {short_time(times.no_xla_unattributed_us) or '0 µs'}"
    return text


def unattributed_tip(times: LineTimes) -> str:
    names = times.unattributed_kernels
    if not names:
        return "Every kernel leads to a line."
    more = f"\nand {len(names) - LISTED} more" if len(names) > LISTED else ""
    return "Kernels that lead to no line:\n" + "\n".join(names[:LISTED]) + more


def _percent(share: float) -> str:
    return "< 0.1%" if 0 < share < 0.0005 else f"{share:.1%}"


def _of(function: str) -> str:
    return f" in {escape(function)}" if function else ""


def _rows(line: LineTime, times: LineTimes) -> Iterator[tuple[str, str]]:
    yield "of a run", escape(_percent(line.share))
    if line.no_xla_us is not None:
        yield "without XLA", escape(short_time(line.no_xla_us)) or "no time"
    if line.with_calls_us != line.xla_us:
        share = escape(_percent(share_of(line, times, with_calls=True)))
        time = escape(bounded_time(line, line.with_calls_us)) or "no time"
        yield "with calls", f"{time} <span class='muted'>· {share}</span>"
        if line.no_xla_with_calls_us is not None:
            yield "without XLA", escape(short_time(line.no_xla_with_calls_us)) or "no time"
    if line.folded:
        yield "through", escape(line.folded)
    if line.before:
        yield "instructions", f"{len(line.before):,} before optimizations"
