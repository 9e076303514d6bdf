"""Profiles and a dump of the same run: which program of the one is which module of the other."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from xlaviz.dumps.agreement import agrees
from xlaviz.dumps.files import Files, FolderFiles
from xlaviz.dumps.log_folder import dump_folders
from xlaviz.dumps.profile_files import NO_PROGRAM, Listing, ProfileFiles
from xlaviz.dumps.sequence import PassSequence, Recorded, Snapshot, pass_sequences

_Fits = Callable[[str, int, PassSequence], bool]
"""Takes a profile's file, a program's id in it and a module of the dump: whether the two can be the same."""

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

    Somebody has put the two into one folder: only modules that are known to differ are kept apart.
    """
    agreement = partial(_agreement, profiles, files)
    return _joined(profiles.listings, dump, lambda *program: agreement(*program) is not False)


def joined_beside(path: Path, profiles: ProfileFiles) -> tuple[FolderFiles | None, tuple[PassSequence, ...]]:
    """The same with the dump folder beside `path` that has most of the programs, the very same ones; None where none
    has any."""
    best: FolderFiles | None = None
    sequences, most = _joined(profiles.listings, (), lambda *_: False), 0
    for folder in dump_folders(path):
        files = FolderFiles(folder, depth=0)
        found = _joined(profiles.listings, pass_sequences(files.names()), _known_to_fit(profiles, files))
        count = sum(one.recorded is not None and one.snapshots[0].file not in profiles for one in found)
        if count > most:
            best, sequences, most = files, found, count
    return best, sequences


def _known_to_fit(profiles: ProfileFiles, files: Files) -> _Fits:
    return lambda *program: _agreement(profiles, files, *program) is True


def _agreement(profiles: ProfileFiles, files: Files, file: str, program_id: int, sequence: PassSequence) -> bool | None:
    return agrees(profiles.instruction_names(file, program_id), files, sequence)


def _joined(listings: Sequence[Listing], dump: Sequence[PassSequence], fits: _Fits) -> tuple[PassSequence, ...]:
    found = [sequence for listing in listings for sequence in _sequences(listing, dump, fits)]
    seen = {replace(sequence, recorded=None) for sequence in found}
    return (*found, *(sequence for sequence in dump if sequence not in seen))


def _sequences(listing: Listing, dump: Sequence[PassSequence], fits: _Fits) -> Iterator[PassSequence]:
    file, run, host = listing.found.file, listing.found.run, listing.found.host
    joined = match_programs(listing.programs, dump, partial(fits, file))
    for id_, name in sorted(listing.programs.items()):
        recorded = Recorded(file, id_, run, host)
        if id_ in joined:
            yield replace(joined[id_], recorded=recorded)
        else:
            yield PassSequence(name, id_, "", (Snapshot(0, file, "as it ran", part=id_),), recorded=recorded)
    if not listing.programs:
        name = "no XLA program" if listing.is_read else "programs without a module"
        if listing.problem is not None:
            name = "cannot be read"
        snapshot = Snapshot(0, file, name, part=NO_PROGRAM)
        yield PassSequence(name, 0, "", (snapshot,), recorded=Recorded(file, None, run, host))


def _as_in_file_names(name: str) -> str:
    """A module's name as XLA writes it into the names of dumped files."""
    return _NOT_IN_FILE_NAMES.sub("_", name)
