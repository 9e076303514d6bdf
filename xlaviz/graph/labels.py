"""The words on a box: opcode with what makes it special, shape, folded operands."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from xlaviz.graph.metrics import TEXT_PX, TITLE_PX, elide_end, elide_middle, text_width_px
from xlaviz.hlo.model import HloComputation, HloInstruction, HloModule

PADDING_PX = 9.0
LINE_PX = 14.0
TITLE_ROW_PX = 19.0
MIN_WIDTH_PX = 84.0
MAX_WIDTH_PX = 300.0
PORT_SIZE_PX = (24.0, 15.0)
HEADER_PX = 22.0
_COMPARISONS = {"EQ": "=", "NE": "≠", "GE": "≥", "GT": ">", "LE": "≤", "LT": "<"}
_REDUCER_SIZE = 6
_NOTE_PX = 92.0
_KERNELS = (
    "dot convolution copy sort topk fft custom-call while conditional call cholesky triangular-solve reduce-window "
    "all-reduce all-gather reduce-scatter all-to-all collective-permute"
)
_TIMED_ALONE = frozenset(_KERNELS.split())
"""Opcodes that run as kernels of their own: their boxes keep room for a time."""

_TITLE_LENGTH = 30
_MOVES = "parameter constant tuple get-tuple-element broadcast reshape bitcast copy convert transpose"
_PLUMBING = frozenset(_MOVES.split())
"""Opcodes that say little of what a cluster does."""


@dataclass(frozen=True, slots=True)
class Label:
    """`note_px` is room kept for what is laid over later, such as a time: in the title row of a fusion, in the first
    line of any other box."""

    title: str
    tag: str
    lines: tuple[str, ...]
    note_px: float = 0.0

    @property
    def size_px(self) -> tuple[float, float]:
        """Width and height of a box that holds the label."""
        head = text_width_px(self.title, TITLE_PX, bold=True)
        if self.tag:
            head += 12 + text_width_px(self.tag, TEXT_PX)
        lines = [text_width_px(line, TEXT_PX) for line in self.lines]
        if self.tag and lines:
            lines[0] += self.note_px
        else:
            head += self.note_px
        width = max([head, *lines]) + 2 * PADDING_PX
        height = TITLE_ROW_PX + LINE_PX * len(self.lines) + 6
        return min(max(width, MIN_WIDTH_PX), MAX_WIDTH_PX), height


def called_computations(module: HloModule, instruction: HloInstruction) -> list[HloComputation]:
    """The computations an instruction calls, those that a damaged file lacks left out."""
    return [module.by_name[name] for name in instruction.called_computations if name in module.by_name]


def is_trivial_reducer(computation: HloComputation) -> bool:
    """Parameters and at most one thing that joins them: named in its caller's box rather than opened."""
    return len(computation.instructions) <= _REDUCER_SIZE and len(_joining(computation)) <= 1


def _joining(computation: HloComputation) -> list[str]:
    plumbing = ("parameter", "constant", "convert")
    return [i.opcode for i in computation.instructions if i.opcode not in plumbing]


def instruction_label(module: HloModule, instruction: HloInstruction, constants: Sequence[str]) -> Label:
    """The label of an instruction; `constants` are the values of the operands folded into it."""
    words = [instruction.opcode, *_special(module, instruction), *constants]
    title = elide_end(" ".join(words), _TITLE_LENGTH)
    tag = "" if instruction.name == instruction.opcode else elide_middle(_short_name(instruction), 22)
    note_px = _NOTE_PX if instruction.opcode in _TIMED_ALONE else 0.0
    return Label(title, tag, (elide_end(instruction.shape.text(layout=False), 40),), note_px)


def closed_label(module: HloModule, instruction: HloInstruction) -> Label:
    """The label of a closed fusion or call: how much is inside, and which opcodes."""
    inner = [
        i
        for computation in called_computations(module, instruction)
        for i in computation.instructions
        if i.opcode not in ("parameter", "constant", "tuple", "get-tuple-element")
    ]
    opcodes = ", ".join(dict.fromkeys(i.opcode for i in inner))
    kind = instruction.attributes.get("kind", instruction.opcode)
    count = f"{len(inner)} instruction{'' if len(inner) == 1 else 's'} · {kind}"
    shape = elide_end(instruction.shape.text(layout=False), 40)
    return Label(f"▸ {elide_middle(instruction.name, 28)}", "", (shape, count, elide_end(opcodes, 40)), _NOTE_PX)


def cluster_label(
    title: str, instructions: Sequence[HloInstruction], results: Sequence[HloInstruction], names: Sequence[str]
) -> Label:
    """The label of a closed cluster: what comes out of it, how much is inside, and which scopes, or opcodes most."""
    more = f" +{len(results) - 1}" if len(results) > 1 else ""
    shape = f"{elide_end(results[-1].shape.text(layout=False), 36 - len(more))}{more}" if results else ""
    opcodes = Counter(i.opcode for i in instructions if i.opcode not in _PLUMBING)
    kernels = [opcode for opcode in opcodes if opcode in _TIMED_ALONE]
    ordered = dict.fromkeys((*kernels, *(opcode for opcode, _ in opcodes.most_common())))
    words = ", ".join(f"{opcode} {opcodes[opcode]}" for opcode in ordered)
    count = f"{len(instructions):,} instruction{'' if len(instructions) == 1 else 's'}"
    lines = tuple(line for line in (shape, count, elide_end(", ".join(names) or words, 40)) if line)
    return Label(f"▸ {elide_middle(title, 34)}", "", lines, _NOTE_PX)


def frame_label(instruction: HloInstruction) -> Label:
    return Label(f"▾ {elide_middle(instruction.name, 34)}", "", (), _NOTE_PX)


def _special(module: HloModule, instruction: HloInstruction) -> list[str]:
    """What tells this instruction from others of its opcode."""
    match instruction.opcode:
        case "parameter":
            return [str(instruction.parameter_number)]
        case "constant":
            return [elide_end(instruction.literal, 14)]
        case "compare":
            direction = instruction.attributes.get("direction", "")
            return [_COMPARISONS.get(direction, direction)]
        case "get-tuple-element":
            return [instruction.attributes.get("index", "")]
        case "custom-call":
            return [instruction.attributes.get("custom_call_target", "").strip('"')]
    reducers = called_computations(module, instruction)
    return _joining(reducers[0]) if len(reducers) == 1 and is_trivial_reducer(reducers[0]) else []


def _short_name(instruction: HloInstruction) -> str:
    """`.7` for `dot.7`: the opcode is on the box already."""
    return instruction.name.removeprefix(instruction.opcode) or instruction.name
