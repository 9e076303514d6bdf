"""Windows, convolution dimension numbers and paddings as XLA prints them."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from xlaviz.hlo import hlo_pb2 as pb


def window_text(proto: pb.Window) -> str:
    """`{size=3x3 stride=2x2 pad=1_1x1_1 ...}`, what has its default value left out."""
    dimensions = proto.dimensions
    parts = [f"size={_by(dimensions, lambda d: str(d.size))}"]
    if any(d.stride != 1 for d in dimensions):
        parts.append(f"stride={_by(dimensions, lambda d: str(d.stride))}")
    if any(d.padding_low or d.padding_high for d in dimensions):
        parts.append(f"pad={_by(dimensions, lambda d: f'{d.padding_low}_{d.padding_high}')}")
    if any(d.base_dilation != 1 for d in dimensions):
        parts.append(f"lhs_dilate={_by(dimensions, lambda d: str(d.base_dilation))}")
    if any(d.window_dilation != 1 for d in dimensions):
        parts.append(f"rhs_dilate={_by(dimensions, lambda d: str(d.window_dilation))}")
    if any(d.window_reversal for d in dimensions):
        parts.append(f"rhs_reversal={_by(dimensions, lambda d: str(int(d.window_reversal)))}")
    return f"{{{' '.join(parts)}}}"


def _by(dimensions: Iterable[pb.WindowDimension], text: Callable[[pb.WindowDimension], str]) -> str:
    return "x".join(text(dimension) for dimension in dimensions)


def dim_labels_text(proto: pb.ConvolutionDimensionNumbers) -> str:
    """`b01f_01io->b01f`."""
    lhs = _labels(
        {proto.input_batch_dimension: "b", proto.input_feature_dimension: "f"}, proto.input_spatial_dimensions
    )
    rhs = _labels(
        {proto.kernel_input_feature_dimension: "i", proto.kernel_output_feature_dimension: "o"},
        proto.kernel_spatial_dimensions,
    )
    out = _labels(
        {proto.output_batch_dimension: "b", proto.output_feature_dimension: "f"}, proto.output_spatial_dimensions
    )
    return f"{lhs}_{rhs}->{out}"


def _labels(named: dict[int, str], spatial: Iterable[int]) -> str:
    labels = named | {dimension: str(number) for number, dimension in enumerate(spatial)}
    # XLA prints `?` for a dimension that has no part in the convolution.
    count = min(max(labels) + 1, 100) if labels else 0
    return "".join(labels.get(dimension, "?") for dimension in range(count))


def padding_text(proto: pb.PaddingConfig) -> str:
    """`0_1_0x2_2_1`, the interior padding only where some dimension has one."""
    interior = any(d.interior_padding for d in proto.dimensions)
    return "x".join(
        f"{d.edge_padding_low}_{d.edge_padding_high}" + (f"_{d.interior_padding}" if interior else "")
        for d in proto.dimensions
    )
