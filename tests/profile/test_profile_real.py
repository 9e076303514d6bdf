"""What holds of every profile: real ones of CPUs, GPUs and TPUs."""

from __future__ import annotations

import gzip
from pathlib import Path

import numpy as np
import pytest

from xlaviz.profile.executions import CONTROL_FLOW
from xlaviz.profile.kernels import kernel_table
from xlaviz.profile.profile import Profile, read_profile
from xlaviz.profile.timeline import executions, timeline

RECORDED = sorted((Path(__file__).parents[1] / "data" / "profile").glob("[!c]*.xplane.pb.gz"))
SHARED = ("jax_te_fused_attn", "rocm_mi300_jax08_conv", "rocm_mi300_jax08_gemm", "tpu_inference_2")


def check(profile: Profile) -> None:
    assert profile.programs
    for program_id in profile.programs:
        module = profile.modules[program_id]
        whole = kernel_table(profile, program_id, module)
        assert sum(kernel_table(profile, program_id, module, name).runs for name in whole.devices) == whole.runs
        for device in whole.devices:
            table = kernel_table(profile, program_id, module, device)
            assert sum(kernel.share for kernel in table.kernels) <= 1.001  # medians, each over all runs
            spent_us = sum(kernel.self_per_run_us for kernel in table.kernels)
            assert spent_us + table.unattributed_us == pytest.approx(table.run_us)
            for kernel in table.kernels:
                assert 0 <= kernel.min_us <= kernel.p10_us <= kernel.median_us <= kernel.p90_us
                assert kernel.self_us <= kernel.median_us or kernel.opcode in CONTROL_FLOW
                assert kernel.self_per_run_us <= kernel.total_per_run_us + 1e-9
                found = executions(profile, program_id, module, kernel.name, device)
                assert found is not None
                assert len(found.run) == kernel.runs
                assert np.median(found.duration_us) == pytest.approx(kernel.median_us)
                assert (np.diff(found.run) >= 0).all()
            for run in (0, None, table.runs - 1):
                shown = timeline(profile, program_id, module, device, run)
                assert shown is not None
                assert (shown.end_us >= shown.start_us).all()
                assert not np.isnan(shown.medians_us).any()
                if run is not None:
                    assert shown.coverage == pytest.approx(table.coverage_per_run[run])


@pytest.mark.parametrize("path", RECORDED, ids=lambda path: path.name.partition(".")[0])
def test_recorded_profiles_of_cpus(path: Path) -> None:
    check(read_profile(gzip.decompress(path.read_bytes()), file=path.name))


@pytest.mark.parametrize("name", SHARED)
def test_profiles_of_other_devices(name: str, shared: Path) -> None:
    check(read_profile((shared / "profiles" / f"{name}.xplane.pb").read_bytes(), file=name))


def test_a_gpus_copies_are_listed_apart(shared: Path) -> None:
    profile = read_profile((shared / "profiles" / "rocm_mi300_jax08_gemm.xplane.pb").read_bytes(), file="gemm")
    (copies,) = profile.others
    assert (copies.name, copies.device, copies.count) == ("__amd_rocclr_copyBuffer.kd", "/device:GPU:0", 12)
    assert copies.total_us > copies.median_us > 0


def test_a_profile_without_xla_lists_what_ran(shared: Path) -> None:
    profile = read_profile((shared / "profiles" / "cuda_gpu_multi_worker_tf_2020.xplane.pb").read_bytes(), file="2020")
    assert profile.others[0].total_us > 0
    assert [device.kind for device in profile.devices] == ["GPU"] * len(profile.devices)


@pytest.mark.parametrize(
    ("name", "label", "flops_per_s", "bytes_per_s"),
    [
        ("rocm_mi300_jax08_gemm", "AMD GPU 0", 163.4e12, 5325e9),
        ("tpu_inference_2", "TPU v6 Lite · 0", 918e12, 1638e9),
        ("cuda_gpu_multi_worker_tf_2020", "NVIDIA GPU 1", 15.7e12, 900e9),
    ],
)
def test_peaks_are_those_of_the_profile(
    name: str, label: str, flops_per_s: float, bytes_per_s: float, shared: Path
) -> None:
    """The makers' figures of a V100 (f32), a TPU v6e (bf16) and an MI300X (f32), but for the memory of the last: its
    tracer writes half of the 5.3 TB/s."""
    device = read_profile((shared / "profiles" / f"{name}.xplane.pb").read_bytes(), file=name).devices[0]
    assert device.label == label
    assert device.peaks.flops_per_s == pytest.approx(flops_per_s, rel=0.005)
    assert device.peaks.bytes_per_s == pytest.approx(bytes_per_s, rel=0.005)
