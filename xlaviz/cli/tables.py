"""`info` and `print`: tables and text for people, JSON for scripts."""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from xlaviz.base.errors import XlavizError
from xlaviz.dumps.document import Document, open_document
from xlaviz.dumps.recompilations import base_name, differing_shapes, groups, parameter_shapes
from xlaviz.dumps.sequence import PassSequence
from xlaviz.dumps.side_files import SideFile
from xlaviz.hlo.printer import print_module
from xlaviz.session import documents


def info(path: Path, *, as_json: bool) -> int:
    """List the modules of a document with all their snapshots."""
    document = open_document(path)
    try:
        if as_json:
            print(json.dumps({"modules": [_module(document, sequence) for sequence in document.sequences]}, indent=1))
        else:
            for group in groups(document.sequences):
                _print_group(document, group)
            _print_side_files(document.side_files.get(None, []))
    finally:
        document.close()
    return 0


def _module(document: Document, sequence: PassSequence) -> dict[str, Any]:
    recorded = sequence.recorded
    where = {"profile": {"file": recorded.file, "run": recorded.run, "host": recorded.host}} if recorded else {}
    return {
        "name": sequence.name,
        "id": sequence.id,
        "backend": sequence.backend,
        "snapshots": list(_snapshots(document, sequence)),
        **where,
    }


def _snapshots(document: Document, sequence: PassSequence) -> Iterator[dict[str, Any]]:
    """What the table says of each snapshot. One that a profile lacks is listed with the reason, without counts."""
    for snapshot in sequence.snapshots:
        row = {
            "index": snapshot.index,
            "label": snapshot.label,
            "pass_name": snapshot.pass_name,
            "pipeline": snapshot.pipeline,
        }
        try:
            module = document.read_module(snapshot)
        except XlavizError as error:
            if sequence.recorded is None:
                raise
            yield row | {"problem": str(error)}
        else:
            yield row | {"computations": len(module.computations), "instructions": module.instruction_count}


def _print_group(document: Document, group: Sequence[PassSequence]) -> None:
    """One function's modules; where it was compiled more than once, what sets them apart."""
    apart = {}
    if len(group) > 1:
        apart = differing_shapes(dict(_shapes(document, group)))
        print(f"{base_name(group[0].name)}: compiled {len(group)} times")
    for place, sequence in enumerate(group):
        _print_module(document, sequence, apart.get(place, ""))


def _shapes(document: Document, group: Sequence[PassSequence]) -> Iterator[tuple[int, tuple[str, ...]]]:
    """The parameters' shapes by place in the group, of those that a profile does not lack."""
    for place, sequence in enumerate(group):
        try:
            yield place, parameter_shapes(document.read_module(sequence.snapshots[-1]))
        except XlavizError:
            if sequence.recorded is None:
                raise


def _print_module(document: Document, sequence: PassSequence, apart: str) -> None:
    where = sequence.recorded.text if sequence.recorded is not None else ""
    print("  ".join(word for word in (f"module {sequence.id}", sequence.name, sequence.backend, apart, where) if word))
    gaps = {gap.before_index: gap.text for gap in sequence.gaps}
    for snapshot in _snapshots(document, sequence):
        if snapshot["index"] in gaps:
            print(f"     ? {gaps[snapshot['index']]}")
        if "problem" in snapshot:
            print(f"     ? {snapshot['problem']}")
            continue
        counts = f"{snapshot['instructions']:>7} instructions {snapshot['computations']:>5} computations"
        where = f"  ({snapshot['pipeline']})" if snapshot["pass_name"] else ""
        print(f"  {snapshot['index']:>4} {counts}  {snapshot['label']}{where}")
    if sequence.last_index + 1 in gaps:
        print(f"     ? {gaps[sequence.last_index + 1]}")
    _print_side_files(document.side_files.get(sequence, []))


def _print_side_files(files: Sequence[SideFile]) -> None:
    """How many files of which kind lie beside a module."""
    kinds = Counter(file.kind for file in files)
    if kinds:
        print(f"     with {', '.join(f'{kind} ({count})' for kind, count in kinds.items())}")


def print_hlo(path: Path, module: str | None, snapshot: str | None) -> int:
    """Write one snapshot as HLO text, the last one where `snapshot` is None."""
    path = path.absolute()
    try:
        sequence = documents.open_info(documents.silent, path).sequence(module)
        wanted = sequence.snapshots[snapshot_index(sequence, snapshot or "after")]
        print_module(documents.opened_at(path).module(wanted), sys.stdout.write)
    finally:
        documents.close_all()
    return 0


def snapshot_index(sequence: PassSequence, text: str) -> int:
    """The snapshot that `before`, `after` or a number names; raises XlavizError where there is none."""
    named = {"before": 0, "after": sequence.last_index}
    if text in named:
        return named[text]
    if not text.isdecimal() or int(text) > sequence.last_index:
        raise XlavizError(f"There is no snapshot '{text}'.", hint=f"Use before, after or 0 to {sequence.last_index}.")
    return int(text)
