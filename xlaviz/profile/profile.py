"""A profile as the rest of xlaviz sees it: op events, executions, programs and their modules."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from xlaviz.base.errors import XlavizError
from xlaviz.profile import gpu
from xlaviz.profile.devices import CPU, Device, device_of
from xlaviz.profile.ends import true_ends
from xlaviz.profile.events import NO_RUN, OpEvents, RunWindow, integers
from xlaviz.profile.host import read_host
from xlaviz.profile.modules import EmbeddedModules, embedded_modules
from xlaviz.profile.others import OtherEvents, OtherKernel
from xlaviz.profile.progress import Report, silent
from xlaviz.profile.runs import assign_runs, run_windows
from xlaviz.profile.sampling import LARGE_BYTES, Sample
from xlaviz.profile.tf_ops import add_tf_ops
from xlaviz.profile.tpu import OPS, read_op_lines
from xlaviz.profile.xplane import Plane, read_hostname, read_planes

_NO_OPS = (
    "{file} has no events of a program compiled by XLA: none ran while it was recorded, "
    "or the TensorFlow that wrote it is older than 2.18."
)
_DERIVED = (
    "{file} holds no kernels, only the lines xprof derived from them: an op's time may be that of several kernels."
)
_UNNAMED = (
    "{file} holds no kernels, only lines xprof derived from them, with {events} of XLA ops, "
    "and nothing in it tells which program these are of."
)
_SAMPLED = "{file} is large ({size} MB): {kept} of its {total} executions were read, drawn at random."


@dataclass(frozen=True)
class Profile:
    """One `.xplane.pb` file.

    `events` are in order of their start, `runs` too. `programs` maps the id of every program that has events to
    its module's name, `modules` to the module as it ran (parsed when asked for; not every program has one).
    `devices` are those that have events. `others` is what ran on them and is no HLO instruction. `notes` are sentences
    for the user about what the file lacks.
    """

    file: str
    hostname: str
    events: OpEvents
    runs: tuple[RunWindow, ...]
    programs: Mapping[int, str]
    modules: EmbeddedModules
    devices: tuple[Device, ...] = (CPU,)
    others: tuple[OtherKernel, ...] = ()
    notes: tuple[str, ...] = field(default=())

    def main_program(self, name_hint: str = "") -> int:
        """The id of the program whose executions took the most time, of those with `name_hint` in their name.

        Raises XlavizError where there is none.
        """
        if not self.programs:
            raise XlavizError(self.notes[0])
        spent_ps = {id_: 0 for id_, name in self.programs.items() if name_hint in name}
        if not spent_ps:
            known = ", ".join(sorted(set(self.programs.values())))
            raise XlavizError(f"{self.file} holds no events of a program named like {name_hint!r}, only of {known}.")
        for run in self.runs:
            if run.program_id in spent_ps:
                spent_ps[run.program_id] += run.end_ps - run.start_ps
        return max(spent_ps, key=spent_ps.__getitem__)


@dataclass(frozen=True, slots=True)
class _Read:
    """What one adapter found."""

    events: OpEvents
    runs: tuple[RunWindow, ...]
    others: OtherEvents = field(default_factory=OtherEvents)
    sample: Sample = field(default_factory=Sample)
    notes: tuple[str, ...] = ()


def read_profile(data: bytes, *, file: str, report: Report = silent, large_bytes: int = LARGE_BYTES) -> Profile:
    """The profile in the bytes of a `.xplane.pb` file. `file` is only for the error's text.

    Kernels of a GPU or TPU where the file has any, else the ops that ran on the CPU. Of a file above `large_bytes` only
    some of the runs are read, and a note says so. A file without any XLA op is no error: its profile has no programs,
    and a note says so.

    Raises XlavizError where the bytes are cut short or are no profile.
    """
    report(0.0, "reading the profile")
    every_plane = read_planes(data, file=file)
    share = min(1.0, large_bytes / max(len(data), 1))
    found = _read_devices(every_plane, share, report, file=file)
    if not len(found.events):  # a profile of a device holds the CPU's launches of its kernels, not ops that ran there
        why_none = found.notes or (_NO_OPS.format(file=file),)
        found = _read_cpu(every_plane, share, report, found.others, file=file)
        found = found if len(found.events) else replace(found, notes=why_none)
    programs = _programs(found.events)
    modules = embedded_modules(every_plane, programs, file=file)
    notes = (*found.notes, *_sampled(found.sample, len(data), file=file), *_missing(programs, modules, file=file))
    used = {*found.events.devices, *(device for _, device in found.others.durations_ps)}
    planes = (plane for plane in every_plane if plane.name in used)
    devices = tuple(device_of(plane) for plane in planes) or (CPU,)
    hostname = read_hostname(data)
    return Profile(file, hostname, found.events, found.runs, programs, modules, devices, found.others.kernels(), notes)


def _programs(events: OpEvents) -> dict[int, str]:
    return {op.program_id: op.hlo_module for op in events.ops}


def _read_devices(planes: Sequence[Plane], share: float, report: Report, *, file: str) -> _Read:
    """What ran on GPUs, else on TPUs, else what xprof derived for GPUs whose kernels the file does not hold. Notes on
    nothing say what there is instead."""
    events, runs, others, sample = gpu.read_gpu(planes, share=share, report=report)
    if len(events):
        return _Read(events, runs, others, sample)
    found = read_op_lines(planes, "/device:TPU:", share=share, report=report)
    if len(found.events):
        return _Read(found.events, found.runs, others, found.sample, found.notes)
    derived = [plane for plane in planes if _is_derived(plane) or not plane.name.startswith(gpu.PLANE)]
    found = read_op_lines(derived, gpu.PLANE, share=share, report=report)
    if len(found.events):
        return _Read(found.events, found.runs, others, found.sample, (_DERIVED.format(file=file), *found.notes))
    lines = (line for plane in planes if _is_derived(plane) for line in plane.lines if line.name == OPS)
    count = sum(line.event_count for line in lines)
    unnamed = _UNNAMED.format(file=file, events="1 event" if count == 1 else f"{count} events")
    return _Read(found.events, found.runs, others, notes=(unnamed,) if count else ())


def _is_derived(plane: Plane) -> bool:
    names = [line.name for line in plane.lines] if plane.name.startswith(gpu.PLANE) else []
    return OPS in names and not any(name.startswith(gpu.STREAM) for name in names)


def _read_cpu(planes: Sequence[Plane], share: float, report: Report, others: OtherEvents, *, file: str) -> _Read:
    add_tf_ops(planes, others)
    host = read_host(planes, share=share, report=report)
    runs, notes = run_windows(host)
    columns = host.columns
    ids = np.array([op.program_id for op in columns.ops], np.uint64)
    run = assign_runs(ids[integers(columns.op)], integers(columns.start_ps), runs)
    modules = embedded_modules(planes, {op.program_id for op in columns.ops}, file=file)
    ends_ps, exact = true_ends(host, run, np.array([window.end_ps for window in runs], np.int64), modules)
    events = columns.finished(run, end_ps=ends_ps, exact=exact)
    if not host.sample.is_whole:  # what is left of executions that overlap those that were drawn
        events = events.where(events.run != NO_RUN)
    return _Read(events, runs, others, host.sample, notes)


def _sampled(sample: Sample, size_bytes: int, *, file: str) -> tuple[str, ...]:
    if sample.is_whole:
        return ()
    size = round(size_bytes / 1e6)
    return (_SAMPLED.format(file=file, size=size, kept=sample.kept, total=sample.total),)


def _missing(programs: Mapping[int, str], modules: EmbeddedModules, *, file: str) -> tuple[str, ...]:
    absent = sorted(name for id_, name in programs.items() if id_ not in modules)
    return (f"{file} does not hold the module of {', '.join(absent)}.",) if absent else ()
