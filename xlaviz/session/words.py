"""Times in the words that the graphs, the panels and the inspector share."""

from __future__ import annotations

from collections.abc import Sequence

from xlaviz.profile.kernels import Kernel

NOTE_SEPARATOR = " · "


def time_text(time_us: float) -> str:
    """A time in the unit that leaves three or four digits: `0.8 µs`, `16.5 ms`, `2.1 s`."""
    for limit, unit in ((1e3, "µs"), (1e6, "ms")):
        if time_us < limit:
            return f"{time_us / (limit / 1e3):.1f} {unit}"
    return f"{time_us / 1e6:.1f} s"


def at_most(kernel: Kernel) -> str:
    """The sign before a time whose end is inferred: it is an upper bound."""
    return "" if kernel.exact else "≤ "


def kernel_note(kernel: Kernel) -> str:
    """Median time and share of a kernel; where both do not fit, the part before the separator stands alone."""
    return f"{at_most(kernel)}{time_text(kernel.median_us)}{NOTE_SEPARATOR}{kernel.share:.1%}"


def kernels_note(kernels: Sequence[Kernel], run_us: float) -> str:
    """Time and share of several kernels together in a run that takes `run_us`."""
    sign = "" if all(kernel.exact for kernel in kernels) else "≤ "
    share = sum(kernel.share for kernel in kernels)
    return f"{sign}{time_text(share * run_us)}{NOTE_SEPARATOR}{share:.1%}"
