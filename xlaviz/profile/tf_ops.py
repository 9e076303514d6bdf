"""TensorFlow's own kernels on the CPU: what runs without XLA, or beside it."""

from __future__ import annotations

from array import array
from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from xlaviz.profile.events import PS_PER_US
from xlaviz.profile.host import DEVICE, EXECUTE, STEP
from xlaviz.profile.others import OtherEvents
from xlaviz.profile.runs import Intervals
from xlaviz.profile.xplane import Plane, read_planes

_CALLERS = frozenset(
    {
        "PartitionedCall", "StatefulPartitionedCall", "While", "StatelessWhile", "If", "StatelessIf", "Case",
        "StatelessCase", "XlaLaunch", "XlaLaunchV2", "_XlaCompile", "_XlaRun", "RemoteCall", "SymbolicGradient",
    }
)  # fmt: skip
"""Ops that only run others: their time is the others'."""


@dataclass(frozen=True, slots=True)
class TfOp:
    """One op of the graph. `per_run` is how often it ran in one call, `per_run_us` all its time in one call, in
    microseconds; both are medians over the calls."""

    name: str
    type: str
    per_run: float
    per_run_us: float


@dataclass(frozen=True, slots=True)
class TfOps:
    """What ran in the calls of a profile, the costliest first. `run_us` is the median time of a call, `kernels_per_run`
    the median number of kernels in one, `programs_per_run` that of executions of XLA's programs. Kernels that ran at
    the same time count with all of their times."""

    runs: int
    run_us: float
    kernels_per_run: float
    ops: tuple[TfOp, ...]
    programs_per_run: float = 0.0


def read_tf_ops(data: bytes, *, file: str) -> TfOps:
    """The ops TensorFlow ran itself, outside of XLA's programs, in the calls that a capture has marked.

    An op's event is '<name>:<type>', and its metadata's display name is the type (profile research 4). What lies in no
    marked call is left out. Raises XlavizError where the bytes are no profile.
    """
    host = [plane for plane in read_planes(data, file=file) if plane.name == "/host:CPU"]
    steps = _spans(host, STEP)
    intervals = Intervals(steps)
    durations: dict[tuple[str, str], dict[int, array[int]]] = defaultdict(lambda: defaultdict(lambda: array("q")))
    for plane in host:
        types = _ops_of_metadata(plane)
        for line in plane.lines:
            for event in line.events(frozenset(types)):
                step = intervals.find(event.start_ps)
                if step is not None:
                    durations[types[event.metadata_id]][step].append(event.end_ps - event.start_ps)
    counts = np.zeros(len(steps))
    ops = []
    for (name, type_), own in durations.items():
        per_run = np.array([len(own[step]) if step in own else 0 for step in range(len(steps))])
        spent_ps = np.array([sum(own[step]) if step in own else 0 for step in range(len(steps))])
        counts += per_run
        ops.append(TfOp(name, type_, float(np.median(per_run)), float(np.median(spent_ps)) / PS_PER_US))
    ops.sort(key=lambda op: (-op.per_run_us, op.name))
    run_us = float(np.median([end - start for start, end in steps])) / PS_PER_US if steps else 0.0
    kernels = float(np.median(counts)) if steps else 0.0
    found = Counter(intervals.find(start_ps) for start_ps, _ in _spans(host, EXECUTE))
    programs = float(np.median([found[step] for step in range(len(steps))])) if steps else 0.0
    return TfOps(len(steps), run_us, kernels, tuple(ops), programs)


def add_tf_ops(planes: Iterable[Plane], others: OtherEvents) -> None:
    """Count the ops that TensorFlow ran itself, wherever in the profile, among what is no HLO instruction."""
    for plane in planes:
        types = _ops_of_metadata(plane) if plane.name == "/host:CPU" else {}
        for line in plane.lines if types else ():
            for event in line.events(frozenset(types)):
                name, type_ = types[event.metadata_id]
                others.add(f"{name} ({type_})", DEVICE, event.end_ps - event.start_ps)


def _spans(planes: Iterable[Plane], name: str) -> list[tuple[int, int]]:
    return sorted(
        (event.start_ps, event.end_ps)
        for plane in planes
        for line in plane.lines
        for event in line.events(plane.metadata_ids(lambda found: found == name))
    )


def _ops_of_metadata(plane: Plane) -> dict[int, tuple[str, str]]:
    """Metadata id -> name and type of an op that is a kernel of its own."""
    found = {}
    for key, metadata in plane.event_metadata():
        name, _, type_ = metadata.name.rpartition(":")
        if name and type_ == metadata.display_name and type_ not in _CALLERS and not type_.startswith("__inference_"):
            found[key] = name, type_
    return found
