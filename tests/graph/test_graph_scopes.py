"""What of an `op_name` is a scope."""

from __future__ import annotations

import pytest

from xlaviz.graph.scopes import scope_path


@pytest.mark.parametrize(
    ("op_name", "scopes"),
    [
        ("", ""),
        ("MatMul", ""),
        ("functional_1/dense/MatMul", "functional_1 dense"),
        ("StatefulPartitionedCall/functional_1/dense/PartitionedCall/MatMul", "functional_1 dense"),
        ("gradient_tape/functional_1/dense/MatMul/MatMul_1", "gradient_tape functional_1 dense MatMul"),
        ("adam/Sqrt_358", "adam"),
        ("XLA_Args", ""),
        ("while/body/_4/while/lstm/MatMul", "lstm"),
        ("lstm/while/body/_12/lstm/while/MatMul", "lstm"),
        ("jit(train_step)/jit(main)/layers/mlp/dot_general", "layers mlp"),
        ("jit(f)/jit(main)/add", ""),
        ("jit(run)/jit(main)/while/body/jit(_interp)/jit(searchsorted)/while/body/eq", "interp searchsorted"),
        ("jit(train_step)/jvp(dense_4)/add", "dense_4"),
        ("jit(train_step)/transpose(jvp(dense_4))/dot_general", "gradient dense_4"),
        ("jit(f)/transpose(jvp())/while/body/closed_call/checkpoint/mul", "gradient"),
        ("jit(f)/vmap(jit(f))/decoder/add", "f decoder"),
        ("jit(f)/jvp(model/block)/add", "model block"),
        ("jit(run)/jit(main)/while/body/jit(_interp)/squeeze[dimensions=(0,)]", "interp"),
    ],
)
def test_wrappers_and_the_op_itself_are_no_scopes(op_name: str, scopes: str) -> None:
    assert " ".join(scope_path(op_name)) == scopes


def test_of_several_names_the_deepest_counts_and_the_last_of_those() -> None:
    assert scope_path("a/Add;b/c/Mul;b/d/Sub") == ("b", "d")
    assert scope_path("a/b/Add; c/Mul") == ("a", "b")


@pytest.mark.parametrize("op_name", ["/", "//", ";", "a;", "(", "jit(", "jit()/", "))/a/b", "while/body/_1"])
def test_damaged_names_are_read_without_complaint(op_name: str) -> None:
    assert all(scope_path(op_name))
