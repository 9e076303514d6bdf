"""Every form of file name that XLA's dumps have had, and the files beside them that are no snapshots."""

from __future__ import annotations

import pytest

from xlaviz.dumps.filenames import DumpName, parse_dump_name

TF = "a_inference_f_27__XlaMustCompile_true_config_proto_13561319589895757934_executor_type_1116_.13"


def parsed(file: str) -> DumpName:
    name = parse_dump_name(file)
    assert name is not None, file
    return name


@pytest.mark.parametrize(
    ("file", "module_id", "module_name", "kind", "backend"),
    [
        (f"module_0000.{TF}.before_optimizations.hlo.pb", 0, TF, "before", ""),
        (f"module_0000.{TF}.cpu_after_optimizations.txt", 0, TF, "after", "cpu"),
        ("module_0226.after_optimizations.txt", 226, "", "after", ""),
        ("module_0226.before_optimizations.txt", 226, "", "before", ""),
        ("module_0003.jit_f.sm_9.0_gpu_after_optimizations.txt", 3, "jit_f", "after", "gpu"),
        ("module_0003.jit_f.sm_10.0a_gpu_after_optimizations.hlo.pb", 3, "jit_f", "after", "gpu"),
        (f"module_0003.{TF}.sm_8.0_gpu_after_optimizations.hlo", 3, TF, "after", "gpu"),
        ("module_0003.sm_9.0_gpu_after_optimizations.txt", 3, "", "after", "gpu"),
        ("module_0003.jit_f.gfx942_gpu_after_optimizations.txt", 3, "jit_f", "after", "gpu"),
        ("module_0003.f.12.gfx942_gpu_after_optimizations.txt", 3, "f.12", "after", "gpu"),
        ("module_0003.jit_f._gpu_after_optimizations.txt", 3, "jit_f", "after", "gpu"),
        ("module_0003.f.12._gpu_after_optimizations.txt", 3, "f.12", "after", "gpu"),
        ("module_0003.jit_f.gpu_after_optimizations.hlo.pb.gz", 3, "jit_f", "after", "gpu"),
        ("module_0267.jit_train_step.cl_854318611.after_optimizations.txt", 267, "jit_train_step", "after", ""),
        ("module_0267.cl_854318611.before_optimizations.txt", 267, "", "before", ""),
        ("module_12345.SyncTensorsGraph.6428.before_optimizations.pbtxt", 12345, "SyncTensorsGraph.6428", "before", ""),
        ("1612345678901234.module_0007.pmap_f.3.before_optimizations.txt", 7, "pmap_f.3", "before", ""),
        ("module_0001.before_optimizations.7.after_optimizations.txt", 1, "before_optimizations.7", "after", ""),
    ],
)
def test_the_ends_of_the_pipeline(file: str, module_id: int, module_name: str, kind: str, backend: str) -> None:
    name = parsed(file)
    assert (name.module_id, name.module_name, name.kind, name.backend) == (module_id, module_name, kind, backend)
    assert name.number is None
    assert name.label == f"{kind} optimizations"


@pytest.mark.parametrize(
    ("state", "number", "pipeline", "pass_name", "label"),
    [
        (
            "0017.HLO_passes_after_layout_assignment.after_fusion.before_fusion-wrapper",
            17,
            "HLO_passes_after_layout_assignment",
            "fusion",
            "fusion",
        ),
        (
            "0004.simplification.after_pipeline-start.before_algsimp",
            4,
            "simplification",
            "",
            "simplification (start)",
        ),
        ("0014.dot-library-passes.after_dce.before_pipeline-end", 14, "dot-library-passes", "dce", "dce"),
        ("12345.optimization.after_while-loop.v2.before_cse", 12345, "optimization", "while-loop.v2", "while-loop.v2"),
        (
            "0015.outer.after_pipeline-start.before_after_layout_assignment",
            15,
            "outer",
            "",
            "outer (start)",
        ),
        ("0016.after_layout_assignment.after_cse.before_pipeline-end", 16, "after_layout_assignment", "cse", "cse"),
    ],
)
@pytest.mark.parametrize("head", [f"module_0000.{TF}", "module_0000", "1612345678901234.module_0000.f.0003.x"])
def test_passes(head: str, state: str, number: int, pipeline: str, pass_name: str, label: str) -> None:
    name = parsed(f"{head}.{state}.hlo.pb")
    assert name.kind == "pass"
    assert (name.number, name.pipeline, name.pass_name, name.label) == (number, pipeline, pass_name, label)
    assert name.module_name == head.partition("module_0000")[2].removeprefix(".")


@pytest.mark.parametrize(
    ("step", "label"),
    [
        ("after_adding_special-case_copies", "copy-insertion: adding special-case copies"),
        ("after_removing_unnecessary_copies", "copy-insertion: removing unnecessary copies"),
        ("before-assigning-layouts", "copy-insertion: before-assigning-layouts"),
    ],
)
def test_steps_inside_a_pass(step: str, label: str) -> None:
    name = parsed(f"module_0000.{TF}.0017.copy-insertion.{step}.hlo.pb")
    assert (name.kind, name.number, name.pass_name, name.label) == ("step", 17, "copy-insertion", label)
    assert name.module_name == TF


@pytest.mark.parametrize("module", ["f.0003", "jit_f.0000.after_x.before_y", "f.1234.5678", "0001.f", "module_0001.g"])
def test_a_number_in_the_modules_name_is_not_the_snapshots(module: str) -> None:
    name = parsed(f"module_0000.{module}.0012.pipeline.after_dce.before_cse.txt")
    assert (name.number, name.pass_name, name.module_name) == (12, "dce", module)
    assert parsed(f"module_0000.{module}.before_optimizations.txt").module_name == module


@pytest.mark.parametrize("ending", ["hlo.pb", "hlo.pb.gz", "txt", "hlo", "pbtxt"])
def test_endings(ending: str) -> None:
    assert parsed(f"module_0001.f.before_optimizations.{ending}").ending == ending


@pytest.mark.parametrize(
    "rest",
    [
        "cpu_after_optimizations-buffer-assignment.txt",
        "sm_9.0_gpu_after_optimizations-buffer-assignment.txt",
        "sm_9.0_gpu_after_optimizations-memory-usage-report.txt",
        "cpu_after_optimizations-live-range.txt",
        "cpu_after_optimizations.top_level.html",
        "before_optimizations.dot",
        "before_optimizations.riegeli",
        "debug_options",
        "config.pbtxt",
        "gpu_target_config.pbtxt",
        "execution_0000.hlo_snapshot.pb",
        "execution_0000.hlo_unoptimized_snapshot.txt",
        "ir-no-opt.ll",
        "dot_kernel_module.ir-with-opt.ll",
        "obj-file.dot_kernel_module.o",
        "__compute_module_fusion-pre-optimization.mlir",
        "thunk_sequence.txt",
        "thunk_sequence_after_thunk_passes.txt",
        "thunk_metadata.txt",
        "gemm_fusion.ttir.txt",
        "gemm_fusion.before_validation.ttir.txt",
        "gemm_fusion_dot.1234.0.hlo",
        "autotuner_1.gemm_fusion_dot.1234.0.before.txt",
        "autotuner_1.gemm_fusion_dot.1234.0.after.txt",
        "autotune_results.pbtxt",
        "priority_fusion_dump.txt",
        "ptx",
        "0.ptx",
    ],
)
@pytest.mark.parametrize("head", ["module_0001", "module_0001.jit_f", "module_0001.SyncTensorsGraph.6428"])
def test_files_beside_the_snapshots(head: str, rest: str) -> None:
    assert parse_dump_name(f"{head}.{rest}") is None


@pytest.mark.parametrize(
    "file",
    [
        "",
        "manifest.json",
        "notes.txt",
        "module_12.f.before_optimizations.txt",
        "module_x.before_optimizations.txt",
        "module_0001.txt",
        "module_0001.metadata.textproto",
        "module_f.execution_0001.hlo_snapshot.pb",
        "f.schedule.txt",
        "xmodule_0001.before_optimizations.txt",
        "module_0001.f_before_optimizations.txt",
        "123.module_0001.f.before_optimizations.txt",
    ],
)
def test_names_of_no_module(file: str) -> None:
    assert parse_dump_name(file) is None
