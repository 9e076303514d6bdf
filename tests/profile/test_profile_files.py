"""Real profiles: TensorFlow 2.19 to 2.21 on CPU. The coverage figures were computed by another program."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from xlaviz.base.errors import XlavizError
from xlaviz.profile.compilation import read_compilation
from xlaviz.profile.kernels import KernelTable, kernel_table
from xlaviz.profile.profile import Profile, read_profile

DATA = Path(__file__).parents[1] / "data" / "profile"
SHARED = Path(__file__).parents[3] / "shared" / "profiles"
needs_shared = pytest.mark.skipif(not SHARED.is_dir(), reason="the sample profiles beside the repository are absent")


def recorded(name: str) -> bytes:
    return gzip.decompress((DATA / f"{name}.xplane.pb.gz").read_bytes())


def profile(name: str) -> Profile:
    return read_profile(recorded(name), file=name)


def tables(found: Profile) -> dict[str, KernelTable]:
    """By the name of the Python function."""
    return {
        name.removeprefix("a_inference_").split("_")[0]: kernel_table(found, program_id, found.modules[program_id])
        for program_id, name in found.programs.items()
    }


@pytest.mark.parametrize(
    ("name", "events", "runs"),
    [
        ("train_tf221", 990, 30),
        ("three_functions_tf221", 344, 12),
        ("dense_tf221", 30, 10),
        ("conv_tf221", 40, 10),
        ("loop_tf221", 790, 10),
        ("dense_tf220", 60, 10),
        ("dense_tf219", 60, 10),
        ("loop_tf219", 790, 10),
    ],
)
def test_every_op_event_is_an_instruction_and_lies_in_a_run(name: str, events: int, runs: int) -> None:
    found = profile(name)
    assert (len(found.events), len(found.runs)) == (events, runs)
    assert {event.run for event in found.events} == set(range(runs))
    for table in tables(found).values():
        assert (table.unmatched, table.outside) == (0, 0)
        assert all(0 < coverage <= 1 for coverage in table.coverage_per_run)
        assert sum(kernel.runs for kernel in table.kernels) == sum(
            event.program_id == table.program_id for event in found.events
        )


@pytest.mark.parametrize(
    ("name", "percent", "asynchronous"),
    [("train_tf221", 70.6, 30), ("dense_tf221", 98.7, 10), ("conv_tf221", 89.4, 11), ("loop_tf221", 96.8, 0)],
)
def test_coverage_and_asynchronous_ops(name: str, percent: float, asynchronous: int) -> None:
    found = profile(name)
    (table,) = tables(found).values()
    assert round(100 * table.coverage, 1) == percent
    assert sum(not event.exact for event in found.events) == asynchronous


def test_convolution_is_more_than_its_hand_over() -> None:
    (table,) = tables(profile("conv_tf221")).values()
    first = table.kernels[0]
    assert (first.opcode, first.exact) == ("convolution", False)
    assert first.share > 0.5


def test_loops_share_is_the_loops_own_and_its_body_counts_each_iteration() -> None:
    (table,) = tables(profile("loop_tf221")).values()
    by_name = {kernel.name: kernel for kernel in table.kernels}
    assert by_name["while"].opcode == "while"
    assert by_name["matmul.4"].runs == 10 * by_name["while"].runs
    assert by_name["while"].self_us < by_name["while"].median_us / 2
    assert sum(kernel.share for kernel in table.kernels) <= 1


def test_functions_recorded_together_are_kept_apart() -> None:
    found = profile("three_functions_tf221")
    by_function = tables(found)
    assert {name: table.runs for name, table in by_function.items()} == {"dense": 4, "conv": 4, "loop": 4}
    assert found.programs[found.main_program()].startswith("a_inference_dense_")
    assert found.programs[found.main_program("_loop_")].startswith("a_inference_loop_")


@pytest.mark.parametrize("name", ["dense_tf219", "dense_tf220", "loop_tf219"])
def test_older_versions_say_how_runs_were_told(name: str) -> None:
    assert [note for note in profile(name).notes if "EagerKernelExecute" in note]


def test_version_without_end_events_infers_its_dots() -> None:
    (table,) = tables(profile("dense_tf219")).values()
    assert {kernel.opcode for kernel in table.kernels if not kernel.exact} >= {"dot", "call"}


def test_compilation_lists_every_pass_of_every_pipeline() -> None:
    passes = read_compilation(recorded("compile_tf221"), file="c")
    assert [event.name for event in passes if event.depth == 0] == [
        "sharding-removal",
        "SubbytePacker pipeline",
        "HLO passes through layout assignment",
        "hlo normalization",
        "dot-library-passes",
        "HLO passes after layout assignment",
        "CpuCompiler::RunBackend",
    ]
    rounds = [event for event in passes if event.name == "algsimp" and "simplification" in event.pipelines]
    assert [event.pipelines for event in rounds] == [
        ("HLO passes through layout assignment", "simplification", "simplification")
    ] * 3
    assert {"cholesky_expander", "fusion", "layout-assignment", "Codegen"} <= {event.name for event in passes}
    assert not {"MatMul.8", "f", "RunInvariantCheckers"} & {event.name for event in passes}
    assert all(event.depth == len(event.pipelines) for event in passes)


def test_compilation_of_an_older_version() -> None:
    passes = read_compilation(recorded("compile_tf219"), file="c")
    assert [event.name for event in passes if event.depth == 0][:3] == [
        "sharding-removal",
        "SubbytePacker pipeline",
        "HLO passes through layout assignment",
    ]
    assert ("fusion", ("HLO passes after layout assignment",)) in {(e.name, e.pipelines) for e in passes}


def test_profile_of_later_calls_holds_no_compilation() -> None:
    assert read_compilation(recorded("dense_tf221"), file="c") == ()


def test_cut_recording_is_one_clear_error() -> None:
    data = recorded("train_tf221")
    for length in (len(data) // 3, len(data) // 2, len(data) - 1):
        with pytest.raises(XlavizError, match=r"^cut\.pb is not a profile, or is cut short"):
            read_profile(data[:length], file="cut.pb")


@needs_shared
def test_gpu_profile_of_2020_has_nothing_to_link() -> None:
    file = SHARED / "cuda_gpu_multi_worker_tf_2020.xplane.pb"
    found = read_profile(file.read_bytes(), file=file.name)
    assert found.programs == {}
    assert len(found.notes) == 1


@needs_shared
def test_side_file_with_an_hlo_proto_is_not_a_profile() -> None:
    file = SHARED / "rocm_mi300_jit_forward_3d_conv.hlo_proto.pb"
    with pytest.raises(XlavizError, match="is not a profile"):
        read_profile(file.read_bytes(), file=file.name)


@needs_shared
@pytest.mark.parametrize(
    ("name", "events", "runs"),
    [
        ("jax_te_fused_attn", 150, 5),
        ("rocm_mi300_jax08_conv", 198, 40),
        ("rocm_mi300_jax08_elementwise", 65, 55),
        ("rocm_mi300_jax08_gemm", 42, 42),
        ("tpu_inference_2", 1504 + 3 * 1503 + 600, 414),
    ],
)
def test_every_op_event_of_a_device_is_an_instruction(name: str, events: int, runs: int) -> None:
    found = read_profile((SHARED / f"{name}.xplane.pb").read_bytes(), file=name)
    assert (len(found.events), len(found.runs)) == (events, runs)
    assert found.notes == ()
    for program_id in found.programs:
        table = kernel_table(found, program_id, found.modules[program_id])
        assert (table.unmatched, table.outside) == (0, 0)
        assert table.kernels


@needs_shared
def test_devices_driven_at_once_keep_their_own_runs() -> None:
    found = read_profile((SHARED / "rocm_mi300_jax08_conv.xplane.pb").read_bytes(), file="conv")
    for run in range(len(found.runs)):
        own = [event for event in found.events if event.run == run]
        assert len({event.lane.split(" ")[0] for event in own}) == 1
        assert [event.hlo_op for event in own].count("loop_transpose_fusion") <= 1
