"""A computation of a module -> what is drawn of it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from xlaviz.graph.families import family_of
from xlaviz.graph.labels import (
    HEADER_PX,
    PORT_SIZE_PX,
    Label,
    closed_label,
    frame_label,
    instruction_label,
    is_trivial_reducer,
)
from xlaviz.graph.metrics import elide_end
from xlaviz.graph.model import DrawnEdge, DrawnGraph, DrawnNode, Kind
from xlaviz.hlo.model import HloComputation, HloInstruction, HloModule

MAX_DRAWN_USERS = 16
MAX_DRAWN_OPERANDS = 32
OPEN_AT_MOST = 350
"""Instructions up to which everything is opened when a module is first shown."""

_MAX_DEPTH = 24
_ALWAYS_OPENABLE = ("fusion", "call", "while", "conditional")
_INLINED = ("fusion", "call", "async-start", "custom-call")
"""Their one computation stands for the instruction itself: operands are its parameters, its root is the result."""


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
    called = [module.by_name[name] for name in instruction.called_computations if name in module.by_name]
    if instruction.opcode in _ALWAYS_OPENABLE:
        return bool(called)
    return not all(is_trivial_reducer(computation) for computation in called)


def default_open(module: HloModule, computation: str | None = None) -> frozenset[str]:
    """Everything where the whole stays a readable page, nothing otherwise."""
    start = module.by_name[computation or module.entry]
    found = set(_openable_below(module, start))
    count = sum(1 for c in _reached(module, start) for i in c.instructions if i.opcode not in ("parameter", "constant"))
    return frozenset(found) if count <= OPEN_AT_MOST else frozenset()


def all_open(module: HloModule, computation: str | None = None) -> frozenset[str]:
    return frozenset(_openable_below(module, module.by_name[computation or module.entry]))


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
    builder.add_computation(computation, parent=-1, depth=0)
    graph = builder.finish(computation)
    return neighbourhood(graph, options.focus, options.hops) if options.focus else graph


@dataclass(slots=True)
class _Output:
    """Where an instruction's value comes from in the drawing, and which element of it."""

    node: int
    label: str = ""


@dataclass(slots=True)
class _Builder:
    module: HloModule
    open: frozenset[str]
    nodes: list[DrawnNode] = field(default_factory=list)
    edges: list[DrawnEdge] = field(default_factory=list)

    def add_computation(self, computation: HloComputation, parent: int, depth: int) -> tuple[dict[int, int], _Output]:
        """Draw a computation inside `parent`; returns its ports by parameter number and its root's output."""
        outputs: dict[str, _Output] = {}
        folded = _folded_constants(computation)
        ports: dict[int, int] = {}
        pending: list[tuple[HloInstruction, dict[int, list[int]]]] = []
        for instruction in _operands_first(computation):
            if instruction.name in folded:
                continue
            if instruction.opcode == "get-tuple-element" and instruction.operands[0] in outputs:
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
            output, inputs = self._add_instruction(instruction, folded, parent, depth)
            outputs[instruction.name] = output
            pending.append((instruction, inputs))
        for instruction, inputs in pending:
            self._connect(instruction, inputs, outputs)
        return ports, outputs.get(computation.root, _Output(max(parent, 0)))

    def _add_port(self, instruction: HloInstruction, parent: int) -> int:
        title = str(instruction.parameter_number)
        return self._add(instruction, "port", Label(title, "", ()), parent, PORT_SIZE_PX)

    def _add_instruction(
        self, instruction: HloInstruction, folded: dict[str, str], parent: int, depth: int
    ) -> tuple[_Output, dict[int, list[int]]]:
        """Add a box or a frame; the second value maps operand places to the nodes inside that take them."""
        openable = is_openable(self.module, instruction)
        if openable and instruction.name in self.open and depth < _MAX_DEPTH:
            return self._add_frame(instruction, parent, depth)
        if openable:
            label, kind = closed_label(self.module, instruction), "closed"
        else:
            constants = [folded[name] for name in instruction.operands if name in folded]
            label, kind = instruction_label(self.module, instruction, constants), "instruction"
        index = self._add(instruction, kind, label, parent, label.size_px)  # type: ignore[arg-type]
        return _Output(index), {}

    def _add_frame(self, instruction: HloInstruction, parent: int, depth: int) -> tuple[_Output, dict[int, list[int]]]:
        label = frame_label(instruction)
        frame = self._add(instruction, "open", label, parent, (label.size_px[0], HEADER_PX))
        called = [self.module.by_name[name] for name in instruction.called_computations if name in self.module.by_name]
        if instruction.opcode in _INLINED and len(called) == 1:
            ports, root = self.add_computation(called[0], frame, depth + 1)
            return root, {place: [port] for place, port in ports.items()}
        inputs: dict[int, list[int]] = {}
        for position, computation in enumerate(called):
            title = Label(f"▾ {_role(instruction, position)} {elide_end(computation.name, 26)}", "", ())
            inner = self._add(instruction, "open", title, frame, (title.size_px[0], HEADER_PX))
            ports, _ = self.add_computation(computation, inner, depth + 1)
            for place, port in ports.items():
                inputs.setdefault(_operand_place(instruction, position, place), []).append(port)
        return _Output(frame), inputs | {-2: [frame]}

    def _add(
        self, instruction: HloInstruction, kind: Kind, label: Label, parent: int, size_px: tuple[float, float]
    ) -> int:
        family = family_of(instruction.opcode)
        node = DrawnNode(
            instruction.name, kind, family, label.title, label.tag, label.lines, size_px[0], size_px[1], parent
        )
        self.nodes.append(node)
        return len(self.nodes) - 1

    def _connect(self, instruction: HloInstruction, inputs: dict[int, list[int]], outputs: dict[str, _Output]) -> None:
        own = outputs[instruction.name].node
        frame = inputs.get(-2, [own])[0]
        for place, name in enumerate(instruction.operands):
            if name in outputs:
                for target in inputs.get(place, [frame]):
                    self.edges.append(DrawnEdge(outputs[name].node, target, place, outputs[name].label))
        for name in instruction.control_predecessors:
            if name in outputs:
                self.edges.append(DrawnEdge(outputs[name].node, frame, -1))

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
        nodes = _count_hidden(self.nodes, [edge for edge in self.edges if not is_kept(edge)])
        count = len(computation.instructions)
        return DrawnGraph(tuple(nodes), tuple(kept), computation.name, count)


def _role(instruction: HloInstruction, position: int) -> str:
    if instruction.opcode == "while":
        return ("body", "condition")[min(position, 1)]
    return f"branch {position}" if instruction.opcode == "conditional" else "computation"


def _operand_place(instruction: HloInstruction, position: int, parameter: int) -> int:
    """Which operand becomes `parameter` of the called computation at `position`."""
    return position + 1 if instruction.opcode == "conditional" else parameter


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


def _folded_constants(computation: HloComputation) -> dict[str, str]:
    """Scalar constants shown as text in their users' boxes: name -> value."""
    return {
        i.name: elide_end(i.literal, 10)
        for i in computation.instructions
        if i.opcode == "constant" and not i.shape.is_tuple and i.shape.element_count == 1 and i.name != computation.root
    }


def _count_hidden(nodes: list[DrawnNode], hidden: list[DrawnEdge]) -> list[DrawnNode]:
    operands: dict[int, int] = {}
    users: dict[int, int] = {}
    for edge in hidden:
        operands[edge.target] = operands.get(edge.target, 0) + 1
        users[edge.source] = users.get(edge.source, 0) + 1
    return [
        replace(
            node,
            hidden_operands=node.hidden_operands + operands.get(index, 0),
            hidden_users=node.hidden_users + users.get(index, 0),
        )
        if index in operands or index in users
        else node
        for index, node in enumerate(nodes)
    ]


def neighbourhood(graph: DrawnGraph, focus: str, hops: int) -> DrawnGraph:
    """Only what is within `hops` edges of the instruction `focus`, either way; cut edges are counted on the boxes.

    The whole graph where `focus` is not drawn in it.
    """
    kept = set(graph.nodes_of.get(focus, ()))
    if not kept:
        return graph
    near: dict[int, list[int]] = {}
    for edge in graph.edges:
        near.setdefault(edge.source, []).append(edge.target)
        near.setdefault(edge.target, []).append(edge.source)
    for index, node in enumerate(graph.nodes):
        if node.kind == "port" or node.parent in kept:
            near.setdefault(index, [])
    frontier = set(kept)
    for _ in range(hops):
        frontier = {other for index in frontier for other in near.get(index, ())} - kept
        kept |= frontier
    for index in list(kept):
        while (index := graph.nodes[index].parent) >= 0:
            kept.add(index)
    kept |= {i for i, node in enumerate(graph.nodes) if node.kind == "port" and node.parent in kept}
    place = {index: position for position, index in enumerate(sorted(kept))}
    edges = [e for e in graph.edges if e.source in place and e.target in place]
    cut = [e for e in graph.edges if (e.source in place) != (e.target in place)]
    counted = _count_hidden(list(graph.nodes), cut)
    return DrawnGraph(
        nodes=tuple(replace(counted[i], parent=place.get(counted[i].parent, -1)) for i in sorted(kept)),
        edges=tuple(replace(e, source=place[e.source], target=place[e.target]) for e in edges),
        computation=graph.computation,
        instruction_count=graph.instruction_count,
        notes=(f"neighbourhood of {focus}, {hops} hops",),
    )
