"""What TensorFlow ran itself. Times in nanoseconds from the line's start."""

from __future__ import annotations

import pytest
from profile_builder import SpaceBuilder

from xlaviz.base.errors import XlavizError
from xlaviz.profile.tf_ops import TfOp, TfOps, read_tf_ops


class TfBuilder(SpaceBuilder):
    def tf_op(self, name: str, type_: str, start: int, end: int, *, lane: str = "tf_Compute/1") -> None:
        """An op's event; its metadata's display name is the type."""
        text = f"{name}:{type_}"
        self.event(text, start, end, lane=lane)
        next(one for one in self.host.event_metadata.values() if one.name == text).display_name = type_

    def call(self, start: int, end: int) -> None:
        self.event("xlaviz_step", start, end)


def read(builder: SpaceBuilder) -> TfOps:
    return read_tf_ops(builder.serialized(), file="a.xplane.pb")


def test_times_and_counts_are_medians_over_the_calls() -> None:
    builder = TfBuilder()
    for start, length in ((0, 10), (100, 30), (200, 20)):
        builder.call(start, start + 90 + length)
        builder.tf_op("net/MatMul", "MatMul", start + 10, start + 10 + length)
        builder.tf_op("net/Relu", "Relu", start + 50, start + 55)
        builder.tf_op("net/Relu", "Relu", start + 60, start + 65, lane="tf_Compute/2")
    found = read(builder)
    assert found == TfOps(3, 0.11, 3.0, (TfOp("net/MatMul", "MatMul", 1.0, 0.02), TfOp("net/Relu", "Relu", 2.0, 0.01)))


def test_an_op_that_most_calls_do_not_run_counts_as_none() -> None:
    builder = TfBuilder()
    for start in (0, 100, 200):
        builder.call(start, start + 90)
    builder.tf_op("rare/Assert", "Assert", 110, 150)
    assert read(builder).ops == (TfOp("rare/Assert", "Assert", 0.0, 0.0),)


def test_what_only_runs_others_is_no_kernel() -> None:
    builder = TfBuilder()
    builder.call(0, 100)
    callers = ("PartitionedCall", "StatefulPartitionedCall", "While", "If", "XlaLaunch", "_XlaRun")
    for type_ in (*callers, "__inference_f_12"):
        builder.tf_op(f"net/{type_}", type_, 10, 90)
    builder.tf_op("net/MatMul", "MatMul", 20, 30)
    assert [op.name for op in read(builder).ops] == ["net/MatMul"]


def test_what_is_not_named_like_an_op_is_none() -> None:
    builder = TfBuilder()
    builder.call(0, 100)
    builder.event("net/MatMul:MatMul", 10, 20)  # no display name
    builder.tf_op("", "MatMul", 10, 20)
    builder.event("ExecutorState::Process", 10, 20)
    assert read(builder).ops == ()


def test_what_lies_in_no_marked_call_is_left_out() -> None:
    builder = TfBuilder()
    builder.call(100, 200)
    for start in (50, 110, 200):
        builder.tf_op("net/MatMul", "MatMul", start, start + 10)
    assert read(builder).ops == (TfOp("net/MatMul", "MatMul", 1.0, 0.01),)


def test_a_name_with_colons_ends_at_the_last_one() -> None:
    builder = TfBuilder()
    builder.call(0, 100)
    builder.tf_op("net/a:b/MatMul", "MatMul", 10, 20)
    assert [op.name for op in read(builder).ops] == ["net/a:b/MatMul"]


def test_without_marked_calls_there_is_nothing() -> None:
    builder = TfBuilder()
    builder.tf_op("net/MatMul", "MatMul", 10, 20)
    assert read(builder) == TfOps(0, 0.0, 0.0, ())


def test_executions_per_call_are_the_median() -> None:
    builder = TfBuilder()
    for start, count in ((0, 1), (100, 3), (200, 2)):
        builder.call(start, start + 90)
        for number in range(count):
            builder.run(start + 10 * number, start + 10 * number + 5)
    builder.run(300, 310)
    assert read_tf_ops(builder.serialized(), file="a").programs_per_run == 2.0
    assert read_tf_ops(SpaceBuilder().serialized(), file="a").programs_per_run == 0.0


def test_bytes_that_are_no_profile_are_one_clear_error() -> None:
    with pytest.raises(XlavizError, match=r"^a\.pb is not a profile"):
        read_tf_ops(b"nothing", file="a.pb")
