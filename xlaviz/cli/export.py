"""`export`: a graph of a document as a file, without a window."""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from pathlib import Path

from xlaviz.base.errors import XlavizError
from xlaviz.cli.window import make_application
from xlaviz.dumps.sequence import PassSequence
from xlaviz.export.views import ExportView, parse_format, parse_view
from xlaviz.session import documents, stories, timings, work
from xlaviz.session.heat import Heat, heading, heat_of, heated_overlay
from xlaviz.session.shown import PANES, Pane, Shown
from xlaviz.session.work import SideOptions


def export(options: argparse.Namespace) -> int:
    """Write one view into one file, and print its path."""
    path = options.path.absolute()
    kind = parse_format(options.out)
    if not options.out.parent.is_dir():
        raise XlavizError(f"The folder {options.out.parent} does not exist.", hint="Make it, or choose another place.")
    opened = frozenset() if options.open == "none" else options.open
    try:
        sequence = documents.open_info(documents.silent, path).sequence(options.module)
        shown, panes = view_of(path, sequence, parse_view(options.view, sequence), SideOptions(open=opened))
        heat = _heat(path, sequence, shown) if options.heat else None
        make_application(is_seen=False)
        write_panes(shown, panes, kind, options.out, theme_name=options.theme, heat=heat)
    finally:
        documents.close_all()
    print(options.out)
    return 0


def _heat(path: Path, sequence: PassSequence, shown: Shown) -> Heat:
    heat = heat_of(shown, timings.kernel_members(documents.silent, path, sequence))
    if heat is None:
        raise XlavizError(f"No times are known of what this view of {path} shows.", hint="Leave out --heat.")
    return heat


def view_of(
    path: Path, sequence: PassSequence, view: ExportView, options: SideOptions
) -> tuple[Shown, tuple[Pane, ...]]:
    """What a view shows, and which of its two sides are wanted: of a single snapshot there is one."""
    if view.kind == "pass":
        step = work.step_view(documents.silent, path, sequence, view.index, options, options)
        return Shown(sequence, "step", view.index, step.left, step.right, step.diff), ("right",)
    panes: tuple[Pane, ...] = {"before": ("left",), "after": ("right",)}.get(view.kind, PANES)  # type: ignore[assignment]
    last = sequence.last_index
    panes = panes if last else ("right",)
    single = work.single_view
    return Shown(
        sequence,
        "compare",
        last,
        left=single(documents.silent, path, sequence, 0, options) if "left" in panes else None,
        right=single(documents.silent, path, sequence, last, options) if "right" in panes else None,
        lineage=stories.lineage(documents.silent, path, sequence) if last else None,
        kernels=timings.kernels(documents.silent, path, sequence),
    ), panes


def write_panes(
    shown: Shown, panes: Iterable[Pane], kind: str, out: Path, *, theme_name: str, heat: Heat | None = None
) -> None:
    """Write the sides of a view into one file. Needs a QApplication."""
    from xlaviz.export.dot import write_dot
    from xlaviz.export.picture import Panel, write_picture
    from xlaviz.scene.painter import GraphPainter
    from xlaviz.scene.palette import THEMES

    panels = []
    for pane in panes:
        side = shown.side(pane)
        if side is not None:
            dress = heated_overlay(shown, pane, heat)
            painter = GraphPainter(side.graph, side.places, THEMES[theme_name], dress)
            hottest = heat.scale_end if heat is not None and dress.heat is not None else ""
            panels.append(Panel(heading(shown, pane, is_heated=bool(hottest)), painter, hottest))
    if kind == "dot":
        write_dot(panels, out)
    else:
        write_picture(panels, out, kind)
