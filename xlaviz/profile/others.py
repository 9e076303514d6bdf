"""What ran on a device and is no HLO instruction: copies, kernels of other libraries."""

from __future__ import annotations

from array import array
from dataclasses import dataclass, field

import numpy as np

from xlaviz.profile.events import PS_PER_US


@dataclass(frozen=True, slots=True)
class OtherKernel:
    """All executions of one of them on one device. Times are microseconds."""

    name: str
    device: str
    count: int
    median_us: float
    total_us: float


@dataclass(slots=True)
class OtherEvents:
    """Durations in picoseconds by name and device."""

    durations_ps: dict[tuple[str, str], array[int]] = field(default_factory=dict)

    def add(self, name: str, device: str, duration_ps: int) -> None:
        self.durations_ps.setdefault((name, device), array("q")).append(duration_ps)

    def kernels(self) -> tuple[OtherKernel, ...]:
        """Those that took the most time first."""
        found = [
            OtherKernel(name, device, len(own), float(np.median(own)) / PS_PER_US, sum(own) / PS_PER_US)
            for (name, device), own in self.durations_ps.items()
        ]
        return tuple(sorted(found, key=lambda kernel: (-kernel.total_us, kernel.name)))
