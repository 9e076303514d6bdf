"""Kernels added up. No group hides time: together they are the kernels."""

from __future__ import annotations

from collections.abc import Iterable

import pytest
from helpers.timing_tables import kernel, table

from xlaviz.timing.groups import KernelGroup, by_layer, by_line, by_op, by_opcode, layers_of

TABLE = table(
    kernel("dot.1", 40.0, "dot", flops=400.0, bytes=40.0),
    kernel("dot.2", 20.0, "dot", flops=100.0, bytes=20.0),
    kernel("fusion.3", 15.0, fusion_kind="kLoop", flops=10.0, bytes=8.0),
    kernel("fusion.4", 10.0, fusion_kind="kOutput", flops=None, bytes=4.0),
    kernel("copy.5", 5.0, "copy", flops=0.0, bytes=2.0),
)
OPS = {
    "dot.1": {"net/dense/MatMul": 1.0},
    "dot.2": {"gradient_tape/net/dense/MatMul": 1.0},
    "fusion.3": {"net/dense/Relu": 0.6, "net/loss/sub": 0.4},
    "fusion.4": {"gradient_tape/net/dense/Relu": 0.5, "net/loss/sub": 0.5},
    "copy.5": {},
}


def times(groups: Iterable[KernelGroup]) -> dict[str, float]:
    return {group.label: group.self_us for group in groups}


def test_by_opcode_fusions_are_of_their_kind() -> None:
    groups = by_opcode(TABLE)
    assert times(groups) == pytest.approx({"dot": 60.0, "fusion kLoop": 15.0, "fusion kOutput": 10.0, "copy": 5.0})
    assert [group.label for group in groups] == ["dot", "fusion kLoop", "fusion kOutput", "copy"]
    assert groups[0].kernels == ("dot.1", "dot.2")
    assert groups[0].share == pytest.approx(0.6)


def test_by_opcode_without_a_module() -> None:
    assert times(by_opcode(table(kernel("a", 3.0, ""), kernel("b", 4.0, "")))) == {"unknown": 7.0}


def test_by_op_a_kernel_is_divided() -> None:
    assert times(by_op(TABLE, OPS)) == pytest.approx(
        {
            "net/dense/MatMul": 40.0,
            "gradient_tape/net/dense/MatMul": 20.0,
            "net/loss/sub": 0.4 * 15 + 5,
            "net/dense/Relu": 9.0,
            "gradient_tape/net/dense/Relu": 5.0,
            "": 5.0,
        }
    )
    (shared,) = [group for group in by_op(TABLE, OPS) if group.label == "net/loss/sub"]
    assert shared.kernels == ("fusion.3", "fusion.4")  # the costlier part first
    assert shared.share == pytest.approx(0.11)


def test_by_layer_forward_and_backward_are_apart() -> None:
    assert times(by_layer(TABLE, OPS)) == pytest.approx(
        {"net/dense": 49.0, "net/dense (gradient)": 25.0, "net/loss": 11.0, "": 5.0}
    )


def test_by_line_ops_without_a_line_are_the_group_without_label() -> None:
    places = {"net/dense/MatMul": "a.py:3", "net/dense/Relu": "a.py:3", "net/loss/sub": "b.py:9"}
    groups = by_line(TABLE, OPS, lambda op: places.get(op, ""))
    assert times(groups) == pytest.approx({"a.py:3": 49.0, "b.py:9": 11.0, "": 30.0})
    (first, *_) = groups
    assert first.kernels == ("dot.1", "fusion.3")


def test_every_grouping_adds_up_to_the_kernels() -> None:
    for groups in (by_opcode(TABLE), by_op(TABLE, OPS), by_layer(TABLE, OPS), by_line(TABLE, OPS, lambda op: op[:3])):
        assert sum(group.self_us for group in groups) == pytest.approx(90.0)
        assert sum(group.share for group in groups) == pytest.approx(0.9)


def test_a_kernel_nobody_knows_the_ops_of_is_in_the_group_without_label() -> None:
    assert times(by_op(TABLE, {})) == pytest.approx({"": 90.0})


def test_work_of_a_group_is_that_of_its_kernels_in_one_run() -> None:
    (dots,) = [group for group in by_opcode(TABLE) if group.label == "dot"]
    assert (dots.flops, dots.bytes) == (500.0, 60.0)
    twice = by_opcode(table(kernel("dot.1", 40.0, "dot", flops=400.0, bytes=40.0, runs=20)))
    assert (twice[0].flops, twice[0].bytes) == (800.0, 80.0)  # 20 executions in 10 runs


def test_work_of_a_group_is_unknown_where_that_of_a_kernel_is_or_a_part_of_one() -> None:
    (output,) = [group for group in by_opcode(TABLE) if group.label == "fusion kOutput"]
    assert (output.flops, output.bytes) == (None, 4.0)
    (part,) = [group for group in by_op(TABLE, OPS) if group.label == "net/dense/Relu"]
    assert (part.flops, part.bytes) == (None, None)


def test_an_empty_table_has_no_groups() -> None:
    assert by_opcode(table(runs=0)) == ()


FORWARD = ("functional_1/dense/MatMul", "net/conv_1/convolution", "net/bn_1/batchnorm/mul", "net/bn_1/moments/mean")


@pytest.mark.parametrize(
    ("op_name", "layer"),
    [
        ("functional_1/dense/MatMul", "functional_1/dense"),
        ("StatefulPartitionedCall/functional_1/dense/MatMul", "functional_1/dense"),
        ("functional_1/dense/Tensordot/MatMul", "functional_1/dense"),
        ("gradient_tape/functional_1/dense/MatMul/MatMul_1", "functional_1/dense (gradient)"),
        ("gradient_tape/net/conv_1/convolution/Conv2DBackpropFilter", "net/conv_1 (gradient)"),
        ("net/bn_1/moments/mean", "net/bn_1"),
        ("gradient_tape/net/bn_1/batchnorm/mul/Mul", "net/bn_1 (gradient)"),
        ("jit(f)/jit(main)/transpose(jvp(dense))/dot_general", "dense (gradient)"),
        ("jit(f)/jit(main)/attention/bsd,de->bse/dot_general", "attention"),
        ("gradient_tape/MatMul", "(gradient)"),
        ("MatMul", ""),
        ("", ""),
    ],
)
def test_the_layer_of_an_op(op_name: str, layer: str) -> None:
    assert layers_of([op_name, *FORWARD])[op_name] == layer
