"""Kernels added up: by opcode, by TensorFlow op, by Keras layer, by the user's line."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class KernelGroup:
    """Kernels that belong together. All figures are of one run, times are microseconds.

    `self_us` adds up the self times of its kernels, or the part of them that belongs to the group; `share` is that
    over the run's time. `kernels` names them, the costliest first. `flops` and `bytes` are None where not known.
    """

    label: str
    self_us: float
    share: float
    kernels: tuple[str, ...]
    flops: float | None
    bytes: float | None
