"""The most memory that one call takes on the device, with XLA and without, where TensorFlow keeps count."""

from __future__ import annotations

from typing import Any

from child_errors import raised  # type: ignore[import-not-found]
from child_no_xla import Plain  # type: ignore[import-not-found]
from child_run import materialise  # type: ignore[import-not-found]

# Seen with TensorFlow 2.21; without oneDNN it counts nothing.
_CPU = "TensorFlow's CPU allocator counts only blocks of 256 KiB and more; without any there is no figure."


def memory(tf: Any, function: Any, plain: Plain, inputs: tuple[Any, ...], where: str) -> dict[str, Any]:
    """The manifest's `memory`; never raises. Peaks include what is held before the call: inputs and variables.

    None stands for what was not counted; `reason` says why, or what the figures leave out.
    """
    found: dict[str, Any] = {"no_xla_peak_bytes": None, "xla_allocator_peak_bytes": None, "reason": ""}
    try:
        device = "GPU:0" if tf.config.list_logical_devices("GPU") else "CPU:0"
        if not _keeps_count(tf, device):
            found["reason"] = f"TensorFlow's allocator for {device} keeps no statistics."
            return found
        found["xla_allocator_peak_bytes"] = _peak(tf, device, function, inputs)
        if plain.error is None:
            found["no_xla_peak_bytes"] = _peak(tf, device, plain.function, inputs)
        else:
            found["reason"] = plain.error
        if device == "CPU:0":
            found["reason"] = f"{_CPU} {found['reason']}".strip()
    except (Exception, SystemExit) as error:  # noqa: BLE001 (whatever it is, the rest of the capture is sound)
        found["reason"] = raised(error, where).message
    return found


def _keeps_count(tf: Any, device: str) -> bool:
    try:
        tf.config.experimental.get_memory_info(device)
    except ValueError:
        return False
    return True


def _peak(tf: Any, device: str, function: Any, inputs: tuple[Any, ...]) -> int | None:
    tf.config.experimental.reset_memory_stats(device)
    materialise(function(*inputs))
    return int(tf.config.experimental.get_memory_info(device)["peak"]) or None
