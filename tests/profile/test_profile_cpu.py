"""Hand-made profiles: one rule each. Times in nanoseconds from the line's start."""

from __future__ import annotations

import pickle
import random

import pytest
from cpu_profiles import CHAIN, LOOP, build, read, table, times
from profile_builder import MODULE, SpaceBuilder, hlo_module

from xlaviz.base.errors import XlavizError
from xlaviz.hlo import hlo_pb2
from xlaviz.profile.profile import read_profile


def test_end_event_before_the_return_means_the_event_is_the_work() -> None:
    builder = build()
    builder.run(0, 100)
    builder.op("dot.1", 10, 50, logged=48)
    assert times(read(builder)) == [("dot.1", 10, 50, True)]


def test_asynchronous_op_ends_where_its_consumer_starts_not_at_its_late_end_event() -> None:
    builder = build()
    builder.run(0, 100)
    builder.op("dot.1", 10, 12, logged=90)
    builder.op("copy.3", 20, 25, logged=24)
    builder.op("add.2", 60, 70, logged=69, lane="worker")
    assert times(read(builder))[0] == ("dot.1", 10, 60, False)


def test_asynchronous_op_may_end_before_its_call_returned() -> None:
    builder = build()
    builder.run(0, 100)
    builder.op("dot.1", 10, 60, logged=80)
    builder.op("add.2", 40, 70, logged=69, lane="worker")
    assert times(read(builder))[0] == ("dot.1", 10, 40, False)


def test_end_event_bounds_an_asynchronous_op_without_a_consumer() -> None:
    builder = build()
    builder.run(0, 100)
    builder.op("copy.3", 10, 12, logged=90)
    assert times(read(builder)) == [("copy.3", 10, 90, False)]


def test_asynchronous_op_whose_end_was_never_logged_ends_with_the_run() -> None:
    builder = build()
    builder.run(0, 100)
    builder.op("copy.3", 10, 12)
    assert times(read(builder)) == [("copy.3", 10, 100, False)]


def test_end_event_after_the_run_does_not_reach_past_it() -> None:
    builder = build()
    builder.run(0, 100)
    builder.op("copy.3", 10, 12, logged=150)
    assert times(read(builder)) == [("copy.3", 10, 100, False)]


def test_consumer_in_another_run_is_no_bound() -> None:
    builder = build()
    builder.run(0, 100)
    builder.run(200, 300)
    builder.op("dot.1", 10, 12)
    builder.op("dot.1", 210, 212)
    builder.op("add.2", 250, 260, logged=259)
    assert [e[2] for e in times(read(builder))] == [100, 250, 260]


def test_value_that_leaves_a_loop_is_awaited_by_the_next_iteration_and_then_by_the_loops_user() -> None:
    builder = build(LOOP)
    builder.run(0, 100)
    builder.op("while.1", 5, 70, logged=69)
    builder.op("dot.1", 10, 12)
    builder.op("dot.1", 30, 32)
    builder.op("add.2", 75, 80, logged=79)
    assert [e for e in times(read(builder)) if e[0] == "dot.1"] == [("dot.1", 10, 30, False), ("dot.1", 30, 75, False)]


def test_without_end_events_dots_and_split_ops_are_taken_for_asynchronous() -> None:
    builder = build(partitioned=("add.2",))
    builder.event("EagerKernelExecute", 0, 100)
    builder.op("dot.1", 10, 12, producer=False, lane="executor")
    builder.op("add.2", 40, 45, producer=False, lane="worker")
    builder.op("copy.3", 20, 25, producer=False, lane="worker")
    assert times(read(builder)) == [("dot.1", 10, 40, False), ("copy.3", 20, 25, True), ("add.2", 40, 100, False)]


def test_without_end_events_a_call_of_a_split_op_is_asynchronous_too() -> None:
    builder = build(
        {
            "split": [("p", "parameter", (), ()), ("tanh.clone", "tanh", ("p",), ())],
            "main": [
                ("x", "parameter", (), ()),
                ("call.1", "call", ("x",), ("split",)),
                ("add.2", "fusion", ("call.1",), ()),
            ],
        },
        partitioned=("tanh.clone",),
    )
    builder.event("EagerKernelExecute", 0, 100)
    builder.op("call.1", 10, 14, producer=False)
    builder.op("tanh.clone", 11, 13, producer=False)
    builder.op("add.2", 50, 60, producer=False)
    assert times(read(builder)) == [("call.1", 10, 50, False), ("tanh.clone", 11, 50, False), ("add.2", 50, 60, True)]


def test_step_windows_serve_where_no_eager_window_holds_an_op() -> None:
    builder = build()
    builder.event("EagerKernelExecute", 0, 5)
    builder.event("xlaviz_step", 0, 50)
    builder.event("xlaviz_step", 50, 90)
    builder.op("copy.3", 10, 20, producer=False)
    builder.op("copy.3", 60, 70, producer=False)
    profile = read(builder)
    assert [event.run for event in profile.events] == [0, 1]
    assert [note for note in profile.notes if "xlaviz_step" in note]


def test_without_any_window_a_programs_ops_are_one_run() -> None:
    builder = build()
    builder.op("copy.3", 10, 20, producer=False)
    builder.op("copy.3", 30, 50, producer=False)
    profile = read(builder)
    assert [event.run for event in profile.events] == [0, 0]
    assert [note for note in profile.notes if "marks no executions" in note]
    assert table(profile).coverage == pytest.approx(0.75)


def test_overlapping_executions_of_one_program_are_noted() -> None:
    builder = build()
    builder.run(0, 100, lane="first")
    builder.run(50, 150, lane="second")
    builder.op("copy.3", 5, 8, logged=7, lane="first")
    builder.op("copy.3", 55, 58, logged=57, lane="second")
    assert [note for note in read(builder).notes if "overlap in time" in note]


def test_programs_at_the_same_time_keep_their_own_runs() -> None:
    builder = build()
    builder.embed(hlo_module(CHAIN, name="other"), program_id=8)
    builder.run(0, 100, lane="first")
    builder.run(10, 90, lane="second")
    builder.op("copy.3", 5, 8, logged=7, lane="first")
    builder.op("copy.3", 15, 18, logged=17, lane="second", program_id=8, module="other")
    builder.op("copy.3", 12, 30, logged=29, lane="worker")
    builder.op("copy.3", 40, 50, logged=49, lane="worker", program_id=8, module="other")
    profile = read(builder)
    assert [(e.program_id, e.run) for e in profile.events] == [(7, 0), (7, 0), (8, 1), (8, 1)]
    assert profile.main_program() == 7
    assert profile.main_program("other") == 8
    with pytest.raises(XlavizError, match="named like 'nothing', only of a_inference_f_1, other"):
        profile.main_program("nothing")


def test_module_that_ran_in_no_event_is_not_among_the_programs() -> None:
    builder = build()
    builder.embed(hlo_module(CHAIN, name="stale"), program_id=3)
    builder.run(0, 100)
    builder.op("dot.1", 10, 50, logged=49)
    profile = read(builder)
    assert profile.programs == {7: MODULE}
    assert list(profile.modules) == [7]


def test_program_without_its_module_is_noted() -> None:
    builder = SpaceBuilder()
    builder.run(0, 100)
    builder.op("dot.1", 10, 50)
    profile = read(builder)
    assert [note for note in profile.notes if "does not hold the module of a_inference_f_1" in note]
    assert times(profile) == [("dot.1", 10, 100, False)]


def test_program_ids_agree_whether_written_signed_or_unsigned() -> None:
    builder = SpaceBuilder()
    builder.embed(hlo_module(CHAIN), program_id=-5)
    builder.run(0, 100)
    builder.op("dot.1", 10, 50, logged=49, program_id=-5)
    profile = read(builder)
    assert profile.main_program() == 2**64 - 5
    assert table(profile).unmatched == 0


def test_launch_of_a_gpu_kernel_is_no_op() -> None:
    builder = build()
    event = builder.event("cuLaunchKernel", 10, 20)
    for name, value in (("hlo_op", "dot.1"), ("program_id", 7), ("correlation_id", 3)):
        builder.stat(event, name, value)
    assert len(read(builder).events) == 0


def test_damaged_module_is_one_clear_error() -> None:
    builder = build()
    builder.run(0, 100)
    builder.op("dot.1", 10, 50, logged=49)
    metadata = builder.space.planes[1].event_metadata[7]
    metadata.stats[0].bytes_value = metadata.stats[0].bytes_value[:-3]
    profile = read(builder)
    with pytest.raises(XlavizError, match="damaged HLO module"):
        profile.modules[7]


def test_profile_without_xla_says_so() -> None:
    builder = SpaceBuilder()
    builder.event("MatMul", 0, 10)
    profile = read(builder)
    assert profile.programs == {}
    (note,) = profile.notes
    assert note.startswith("a.xplane.pb has no events of a program compiled by XLA: ")
    with pytest.raises(XlavizError, match="has no events of a program compiled by XLA"):
        profile.main_program()


def test_profile_crosses_a_process_boundary() -> None:
    builder = build()
    builder.run(0, 100)
    builder.op("dot.1", 10, 50, logged=49)
    profile = read(builder)
    assert table(pickle.loads(pickle.dumps(profile))) == table(profile)


def test_bytes_cut_anywhere_are_a_clear_error_or_a_shorter_profile() -> None:
    builder = build()
    builder.run(0, 100)
    builder.op("dot.1", 10, 50, logged=49)
    data = builder.serialized()
    errors = []
    for length in range(len(data)):
        try:
            read_profile(data[:length], file="cut.pb")
        except XlavizError as error:
            errors.append(str(error))
    assert len(errors) > len(data) - 10
    assert {error.split(" ")[0] for error in errors} == {"cut.pb"}


def test_random_bytes_are_one_clear_error() -> None:
    source = random.Random(1)
    for length in [0, 1, 2, 7, *range(10, 2000, 37)]:
        with pytest.raises(XlavizError, match=r"^noise\.pb is not a profile"):
            read_profile(source.randbytes(length), file="noise.pb")


def test_hlo_proto_is_not_taken_for_a_profile() -> None:
    with pytest.raises(XlavizError, match="is not a profile"):
        read_profile(hlo_module(CHAIN).SerializeToString(), file="m.hlo.pb")


def test_who_takes_another_element_of_a_tuple_does_not_wait() -> None:
    builder = build(
        {
            "main": [
                ("x", "parameter", (), ()),
                ("dot.1", "dot", ("x",), ()),
                ("copy.3", "copy", ("x",), ()),
                ("pack", "tuple", ("dot.1", "copy.3"), ()),
                ("first", "get-tuple-element", ("pack",), ()),
                ("second", "get-tuple-element", ("pack",), ()),
                ("add.2", "fusion", ("second",), ()),
                ("add.4", "fusion", ("first",), ()),
            ]
        }
    )
    metadata = builder.space.planes[1].event_metadata[7]
    proto = hlo_pb2.HloProto.FromString(metadata.stats[0].bytes_value)
    for instruction in proto.hlo_module.computations[0].instructions:
        instruction.tuple_index = int(instruction.name == "second")
    metadata.stats[0].bytes_value = proto.SerializeToString()
    builder.run(0, 100)
    builder.op("dot.1", 10, 12, logged=90)
    builder.op("copy.3", 12, 14, logged=13)
    builder.op("add.2", 20, 25, logged=24, lane="worker")
    builder.op("add.4", 60, 70, logged=69, lane="worker")
    assert times(read(builder))[0] == ("dot.1", 10, 60, False)
