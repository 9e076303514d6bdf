"""Times of the opened document's kernels, every way they are looked at. Runs in the worker process.

`device` is one of the table's devices, or empty for all of them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from xlaviz.base.errors import XlavizError
from xlaviz.capture.peaks import measure_peaks
from xlaviz.dumps.document import NO_XLA_PROFILE, RUN_PROFILE, Document
from xlaviz.dumps.recompilations import differing_shapes, groups, parameter_shapes
from xlaviz.dumps.sequence import PassSequence
from xlaviz.hlo.buffers import MemoryUse, memory_use
from xlaviz.hlo.model import HloModule
from xlaviz.lineage.sequence import Lineage
from xlaviz.profile.kernels import KernelTable, kernel_table
from xlaviz.profile.peaks import Peaks
from xlaviz.profile.profile import Profile
from xlaviz.profile.tf_ops import TfOps, read_tf_ops
from xlaviz.profile.timeline import Executions, Timeline, executions, timeline
from xlaviz.session.compile_times import CompileTimes, compile_times
from xlaviz.session.documents import Report, opened_at, silent
from xlaviz.timing.attribution import Shares, member_shares, nameless_share, op_shares, origin_ops
from xlaviz.timing.groups import Grouping, KernelGroup, by_layer, by_line, by_op, by_opcode
from xlaviz.timing.lines import LineTimes, Stacks, line_times
from xlaviz.timing.pays import Evidence, xla_report
from xlaviz.timing.pays_compile import PassTime, without_nested
from xlaviz.timing.report import Report as XlaReport

NAMELESS = 0.005
"""The part of the time that may be in instructions without an op before their origins are worth following."""
HOW_TO_GET_TIMES = "xlaviz capture records one."


@dataclass(frozen=True)
class _Program:
    """A module's executions in the profile it was timed in; `module` is None where the document does not have it."""

    profile: Profile
    id: int
    module: HloModule | None


def kernels(report: Report, path: Path, sequence: PassSequence, device: str = "") -> KernelTable | None:
    """Kernel times of the module, None where the document has no profile. Where it has one, but not of this module, it
    raises XlavizError, or has at least what else ran in it."""
    opened, key = opened_at(path), (sequence, device)
    if opened.last_table is not None and opened.last_table[0] == key:
        return opened.last_table[1]
    program = _program(report, path, sequence)
    if program is None:
        return _without_program(report, path, sequence)
    table = kernel_table(program.profile, program.id, program.module, device)
    recorded = opened.document.manifest.get("peaks")
    if table.peaks.ridge is None and recorded:
        table = replace(table, peaks=_peaks(recorded))
    opened.last_table = (key, table)
    return table


def _without_program(report: Report, path: Path, sequence: PassSequence) -> KernelTable | None:
    """A table without kernels where the profile has nothing of the module, but other things that ran."""
    opened = opened_at(path)
    profile = opened.profile(sequence, report)
    if profile is None and opened.document.profiles is None:
        return None
    why = opened.document.why_no_times(sequence)
    if profile is None or sequence.recorded is None or not profile.others:
        raise XlavizError(why, hint=HOW_TO_GET_TIMES)
    return KernelTable(0, 0, 0.0, 0.0, (), 0, (), 0, (), others=profile.others, notes=(why,))


def kernel_members(report: Report, path: Path, sequence: PassSequence) -> dict[str, Shares]:
    """For each kernel the instructions it is made of, with the parts of its time attributed to them."""
    table = kernels(report, path, sequence)
    module = _module(path, sequence)
    return member_shares(module, table.kernels) if table is not None and module is not None else {}


def kernel_groups(
    report: Report,
    path: Path,
    sequence: PassSequence,
    by: Grouping,
    device: str = "",
    lineage: Lineage | None = None,
) -> tuple[KernelGroup, ...]:
    """The module's kernels added up; none where it has no times. With a `lineage` what passes made leads to the ops it
    was made from."""
    table = kernels(report, path, sequence, device)
    if table is None:
        return ()
    if by == "opcode":
        return by_opcode(table)
    ops, stacks = _ops_and_stacks(path, sequence, table, lineage)
    if by == "op":
        return by_op(table, ops)
    return by_layer(table, ops) if by == "layer" else by_line(table, ops, stacks.place_of)


def lines(
    report: Report, path: Path, sequence: PassSequence, device: str = "", lineage: Lineage | None = None
) -> LineTimes | None:
    """The times by the user's lines, None where there are no times. For `lineage` see `kernel_groups`."""
    table = kernels(report, path, sequence, device)
    if table is None:
        return None
    opened = opened_at(path)
    document = opened.document
    ops, stacks = _ops_and_stacks(path, sequence, table, lineage)
    before = opened.module(sequence.snapshots[0]) if sequence.last_index else None
    missing: dict[str, str] = {}
    no_xla = _tf_ops(document, "no_xla", missing) if _is_captured(document, sequence) else None
    found = line_times(table, ops, stacks, before=before, tf_ops=no_xla, sources=document.sources)
    why = tuple(f"Times without XLA are not known: {text.rstrip('.')}." for text in missing.values())
    return replace(found, notes=found.notes + why)


def run_timeline(
    report: Report, path: Path, sequence: PassSequence, run: int | None = None, device: str = ""
) -> Timeline | None:
    """One run, the median one where `run` is None; None where there are no times."""
    found = _program(report, path, sequence)
    return None if found is None else timeline(found.profile, found.id, found.module, device, run)


def kernel_executions(
    report: Report, path: Path, sequence: PassSequence, name: str, device: str = ""
) -> Executions | None:
    """Every execution of one kernel, None where it has none."""
    found = _program(report, path, sequence)
    return None if found is None else executions(found.profile, found.id, found.module, name, device)


def machine_peaks(report: Report) -> Peaks:
    """What this machine can do, measured now."""
    report(0.0, "measuring this machine")
    return _peaks(measure_peaks())


def does_xla_pay(report: Report, path: Path, sequence: PassSequence) -> XlaReport:
    """The page of figures with and without XLA; what the document does not know says why. Raises XlavizError where it
    has nothing that XLA compiled."""
    opened = opened_at(path)
    document = opened.document
    if sequence.recorded is not None and sequence.recorded.program_id is None:
        raise XlavizError(document.why_no_times(sequence))
    missing: dict[str, str] = {}
    table = None
    try:
        table = kernels(report, path, sequence)
        if table is None or not table.runs:
            missing["table"] = document.why_no_times(sequence)
    except XlavizError as error:
        missing["table"] = error.message
    is_captured = _is_captured(document, sequence)
    report(0.6, "reading what ran without XLA")
    times = _compile_times(path, sequence, missing)
    beside = _tf_ops(document, "beside", missing) if is_captured else None
    evidence = Evidence(
        title=_title(document, sequence),
        manifest=document.manifest if is_captured else {},
        table=table,
        no_xla=_tf_ops(document, "no_xla", missing) if is_captured else None,
        beside=beside,
        programs=beside.programs_per_run if beside is not None else 0.0,
        memory=_memory(report, path, sequence, missing),
        passes=_pass_times(sequence, times) if times is not None else (),
        compilations=_compilations(document, sequence),
        missing=missing,
    )
    return xla_report(evidence)


def _program(report: Report, path: Path, sequence: PassSequence) -> _Program | None:
    opened = opened_at(path)
    profile = opened.profile(sequence, report)
    id_ = opened.document.program_of(sequence, profile) if profile is not None else None
    if profile is None or id_ is None:
        return None
    report(0.9, "adding up kernels")
    return _Program(profile, id_, _module(path, sequence))


def _module(path: Path, sequence: PassSequence) -> HloModule | None:
    """The module as it ran; None where a profile comes without it."""
    opened = opened_at(path)
    try:
        return opened.module(sequence.snapshots[-1])
    except XlavizError:
        if sequence.recorded is None:
            raise
        return None


def needs_lineage(report: Report, path: Path, sequence: PassSequence) -> bool:
    """Whether much of the time is in instructions that passes made without naming an op."""
    table, module = kernels(report, path, sequence), _module(path, sequence)
    if table is None or module is None or not sequence.last_index:
        return False
    return nameless_share(module, member_shares(module, table.kernels), table.kernels) > NAMELESS


def _ops_and_stacks(
    path: Path, sequence: PassSequence, table: KernelTable, lineage: Lineage | None
) -> tuple[Mapping[str, Shares], Stacks]:
    module = _module(path, sequence)
    opened = opened_at(path)
    stacks = Stacks(opened.document.tracebacks)
    if module is None:
        return {}, stacks
    members = member_shares(module, table.kernels)
    if lineage is None or not sequence.last_index:
        return op_shares(module, members, stacks.names_in(module)), stacks
    before = opened.module(sequence.snapshots[0])
    origins = origin_ops(before, lineage, stacks.names_in(before))
    return op_shares(module, members, stacks.names_in(module), origins), stacks


def _is_captured(document: Document, sequence: PassSequence) -> bool:
    """Whether the module is the one that the capture was made for; what it says of others is nothing."""
    return bool(document.manifest) and sequence == document.main_sequence


def _tf_ops(document: Document, what: str, missing: dict[str, str]) -> TfOps | None:
    """What TensorFlow ran itself, `no_xla` or `beside` XLA; where that is not known `missing` says why."""
    member = {"no_xla": NO_XLA_PROFILE, "beside": RUN_PROFILE}[what]
    try:
        data = document.read_member(member)
        if data is not None:
            return read_tf_ops(data, file=f"{member} in {document.path.name}")
        missing[what] = f"{document.path.name} has no {member}"
    except XlavizError as error:
        missing[what] = error.message
    return None


def _compile_times(path: Path, sequence: PassSequence, missing: dict[str, str]) -> CompileTimes | None:
    try:
        found = compile_times(silent, path, sequence)
    except XlavizError as error:
        missing["passes"] = error.message
        return None
    if found is None:
        missing["passes"] = "there is no profile of its compilation"
    return found


def _pass_times(sequence: PassSequence, times: CompileTimes) -> list[PassTime]:
    names = [sequence.snapshots[row.index].pass_name if row.index is not None else row.name for row in times.rows]
    rows = zip(times.rows, names, strict=True)
    found = [PassTime(row.pipeline.replace("_", " "), name, row.time_ms) for row, name in rows if row.time_ms]
    return without_nested(found)


def _memory(report: Report, path: Path, sequence: PassSequence, missing: dict[str, str]) -> MemoryUse | None:
    """From the dump of the last snapshot, else from the module that the profile carries."""
    document, snapshot = opened_at(path).document, sequence.snapshots[-1]
    try:
        found = None
        if ".pb" in snapshot.file and (document.profiles is None or snapshot.file not in document.profiles):
            found = memory_use(document.files.read(snapshot.file), file=snapshot.file)
        program = _program(report, path, sequence) if found is None else None
        data = program.profile.modules.proto(program.id) if program is not None else None
        return memory_use(data, file=path.name) if data is not None else found
    except XlavizError as error:
        missing["memory"] = error.message
        return None


def _compilations(document: Document, sequence: PassSequence) -> tuple[str, ...]:
    """What sets each compilation of the same function apart, one text for each."""
    group = next((own for own in groups(document.sequences) if sequence in own), [sequence])
    if len(group) == 1:
        return ("",)
    shapes = {}
    for place, one in enumerate(group):
        try:
            shapes[place] = parameter_shapes(document.read_module(one.snapshots[-1]))
        except XlavizError:
            continue
    apart = differing_shapes(shapes) if shapes else {}
    return tuple(apart.get(place, "") for place in range(len(group)))


def _title(document: Document, sequence: PassSequence) -> str:
    name = document.manifest.get("target", {}).get("name") if _is_captured(document, sequence) else ""
    return str(name or sequence.name)


def _peaks(found: Mapping[str, object]) -> Peaks:
    flops, moved = (found.get(key) for key in ("flops_per_s", "bytes_per_s"))
    return Peaks(
        float(flops) if isinstance(flops, int | float) else None,
        float(moved) if isinstance(moved, int | float) else None,
        str(found.get("how", "")),
    )
