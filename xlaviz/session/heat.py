"""How hot every box is: the time of what it stands for, on the right as measured, on the left as attributed."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from xlaviz.base.units import time_text
from xlaviz.graph.model import DrawnGraph
from xlaviz.graph.overlay import Mark, Overlay
from xlaviz.profile.kernels import Kernel
from xlaviz.session.shown import PANES, Pane, Shown, overlay
from xlaviz.timing.attribution import Shares, times_before

_ROUNDING = 1.001
_SHOWN_US = 0.05
"""Less than this is 0.0 µs."""


@dataclass(frozen=True, slots=True)
class Heat:
    """By pane the times per run of instructions and clusters, in microseconds; None where the pane shows a snapshot
    whose times are not known. `hottest_us` is that of the hottest box that is not open: an open one may be above."""

    times_us: Mapping[Pane, Mapping[str, float] | None]
    hottest_us: float

    def of(self, pane: Pane) -> Mapping[str, float] | None:
        """The heat of a pane's boxes, 0 to 1 of the hottest."""
        times = self.times_us[pane]
        return {name: min(time / self.hottest_us, 1.0) for name, time in times.items()} if times is not None else None

    @property
    def scale_end(self) -> str:
        """The words at the hot end of the scale."""
        longest_us = max((max(own.values(), default=0.0) for own in self.times_us.values() if own), default=0.0)
        return time_text(self.hottest_us) + (" and more" if longest_us > self.hottest_us * _ROUNDING else "")


def heat_of(shown: Shown, members: Mapping[str, Shares]) -> Heat | None:
    """The heat of what is shown; None where neither pane has any. Both panes have one scale."""
    if shown.kernels is None:
        return None
    boxes: dict[Pane, dict[int, float]] = {}
    for pane in PANES:
        side = shown.side(pane)
        times = _times(shown, pane, members)
        if side is not None and times is not None:
            boxes[pane] = _box_times(side.graph, times)
    hottest_us = max((time for pane, own in boxes.items() for time in _of_closed(shown, pane, own)), default=0.0)
    if not hottest_us:
        return None
    return Heat({pane: _by_name(shown, pane, boxes[pane]) if pane in boxes else None for pane in PANES}, hottest_us)


def heat_words(shown: Shown, pane: Pane) -> str:
    """What the heat of a pane is: measured, or put down to what the kernels came from."""
    is_measured = shown.snapshot_index(pane) == shown.sequence.last_index
    return "time per run of each kernel" if is_measured else "attributed to what the kernels came from"


def heading(shown: Shown, pane: Pane, *, is_heated: bool) -> str:
    """The words over an exported pane, which say what its colours mean."""
    title = shown.heading(pane)
    return f"{title} · {heat_words(shown, pane)}" if is_heated else title


def _times(shown: Shown, pane: Pane, members: Mapping[str, Shares]) -> Iterable[tuple[str, float]] | None:
    """Instructions of the pane's snapshot with their times per run in microseconds; None where they are not known."""
    assert shown.kernels is not None
    index = shown.snapshot_index(pane)
    if index == shown.sequence.last_index:
        side = shown.side(pane)
        return list(_measured(side.graph, shown.kernels.kernels, members)) if side is not None else None
    if index == 0 and shown.lineage is not None:
        return times_before(shown.kernels.kernels, members, shown.lineage).items()
    return None


def _measured(
    graph: DrawnGraph, kernels: Iterable[Kernel], members: Mapping[str, Shares]
) -> Iterable[tuple[str, float]]:
    """A kernel's time, or the parts of it where the kernel is drawn open."""
    for kernel in kernels:
        boxes = graph.boxes_of(kernel.name)
        if boxes and graph.nodes[boxes[0]].kind == "open":
            for name, part in members.get(kernel.name, {}).items():
                yield name, part * kernel.self_per_run_us
        yield kernel.name, kernel.self_per_run_us


def _box_times(graph: DrawnGraph, times: Iterable[tuple[str, float]]) -> dict[int, float]:
    """The time of each box, a cluster's with all that is in it."""
    found: dict[int, float] = defaultdict(float)
    for name, time_us in times:
        box = next(iter(graph.boxes_of(name)), -1)
        is_part = box >= 0 and _is_in_fusion(graph, box)
        while box >= 0:
            found[box] += time_us
            # The fusion's own time is told by itself: its parts must not be added to it, and to what it is in.
            box = -1 if is_part else graph.nodes[box].parent
    return found


def _is_in_fusion(graph: DrawnGraph, box: int) -> bool:
    parent = graph.nodes[box].parent
    return parent >= 0 and graph.nodes[parent].family == "fusion" and graph.nodes[parent].cluster is None


def _of_closed(shown: Shown, pane: Pane, boxes: Mapping[int, float]) -> Iterable[float]:
    side = shown.side(pane)
    assert side is not None
    return (time for box, time in boxes.items() if side.graph.nodes[box].kind != "open")


def _by_name(shown: Shown, pane: Pane, boxes: Mapping[int, float]) -> dict[str, float]:
    side = shown.side(pane)
    assert side is not None
    found: dict[str, float] = {}
    for box, time_us in boxes.items():
        name = side.graph.nodes[box].instruction
        found[name] = max(found.get(name, 0.0), time_us)
    return found


def attributed_notes(shown: Shown, pane: Pane, heat: Heat) -> dict[str, str]:
    """The times of the boxes of a pane whose instructions were not measured themselves: all are attributions."""
    times = heat.times_us[pane]
    if times is None or shown.snapshot_index(pane) == shown.sequence.last_index:
        return {}
    return {name: f"~ {time_text(time)}" for name, time in times.items() if time >= _SHOWN_US}


def heated_overlay(shown: Shown, pane: Pane, heat: Heat | None, only: Mark | None = None) -> Overlay:
    """What is laid over a pane's graph, with its heat and, where that is an attribution, its times."""
    if heat is None:
        return overlay(shown, pane, only)
    plain = overlay(shown, pane, only, heat.of(pane))
    return replace(plain, notes={**attributed_notes(shown, pane, heat), **plain.notes})
