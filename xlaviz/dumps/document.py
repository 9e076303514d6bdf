"""An opened document: a bundle, a dump folder, an HLO file or a profile, and how to read its snapshots.

Runs no code of it. What a file is, is found from its content.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from xlaviz.base.errors import XlavizError
from xlaviz.dumps.files import BundleFiles, Files, FolderFiles, SingleFile, first_bytes, is_folder
from xlaviz.dumps.joining import joined_beside, joined_within, match_programs
from xlaviz.dumps.log_folder import ENDINGS as PROFILE_ENDINGS
from xlaviz.dumps.log_folder import Found, profile_at, profiles_in
from xlaviz.dumps.profile_files import ProfileFiles
from xlaviz.dumps.sequence import PassSequence, Snapshot, pass_sequences
from xlaviz.dumps.side_files import SideFile, side_files
from xlaviz.dumps.sources import read_sources
from xlaviz.dumps.tracebacks import Tracebacks, read_tracebacks
from xlaviz.hlo.model import HloModule
from xlaviz.hlo.read import read_hlo
from xlaviz.profile.profile import Profile, read_profile
from xlaviz.profile.progress import Report, silent
from xlaviz.profile.xplane import is_profile

BUNDLE_FORMAT = "xlaviz-bundle"
BUNDLE_VERSION = 1
RUN_PROFILE = "profile/run.xplane.pb"
COMPILE_PROFILE = "profile/compile.xplane.pb"
NO_XLA_PROFILE = "profile/no_xla.xplane.pb"
TRACEBACKS = "tracebacks.json"
_LOOSE = re.compile(r"\.(hlo|hlotxt|txt|hlo\.pb|hlo\.pb\.gz|hlo_snapshot\.pb)$")
_HEADER = re.compile(rb"^(?:\xef\xbb\xbf)?(?:[^\n]*\] )?HloModule[ ,]", re.MULTILINE)
_SECTIONS = {
    **dict.fromkeys(("target", "module", "environment", "timings"), dict),
    **dict.fromkeys(("recompilations", "comparison", "memory", "peaks"), dict),
    "lost_snapshots": list,
}
"""What a manifest's parts are, where they are there: who reads them later need not look again."""


@dataclass(frozen=True)
class Document:
    """What was opened. `manifest` is a bundle's own description of its capture, empty for anything else."""

    path: Path
    files: Files
    sequences: tuple[PassSequence, ...]
    manifest: dict[str, Any] = field(default_factory=dict)
    profiles: ProfileFiles | None = None
    """Profiles of other people's runs, the newest first; a capture's own is a member of its bundle instead."""

    @cached_property
    def tracebacks(self) -> Tracebacks:
        """The user's lines behind the ops, where a capture recorded them."""
        return read_tracebacks(self.read_member(TRACEBACKS) if self.manifest else None)

    @cached_property
    def sources(self) -> dict[str, str]:
        """The user's files that came along with a capture: path -> text."""
        return read_sources(self.files, self.manifest)

    def source_text(self, path: str) -> str | None:
        """The text of a file that a module or a traceback names, None where the capture did not bring it along: what
        lies at that path on this machine is never read."""
        return self.sources.get(path)

    @cached_property
    def side_files(self) -> dict[PassSequence | None, list[SideFile]]:
        """What lies beside the snapshots, by module; under None what belongs to none."""
        names = [name for name in self.files.names() if self.profiles is None or name not in self.profiles]
        dumped = [name for name in names if name.startswith("dump/")] if self.manifest else names
        return side_files(dumped, self.sequences)

    def read_profile(self, sequence: PassSequence, report: Report = silent) -> Profile | None:
        """The profile in which the module's kernels were timed, None where there is none."""
        if sequence.recorded is not None and self.profiles is not None:
            return self.profiles.profile(sequence.recorded.file, report)
        data = self.read_member(RUN_PROFILE) if self.manifest else None
        if data is None:
            return None
        return read_profile(data, file=f"{RUN_PROFILE} in {self.path.name}", report=report)

    def program_of(self, sequence: PassSequence, profile: Profile) -> int | None:
        """The id that the module's executions have in the profile read for it, None where it left no events."""
        if sequence.recorded is not None:
            id_ = sequence.recorded.program_id
            return id_ if id_ in profile.programs else None
        joined = match_programs(profile.programs, self.sequences)
        return next((id_ for id_, other in joined.items() if other == sequence), None)

    def why_no_times(self, sequence: PassSequence) -> str:
        """A sentence for the user where a module has no kernel times, from what the document holds."""
        if sequence.recorded is not None and self.profiles is not None:
            return self.profiles.why_no_times(sequence.recorded, sequence.name)
        if self.profiles is not None:
            return f"None of the profiles here is of {sequence.name}: they are joined by program id and module name."
        return f"{self.path} has no profile of {sequence.name}."

    @property
    def main_sequence(self) -> PassSequence:
        """The module the capture is about; of other people's profiles the program that took the most time of the
        newest; elsewhere the one with the most snapshots."""
        wanted = self.manifest.get("module", {}).get("id")
        captured = [sequence for sequence in self.sequences if sequence.id == wanted]
        main = self.profiles.main if self.profiles is not None else None
        for sequence in self.sequences if main is not None else ():
            if sequence.recorded is not None and (sequence.recorded.file, sequence.recorded.program_id) == main:
                return sequence
        return max(captured or self.sequences, key=lambda sequence: len(sequence.snapshots))

    def read_module(self, snapshot: Snapshot) -> HloModule:
        """The snapshot's module, read anew each time: keep it, or keep few."""
        if self.profiles is not None and snapshot.file in self.profiles:
            return self.profiles.module(snapshot.file, snapshot.part)
        modules = read_hlo(self.files.read(snapshot.file), file=snapshot.file)
        if snapshot.part >= len(modules):
            raise XlavizError(f"{snapshot.file} has changed since it was opened.", hint="Open it again.")
        return modules[snapshot.part]

    def read_member(self, name: str) -> bytes | None:
        """A member of a bundle, None where it has none of that name."""
        return self.files.read(name) if name in self.files.names() else None

    def close(self) -> None:
        self.files.close()


def open_document(path: Path) -> Document:
    """Open whatever `path` is; anything that cannot be shown raises XlavizError."""
    if is_folder(path):
        return _open_folder(path)
    if path.suffix == ".xlaviz" or first_bytes(path).startswith(b"PK"):
        return _open_bundle(path)
    return _open_single(path)


def _open_folder(path: Path) -> Document:
    files = FolderFiles(path)
    sequences = pass_sequences(files.names()) or tuple(_loose_modules(files))
    if found := profiles_in(files):
        return _open_profiles(path, files, found, sequences)
    if not sequences:
        raise XlavizError(
            f"{path} holds no HLO dump.",
            hint="Make one with XLA_FLAGS='--xla_dump_to=DIR --xla_dump_hlo_pass_re=.* --xla_dump_hlo_as_proto'.",
        )
    return Document(path, files, sequences)


def _loose_modules(files: FolderFiles) -> Iterator[PassSequence]:
    """HLO files that follow no dump's naming, each a module of its own, or several: told by their headers alone."""
    for number, name in enumerate(files.names()):
        if _LOOSE.search(name):
            headers = 1 if ".pb" in name else len(_HEADER.findall(files.read(name)))
            parts = headers if name.endswith("txt") else max(headers, 1)  # HLO needs no header, and not all text is HLO
            for part in range(parts):
                label = f"{name}, module {part + 1}" if part else name
                yield PassSequence(label, number, "", (Snapshot(0, name, label, part=part),))


def _open_bundle(path: Path) -> Document:
    files = BundleFiles(path)
    try:
        manifest = _manifest(files)
        lost = {entry["file"]: entry["reason"] for entry in manifest.get("lost_snapshots", [])}
        sequences = pass_sequences(files.names(), lost)
        if not sequences:
            raise XlavizError(f"{path} holds no HLO dump.", hint="Capture it again.")
    except XlavizError:
        files.close()
        raise
    return Document(path, files, sequences, manifest)


def _manifest(files: BundleFiles) -> dict[str, Any]:
    if "manifest.json" not in files.names():
        raise XlavizError(f"{files.path} is a zip file, but no xlaviz bundle: it has no manifest.json.")
    try:
        manifest = json.loads(files.read("manifest.json"))
    except (ValueError, RecursionError) as error:
        raise XlavizError(f"{files.path} has a manifest that is not JSON ({error}).") from error
    if not isinstance(manifest, dict) or manifest.get("format") != BUNDLE_FORMAT:
        raise XlavizError(f"{files.path} is a zip file, but no xlaviz bundle.")
    version = manifest.get("version")
    if not isinstance(version, int) or version > BUNDLE_VERSION:
        raise XlavizError(
            f"{files.path} is a bundle of version {version}; this xlaviz reads up to {BUNDLE_VERSION}.",
            hint="Install a newer xlaviz.",
        )
    for name in _wrong_parts(manifest):
        raise XlavizError(f"{files.path} has a manifest whose '{name}' is not as it should be.")
    return manifest


def _wrong_parts(manifest: dict[str, Any]) -> Iterator[str]:
    wrong = [name for name, kind in _SECTIONS.items() if not isinstance(manifest.get(name, kind()), kind)]
    yield from wrong
    if not wrong:
        args = manifest.get("target", {}).get("args", [])
        if not isinstance(args, list) or not all(isinstance(arg, str) for arg in args):
            yield "target.args"
        lost = [entry if isinstance(entry, dict) else {} for entry in manifest.get("lost_snapshots", [])]
        if not all(isinstance(entry.get(key), str) for entry in lost for key in ("file", "reason")):
            yield "lost_snapshots"


def _open_single(path: Path) -> Document:
    """A file's modules, each a sequence of one snapshot."""
    files = SingleFile(path)
    if path.name.endswith(PROFILE_ENDINGS) or is_profile(first_bytes(path)):
        return _open_profiles(path, files, (profile_at(files),), ())
    sequences = []
    for part, module in enumerate(read_hlo(files.read(path.name), file=str(path))):
        name = f"{path.name}, module {part + 1}" if part else path.name
        id_ = part if module.id is None else module.id
        sequences.append(PassSequence(module.name, id_, "", (Snapshot(0, name, name, part=part),)))
    return Document(path, files, tuple(sequences))


def _open_profiles(
    path: Path, files: FolderFiles | SingleFile, found: tuple[Found, ...], dump: tuple[PassSequence, ...]
) -> Document:
    """Profiles, and what was dumped while they were recorded: in the folder itself, or else beside them."""
    profiles = ProfileFiles(files, found)
    problems = [listing.problem for listing in profiles.listings]
    if len(problems) == 1 and problems[0] is not None and not dump:
        raise problems[0]
    if dump:
        return Document(path, files, joined_within(profiles, files, dump), profiles=profiles)
    beside, sequences = joined_beside(path, profiles)
    return Document(path, beside or files, sequences, profiles=profiles)
