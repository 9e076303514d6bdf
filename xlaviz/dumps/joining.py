"""Profiles and a dump of the same run: which program of the one is which module of the other."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache, partial
from pathlib import Path

from xlaviz.dumps.agreement import agrees
from xlaviz.dumps.files import Files, FolderFiles
from xlaviz.dumps.log_folder import dump_folders
from xlaviz.dumps.profile_files import NO_PROGRAM, Listing, ProfileFiles
from xlaviz.dumps.sequence import PassSequence, Recorded, Snapshot, pass_sequences

AS_IT_RAN = "as it ran"

_Agrees = Callable[[str, int, PassSequence], bool | None]
"""Takes a profile's file, a program's id in it and a module of the dump: whether the dump ends in the instructions of
the program; None where that cannot be told."""

_NOT_IN_FILE_NAMES = re.compile(r"[/\\\[\] ]")


def match_programs(
    programs: Mapping[int, str], dump: Sequence[PassSequence], fits: Callable[[int, PassSequence], bool] | None = None
) -> dict[int, PassSequence]:
    """Program id -> module of the dump, for those that are in both.

    Numbers count compilations, and two processes count otherwise: an id alone joins nothing. Id and name do, and so
    does a name that each side has but once. Where given, `fits` has the last word.
    """
    by_both: dict[tuple[int, str], list[PassSequence]] = {}
    by_name: dict[str, list[PassSequence]] = {}
    for sequence in dump:
        name = _as_in_file_names(sequence.name)
        by_both.setdefault((sequence.id, name), []).append(sequence)
        by_name.setdefault(name, []).append(sequence)
    names = {id_: _as_in_file_names(name) for id_, name in programs.items()}
    counts = Counter(names.values())
    found: dict[int, PassSequence] = {}
    for id_, name in names.items():
        alone = by_name.get(name, []) if counts[name] == len(by_name.get(name, ())) == 1 else []
        for sequence in by_both.get((id_, name), alone):
            if fits is None or fits(id_, sequence):
                found[id_] = sequence
                break
    return found


def joined_within(profiles: ProfileFiles, files: Files, dump: Sequence[PassSequence]) -> tuple[PassSequence, ...]:
    """Every program of every profile, with all the snapshots of the dump where that has it; then the dump's others.

    Somebody has put the two into one folder: only modules that are known to differ are kept apart. Where the dump does
    not reach to the end of the compilation, the module that the profile carries follows its snapshots.
    """
    return _joined(profiles, dump, _agreement(profiles, files), is_known=False)


def joined_beside(path: Path, profiles: ProfileFiles) -> tuple[FolderFiles | None, tuple[PassSequence, ...]]:
    """The same with the dump folder beside `path` that has most of the programs, the very same ones; None where none
    has any."""
    best: FolderFiles | None = None
    sequences, most = _joined(profiles, (), lambda *_: False, is_known=True), 0
    for folder in dump_folders(path):
        files = FolderFiles(folder, depth=0)
        found = _joined(profiles, pass_sequences(files.names()), _agreement(profiles, files), is_known=True)
        count = sum(one.recorded is not None and one.snapshots[0].file not in profiles for one in found)
        if count > most:
            best, sequences, most = files, found, count
    return best, sequences


def _agreement(profiles: ProfileFiles, files: Files) -> _Agrees:
    @cache
    def agreement(file: str, program_id: int, sequence: PassSequence) -> bool | None:
        return agrees(profiles.instruction_names(file, program_id), files, sequence)

    return agreement


def _joined(
    profiles: ProfileFiles, dump: Sequence[PassSequence], agreement: _Agrees, *, is_known: bool
) -> tuple[PassSequence, ...]:
    """With `is_known` only modules that are known to be the programs are joined with them."""
    allowed = (True,) if is_known else (True, None)

    def fits(file: str, program_id: int, sequence: PassSequence) -> bool:
        return agreement(file, program_id, sequence) in allowed

    found: list[PassSequence] = []
    used: set[PassSequence] = set()
    for listing in profiles.listings:
        file = listing.found.file
        joined = match_programs(listing.programs, dump, partial(fits, file))
        used.update(joined.values())
        partly = [id_ for id_, sequence in joined.items() if agreement(file, id_, sequence) is None]
        joined |= {id_: _with_what_ran(joined[id_], file, id_) for id_ in partly if profiles.carries(file, id_)}
        found += _sequences(listing, joined)
    return (*found, *(sequence for sequence in dump if sequence not in used))


def _with_what_ran(sequence: PassSequence, file: str, program_id: int) -> PassSequence:
    last = Snapshot(len(sequence.snapshots), file, AS_IT_RAN, part=program_id)
    return replace(sequence, snapshots=(*sequence.snapshots, last))


def _sequences(listing: Listing, joined: Mapping[int, PassSequence]) -> Iterator[PassSequence]:
    file, run, host = listing.found.file, listing.found.run, listing.found.host
    for id_, name in sorted(listing.programs.items()):
        recorded = Recorded(file, id_, run, host)
        if id_ in joined:
            yield replace(joined[id_], recorded=recorded)
        else:
            yield PassSequence(name, id_, "", (Snapshot(0, file, AS_IT_RAN, part=id_),), recorded=recorded)
    if not listing.programs:
        name = "no XLA program" if listing.is_read else "programs without a module"
        if listing.problem is not None:
            name = "cannot be read"
        snapshot = Snapshot(0, file, name, part=NO_PROGRAM)
        yield PassSequence(name, 0, "", (snapshot,), recorded=Recorded(file, None, run, host))


def _as_in_file_names(name: str) -> str:
    """A module's name as XLA writes it into the names of dumped files."""
    return _NOT_IN_FILE_NAMES.sub("_", name)
