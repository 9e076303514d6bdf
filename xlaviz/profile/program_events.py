"""The events of one program, as tables and timelines are made of."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from xlaviz.hlo.model import HloModule
from xlaviz.profile.events import Bools, OpEvents, RunWindow
from xlaviz.profile.executions import RunColumns
from xlaviz.profile.profile import Profile


@dataclass(frozen=True)
class ProgramEvents:
    """A program's busy events that are instructions of its module, inside its runs, and the windows of those."""

    events: OpEvents
    columns: RunColumns
    windows: tuple[RunWindow, ...]
    unmatched: Bools
    """Among `events`."""
    is_outside: Bools
    """Among `events`: those in no run of the program."""


def program_events(profile: Profile, program_id: int, module: HloModule | None, device: str = "") -> ProgramEvents:
    """What a table is made of: on one device, or on all where `device` is empty."""
    is_own = profile.events.of_program(program_id) & profile.events.is_busy
    if device:
        is_device = np.array([name == device for name in profile.events.devices], np.bool_)
        is_own &= is_device[profile.events.device] if len(is_device) else False
    events = profile.events.where(is_own)
    chosen = [
        (index, run)
        for index, run in enumerate(profile.runs)
        if run.program_id == program_id and device in ("", run.device)
    ]
    position = np.full(len(profile.runs) + 1, -1)  # the last one is for events in no run
    position[[index for index, _ in chosen]] = np.arange(len(chosen))
    known = np.array([module is None or op.hlo_op in module.computation_of for op in events.ops], np.bool_)
    unmatched = ~known[events.op] if len(events) else np.zeros(0, np.bool_)
    run = position[events.run]
    inside = ~unmatched & (run >= 0)
    columns = RunColumns(events.where(inside), run[inside])
    return ProgramEvents(events, columns, tuple(window for _, window in chosen), unmatched, run < 0)
