"""The framework's ops that an instruction names."""

from __future__ import annotations

import pytest

from xlaviz.hlo.op_names import split_op_name


@pytest.mark.parametrize(
    ("op_name", "ops"),
    [
        ("", ()),
        ("net/dense/MatMul", ("net/dense/MatMul",)),
        ("a/Mul;b/Add", ("a/Mul", "b/Add")),
        ("a/Mul; b/Add ;", ("a/Mul", "b/Add")),
        ("a/Mul;b/Add;a/Mul", ("a/Mul", "b/Add")),
        ("adam/Sqrt;StatefulPartitionedCall/adam/Sqrt", ("StatefulPartitionedCall/adam/Sqrt",)),
        ("StatefulPartitionedCall/adam/Sqrt;adam/Sqrt", ("StatefulPartitionedCall/adam/Sqrt",)),
        ("Sqrt;MySqrt", ("Sqrt", "MySqrt")),  # no scope of the other
        ("XLA_Args", ()),
        ("XLA_Retvals/0", ()),
        ("XLA_Args/x;net/Add", ("net/Add",)),
    ],
)
def test_split_op_name(op_name: str, ops: tuple[str, ...]) -> None:
    assert split_op_name(op_name) == ops
