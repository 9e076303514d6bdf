"""The peaks of this machine, measured with a product of matrices and a stream through memory.

Standard library only: the capture child measures with TensorFlow, peaks.py with numpy.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from typing import Any

SIDE = 1024
"""Rows and columns of the square float32 matrices: 2 * SIDE**3 floating-point operations a product."""
STREAM_BYTES = 64 << 20
"""Bytes of one array of the stream: more than the caches of most machines hold."""
_SECONDS = 0.08
_LEAST = 3


def best_rate(amount: float, call: Callable[[], Any]) -> float:
    """The most of `amount` done per second over several calls, the first of which is a warm-up."""
    call()
    best, made, begin = float("inf"), 0, time.perf_counter()
    while made < _LEAST or time.perf_counter() - begin < _SECONDS:
        start = time.perf_counter()
        call()
        best = min(best, time.perf_counter() - start)
        made += 1
    return amount / max(best, 1e-9)


def tensorflow_peaks(tf: Any) -> dict[str, Any]:
    """FLOP/s and bytes/s of the CPU on the threads that the kernels have; None and the reason where there are none.

    The ops run one by one, so that XLA compiles nothing.
    """
    threads = tf.config.threading.get_intra_op_parallelism_threads() or available_cores()
    peaks: dict[str, Any] = {"flops_per_s": None, "bytes_per_s": None, "how": "", "threads": threads}
    try:
        if tf.config.list_logical_devices("GPU"):
            peaks["how"] = "Not measured on a GPU: the profile says what its device can do."
            return peaks
        matrix = tf.fill([SIDE, SIDE], 0.5)
        peaks["flops_per_s"] = best_rate(2.0 * SIDE**3, lambda: tf.linalg.matmul(matrix, matrix))
        source = tf.fill([STREAM_BYTES // 4], 0.5)
        target = tf.Variable(source, trainable=False)
        copied = best_rate(2.0 * STREAM_BYTES, lambda: tf.raw_ops.DeepCopy(x=source))
        added = best_rate(3.0 * STREAM_BYTES, lambda: target.assign_add(source))
        peaks["bytes_per_s"] = max(copied, added)
    except Exception as error:  # noqa: BLE001 (whatever it is, the rest of the capture is sound)
        peaks["how"] = f"TensorFlow could not measure them: {type(error).__name__}: {str(error)[:200]}"
        return peaks
    stream = "copying" if copied >= added else "adding in place"
    peaks["how"] = (
        f"Measured with TensorFlow on {threads} thread{'s' if threads > 1 else ''}: the best of several products of "
        f"{SIDE} x {SIDE} float32 matrices, and of {stream} {STREAM_BYTES >> 20} MiB, reads and writes counted."
    )
    return peaks


def available_cores() -> int:
    """The cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
