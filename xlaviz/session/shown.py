"""What is shown, as one value, and what is laid over its graphs: hues of fusions, signs of a change, times."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

from xlaviz.dumps.sequence import PassSequence
from xlaviz.graph.model import DrawnGraph, DrawnNode
from xlaviz.graph.overlay import Mark, Overlay
from xlaviz.lineage.diff import StepDiff
from xlaviz.lineage.sequence import Lineage
from xlaviz.profile.kernels import Kernel, KernelTable
from xlaviz.session.words import kernel_note, kernels_note
from xlaviz.session.work import Side

Mode = Literal["compare", "step"]
Pane = Literal["left", "right"]
PANES: tuple[Pane, Pane] = ("left", "right")


@dataclass(frozen=True, slots=True)
class Shown:
    """Two sides of a sequence: `compare` has its first and last snapshot, `step` snapshot `index` and the one before.

    `lineage` and `kernels` are None while they are not known.
    """

    sequence: PassSequence
    mode: Mode
    index: int
    left: Side | None = None
    right: Side | None = None
    diff: StepDiff | None = None
    lineage: Lineage | None = None
    kernels: KernelTable | None = None

    def side(self, pane: Pane) -> Side | None:
        return self.left if pane == "left" else self.right

    def snapshot_index(self, pane: Pane) -> int:
        """Which snapshot a pane shows."""
        if self.mode == "step":
            return max(self.index - 1, 0) if pane == "left" else self.index
        return 0 if pane == "left" else self.sequence.last_index

    def heading(self, pane: Pane) -> str:
        """The words over a pane."""
        label = self.sequence.snapshots[self.snapshot_index(pane)].label
        if self.mode == "step":
            step = self.sequence.snapshots[self.index]
            if step.number is None:  # before or after all passes: its label says so itself
                return label[:1].upper() + label[1:]
            return f"Before {step.label}" if pane == "left" else f"After {step.label}"
        if len(self.sequence.snapshots) == 1:
            return label
        return "Before optimizations" if pane == "left" else "After optimizations"


def overlay(shown: Shown, pane: Pane, only: Mark | None = None, heat: Mapping[str, float] | None = None) -> Overlay:
    """What is laid over a pane's graph; with `only`, what bears another mark or none is pale."""
    return Overlay(_marks(shown, pane), _hues(shown, pane), _notes(shown, pane), only, heat)


def fusion_numbers(lineage: Lineage | None) -> dict[str, int]:
    """A number for each fusion of the last snapshot, the source of its hue on both sides, in order of the names."""
    return {name: number for number, name in enumerate(sorted(lineage.fusion_origins))} if lineage is not None else {}


def _hues(shown: Shown, pane: Pane) -> dict[str, tuple[int, ...]]:
    """Instruction -> numbers of the fusions it is, or went into."""
    numbers = fusion_numbers(shown.lineage)
    if shown.mode == "step":
        return _own_hues(shown.side(pane), numbers)
    if pane == "right" or shown.lineage is None:
        return _own_hues(shown.side(pane), numbers)
    found: dict[str, list[int]] = {}
    for fusion, origins in shown.lineage.fusion_origins.items():
        for origin in origins:
            found.setdefault(origin, []).append(numbers[fusion])
    return {name: tuple(sorted(values)) for name, values in found.items()}


def _own_hues(side: Side | None, numbers: dict[str, int]) -> dict[str, tuple[int, ...]]:
    """The fusions of a side: those that live to the end have their hue, others one of their own."""
    if side is None:
        return {}
    fusions = sorted({n.instruction for n in side.graph.nodes if n.family == "fusion" and _is_own(n)})
    return {name: (numbers.get(name, len(numbers) + place),) for place, name in enumerate(fusions)}


def _is_own(node: DrawnNode) -> bool:
    """Whether a box is an instruction's own."""
    return node.cluster is None and node.kind != "port"


def _marks(shown: Shown, pane: Pane) -> dict[str, Mark]:
    """Instruction -> its mark in the step that is shown; a closed box in which something has one is changed."""
    diff, side = shown.diff, shown.side(pane)
    if shown.mode != "step" or diff is None:
        return {}
    marks: dict[str, Mark] = dict.fromkeys(diff.moved, "moved")
    marks |= dict.fromkeys(diff.changed, "changed")
    marks |= dict.fromkeys(diff.removed, "removed") if pane == "left" else dict.fromkeys(diff.added, "added")
    if side is not None:
        graph = side.graph
        boxes = {graph.held[name] for name in marks if name in graph.held and name not in graph.nodes_of}
        for node in (graph.nodes[box] for box in boxes):
            if node.kind == "closed":
                marks.setdefault(node.instruction, "changed")
    return marks


def mark_counts(diff: StepDiff | None) -> dict[Mark, int]:
    """How many instructions a step marks, in the whole module; what both changed and moved counts as changed."""
    if diff is None:
        return {}
    counts: dict[Mark, int] = {"added": len(diff.added), "removed": len(diff.removed), "changed": len(diff.changed)}
    moved = len(diff.moved - diff.changed)
    return counts | ({"moved": moved} if moved else {})


def _notes(shown: Shown, pane: Pane) -> dict[str, str]:
    """Instruction or cluster -> its time and share, where the pane shows the snapshot that ran."""
    if shown.kernels is None or shown.snapshot_index(pane) != shown.sequence.last_index:
        return {}
    kernels = shown.kernels.kernels
    side = shown.side(pane)
    inside = _kernels_inside(side.graph, kernels) if side is not None else {}
    notes = {name: kernels_note(found, shown.kernels.run_us) for name, found in inside.items()}
    return notes | {kernel.name: kernel_note(kernel) for kernel in kernels}


def _kernels_inside(graph: DrawnGraph, kernels: Iterable[Kernel]) -> dict[str, list[Kernel]]:
    """The kernels within each cluster, closed or open."""
    found: dict[str, list[Kernel]] = {}
    for kernel in kernels:
        box = next(iter(graph.boxes_of(kernel.name)), -1)
        while box >= 0:
            node = graph.nodes[box]
            if node.cluster is not None:
                found.setdefault(node.instruction, []).append(kernel)
            box = node.parent
    return found
