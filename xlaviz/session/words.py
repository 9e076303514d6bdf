"""Times in the words that the graphs, the panels and the inspector share."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from xlaviz.base.units import time_text
from xlaviz.profile.kernels import Kernel

NOTE_SEPARATOR = " · "


class Timed(Protocol):
    """Something with a time: a kernel, a group of them, a line."""

    @property
    def exact(self) -> bool: ...


def at_most(timed: Timed) -> str:
    """The sign before a time whose end is inferred: it is an upper bound."""
    return "" if timed.exact else "≤ "


def kernel_note(kernel: Kernel) -> str:
    """The time of all its executions in a run, and their share of it; where both do not fit, the part before the
    separator stands alone."""
    return f"{at_most(kernel)}{time_text(kernel.self_per_run_us)}{NOTE_SEPARATOR}{kernel.share:.1%}"


def kernels_note(kernels: Sequence[Kernel], run_us: float) -> str:
    """Time and share of several kernels together in a run that takes `run_us`."""
    sign = "" if all(kernel.exact for kernel in kernels) else "≤ "
    share = sum(kernel.share for kernel in kernels)
    return f"{sign}{time_text(share * run_us)}{NOTE_SEPARATOR}{share:.1%}"
