"""Profiles and a dump of the same run: which program of the one is which module of the other."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from xlaviz.dumps.profile_files import NO_PROGRAM, Listing
from xlaviz.dumps.sequence import PassSequence, Recorded, Snapshot

_NOT_IN_FILE_NAMES = re.compile(r"[/\\\[\] ]")


def match_programs(programs: Mapping[int, str], dump: Sequence[PassSequence]) -> dict[int, PassSequence]:
    """Program id -> module of the dump, for those that are in both.

    Numbers count compilations, and two processes count otherwise: an id alone joins nothing. Id and name do, and so
    does a name that each side has but once.
    """
    by_both = {(sequence.id, _as_in_file_names(sequence.name)): sequence for sequence in dump}
    names = {id_: _as_in_file_names(name) for id_, name in programs.items()}
    in_programs = Counter(names.values())
    in_dump = Counter(name for _, name in by_both)
    by_name = {name: sequence for (_, name), sequence in by_both.items() if in_dump[name] == in_programs[name] == 1}
    found = {id_: by_both.get((id_, name)) or by_name.get(name) for id_, name in names.items()}
    return {id_: sequence for id_, sequence in found.items() if sequence is not None}


def recorded_sequences(listings: Sequence[Listing], dump: Sequence[PassSequence]) -> tuple[PassSequence, ...]:
    """Every program of every profile, with all the snapshots of the dump where that has it; then the dump's others."""
    found = [sequence for listing in listings for sequence in _sequences(listing, dump)]
    seen = {replace(sequence, recorded=None) for sequence in found}
    return (*found, *(sequence for sequence in dump if sequence not in seen))


def _sequences(listing: Listing, dump: Sequence[PassSequence]) -> Iterator[PassSequence]:
    file, run, host = listing.found.file, listing.found.run, listing.found.host
    joined = match_programs(listing.programs, dump)
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
