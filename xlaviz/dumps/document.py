"""An opened document: a bundle, a dump folder or one HLO file, and how to read its snapshots. Runs no code of it."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from xlaviz.base.errors import XlavizError
from xlaviz.dumps.files import BundleFiles, Files, FolderFiles, SingleFile
from xlaviz.dumps.sequence import PassSequence, Snapshot, pass_sequences
from xlaviz.hlo.model import HloModule
from xlaviz.hlo.proto import read_hlo_proto

BUNDLE_FORMAT = "xlaviz-bundle"
BUNDLE_VERSION = 1
RUN_PROFILE = "profile/run.xplane.pb"
COMPILE_PROFILE = "profile/compile.xplane.pb"


@dataclass(frozen=True)
class Document:
    """What was opened. `manifest` is a bundle's own description of its capture, empty for anything else."""

    path: Path
    files: Files
    sequences: tuple[PassSequence, ...]
    manifest: dict[str, Any] = field(default_factory=dict)

    @property
    def main_sequence(self) -> PassSequence:
        """The module the capture is about; elsewhere the one with the most snapshots."""
        wanted = self.manifest.get("module", {}).get("id")
        for sequence in self.sequences:
            if sequence.id == wanted:
                return sequence
        return max(self.sequences, key=lambda sequence: len(sequence.snapshots))

    def read_module(self, snapshot: Snapshot) -> HloModule:
        """The snapshot's module, read anew each time: keep it, or keep few."""
        return read_hlo_proto(self.files.read(snapshot.file), file=snapshot.file)

    def read_member(self, name: str) -> bytes | None:
        """A member of a bundle, None where it has none of that name."""
        return self.files.read(name) if name in self.files.names() else None

    def close(self) -> None:
        self.files.close()


def open_document(path: Path) -> Document:
    """Open whatever `path` is; anything that cannot be shown raises XlavizError."""
    if not path.exists():
        raise XlavizError(f"{path} does not exist.")
    if path.is_dir():
        return _open_folder(path)
    with path.open("rb") as file:
        head = file.read(4)
    if head[:2] == b"PK" or path.suffix == ".xlaviz":
        return _open_bundle(path)
    return _open_single(path)


def _open_folder(path: Path) -> Document:
    files = FolderFiles(path)
    sequences = pass_sequences(files.names())
    if not sequences:
        raise XlavizError(
            f"{path} holds no HLO dump.",
            hint="Make one with XLA_FLAGS='--xla_dump_to=DIR --xla_dump_hlo_pass_re=.* --xla_dump_hlo_as_proto'.",
        )
    return Document(path, files, sequences)


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
    except (KeyError, TypeError, AttributeError) as error:
        files.close()
        raise XlavizError(f"{path} has a manifest that does not say what it should ({error}).") from error
    return Document(path, files, sequences, manifest)


def _manifest(files: BundleFiles) -> dict[str, Any]:
    if "manifest.json" not in files.names():
        raise XlavizError(f"{files.path} is a zip file, but no xlaviz bundle: it has no manifest.json.")
    try:
        manifest = json.loads(files.read("manifest.json"))
    except ValueError as error:
        raise XlavizError(f"{files.path} has a manifest that is not JSON ({error}).") from error
    if not isinstance(manifest, dict) or manifest.get("format") != BUNDLE_FORMAT:
        raise XlavizError(f"{files.path} is a zip file, but no xlaviz bundle.")
    version = manifest.get("version")
    if not isinstance(version, int) or version > BUNDLE_VERSION:
        raise XlavizError(
            f"{files.path} is a bundle of version {version}; this xlaviz reads up to {BUNDLE_VERSION}.",
            hint="Install a newer xlaviz.",
        )
    return manifest


def _open_single(path: Path) -> Document:
    files = SingleFile(path)
    module = read_hlo_proto(files.read(path.name), file=str(path))
    snapshot = Snapshot(0, path.name, path.name)
    return Document(path, files, (PassSequence(module.name, module.id or 0, "", (snapshot,)),))
