"""The snapshots of one module in the order XLA made them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from xlaviz.dumps.filenames import DumpName, parse_dump_name

_ENDINGS = ("hlo.pb", "hlo.pb.gz", "txt", "hlo", "pbtxt")
"""Preference where one snapshot was dumped in several forms: the proto says most and reads fastest."""


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The module at one point of the pipeline. `file` is its name among the document's files, `part` its place among
    the modules in there."""

    index: int
    file: str
    label: str
    pass_name: str = ""
    pipeline: str = ""
    number: int | None = None
    part: int = 0


@dataclass(frozen=True, slots=True)
class Gap:
    """Snapshots XLA numbered and did not write, before snapshot `before_index`."""

    before_index: int
    first_number: int
    last_number: int
    reason: str = ""

    @property
    def text(self) -> str:
        count = self.last_number - self.first_number + 1
        lost = f"snapshot {self.first_number} is" if count == 1 else f"{count} snapshots are"
        return f"{lost} missing: {self.reason or 'the file was not written, or did not come along'}"


@dataclass(frozen=True, slots=True)
class Recorded:
    """Where a module's executions were recorded: the profile's name among the document's, the program's id in there
    (None where the file has no program to choose), and what is known of the run and of the host."""

    file: str
    program_id: int | None
    run: str = ""
    host: str = ""

    @property
    def text(self) -> str:
        return " · ".join(f"{what} {name}" for what, name in (("run", self.run), ("host", self.host)) if name)


@dataclass(frozen=True, slots=True)
class PassSequence:
    """All snapshots of one module, in order, and the gaps between them. `recorded` is the profile of somebody else's
    run that it is seen in; a module that several profiles saw is a sequence for each."""

    name: str
    id: int
    backend: str
    snapshots: tuple[Snapshot, ...]
    gaps: tuple[Gap, ...] = ()
    recorded: Recorded | None = None

    @property
    def last_index(self) -> int:
        return len(self.snapshots) - 1


def pass_sequences(files: Iterable[str], lost: Mapping[str, str] | None = None) -> tuple[PassSequence, ...]:
    """Group dumped files into modules, by id and name.

    `files` may have folders before the name. `lost` maps file names that XLA could not write to the reason.
    """
    groups: dict[tuple[str, int], dict[str, list[DumpName]]] = {}
    for file in files:
        folder, _, base = file.rpartition("/")
        name = parse_dump_name(base)
        if name is not None:
            groups.setdefault((folder, name.module_id), {}).setdefault(name.module_name, []).append(name)
    sequences = [
        _sequence(folder, names, lost or {})
        for (folder, _), by_name in groups.items()
        for names in _with_nameless(by_name)
    ]
    return tuple(sorted(sequences, key=lambda sequence: (sequence.id, sequence.name)))


def _with_nameless(by_name: dict[str, list[DumpName]]) -> list[list[DumpName]]:
    """The files of one id, by module: a name that was too long is left out of a file's name, so where one module alone
    has the id, nameless files are its own. (Two runs into one folder give an id twice.)"""
    if len(by_name) == 2 and "" in by_name:
        return [[name for names in by_name.values() for name in names]]
    return list(by_name.values())


def _sequence(folder: str, names: list[DumpName], lost: Mapping[str, str]) -> PassSequence:
    kept: dict[tuple[str, int | None], DumpName] = {}
    latest_first = sorted(names, key=lambda name: name.file, reverse=True)  # of two runs with timestamps
    for name in sorted(latest_first, key=lambda name: _ENDINGS.index(name.ending)):
        kept.setdefault((name.kind if name.number is None else "", name.number), name)
    ordered = sorted(kept.values(), key=_place)
    prefix = f"{folder}/" if folder else ""
    return PassSequence(
        name=next((name.module_name for name in ordered if name.module_name), f"module_{ordered[0].module_id:04d}"),
        id=ordered[0].module_id,
        backend=next((name.backend for name in ordered if name.backend), ""),
        snapshots=tuple(
            Snapshot(index, prefix + name.file, name.label, name.pass_name, name.pipeline, name.number)
            for index, name in enumerate(ordered)
        ),
        gaps=tuple(_gaps(ordered, lost)),
    )


def _place(name: DumpName) -> tuple[int, int]:
    return ({"before": 0, "after": 2}.get(name.kind, 1), name.number or 0)


def _gaps(ordered: list[DumpName], lost: Mapping[str, str]) -> Iterable[Gap]:
    """Numbers run from 0 without holes, so a hole is a lost snapshot; a trailing one is known only from `lost`."""
    reasons = {
        name.number: reason
        for file, reason in lost.items()
        if (name := parse_dump_name(file)) is not None
        and name.module_id == ordered[0].module_id
        and name.number is not None
    }

    def gap(index: int, first: int, last: int) -> Gap:
        reason = next((reasons[number] for number in sorted(reasons) if first <= number <= last), "")
        return Gap(index, first, last, reason)

    expected = 0
    after = sum(1 for name in ordered if name.kind == "before")
    for index, name in enumerate(ordered):
        if name.number is not None:
            if name.number > expected:
                yield gap(index, expected, name.number - 1)
            expected, after = name.number + 1, index + 1
    last = max(reasons, default=-1)
    if last >= expected:
        yield gap(after, expected, last)
