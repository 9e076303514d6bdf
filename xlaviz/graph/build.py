"""A computation of a module -> what is drawn of it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from xlaviz.graph.cluster_boxes import ClusterBoxes, Home
from xlaviz.graph.families import family_of
from xlaviz.graph.hubs import MAX_DRAWN_OPERANDS, MAX_DRAWN_USERS, split_edges
from xlaviz.graph.labels import (
    HEADER_PX,
    PORT_SIZE_PX,
    Label,
    called_computations,
    closed_label,
    frame_label,
    instruction_label,
)
from xlaviz.graph.metrics import elide_end
from xlaviz.graph.model import DrawnEdge, DrawnGraph, DrawnNode, Kind
from xlaviz.graph.neighbourhood import count_hidden, neighbourhood
from xlaviz.graph.openable import MAX_DEPTH, OPEN_AT_MOST, all_open, default_open, is_openable, scopes_of
from xlaviz.graph.options import GraphOptions
from xlaviz.hlo.model import HloComputation, HloInstruction, HloModule

__all__ = [
    "MAX_DRAWN_OPERANDS",
    "MAX_DRAWN_USERS",
    "MAX_NODES",
    "OPEN_AT_MOST",
    "GraphOptions",
    "all_open",
    "build_graph",
    "default_open",
    "is_openable",
]

MAX_NODES = 20_000
"""Boxes above which nothing more is opened: a computation called often enough is drawn a million times."""

_INLINED = ("fusion", "call", "async-start", "custom-call")
"""Their one computation stands for the instruction itself: operands are its parameters, its root is the result."""


def build_graph(module: HloModule, options: GraphOptions) -> DrawnGraph:
    """Fold what is noise, open what is asked for, number what is left."""
    builder = _Builder(module, options)
    computation = module.by_name[options.computation or module.entry]
    builder.add_computation(computation)
    graph = builder.finish(computation)
    if options.focus is None:
        return graph
    return neighbourhood(graph, options.focus, options.hops, options.direction)


@dataclass(frozen=True, slots=True)
class _Output:
    """Where an instruction's value comes from in the drawing, and which element of it."""

    node: int
    label: str = ""


@dataclass(frozen=True, slots=True)
class _Drawn:
    """What stands for an instruction: `node` takes its operands, but for those that have `ports` inside it."""

    node: int
    output: _Output
    ports: dict[int, list[int]] = field(default_factory=dict)


@dataclass(slots=True)
class _Builder:
    module: HloModule
    options: GraphOptions
    nodes: list[DrawnNode] = field(default_factory=list)
    edges: list[DrawnEdge] = field(default_factory=list)
    joined: dict[tuple[int, int], set[str]] = field(default_factory=dict)
    """Edges at closed clusters, which stand for several: the values that they carry."""
    held: dict[str, int] = field(default_factory=dict)
    inside: list[str] = field(default_factory=list)
    """The computations that are being drawn, each in the one before it."""
    is_full: bool = False

    def add_computation(
        self, computation: HloComputation, parent: int = -1, caller: HloInstruction | None = None
    ) -> tuple[dict[int, int], _Output]:
        """Draw a computation inside `parent`; returns its ports by parameter number and its root's output."""
        outputs: dict[str, _Output] = {}
        folded = _folded_constants(self.module, computation)
        ports: dict[int, int] = {}
        pending: list[tuple[HloInstruction, _Drawn]] = []
        self.inside.append(computation.name)
        homes = self._add_clusters(computation, parent, caller)
        for instruction in _operands_first(computation):
            home = homes.get(instruction.name, Home(parent))
            if home.is_closed:
                self.held[instruction.name] = home.node
            if instruction.name in folded:
                continue
            element = _element(instruction, outputs) if instruction.name != computation.root else None
            if element is not None:
                outputs[instruction.name] = element
                continue
            if instruction.parameter_number is not None and parent >= 0:
                index = self._add_port(instruction, parent)
                ports[instruction.parameter_number] = index
                outputs[instruction.name] = _Output(index)
                continue
            if home.is_closed:
                drawn = _Drawn(home.node, _Output(home.node))
            else:
                drawn = self._add_instruction(instruction, folded, home.node)
            outputs[instruction.name] = drawn.output
            pending.append((instruction, drawn))
        for instruction, drawn in pending:
            self._connect(instruction, drawn, outputs)
        self.inside.pop()
        return ports, outputs.get(computation.root, _Output(parent))

    def _add_clusters(self, computation: HloComputation, parent: int, caller: HloInstruction | None) -> dict[str, Home]:
        """Draw the clusters of a computation; returns the boxes round the instructions that are in one."""
        clusters = scopes_of(self.module, computation, caller) if self.options.clusters == "scopes" else None
        if clusters is None:
            return {}
        boxes = ClusterBoxes(self.module, clusters, self.options, self.nodes, MAX_NODES)
        boxes.add(clusters.top(), parent)
        self.is_full = self.is_full or boxes.is_full
        return boxes.homes

    def _add_port(self, instruction: HloInstruction, parent: int) -> int:
        title = str(instruction.parameter_number)
        return self._add(instruction, "port", Label(title, "", ()), parent, PORT_SIZE_PX)

    def _add_instruction(self, instruction: HloInstruction, folded: dict[str, str], parent: int) -> _Drawn:
        openable = is_openable(self.module, instruction)
        is_wanted = instruction.name in self.options.open and self.options.clusters != "none"
        if openable and is_wanted and self._has_room(instruction):
            return self._add_frame(instruction, parent)
        if openable:
            label, kind = closed_label(self.module, instruction), "closed"
        else:
            constants = [folded[name] for name in instruction.operands if name in folded]
            label, kind = instruction_label(self.module, instruction, constants), "instruction"
        index = self._add(instruction, kind, label, parent, label.size_px)  # type: ignore[arg-type]
        return _Drawn(index, _Output(index))

    def _has_room(self, instruction: HloInstruction) -> bool:
        """Whether the instruction can be opened here. Not inside itself, as a damaged file may ask for."""
        if any(name in self.inside for name in instruction.called_computations):
            return False
        self.is_full = self.is_full or len(self.nodes) >= MAX_NODES
        return not self.is_full and len(self.inside) <= MAX_DEPTH

    def _add_frame(self, instruction: HloInstruction, parent: int) -> _Drawn:
        label = frame_label(instruction)
        frame = self._add(instruction, "open", label, parent, (label.size_px[0], HEADER_PX))
        called = called_computations(self.module, instruction)
        if instruction.opcode in _INLINED and len(called) == 1:
            ports, root = self.add_computation(called[0], frame, instruction)
            return _Drawn(frame, root, {place: [port] for place, port in ports.items()})
        inner_ports: dict[int, list[int]] = {}
        for position, computation in enumerate(called):
            title = Label(f"▾ {_role(instruction, position)} {elide_end(computation.name, 26)}", "", ())
            inner = self._add(instruction, "open", title, frame, (title.size_px[0], HEADER_PX))
            ports, _ = self.add_computation(computation, inner, instruction)
            for parameter, port in ports.items():
                place = _operand_place(instruction, position, parameter)
                if place is not None:
                    inner_ports.setdefault(place, []).append(port)
        return _Drawn(frame, _Output(frame), inner_ports)

    def _add(
        self, instruction: HloInstruction, kind: Kind, label: Label, parent: int, size_px: tuple[float, float]
    ) -> int:
        family = family_of(instruction.opcode)
        node = DrawnNode(
            instruction.name, kind, family, label.title, label.tag, label.lines, size_px[0], size_px[1], parent
        )
        self.nodes.append(node)
        return len(self.nodes) - 1

    def _connect(self, instruction: HloInstruction, drawn: _Drawn, outputs: dict[str, _Output]) -> None:
        is_cluster = self.nodes[drawn.node].cluster is not None
        for place, name in enumerate(instruction.operands):
            output = outputs.get(name)
            if output is None or output.node == drawn.node:
                continue
            if is_cluster or self.nodes[output.node].cluster is not None:
                self.joined.setdefault((output.node, drawn.node), set()).add(name)
                if is_cluster:
                    continue
            for target in drawn.ports.get(place, [drawn.node]):
                self.edges.append(DrawnEdge(output.node, target, place, output.label))
        for name in instruction.control_predecessors:
            if name in outputs and outputs[name].node != drawn.node:
                self.edges.append(DrawnEdge(outputs[name].node, drawn.node, -1))

    def finish(self, computation: HloComputation) -> DrawnGraph:
        """The graph, the edges of hubs left out."""
        kept, hidden = split_edges(self.nodes, self._all_edges())
        nodes = count_hidden(self.nodes, hidden)
        notes = (f"not everything is open: {MAX_NODES:,} boxes are the limit",) if self.is_full else ()
        count = len(computation.instructions)
        return DrawnGraph(tuple(nodes), tuple(kept), computation.name, count, notes, self.held)

    def _all_edges(self) -> list[DrawnEdge]:
        """With one edge for all values that go from one box to a closed cluster."""
        joined = (
            DrawnEdge(source, target, 0, f"×{len(values)}" if len(values) > 1 else "")
            for (source, target), values in self.joined.items()
        )
        return [*self.edges, *joined]


def _role(instruction: HloInstruction, position: int) -> str:
    if instruction.opcode == "while":
        return ("body", "condition")[min(position, 1)]
    return f"branch {position}" if instruction.opcode == "conditional" else "computation"


def _operand_place(instruction: HloInstruction, position: int, parameter: int) -> int | None:
    """Which operand becomes `parameter` of the called computation at `position`; None where it gets single elements,
    as a reducer or a comparator does."""
    match instruction.opcode:
        case "while":
            return parameter
        case "conditional":
            return position + 1
    return None


def _element(instruction: HloInstruction, outputs: dict[str, _Output]) -> _Output | None:
    """The output that a get-tuple-element takes its value from, which needs no box for that."""
    if instruction.opcode != "get-tuple-element" or not instruction.operands:
        return None
    source = outputs.get(instruction.operands[0])
    return source and _Output(source.node, f"{source.label}#{instruction.attributes.get('index', '?')}")


def _operands_first(computation: HloComputation) -> Iterator[HloInstruction]:
    """The instructions in an order in which a get-tuple-element comes after its tuple, whatever the file's order."""
    late = []
    seen: set[str] = set()
    for instruction in computation.instructions:
        if all(name in seen for name in instruction.operands) or instruction.opcode != "get-tuple-element":
            seen.add(instruction.name)
            yield instruction
        else:
            late.append(instruction)
    yield from late


def _folded_constants(module: HloModule, computation: HloComputation) -> dict[str, str]:
    """Scalar constants shown as text in their users' boxes: name -> value. A fusion's box has no room for values."""
    kept = {name for i in computation.instructions if is_openable(module, i) for name in i.operands} | {
        computation.root
    }
    return {
        i.name: elide_end(i.literal, 10)
        for i in computation.instructions
        if i.opcode == "constant" and not i.shape.is_tuple and i.shape.element_count == 1 and i.name not in kept
    }
