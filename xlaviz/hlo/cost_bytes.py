"""The bytes an instruction reads and writes, by XLA's HloCostAnalysis and, inside of fusions, GpuHloCostAnalysis
(xla/service/hlo_cost_analysis.cc, xla/service/gpu/model/gpu_hlo_cost_analysis.cc).

Unlike there, a tuple counts with the arrays it holds and not with its table of pointers, and the two halves of an
asynchronous operation are charged once between them.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence

from xlaviz.hlo.cost_flops import ELEMENTWISE, TRANSCENDENTAL
from xlaviz.hlo.cost_text import custom_call_target, integers
from xlaviz.hlo.model import HloComputation, HloInstruction, HloModule
from xlaviz.hlo.shapes import Shape

Operands = Sequence[Shape]
Bytes = Callable[[HloInstruction, Operands], float]

MOVES_NOTHING = frozenset({
    "add-dependency", "after-all", "async-done", "async-update", "bitcast", "constant", "domain", "get-tuple-element",
    "opt-barrier", "parameter", "recv", "send-done", "tuple",
})  # fmt: skip
"""Opcodes that touch no memory of their own."""

_STARTS = frozenset({
    "all-gather-start", "all-reduce-start", "collective-permute-start", "copy-start", "outfeed", "send"
})  # fmt: skip
_DONES = frozenset({
    "all-gather-done", "all-reduce-done", "collective-permute-done", "copy-done", "infeed", "recv-done"
})  # fmt: skip

IMMEDIATE_ELEMENTS = 8
"""Constants of a fusion up to this size are part of its code."""

_LIBRARIES = ("__cublas$", "__cudnn$", "__onednn$")
_PASSES_ON = (ELEMENTWISE | TRANSCENDENTAL | {"copy", "tuple", "get-tuple-element"}) - {"rng-bit-generator"}


def boundary_bytes(instruction: HloInstruction, operands: Operands) -> float:
    """What any instruction but a fusion or a caller of computations reads and writes.

    Of what happens in two halves, the start is charged for what is read and the done for what is written.
    """
    opcode = instruction.opcode
    if opcode in MOVES_NOTHING:
        return 0.0
    own = _BYTES.get(opcode)
    if own is not None:
        return float(own(instruction, operands))
    read = 0 if opcode in _DONES else sum(operand.byte_count for operand in operands)
    written = 0 if opcode in _STARTS else instruction.shape.byte_count
    return float(read + written)


def _slice(instruction: HloInstruction, _: Operands) -> float:
    return 2 * instruction.shape.byte_count


def _dynamic_slice(instruction: HloInstruction, operands: Operands) -> float:
    return 2 * instruction.shape.byte_count + operands[1].byte_count


def _dynamic_update_slice(_: HloInstruction, operands: Operands) -> float:
    """The update is read and written; the rest of the array stays where it is."""
    return 2 * operands[1].byte_count + operands[2].byte_count


def _scatter(_: HloInstruction, operands: Operands) -> float:
    """As many elements of the array are read and written as there are updates."""
    count = len(operands) // 2
    updates = sum(update.byte_count for update in operands[count + 1 :])
    return 3 * updates + operands[count].byte_count


def _triangular_solve(instruction: HloInstruction, operands: Operands) -> float:
    """Half of the matrix is read."""
    return instruction.shape.byte_count + operands[0].byte_count / 2 + operands[1].byte_count


def _cholesky(_: HloInstruction, operands: Operands) -> float:
    """Half of the matrix is read, half of it written."""
    return operands[0].byte_count


def _transpose(instruction: HloInstruction, operands: Operands) -> float:
    return 0.0 if _is_bitcast(instruction, operands[0]) else instruction.shape.byte_count + operands[0].byte_count


def _is_bitcast(transpose: HloInstruction, operand: Shape) -> bool:
    """Whether the layouts undo the transposition, so that nothing moves (ShapeUtil::TransposeIsBitcast)."""
    before, after = operand.layout, transpose.shape.layout
    if before is None or after is None:
        return False
    order = integers(transpose.attributes["dimensions"])
    moved = [order[dimension] for dimension in after.minor_to_major]
    sizes = operand.dimensions
    return [d for d in moved if sizes[d] != 1] == [d for d in before.minor_to_major if sizes[d] != 1]


def _custom_call(instruction: HloInstruction, operands: Operands) -> float:
    """A library's call returns its scratch memory last, beside its results: using much of it is no merit."""
    written = instruction.shape.byte_count
    if instruction.shape.is_tuple and custom_call_target(instruction).startswith(_LIBRARIES):
        written -= instruction.shape.elements[-1].byte_count
    return written + sum(operand.byte_count for operand in operands)


_BYTES: dict[str, Bytes] = {
    "cholesky": _cholesky,
    "custom-call": _custom_call,
    "dynamic-slice": _dynamic_slice,
    "dynamic-update-slice": _dynamic_update_slice,
    "gather": _dynamic_slice,
    "scatter": _scatter,
    "slice": _slice,
    "transpose": _transpose,
    "triangular-solve": _triangular_solve,
}


def fusion_bytes(module: HloModule, fusion: HloInstruction) -> float:
    """What a fusion reads and writes: parameters and large constants as far as the body uses them, and its results.

    A result that is a dynamic-update-slice is written in place: only the update counts (HandleFusion).
    """
    body = module.by_name[fusion.called_computations[0]]
    used = utilizations(module, body)
    read = (each.shape.byte_count * min(used[each.name], 1.0) for each in body.instructions if _is_read(each, body))
    return sum(_output_bytes(body)) + sum(read)


def _results(body: HloComputation) -> list[HloInstruction]:
    root = body.root_instruction
    return [body.by_name[name] for name in root.operands] if root.opcode == "tuple" else [root]


def _output_bytes(body: HloComputation) -> Iterator[float]:
    for result in _results(body):
        shape = result.shape
        if result.opcode == "dynamic-update-slice":
            shape = body.by_name[result.operands[1]].shape
        yield shape.byte_count


def _is_read(instruction: HloInstruction, body: HloComputation) -> bool:
    """Whether it stands for memory: a parameter, a part of one that is a tuple, a constant too large for code."""
    match instruction.opcode:
        case "parameter":
            return not instruction.shape.is_tuple
        case "get-tuple-element":
            return body.by_name[instruction.operands[0]].opcode == "parameter"
        case "constant":
            return instruction.shape.element_count > IMMEDIATE_ELEMENTS
    return False


def utilizations(module: HloModule, body: HloComputation) -> dict[str, float]:
    """Which part of each instruction's elements the body's results need, counted once for each place that reads them
    in an order of its own: 0.25 for what only a slice of a quarter reads (FusionCalculateUtilizations).

    Elementwise instructions hand on the places that read them, so that one read by two of them counts once.
    """
    in_place = {result.name for result in _results(body) if result.opcode == "dynamic-update-slice"}
    readers: dict[str, set[str]] = defaultdict(set, {body.root: {body.root}})
    shares: dict[str, float] = defaultdict(float, {body.root: 1.0})
    found: dict[str, float] = {}
    for instruction in reversed(body.instructions):
        own = readers[instruction.name]
        used = found[instruction.name] = sum(shares[reader] for reader in own)
        if instruction.opcode in _PASSES_ON:
            for operand in instruction.operands:
                readers[operand] |= own
            continue
        parts = _operand_parts(module, body, instruction)
        for place, operand in enumerate(instruction.operands):
            part = 0.0 if place == 0 and instruction.name in in_place else parts.get(place, 1.0)
            elements = body.by_name[operand].shape.element_count
            readers[operand].add(operand)
            shares[operand] += math.ceil(used * part * elements) / elements if elements else 0.0
    return found


def _operand_parts(module: HloModule, body: HloComputation, instruction: HloInstruction) -> dict[int, float]:
    """Operand number -> the part of it that the instruction reads, where that is less than all."""
    opcode = instruction.opcode
    if opcode == "fusion":
        inner = module.by_name[instruction.called_computations[0]]
        used = utilizations(module, inner)
        return {number: used[parameter.name] for number, parameter in inner.parameters.items()}
    if opcode in ("slice", "dynamic-slice", "gather"):
        whole = body.by_name[instruction.operands[0]].shape.element_count
        return {0: instruction.shape.element_count / whole} if whole else {}
    if opcode == "dynamic-update-slice":
        update = body.by_name[instruction.operands[1]].shape.element_count
        return {0: 1 - update / instruction.shape.element_count} if instruction.shape.element_count else {}
    return {}
