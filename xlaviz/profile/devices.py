"""The devices of a profile and what each can do at most, as its plane says."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from xlaviz.profile.peaks import NO_PEAKS, Peaks
from xlaviz.profile.xplane import Plane, StatValue

DeviceKind = Literal["CPU", "GPU", "TPU"]

# f32 multiply-add units of a multiprocessor by NVIDIA's compute capability: the CUDA programming guide's table of
# arithmetic instructions. Tensor cores come on top and are not counted.
_NVIDIA_UNITS = {
    (5, 0): 128, (5, 2): 128, (6, 0): 64, (6, 1): 128, (7, 0): 64, (7, 5): 64, (8, 0): 64, (8, 6): 128, (8, 7): 128,
    (8, 9): 128, (9, 0): 128, (10, 0): 128, (12, 0): 128,
}  # fmt: skip
_AMD_UNITS = 128
"""f32 multiply-add units of a compute unit of CDNA 3 and 4, packed math counted: AMD's white paper (163.4 TFLOP/s for
304 units at 2.1 GHz)."""


@dataclass(frozen=True, slots=True)
class Device:
    """`name` is the plane's, '/device:GPU:0', or 'CPU'; `label` is for people."""

    name: str
    kind: DeviceKind
    label: str
    peaks: Peaks = NO_PEAKS


CPU = Device("CPU", "CPU", "CPU")


def device_of(plane: Plane) -> Device:
    """The device of a plane '/device:GPU:N' or '/device:TPU:N'."""
    stats = plane.own_stats
    number = plane.name.rpartition(":")[2]
    if "TPU" in plane.name:
        kind = stats.get("device_type_string")
        return Device(plane.name, "TPU", f"{kind if isinstance(kind, str) else 'TPU'} · {number}", _tpu_peaks(stats))
    vendor = stats.get("device_vendor")
    vendor = vendor if isinstance(vendor, str) else "NVIDIA"  # only NVIDIA's were written before the vendor was
    return Device(plane.name, "GPU", f"{vendor} GPU {number}", _gpu_peaks(stats, vendor))


def _tpu_peaks(stats: dict[str, StatValue]) -> Peaks:
    flops, bandwidth = _number(stats, "peak_teraflops_per_second"), _number(stats, "peak_hbm_bw_gigabytes_per_second")
    return Peaks(flops * 1e12 or None, bandwidth * 1e9 or None, "the profile's figures of the TPU: matrix units, HBM")


def _gpu_peaks(stats: dict[str, StatValue], vendor: str) -> Peaks:
    """Peak f32 rate of the vector units: units x 2 x clock (kHz) x multiprocessors. AMD's profiler counts two words a
    clock of the memory; the HBM3 of CDNA 3 and 4 moves four (MI300X: 5.3 TB/s, of which the profile has half)."""
    major, minor = int(_number(stats, "compute_cap_major")), int(_number(stats, "compute_cap_minor"))
    units = _AMD_UNITS if vendor == "AMD" and major == 9 else _NVIDIA_UNITS.get((major, minor), 0)
    if vendor == "AMD" and major != 9:
        units = 0
    flops = units * 2 * _number(stats, "clock_rate") * 1e3 * _number(stats, "core_count")
    bandwidth = _number(stats, "memory_bandwidth") * (2 if units == _AMD_UNITS and vendor == "AMD" else 1)
    source = "the profile's figures of the GPU: f32 vector units (matrix units can do more), memory"
    return Peaks(flops or None, bandwidth or None, source if flops or bandwidth else "")


def _number(stats: dict[str, StatValue], name: str) -> float:
    value = stats.get(name)
    return float(value) if isinstance(value, int | float) else 0.0
