"""`info`, `print` and `kernels`: tables and text for people, JSON for scripts."""

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
from xlaviz.session import documents, work


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
    return {
        "name": sequence.name,
        "id": sequence.id,
        "backend": sequence.backend,
        "snapshots": list(_snapshots(document, sequence)),
    }


def _snapshots(document: Document, sequence: PassSequence) -> Iterator[dict[str, Any]]:
    for snapshot in sequence.snapshots:
        module = document.read_module(snapshot)
        yield {
            "index": snapshot.index,
            "label": snapshot.label,
            "pass_name": snapshot.pass_name,
            "pipeline": snapshot.pipeline,
            "computations": len(module.computations),
            "instructions": module.instruction_count,
        }


def _print_group(document: Document, group: Sequence[PassSequence]) -> None:
    """One function's modules; where it was compiled more than once, what sets them apart."""
    apart = {}
    if len(group) > 1:
        last = {place: document.read_module(one.snapshots[-1]) for place, one in enumerate(group)}
        apart = differing_shapes({place: parameter_shapes(module) for place, module in last.items()})
        print(f"{base_name(group[0].name)}: compiled {len(group)} times")
    for place, sequence in enumerate(group):
        _print_module(document, sequence, apart.get(place, ""))


def _print_module(document: Document, sequence: PassSequence, apart: str) -> None:
    print("  ".join(word for word in (f"module {sequence.id}", sequence.name, sequence.backend, apart) if word))
    gaps = {gap.before_index: gap.text for gap in sequence.gaps}
    for snapshot in _snapshots(document, sequence):
        if snapshot["index"] in gaps:
            print(f"     ? {gaps[snapshot['index']]}")
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


def kernels(path: Path, module: str | None, *, as_json: bool) -> int:
    """Print the kernel times of a module."""
    path = path.absolute()
    document = documents.open_info(documents.silent, path)
    try:
        sequence = document.sequence(module)
        table = work.kernels(documents.silent, path, sequence)
    finally:
        documents.close_all()
    if table is None:
        raise XlavizError(f"{path} has no profile of {sequence.name}.", hint="xlaviz capture records one.")
    rows = [
        {
            "name": kernel.name,
            "opcode": kernel.opcode,
            "runs": kernel.runs,
            "median_us": round(kernel.median_us, 3),
            "p10_us": round(kernel.p10_us, 3),
            "p90_us": round(kernel.p90_us, 3),
            "share": round(kernel.share, 5),
            "exact": kernel.exact,
        }
        for kernel in table.kernels
    ]
    if as_json:
        head = {"coverage": round(table.coverage, 5), "unmatched": table.unmatched, "runs": table.runs}
        print(json.dumps(head | {"kernels": rows}, indent=1))
        return 0
    print(f"{table.runs} runs of {table.run_us:.1f} µs (median); kernels cover {table.coverage:.1%} of a run", end="")
    print(f"; {table.unmatched} events without an instruction" if table.unmatched else "")
    _print_rows(rows)
    if not all(kernel.exact for kernel in table.kernels):
        print("≤: the kernel runs asynchronously and its end is inferred, an upper bound (--exact records true ends)")
    return 0


def _print_rows(rows: Sequence[dict[str, Any]]) -> None:
    width = max([len(row["name"]) for row in rows], default=6)
    numbers = (title.rjust(10) for title in ("runs", "median µs", "p10", "p90", "share"))
    print("  ".join(("kernel".ljust(width), "opcode".ljust(12), *numbers)))
    for row in rows:
        times = (f"{row[key]:.1f}".rjust(10) for key in ("p10_us", "p90_us"))
        median = f"{'' if row['exact'] else '≤ '}{row['median_us']:.1f}".rjust(10)
        cells = (row["name"].ljust(width), row["opcode"].ljust(12), str(row["runs"]).rjust(10), median, *times)
        print("  ".join((*cells, f"{row['share']:.1%}".rjust(10))))
