"""A computation of a module -> what is drawn of it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from xlaviz.graph.families import family_of
from xlaviz.graph.labels import (
    HEADER_PX,
    PORT_SIZE_PX,
    Label,
    called_computations,
    closed_label,
    frame_label,
    instruction_label,
    is_trivial_reducer,
)
from xlaviz.graph.metrics import elide_end
from xlaviz.graph.model import DrawnEdge, DrawnGraph, DrawnNode, Kind
from xlaviz.graph.neighbourhood import count_hidden, neighbourhood
from xlaviz.hlo.model import HloComputation, HloInstruction, HloModule

MAX_DRAWN_USERS = 16
MAX_DRAWN_OPERANDS = 32
OPEN_AT_MOST = 350
"""Instructions up to which everything is opened when a module is first shown."""

MAX_NODES = 20_000
"""Boxes above which nothing more is opened: a computation called often enough is drawn a million times."""

_MAX_DEPTH = 24
_ALWAYS_OPENABLE = ("fusion", "call", "while", "conditional")
_INLINED = ("fusion", "call", "async-start", "custom-call")
"""Their one computation stands for the instruction itself: operands are its parameters, its root is the result."""

_NOT_COUNTED = ("parameter", "constant")


@dataclass(frozen=True, slots=True)
class GraphOptions:
    """`computation` is the entry where None. `open` names the instructions drawn open, `focus` with `hops` keeps only
    the neighbourhood of one instruction."""

    computation: str | None = None
    open: frozenset[str] = frozenset()
    focus: str | None = None
    hops: int = 3


def is_openable(module: HloModule, instruction: HloInstruction) -> bool:
    """Whether the instruction calls something worth a frame."""
    called = called_computations(module, instruction)
    if instruction.opcode in _ALWAYS_OPENABLE:
        return bool(called)
    return not all(is_trivial_reducer(computation) for computation in called)


def default_open(module: HloModule, computation: str | None = None) -> frozenset[str]:
    """Everything where the whole stays a readable page, nothing otherwise."""
    start = module.by_name[computation or module.entry]
    is_readable = _size_opened(module, start, {}) <= OPEN_AT_MOST
    return frozenset(_openable_below(module, start)) if is_readable else frozenset()


def all_open(module: HloModule, computation: str | None = None) -> frozenset[str]:
    return frozenset(_openable_below(module, module.by_name[computation or module.entry]))


def _size_opened(module: HloModule, computation: HloComputation, known: dict[str, int], depth: int = 0) -> int:
    """How many instructions there are to see with everything open: what is called twice counts twice."""
    if computation.name not in known:
        known[computation.name] = 0  # ends the way round where a damaged file has a computation call itself
        size = sum(1 for i in computation.instructions if i.opcode not in _NOT_COUNTED)
        if depth < _MAX_DEPTH:
            opened = (i for i in computation.instructions if is_openable(module, i))
            inside = [c for i in opened for c in called_computations(module, i)]
            size += sum(_size_opened(module, c, known, depth + 1) for c in inside)
        known[computation.name] = size
    return known[computation.name]


def _reached(module: HloModule, start: HloComputation) -> Iterator[HloComputation]:
    seen: set[str] = set()
    stack = [start.name]
    while stack:
        name = stack.pop()
        if name not in seen and name in module.by_name:
            seen.add(name)
            yield module.by_name[name]
            stack.extend(c for i in module.by_name[name].instructions for c in i.called_computations)


def _openable_below(module: HloModule, start: HloComputation) -> Iterator[str]:
    for computation in _reached(module, start):
        for instruction in computation.instructions:
            if is_openable(module, instruction):
                yield instruction.name


def build_graph(module: HloModule, options: GraphOptions) -> DrawnGraph:
    """Fold what is noise, open what is asked for, number what is left."""
    builder = _Builder(module, options.open)
    computation = module.by_name[options.computation or module.entry]
    builder.add_computation(computation, parent=-1)
    graph = builder.finish(computation)
    return neighbourhood(graph, options.focus, options.hops) if options.focus else graph


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
    open: frozenset[str]
    nodes: list[DrawnNode] = field(default_factory=list)
    edges: list[DrawnEdge] = field(default_factory=list)
    inside: list[str] = field(default_factory=list)
    """The computations that are being drawn, each in the one before it."""
    is_full: bool = False

    def add_computation(self, computation: HloComputation, parent: int) -> tuple[dict[int, int], _Output]:
        """Draw a computation inside `parent`; returns its ports by parameter number and its root's output."""
        outputs: dict[str, _Output] = {}
        folded = _folded_constants(self.module, computation)
        ports: dict[int, int] = {}
        pending: list[tuple[HloInstruction, _Drawn]] = []
        self.inside.append(computation.name)
        for instruction in _operands_first(computation):
            if instruction.name in folded:
                continue
            if (
                instruction.opcode == "get-tuple-element"
                and instruction.operands[:1]
                and instruction.operands[0] in outputs
            ):
                source = outputs[instruction.operands[0]]
                label = f"{source.label}#{instruction.attributes.get('index', '?')}"
                if instruction.name != computation.root:
                    outputs[instruction.name] = _Output(source.node, label)
                    continue
            if instruction.parameter_number is not None and parent >= 0:
                index = self._add_port(instruction, parent)
                ports[instruction.parameter_number] = index
                outputs[instruction.name] = _Output(index)
                continue
            drawn = self._add_instruction(instruction, folded, parent)
            outputs[instruction.name] = drawn.output
            pending.append((instruction, drawn))
        for instruction, drawn in pending:
            self._connect(instruction, drawn, outputs)
        self.inside.pop()
        return ports, outputs.get(computation.root, _Output(parent))

    def _add_port(self, instruction: HloInstruction, parent: int) -> int:
        title = str(instruction.parameter_number)
        return self._add(instruction, "port", Label(title, "", ()), parent, PORT_SIZE_PX)

    def _add_instruction(self, instruction: HloInstruction, folded: dict[str, str], parent: int) -> _Drawn:
        openable = is_openable(self.module, instruction)
        if openable and instruction.name in self.open and self._has_room(instruction):
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
        return not self.is_full and len(self.inside) <= _MAX_DEPTH

    def _add_frame(self, instruction: HloInstruction, parent: int) -> _Drawn:
        label = frame_label(instruction)
        frame = self._add(instruction, "open", label, parent, (label.size_px[0], HEADER_PX))
        called = called_computations(self.module, instruction)
        if instruction.opcode in _INLINED and len(called) == 1:
            ports, root = self.add_computation(called[0], frame)
            return _Drawn(frame, root, {place: [port] for place, port in ports.items()})
        inner_ports: dict[int, list[int]] = {}
        for position, computation in enumerate(called):
            title = Label(f"▾ {_role(instruction, position)} {elide_end(computation.name, 26)}", "", ())
            inner = self._add(instruction, "open", title, frame, (title.size_px[0], HEADER_PX))
            ports, _ = self.add_computation(computation, inner)
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
        for place, name in enumerate(instruction.operands):
            if name in outputs:
                for target in drawn.ports.get(place, [drawn.node]):
                    self.edges.append(DrawnEdge(outputs[name].node, target, place, outputs[name].label))
        for name in instruction.control_predecessors:
            if name in outputs:
                self.edges.append(DrawnEdge(outputs[name].node, drawn.node, -1))

    def finish(self, computation: HloComputation) -> DrawnGraph:
        """Leave out the edges of hubs, which tie everything to everything, and count them on the boxes."""
        users: dict[int, int] = {}
        operands: dict[int, int] = {}
        for edge in self.edges:
            users[edge.source] = users.get(edge.source, 0) + 1
            operands[edge.target] = operands.get(edge.target, 0) + 1

        def is_kept(edge: DrawnEdge) -> bool:
            return users[edge.source] <= MAX_DRAWN_USERS and operands[edge.target] <= MAX_DRAWN_OPERANDS

        kept = [edge for edge in self.edges if is_kept(edge)]
        nodes = count_hidden(self.nodes, [edge for edge in self.edges if not is_kept(edge)])
        notes = (f"not everything is open: {MAX_NODES:,} boxes are the limit",) if self.is_full else ()
        return DrawnGraph(tuple(nodes), tuple(kept), computation.name, len(computation.instructions), notes)


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
