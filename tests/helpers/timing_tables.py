"""Hand-made tables of kernels for the tests of what is made of them."""

from __future__ import annotations

from typing import Any

from xlaviz.profile.executions import CONTROL_FLOW
from xlaviz.profile.kernels import Kernel, KernelTable

RUN_US = 100.0


def kernel(name: str, self_us: float, opcode: str = "fusion", **fields: Any) -> Kernel:
    """One execution a run of `self_us`, in runs of RUN_US."""
    values: dict[str, Any] = {
        "runs": 10,
        "median_us": self_us,
        "p10_us": self_us,
        "p90_us": self_us,
        "min_us": self_us,
        "self_us": self_us,
        "share": self_us / RUN_US,
        "exact": True,
        "near_floor": False,
        "self_per_run_us": self_us,
        "total_per_run_us": self_us,
    }
    return Kernel(name, opcode, **values | fields)


def table(*kernels: Kernel, runs: int = 10) -> KernelTable:
    spent_us = sum(one.self_per_run_us for one in kernels)
    launches = sum(one.runs for one in kernels if one.opcode not in CONTROL_FLOW) / max(runs, 1)
    rest = {"unattributed_us": RUN_US - spent_us, "launches_per_run": launches}
    return KernelTable(7, runs, RUN_US, 0.9, (0.9,) * runs, 0, (), 0, kernels, **rest)
