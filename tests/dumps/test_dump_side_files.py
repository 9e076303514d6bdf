"""What lies beside the snapshots, and whose it is."""

from __future__ import annotations

from pathlib import Path

import pytest

from xlaviz.dumps.document import open_document
from xlaviz.dumps.sequence import pass_sequences
from xlaviz.dumps.side_files import kind_of, side_files

TEXT = "HloModule {name}\n\nENTRY main {{ x = f32[] parameter(0)\n ROOT y = f32[] negate(x) }}\n"


@pytest.mark.parametrize(
    ("file", "kind"),
    [
        ("module_0001.f.cpu_after_optimizations-buffer-assignment.txt", "buffer assignment"),
        ("module_0001.f.cpu_after_optimizations-memory-usage-report.txt", "memory usage"),
        ("module_0001.f.add_fusion_kernel_module.ir-no-opt.ll", "LLVM IR"),
        ("module_0001.f.ir-no-opt.part_00.ll", "LLVM IR"),
        ("module_0001.f.ir-with-opt.ll", "optimized LLVM IR"),
        ("module_0001.f.ptx", "PTX"),
        ("module_0001.f.0.ptx", "PTX"),
        ("module_0001.f.obj-file.add_fusion.o", "object code"),
        ("module_0001.f.__compute_module_add-pre-optimization.mlir", "MLIR"),
        ("module_0001.SyncTensorsGraph.6428.gemm_fusion.ttir.txt", "Triton IR"),
        ("module_0001.f.thunk_sequence.txt", "thunks"),
        ("module_0001.f.autotuner_0.dot.before.txt", "autotuning"),
        ("module_0001.f.debug_options", "options"),
        ("module_0001.f.sm_9.0_gpu_after_optimizations_before_buffer_assignment.txt", "HLO"),
        ("module_0001.f.execution_0000.hlo_snapshot.pb", "execution snapshot"),
        ("plugins/profile/2026/host.xplane.pb", "profile"),
        ("notes.doc", "other"),
    ],
)
def test_kinds(file: str, kind: str) -> None:
    assert kind_of(file) == kind


def test_files_go_to_their_module() -> None:
    names = [
        "module_0001.f.before_optimizations.txt",
        "module_0001.f.before_optimizations.hlo.pb",
        "module_0001.f.ir-no-opt.ll",
        "module_0001.g.before_optimizations.txt",
        "module_0001.g.debug_options",
        "module_0002.f.before_optimizations.txt",
        "1648647389777040.module_0002.f.ptx",
        "module_0009.h.ptx",
        "readme",
    ]
    first, second, third = sequences = pass_sequences(names)
    found = side_files(names, sequences)
    assert {one: [file.file for file in files] for one, files in found.items()} == {
        first: ["module_0001.f.ir-no-opt.ll"],
        second: ["module_0001.g.debug_options"],
        third: ["1648647389777040.module_0002.f.ptx"],
        None: ["module_0009.h.ptx", "readme"],
    }


def test_folders_below_are_searched(tmp_path: Path) -> None:
    """XLA can be told to make a folder for each module, and in it one for each process."""
    for process in ("host_1", "host_2"):
        folder = tmp_path / "jit_f" / process
        folder.mkdir(parents=True)
        (folder / "module_0001.jit_f.before_optimizations.txt").write_text(TEXT.format(name="jit_f"))
        (folder / "module_0001.jit_f.ptx").write_text("")
    document = open_document(tmp_path)
    assert [one.snapshots[0].file for one in document.sequences] == [
        "jit_f/host_1/module_0001.jit_f.before_optimizations.txt",
        "jit_f/host_2/module_0001.jit_f.before_optimizations.txt",
    ]
    assert [len(document.side_files[one]) for one in document.sequences] == [1, 1]
    assert document.read_module(document.sequences[1].snapshots[0]).name == "jit_f"


def test_hlo_files_without_a_dump_s_names(tmp_path: Path) -> None:
    (tmp_path / "one.hlo").write_text(TEXT.format(name="one"))
    (tmp_path / "bare.hlo").write_text("e { x = f32[] parameter(0)\n ROOT y = f32[] negate(x) }")
    (tmp_path / "two.txt").write_text(TEXT.format(name="a") + "// -----\n" + TEXT.format(name="b"))
    (tmp_path / "letter.txt").write_text("Dear reader")
    document = open_document(tmp_path)
    assert [one.name for one in document.sequences] == ["bare.hlo", "one.hlo", "two.txt", "two.txt, module 2"]
    assert [document.read_module(one.snapshots[0]).name for one in document.sequences[1:]] == ["one", "a", "b"]
    assert [file.file for file in document.side_files[None]] == ["letter.txt"]
