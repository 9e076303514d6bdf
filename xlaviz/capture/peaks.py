"""The peaks of this machine, for documents that were captured elsewhere: measured with numpy, without TensorFlow."""

from __future__ import annotations

from typing import Any

import numpy as np

from xlaviz.capture.child_peaks import SIDE, STREAM_BYTES, best_rate


def measure_peaks() -> dict[str, Any]:
    """`flops_per_s`, `bytes_per_s` and `how` they were measured, as in a bundle's `peaks`; takes about 0.4 s.

    numpy multiplies matrices on all cores and copies on one.
    """
    matrix = np.full((SIDE, SIDE), 0.5, np.float32)
    product = np.empty_like(matrix)
    source = np.full(STREAM_BYTES // 4, 0.5, np.float32)
    target = np.empty_like(source)
    return {
        "flops_per_s": best_rate(2.0 * SIDE**3, lambda: np.matmul(matrix, matrix, out=product)),
        "bytes_per_s": best_rate(2.0 * STREAM_BYTES, lambda: np.copyto(target, source)),
        "how": (
            f"Measured with numpy on this machine: the best of several products of {SIDE} x {SIDE} float32 matrices on "
            f"all cores, and of copying {STREAM_BYTES >> 20} MiB on one, reads and writes counted."
        ),
    }
