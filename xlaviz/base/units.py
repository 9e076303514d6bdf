"""Figures in words: times, sizes, rates."""

from __future__ import annotations

_DECIMAL = ("", "K", "M", "G", "T", "P")
_BINARY = ("B", "KiB", "MiB", "GiB", "TiB")


def time_text(time_us: float) -> str:
    """A time in the unit that leaves three or four digits: `0.8 µs`, `16.5 ms`, `2.1 s`."""
    for scale, unit in ((1.0, "µs"), (1e3, "ms")):
        if round(time_us / scale, 1) < 1000:
            return f"{time_us / scale:.1f} {unit}"
    return f"{time_us / 1e6:.1f} s"


def signed_time_text(time_us: float) -> str:
    """Like `time_text`, for times that can be negative."""
    return f"{'−' if time_us < 0 else ''}{time_text(abs(time_us))}"


def share_text(share: float) -> str:
    text = f"{share:.1%}"
    return "0.0%" if text == "-0.0%" else text.replace("-", "−")


def flops_text(flops: float) -> str:
    return _scaled(flops, 1000, tuple(f"{prefix}FLOP" for prefix in _DECIMAL))


def bytes_text(size_bytes: float) -> str:
    return _scaled(size_bytes, 1024, _BINARY)


def flops_rate_text(flops_per_s: float) -> str:
    return _scaled(flops_per_s, 1000, tuple(f"{prefix}FLOP/s" for prefix in _DECIMAL))


def bytes_rate_text(bytes_per_s: float) -> str:
    return _scaled(bytes_per_s, 1000, tuple(f"{prefix}B/s" for prefix in _DECIMAL))


def intensity_text(flops_per_byte: float) -> str:
    """Three digits or so, without a unit."""
    if flops_per_byte == 0:
        return "0"
    digits = next((digits for limit, digits in ((0.1, 3), (10, 2), (100, 1)) if flops_per_byte < limit), 0)
    return f"{flops_per_byte:.{digits}f}"


def _scaled(value: float, step: int, units: tuple[str, ...]) -> str:
    power = 0
    while round(abs(value), min(power, 1)) >= step and power < len(units) - 1:
        value /= step
        power += 1
    return f"{value:.{min(power, 1)}f} {units[power]}"
