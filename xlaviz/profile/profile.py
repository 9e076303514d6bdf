"""A profile as the rest of xlaviz sees it: op events, executions, programs and their modules."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from xlaviz.base.errors import XlavizError
from xlaviz.profile.ends import op_events
from xlaviz.profile.events import OpEvent, RunWindow
from xlaviz.profile.gpu import read_gpu
from xlaviz.profile.host import HostEvents, read_host
from xlaviz.profile.modules import EmbeddedModules, embedded_modules
from xlaviz.profile.runs import assign_runs, run_windows
from xlaviz.profile.tpu import read_tpu
from xlaviz.profile.xplane import planes, read_xspace

_NO_OPS = (
    "{file} holds no event of an XLA op: nothing compiled by XLA ran while it was recorded, "
    "or the TensorFlow that wrote it is older than 2.18."
)


@dataclass(frozen=True)
class Profile:
    """One `.xplane.pb` file.

    `events` are in order of their start, `runs` too. `programs` maps the id of every program that has events to
    its module's name, `modules` to the module as it ran (parsed when asked for; not every program has one).
    `notes` are sentences for the user about what the file lacks.
    """

    file: str
    hostname: str
    events: tuple[OpEvent, ...]
    runs: tuple[RunWindow, ...]
    programs: Mapping[int, str]
    modules: EmbeddedModules
    notes: tuple[str, ...] = ()

    def main_program(self, name_hint: str = "") -> int:
        """The id of the program whose executions took the most time, of those with `name_hint` in their name.

        Raises XlavizError where there is none.
        """
        if not self.programs:
            raise XlavizError(_NO_OPS.format(file=self.file))
        spent_ps = {id_: 0 for id_, name in self.programs.items() if name_hint in name}
        if not spent_ps:
            known = ", ".join(sorted(set(self.programs.values())))
            raise XlavizError(f"{self.file} holds no events of a program named like {name_hint!r}, only of {known}.")
        for run in self.runs:
            if run.program_id in spent_ps:
                spent_ps[run.program_id] += run.end_ps - run.start_ps
        return max(spent_ps, key=spent_ps.__getitem__)


def read_profile(data: bytes, *, file: str) -> Profile:
    """The profile in the bytes of a `.xplane.pb` file. `file` is only for the error's text.

    Kernels of a GPU or TPU where the file has any, else the ops that ran on the CPU. A file without any XLA op is
    no error: its profile has no programs, and a note says so.

    Raises XlavizError where the bytes are cut short or are no profile, and where a module that is needed to infer
    the end of an op is damaged.
    """
    space = read_xspace(data, file=file)
    every_plane = list(planes(space))
    events, runs = read_gpu(every_plane)
    if not events:
        events, runs = read_tpu(every_plane)
    notes: tuple[str, ...] = ()
    host = HostEvents()
    if not events:  # a profile of a device holds the CPU's launches of its kernels, not ops that ran on the CPU
        host = read_host(every_plane)
        runs, notes = run_windows(host.spans, host.thunks)
    programs = {event.program_id: event.hlo_module for event in events}
    programs |= {thunk.program_id: thunk.hlo_module for thunk in host.thunks}
    modules = embedded_modules(every_plane, programs, file=file)
    if host.thunks:
        events = op_events(host, assign_runs(host.thunks, runs), runs, modules)
    notes += _missing(programs, modules, file=file)
    return Profile(file, next(iter(space.hostnames), ""), events, runs, programs, modules, notes)


def _missing(programs: Mapping[int, str], modules: EmbeddedModules, *, file: str) -> tuple[str, ...]:
    if not programs:
        return (_NO_OPS.format(file=file),)
    absent = sorted(name for id_, name in programs.items() if id_ not in modules)
    return (f"{file} does not hold the module of {', '.join(absent)}.",) if absent else ()
