"""What a device can do at most: the roof of the roofline."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Peaks:
    """None where not known. `source` says in some words where the figures are from."""

    flops_per_s: float | None = None
    bytes_per_s: float | None = None
    source: str = ""

    @property
    def ridge(self) -> float | None:
        """The FLOPs per byte from which on a kernel can be bound by compute; None where a peak is not known."""
        if not self.flops_per_s or not self.bytes_per_s:
            return None
        return self.flops_per_s / self.bytes_per_s


NO_PEAKS = Peaks()
