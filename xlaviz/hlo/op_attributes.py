"""What makes up each opcode, from its HloInstructionProto, as XLA prints it."""

from __future__ import annotations

from collections.abc import Callable

from xlaviz.hlo import hlo_pb2 as pb
from xlaviz.hlo.lexer import quoted
from xlaviz.hlo.literals import literal_text
from xlaviz.hlo.shape_proto import shape_from_proto
from xlaviz.hlo.shardings import braced, joined, replica_groups_text, sharding_text
from xlaviz.hlo.windows import dim_labels_text, padding_text, window_text

Proto = pb.HloInstructionProto
Attributes = dict[str, str]
Own = Callable[[Proto, Attributes], None]


def _true(proto: object, found: Attributes, *names: str) -> None:
    """The flags that are set."""
    for name in names:
        if getattr(proto, name):
            found[name] = "true"


def _word(value: bool) -> str:
    return "true" if value else "false"


def _dimensions(proto: Proto, found: Attributes) -> None:
    found["dimensions"] = braced(proto.dimensions)


def _given_dimensions(proto: Proto, found: Attributes) -> None:
    if proto.dimensions:
        _dimensions(proto, found)


def _batch_norm(proto: Proto, found: Attributes) -> None:
    found["epsilon"] = f"{proto.epsilon:g}"
    found["feature_index"] = str(proto.feature_index)


def _fft(proto: Proto, found: Attributes) -> None:
    found["fft_type"] = pb.FftType.Name(proto.fft_type)
    found["fft_length"] = braced(proto.fft_length)


def _compare(proto: Proto, found: Attributes) -> None:
    found["direction"] = proto.comparison_direction
    # A type that follows from the operands is not printed.
    if proto.comparison_type == "TOTALORDER":
        found["type"] = proto.comparison_type


def _triangular_solve(proto: Proto, found: Attributes) -> None:
    options = proto.triangular_solve_options
    _true(options, found, "left_side", "lower", "unit_diagonal")
    if options.transpose_a:
        found["transpose_a"] = pb.TriangularSolveOptions.Transpose.Name(options.transpose_a)


def _cholesky(proto: Proto, found: Attributes) -> None:
    _true(proto.cholesky_options, found, "lower")


def _channel(proto: Proto, found: Attributes) -> None:
    if proto.channel_id:
        found["channel_id"] = str(proto.channel_id)


def _send(proto: Proto, found: Attributes) -> None:
    _channel(proto, found)
    _true(proto, found, "is_host_transfer")


def _collective(proto: Proto, found: Attributes) -> None:
    _channel(proto, found)
    found["replica_groups"] = replica_groups_text(proto)
    _true(proto, found, "constrain_layout")


def _all_gather(proto: Proto, found: Attributes) -> None:
    _collective(proto, found)
    _dimensions(proto, found)
    _true(proto, found, "use_global_device_ids")


def _all_reduce(proto: Proto, found: Attributes) -> None:
    _collective(proto, found)
    _true(proto, found, "use_global_device_ids")


def _reduce_scatter(proto: Proto, found: Attributes) -> None:
    _all_reduce(proto, found)
    _dimensions(proto, found)


def _all_to_all(proto: Proto, found: Attributes) -> None:
    _collective(proto, found)
    _given_dimensions(proto, found)


def _collective_permute(proto: Proto, found: Attributes) -> None:
    _channel(proto, found)
    found["source_target_pairs"] = (
        f"{{{','.join(braced((pair.source, pair.target)) for pair in proto.source_target_pairs)}}}"
    )
    if proto.dynamic_slice_sizes:
        found["slice_sizes"] = braced(proto.dynamic_slice_sizes)


def _copy_start(proto: Proto, found: Attributes) -> None:
    if proto.HasField("cross_program_prefetch_index"):
        found["cross_program_prefetch_index"] = str(proto.cross_program_prefetch_index)
    elif proto.is_cross_program_prefetch:
        found["is_cross_program_prefetch"] = "true"


def _async(proto: Proto, found: Attributes) -> None:
    if proto.async_execution_thread and proto.async_execution_thread != "main":
        found["async_execution_thread"] = quoted(proto.async_execution_thread)
    _aliasing(proto, found)


def _aliasing(proto: Proto, found: Attributes) -> None:
    if proto.output_operand_aliasing:
        pairs = ", ".join(
            f"{braced(a.output_shape_index)}: ({a.operand_index}, {braced(a.operand_shape_index)})"
            for a in proto.output_operand_aliasing
        )
        found["output_to_operand_aliasing"] = f"{{{pairs}}}"


def _fusion(proto: Proto, found: Attributes) -> None:
    found["kind"] = proto.fusion_kind
    _aliasing(proto, found)


def _rng(proto: Proto, found: Attributes) -> None:
    found["distribution"] = pb.RandomDistribution.Name(proto.distribution).lower()


def _rng_bit_generator(proto: Proto, found: Attributes) -> None:
    found["algorithm"] = pb.RandomAlgorithm.Name(proto.rng_algorithm).lower()


def _parameter(proto: Proto, found: Attributes) -> None:
    replicated = proto.parameter_replication.replicated_at_leaf_buffers
    if replicated:
        found["parameter_replication"] = f"{{{','.join(map(_word, replicated))}}}"


def _reduce_precision(proto: Proto, found: Attributes) -> None:
    found["exponent_bits"] = str(proto.exponent_bits)
    found["mantissa_bits"] = str(proto.mantissa_bits)


def _infeed(proto: Proto, found: Attributes) -> None:
    if proto.infeed_config:
        found["infeed_config"] = quoted(proto.infeed_config)


def _outfeed(proto: Proto, found: Attributes) -> None:
    found["outfeed_shape"] = str(shape_from_proto(proto.outfeed_shape))
    if proto.outfeed_config:
        found["outfeed_config"] = quoted(proto.outfeed_config)


def _window(proto: Proto, found: Attributes) -> None:
    if proto.window.dimensions:
        found["window"] = window_text(proto.window)


def _convolution(proto: Proto, found: Attributes) -> None:
    _window(proto, found)
    if proto.HasField("convolution_dimension_numbers"):
        found["dim_labels"] = dim_labels_text(proto.convolution_dimension_numbers)
    for name in ("feature_group_count", "batch_group_count"):
        if getattr(proto, name) > 1:
            found[name] = str(getattr(proto, name))
    _precision(proto, found)
    if proto.conv_kind:
        found["convolution_kind"] = pb.ConvolutionKind.Name(proto.conv_kind).rpartition("_")[2].lower()


def _precision(proto: Proto, found: Attributes) -> None:
    config = proto.precision_config
    if any(config.operand_precision):
        names = (pb.PrecisionConfig.Precision.Name(each).lower() for each in config.operand_precision)
        found["operand_precision"] = f"{{{','.join(names)}}}"
    if config.algorithm:
        found["algorithm"] = pb.PrecisionConfig.Algorithm.Name(config.algorithm).removeprefix("ALG_").lower()


def _custom_call(proto: Proto, found: Attributes) -> None:
    _convolution(proto, found)
    if proto.padding_type:
        found["padding_type"] = pb.PaddingType.Name(proto.padding_type)
    found["custom_call_target"] = quoted(proto.custom_call_target)
    if proto.constrain_layout:
        shapes = ", ".join(str(shape_from_proto(shape)) for shape in proto.operand_shapes_with_layout)
        found["operand_layout_constraints"] = f"{{{shapes}}}"
    _true(proto, found, "custom_call_has_side_effect")
    if proto.HasField("literal"):
        found["literal"] = f"{shape_from_proto(proto.literal.shape)} {literal_text(proto.literal, limit=None)}"
    _aliasing(proto, found)
    if proto.custom_call_schedule:
        found["schedule"] = pb.CustomCallSchedule.Name(proto.custom_call_schedule)
    if proto.custom_call_api_version not in (pb.API_VERSION_UNSPECIFIED, pb.API_VERSION_ORIGINAL):
        found["api_version"] = pb.CustomCallApiVersion.Name(proto.custom_call_api_version)


def _dot_dims(dims: pb.DotDimensionNumbers, found: Attributes) -> None:
    if dims.lhs_batch_dimensions:
        found["lhs_batch_dims"] = braced(dims.lhs_batch_dimensions)
    found["lhs_contracting_dims"] = braced(dims.lhs_contracting_dimensions)
    if dims.rhs_batch_dimensions:
        found["rhs_batch_dims"] = braced(dims.rhs_batch_dimensions)
    found["rhs_contracting_dims"] = braced(dims.rhs_contracting_dimensions)


def _dot(proto: Proto, found: Attributes) -> None:
    _dot_dims(proto.dot_dimension_numbers, found)
    _precision(proto, found)


def _ragged_dot(proto: Proto, found: Attributes) -> None:
    ragged = proto.ragged_dot_dimension_numbers
    _dot_dims(ragged.dot_dimension_numbers, found)
    found["lhs_ragged_dims"] = braced(ragged.lhs_ragged_dimensions)
    if ragged.rhs_group_dimensions:
        found["rhs_group_dims"] = braced(ragged.rhs_group_dimensions)
    _precision(proto, found)


def _slice(proto: Proto, found: Attributes) -> None:
    strides = any(each.stride != 1 for each in proto.slice_dimensions)
    ranges = ", ".join(
        f"[{each.start}:{each.limit}{f':{each.stride}' if strides else ''}]" for each in proto.slice_dimensions
    )
    found["slice"] = f"{{{ranges}}}"


def _gather(proto: Proto, found: Attributes) -> None:
    dims = proto.gather_dimension_numbers
    found["offset_dims"] = braced(dims.offset_dims)
    found["collapsed_slice_dims"] = braced(dims.collapsed_slice_dims)
    found["start_index_map"] = braced(dims.start_index_map)
    if dims.operand_batching_dims:
        found["operand_batching_dims"] = braced(dims.operand_batching_dims)
    if dims.start_indices_batching_dims:
        found["start_indices_batching_dims"] = braced(dims.start_indices_batching_dims)
    found["index_vector_dim"] = str(dims.index_vector_dim)
    found["slice_sizes"] = braced(proto.gather_slice_sizes)
    _true(proto, found, "indices_are_sorted")


def _scatter(proto: Proto, found: Attributes) -> None:
    dims = proto.scatter_dimension_numbers
    found["update_window_dims"] = braced(dims.update_window_dims)
    found["inserted_window_dims"] = braced(dims.inserted_window_dims)
    found["scatter_dims_to_operand_dims"] = braced(dims.scatter_dims_to_operand_dims)
    if dims.input_batching_dims:
        found["input_batching_dims"] = braced(dims.input_batching_dims)
    if dims.scatter_indices_batching_dims:
        found["scatter_indices_batching_dims"] = braced(dims.scatter_indices_batching_dims)
    found["index_vector_dim"] = str(dims.index_vector_dim)
    _true(proto, found, "indices_are_sorted", "unique_indices")


def _sort(proto: Proto, found: Attributes) -> None:
    _dimensions(proto, found)
    _true(proto, found, "is_stable")


def _top_k(proto: Proto, found: Attributes) -> None:
    found["k"] = str(proto.k)
    found["largest"] = _word(proto.largest)
    _true(proto, found, "is_stable")


def _scan(proto: Proto, found: Attributes) -> None:
    _dimensions(proto, found)
    found["num_carries"] = str(proto.num_carries)
    _true(proto, found, "is_reverse")
    if proto.is_associative:
        found["is_associative"] = _word(proto.is_associative == pb.TRI_STATE_TRUE)


def _domain(proto: Proto, found: Attributes) -> None:
    entry, exit_ = sharding_text(proto.domain_entry_sharding), sharding_text(proto.domain_exit_sharding)
    found["domain"] = f'{{kind="sharding", entry={entry}, exit={exit_}}}'


def _one(name: str, text: Callable[[Proto], str]) -> Own:
    """An opcode with one attribute that is always there."""

    def add(proto: Proto, found: Attributes) -> None:
        found[name] = text(proto)

    return add


def _reshape(proto: Proto, found: Attributes) -> None:
    if proto.dimensions:
        found["inferred_dimension"] = str(proto.dimensions[0])


def _call(proto: Proto, found: Attributes) -> None:
    _true(proto, found, "is_composite")
    _aliasing(proto, found)


OWN: dict[str, Own] = {
    **dict.fromkeys(("batch-norm-training", "batch-norm-inference", "batch-norm-grad"), _batch_norm),
    **dict.fromkeys(("broadcast", "concatenate", "map", "reduce", "reverse", "transpose"), _dimensions),
    **dict.fromkeys(("get-dimension-size", "set-dimension-size"), _dimensions),
    **dict.fromkeys(("send", "send-done", "recv", "recv-done"), _send),
    **dict.fromkeys(("all-gather", "all-gather-start"), _all_gather),
    **dict.fromkeys(("all-reduce", "all-reduce-start"), _all_reduce),
    **dict.fromkeys(("collective-broadcast", "ragged-all-to-all"), _collective),
    **dict.fromkeys(("collective-permute", "collective-permute-start"), _collective_permute),
    **dict.fromkeys(("async-start", "async-update", "async-done"), _async),
    **dict.fromkeys(("reduce-window", "select-and-scatter"), _window),
    "all-to-all": _all_to_all,
    "call": _call,
    "cholesky": _cholesky,
    "compare": _compare,
    "convolution": _convolution,
    "copy-start": _copy_start,
    "custom-call": _custom_call,
    "domain": _domain,
    "dot": _dot,
    "dynamic-slice": _one("dynamic_slice_sizes", lambda proto: braced(proto.dynamic_slice_sizes)),
    "fft": _fft,
    "fusion": _fusion,
    "gather": _gather,
    "get-tuple-element": _one("index", lambda proto: str(proto.tuple_index)),
    "infeed": _infeed,
    "iota": _one("iota_dimension", lambda proto: joined(proto.dimensions)),
    "outfeed": _outfeed,
    "pad": _one("padding", lambda proto: padding_text(proto.padding_config)),
    "parameter": _parameter,
    "ragged-dot": _ragged_dot,
    "reduce-precision": _reduce_precision,
    "reduce-scatter": _reduce_scatter,
    "reshape": _reshape,
    "rng": _rng,
    "rng-bit-generator": _rng_bit_generator,
    "rng-get-and-update-state": _one("delta", lambda proto: str(proto.delta)),
    "scaled-dot": _dot,
    "scan": _scan,
    "scatter": _scatter,
    "slice": _slice,
    "sort": _sort,
    "topk": _top_k,
    "triangular-solve": _triangular_solve,
}
"""Opcode -> what adds its attributes; an opcode that is not here has none of its own."""
