"""The arithmetic of single instructions, by the formulas of XLA's HloCostAnalysis (xla/service/hlo_cost_analysis.cc).

Each function takes an instruction and the shapes of its operands. A malformed instruction raises LookupError or
ValueError.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from xlaviz.hlo.cost_text import (
    WindowDimension,
    backend_config,
    custom_call_target,
    dimension_labels,
    integers,
    window_dimensions,
)
from xlaviz.hlo.model import HloInstruction
from xlaviz.hlo.shapes import Shape

Operands = Sequence[Shape]
Flops = Callable[[HloInstruction, Operands], float | None]
Times = Callable[[HloInstruction, Operands], tuple[int, ...]]

_MULTIPLY_ADD = 2
_MAX_KERNEL = 1 << 20  # along one dimension: a larger one stands in a damaged file and would take minutes to count
_MATMUL_TARGETS = frozenset({"__onednn$matmul"})
_GEMM_TARGETS = ("__cublas$gemm", "__cublas$lt$matmul")
_CONVOLUTION_TARGET = "__cudnn$conv"

TRANSCENDENTAL = frozenset({
    "acos", "acosh", "asin", "asinh", "atan2", "atanh", "cbrt", "cosh", "cosine", "erf", "exponential",
    "exponential-minus-one", "log", "log-plus-one", "logistic", "power", "rng", "rng-bit-generator", "rsqrt", "sine",
    "sinh", "sqrt", "tan", "tanh",
})  # fmt: skip
"""Opcodes XLA counts apart from FLOPs, one for each element of the result."""

ELEMENTWISE = frozenset({
    "abs", "add", "and", "bitcast-convert", "ceil", "clamp", "compare", "complex", "convert", "count-leading-zeros",
    "divide", "floor", "imag", "is-finite", "maximum", "minimum", "multiply", "negate", "not", "or", "popcnt", "real",
    "reduce-precision", "remainder", "round-nearest-afz", "round-nearest-even", "select", "shift-left",
    "shift-right-arithmetic", "shift-right-logical", "sign", "stochastic-convert", "subtract", "xor",
})  # fmt: skip
"""Opcodes of one FLOP for each element of the result, whatever its type."""


def first_array(shape: Shape) -> Shape:
    """The array itself, or the first of a tuple's."""
    return shape.elements[0] if shape.is_tuple else shape


def dot_flops(lhs: Shape, output: Shape, contracting: Sequence[int]) -> float:
    """A multiply-add for each element of the output and each place along the contracted dimensions of `lhs`."""
    return _MULTIPLY_ADD * output.element_count * math.prod(lhs.dimensions[dimension] for dimension in contracting)


def convolution_flops(instruction: HloInstruction, lhs: Shape, rhs: Shape, output: Shape) -> float:
    """A multiply-add for each pair of an input and a kernel element that meet: what falls in the padding, or
    between the elements of a dilated input, costs nothing (HandleConvolution).
    """
    attributes = instruction.attributes
    labels = dimension_labels(attributes["dim_labels"])
    positions = math.prod(
        _valid_positions(
            window,
            lhs.dimensions[labels.lhs[str(spatial)]],
            rhs.dimensions[labels.rhs[str(spatial)]],
            output.dimensions[labels.output[str(spatial)]],
        )
        for spatial, window in enumerate(window_dimensions(attributes.get("window", "")))
    )
    input_features = lhs.dimensions[labels.lhs["f"]] // int(attributes.get("feature_group_count", "1"))
    batch = lhs.dimensions[labels.lhs["b"]] // int(attributes.get("batch_group_count", "1"))
    return _MULTIPLY_ADD * input_features * output.dimensions[labels.output["f"]] * batch * positions


def _valid_positions(window: WindowDimension, input_size: int, kernel_size: int, output_size: int) -> int:
    """Pairs (kernel index k, output index o) for which o * stride - padding + k * dilation hits an input element.

    An input element stands at every multiple of the base dilation. Counted for each k in one step: the o in range
    that solve the congruence lie `step` apart.
    """
    if kernel_size > _MAX_KERNEL:
        raise ValueError(f"a kernel of {kernel_size} elements")
    common = math.gcd(window.stride, window.base_dilation)
    step = window.base_dilation // common
    inverse = pow(window.stride // common, -1, step)
    count = 0
    for index in range(kernel_size):
        shift = window.padding_low - index * window.window_dilation
        if shift % common:
            continue
        first = max(-(-shift // window.stride), 0)
        last = min(((input_size - 1) * window.base_dilation + shift) // window.stride, output_size - 1)
        first += (shift // common * inverse - first) % step
        count += max((last - first) // step + 1, 0)
    return count


def _dot(instruction: HloInstruction, operands: Operands) -> float:
    return dot_flops(operands[0], instruction.shape, integers(instruction.attributes["lhs_contracting_dims"]))


def _ragged_dot(instruction: HloInstruction, operands: Operands) -> float:
    """As a dot: each row of `lhs` meets the one group it belongs to."""
    contracting = integers(instruction.attributes["lhs_contracting_dims"])
    flops = dot_flops(operands[0], instruction.shape, contracting)
    is_split = set(contracting) & set(integers(instruction.attributes.get("lhs_ragged_dims", "")))
    # Groups that split the contracted dimension share its places among the results.
    return flops / max(instruction.shape.dimensions[0], 1) if is_split else flops


def _convolution(instruction: HloInstruction, operands: Operands) -> float:
    return convolution_flops(instruction, operands[0], operands[1], instruction.shape)


def _custom_call(instruction: HloInstruction, operands: Operands) -> float | None:
    """Library calls that stand for one dot or convolution, as in GpuHloCostAnalysis; None for any other target."""
    target = custom_call_target(instruction)
    if instruction.shape.is_tuple and not instruction.shape.elements:
        return None
    output = first_array(instruction.shape)
    if target.startswith(_CONVOLUTION_TARGET):
        return _library_convolution(instruction, target, operands, output)
    if target.startswith(_GEMM_TARGETS):
        contracting = _gemm_contracting(instruction)
        return dot_flops(operands[0], output, contracting) if contracting is not None else None
    if target in _MATMUL_TARGETS:
        # Every element of the left matrix, transposed or not, meets one row of the right one.
        return _MULTIPLY_ADD * operands[0].element_count * output.dimensions[-1]
    return None


def _gemm_contracting(instruction: HloInstruction) -> tuple[int, ...] | None:
    """The contracted dimensions of the left operand; None where the configuration does not tell."""
    config = backend_config(instruction)
    for key in ("gemm_backend_config", "dot_dimension_numbers"):
        inner = config.get(key, config)
        config = inner if isinstance(inner, dict) else {}
    dimensions = config.get("lhs_contracting_dimensions")
    return tuple(int(each) for each in dimensions) if isinstance(dimensions, list) else None


def _library_convolution(instruction: HloInstruction, target: str, operands: Operands, result: Shape) -> float | None:
    """The FLOPs of the forward convolution whose input, kernel and output the call's arrays are."""
    if "dim_labels" not in instruction.attributes:
        return None
    if target.endswith("BackwardInput"):
        return convolution_flops(instruction, result, operands[1], operands[0])
    if target.endswith("BackwardFilter"):
        return convolution_flops(instruction, operands[0], result, operands[1])
    return convolution_flops(instruction, operands[0], operands[1], result)


def _fft(instruction: HloInstruction, operands: Operands) -> float:
    """8 n times the product of log2 of the lengths: XLA's estimate, high for several dimensions."""
    logs = math.prod(max(length, 1).bit_length() - 1 for length in integers(instruction.attributes["fft_length"]))
    return 4 * _MULTIPLY_ADD * logs * first_array(operands[0]).element_count


def _sort(_: HloInstruction, operands: Operands) -> float:
    """n log2 n comparisons, of all the elements at once."""
    elements = operands[0].element_count
    return elements * max(elements - 1, 0).bit_length()


def _triangular_solve(_: HloInstruction, operands: Operands) -> float:
    return _MULTIPLY_ADD * operands[0].dimensions[-1] * operands[1].element_count


def _cholesky(_: HloInstruction, operands: Operands) -> float:
    return operands[0].dimensions[-1] * operands[0].element_count // 3


def _all_reduce(instruction: HloInstruction, _: Operands) -> float:
    """One operation an element: XLA assumes two replicas."""
    return instruction.shape.element_count


def _unknown(_: HloInstruction, __: Operands) -> float | None:
    return None


FLOPS: dict[str, Flops] = {
    **dict.fromkeys(("dot", "scaled-dot"), _dot),
    **dict.fromkeys(("all-reduce", "all-reduce-start"), _all_reduce),
    # XLA has no formula for these and counts nothing.
    **dict.fromkeys(("batch-norm-training", "batch-norm-inference", "batch-norm-grad", "topk", "scan"), _unknown),
    "cholesky": _cholesky,
    "convolution": _convolution,
    "custom-call": _custom_call,
    "fft": _fft,
    "ragged-dot": _ragged_dot,
    "sort": _sort,
    "triangular-solve": _triangular_solve,
}
"""Opcode -> its FLOPs; None where they are not known."""


def _map(instruction: HloInstruction, _: Operands) -> tuple[int, ...]:
    return (instruction.shape.element_count,)


def _reduce(instruction: HloInstruction, operands: Operands) -> tuple[int, ...]:
    return (operands[0].element_count - first_array(instruction.shape).element_count,)


def _reduce_window(instruction: HloInstruction, _: Operands) -> tuple[int, ...]:
    """One less than the window's elements for each of the result's, padding not looked at.

    A window that takes in its whole dimension from every place is a reduce and a broadcast to XLA, and so here.
    """
    output = first_array(instruction.shape)
    windows = window_dimensions(instruction.attributes.get("window", ""))
    wide = [place for place, window in enumerate(windows) if window.size != 1]
    padded = [place for place, window in enumerate(windows) if window.padding_low or window.padding_high]
    if not instruction.shape.is_tuple and len(wide) == 1 and wide == padded:
        window, size = windows[wide[0]], output.dimensions[wide[0]]
        if window.padding_low == window.padding_high == size - 1 and window.size == 2 * size - 1:
            return (output.element_count // size + size - 1,)
    return ((math.prod(window.size for window in windows) - 1) * output.element_count,)


def _select_and_scatter(instruction: HloInstruction, operands: Operands) -> tuple[int, ...]:
    """The window's elements but one are compared by `select`, the one found is combined by `scatter`."""
    windows = window_dimensions(instruction.attributes.get("window", ""))
    source = operands[1].element_count
    return source * (math.prod(window.size for window in windows) - 1), source


def _scatter(_: HloInstruction, operands: Operands) -> tuple[int, ...]:
    """Operands are arrays, indices, updates: n, 1 and n of them."""
    return (operands[len(operands) // 2 + 1].element_count,)


TIMES: dict[str, Times] = {
    "map": _map,
    "reduce": _reduce,
    "reduce-window": _reduce_window,
    "scatter": _scatter,
    "select-and-scatter": _select_and_scatter,
}
"""Opcode -> how often it applies each of its called computations."""
