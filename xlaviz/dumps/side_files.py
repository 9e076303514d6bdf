"""What lies beside the snapshots in a dump: buffer assignments, generated code, profiles, and whose they are."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from xlaviz.dumps.filenames import parse_dump_name
from xlaviz.dumps.sequence import PassSequence

_MODULE = re.compile(r"^(?:\d{10,}\.)?module_(\d{4,})\.")

_KINDS: tuple[tuple[str, str], ...] = (
    (r"-buffer-assignment(-values)?\.txt$", "buffer assignment"),
    (r"-memory-usage-report\.(txt|pb)(\.gz)?$", "memory usage"),
    (r"live-range\.txt$", "live ranges"),
    (r"ir-no-opt\..*ll$|ir-no-opt\.ll$", "LLVM IR"),
    (r"ir-with-opt\..*ll$|ir-with-opt\.ll$|-noconst\.ll$|\.ll$", "optimized LLVM IR"),
    (r"\.ptx$", "PTX"),
    (r"\.(cubin|spv|hsaco|o)$|obj-file\.", "object code"),
    (r"\.mlir$|\.mlir-passes\.log$", "MLIR"),
    (r"\.ttir\.txt$", "Triton IR"),
    (r"thunk_(schedule|sequence|metadata)", "thunks"),
    (r"\.schedule\.(txt|pb)$", "schedule"),
    (r"autotune_results|autotuner_", "autotuning"),
    (r"execution_\d+\.hlo_(unoptimized_)?snapshot", "execution snapshot"),
    (r"debug_options$|config\.pbtxt$|gpu_target_config|\.fdo_profile$", "options"),
    (r"metadata\.textproto$", "compilation metadata"),
    (r"_optimizations_before_buffer_assignment\.|after_spmd_partitioner\.|before_config_assignment\.", "HLO"),
    (r"\.(dot|html|pyz|url)$", "drawing"),
    (r"\.xplane\.pb(\.gz)?$", "profile"),
    (r"\.hlo$|\.hlo\.pb(\.gz)?$", "HLO"),
)
_PATTERNS = tuple((re.compile(pattern), kind) for pattern, kind in _KINDS)


@dataclass(frozen=True, slots=True)
class SideFile:
    """A file that is no snapshot. `file` is its name among the document's files, `kind` what it is, in words."""

    file: str
    kind: str


def kind_of(file: str) -> str:
    """What a file is by its name, `other` where that says nothing."""
    return next((kind for pattern, kind in _PATTERNS if pattern.search(file)), "other")


def side_files(files: Iterable[str], sequences: Iterable[PassSequence]) -> dict[PassSequence | None, list[SideFile]]:
    """Every file that is no snapshot, by the module it belongs to; under None what belongs to no module."""
    by_place: dict[tuple[str, int], list[PassSequence]] = {}
    for sequence in sequences:
        folder = sequence.snapshots[0].file.rpartition("/")[0]
        by_place.setdefault((folder, sequence.id), []).append(sequence)
    shown = {snapshot.file for places in by_place.values() for one in places for snapshot in one.snapshots}
    found: dict[PassSequence | None, list[SideFile]] = {}
    for file in files:
        folder, _, base = file.rpartition("/")
        if file not in shown and parse_dump_name(base) is None:
            match = _MODULE.match(base)
            owners = by_place.get((folder, int(match[1])), []) if match else []
            found.setdefault(_owner(base, owners), []).append(SideFile(file, kind_of(base)))
    return found


def _owner(base: str, owners: list[PassSequence]) -> PassSequence | None:
    """The module of that id whose name is in the file's; two runs into one folder give an id twice."""
    named = [sequence for sequence in owners if f".{sequence.name}." in base]
    return max(named, key=lambda sequence: len(sequence.name)) if named else next(iter(owners), None)
