"""`kernels` and `report`: times by kernel, op, layer and line, and whether XLA pays. For people, as JSON, as CSV."""

from __future__ import annotations

import csv
import json
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

from xlaviz.base.errors import XlavizError
from xlaviz.base.units import bytes_rate_text, flops_rate_text, share_text, signed_time_text, time_text
from xlaviz.dumps.sequence import PassSequence
from xlaviz.graph.metrics import elide_middle
from xlaviz.lineage.sequence import Lineage
from xlaviz.profile.kernel_csv import kernel_csv
from xlaviz.profile.kernels import Kernel, KernelTable
from xlaviz.session import documents, stories, timings
from xlaviz.session.words import at_most
from xlaviz.timing.groups import KernelGroup
from xlaviz.timing.lines import LineTimes
from xlaviz.timing.report_text import report_json, report_text

By = Literal["kernel", "op", "layer", "line"]
Form = Literal["text", "json", "csv"]
_WIDEST = 100
"""Characters of a cell at most: the names of C++ templates have thousands."""


def kernels(path: Path, module: str | None, *, by: By, form: Form, device: str) -> int:
    """Print the times of a module's kernels, added up as `by` says."""
    path = path.absolute()
    document = documents.open_info(documents.silent, path)
    try:
        sequence = document.sequence(module)
        table = _table(path, sequence, device)
        if not table.kernels and (by != "kernel" or not table.others):
            raise XlavizError(_why_no_kernels(table, sequence))
        if form == "text" and len(document.sequences) > 1:
            where = f" · {sequence.recorded.text}" if sequence.recorded is not None and sequence.recorded.text else ""
            print(f"{document.title(sequence)}{where}")
        if by == "kernel":
            _print_kernels(table, form)
        elif by == "line":
            found = timings.lines(documents.silent, path, sequence, device, _lineage(path, sequence))
            assert found is not None
            _print_lines(found, table, form)
        else:
            lineage = _lineage(path, sequence)
            groups = timings.kernel_groups(documents.silent, path, sequence, by, device, lineage)
            _print_groups(groups, table, by, form)
        if form == "text":
            for note in table.notes:
                print(note)
    finally:
        documents.close_all()
    return 0


def _lineage(path: Path, sequence: PassSequence) -> Lineage | None:
    """Followed through all passes where that tells more; it may take a while."""
    if not timings.needs_lineage(documents.silent, path, sequence):
        return None
    return stories.lineage(documents.silent, path, sequence)


def _table(path: Path, sequence: PassSequence, device: str) -> KernelTable:
    table = timings.kernels(documents.silent, path, sequence, device)
    if table is None:
        why = documents.opened_at(path).document.why_no_times(sequence)
        raise XlavizError(why, hint=timings.HOW_TO_GET_TIMES)
    devices = table.devices or tuple(dict.fromkeys(other.device for other in table.others))
    if device and device not in devices:
        why = f"{sequence.name} did not run on {device}." if table.devices else _why_no_kernels(table, sequence)
        raise XlavizError(why, hint=f"Devices: {', '.join(devices)}." if devices else "")
    return replace(table, others=tuple(other for other in table.others if device in ("", other.device)))


def _why_no_kernels(table: KernelTable, sequence: PassSequence) -> str:
    if table.unmatched:
        names = ", ".join(table.unmatched_names[:5])
        return f"None of the {table.unmatched} op events of {sequence.name} is an instruction of its module ({names})."
    if table.outside:
        return f"All {table.outside} op events of {sequence.name} lie outside its executions."
    return table.notes[0] if table.notes else f"{sequence.name} left no op events."


def report(path: Path, module: str | None, *, as_json: bool) -> int:
    """Print what XLA costs and brings."""
    path = path.absolute()
    document = documents.open_info(documents.silent, path)
    try:
        found = timings.does_xla_pay(documents.silent, path, document.sequence(module))
    finally:
        documents.close_all()
    if as_json:
        print(json.dumps(report_json(found), indent=1))
    else:
        print(report_text(found), end="")
    return 0


def _print_kernels(table: KernelTable, form: Form) -> None:
    if form == "csv":
        print(kernel_csv(table), end="")
        return
    if form == "json":
        head = {"coverage": round(table.coverage, 5), "unmatched": table.unmatched, "runs": table.runs}
        print(json.dumps(head | {"kernels": [_row(kernel) for kernel in table.kernels]}, indent=1))
        return
    if table.kernels:
        _print_kernel_rows(table)
    if table.others:
        print("\nnot in HLO (copies, other libraries):" if table.kernels else "not in HLO:")
        others = [[o.name, o.device, str(o.count), f"{o.median_us:.1f}", f"{o.total_us:.1f}"] for o in table.others]
        _print_table(("kernel", "device", "count", "median µs", "total µs"), others)


def _print_kernel_rows(table: KernelTable) -> None:
    runs = f"{table.runs} run{'s' * (table.runs != 1)} of {table.run_us:.1f} µs (median)"
    print(f"{runs}; kernels cover {table.coverage:.1%} of a run", end="")
    if table.unmatched:
        print(f"; {table.unmatched} events without an instruction", end="")
    print(f"; {table.outside} events outside every run" if table.outside else "")
    _print_table(("kernel", "opcode", "runs", "median µs", "p10", "p90", "share", "FLOP/s", "B/s"), _cells(table))
    if not all(kernel.exact for kernel in table.kernels):
        print("≤: the kernel runs asynchronously and its end is inferred, an upper bound (--exact records true ends)")


def _row(kernel: Kernel) -> dict[str, Any]:
    return {
        "name": kernel.name,
        "opcode": kernel.opcode,
        "runs": kernel.runs,
        "median_us": round(kernel.median_us, 3),
        "p10_us": round(kernel.p10_us, 3),
        "p90_us": round(kernel.p90_us, 3),
        "share": round(kernel.share, 5),
        "exact": kernel.exact,
        "flops": kernel.flops,
        "bytes": kernel.bytes,
    }


def _cells(table: KernelTable) -> list[list[str]]:
    rows = [
        [
            kernel.name,
            kernel.opcode,
            str(kernel.runs),
            f"{at_most(kernel)}{kernel.median_us:.1f}",
            f"{kernel.p10_us:.1f}",
            f"{kernel.p90_us:.1f}",
            share_text(kernel.share),
            flops_rate_text(kernel.flops_per_s) if kernel.flops_per_s else "",
            bytes_rate_text(kernel.bytes_per_s) if kernel.bytes_per_s is not None else "",
        ]
        for kernel in table.kernels
    ]
    rest = 1 - sum(kernel.share for kernel in table.kernels)
    return [*rows, ["unattributed", "", "", "", "", "", share_text(rest), "", ""]]


def _print_groups(groups: Sequence[KernelGroup], table: KernelTable, by: By, form: Form) -> None:
    """Each with its part of the kernels' time, then what leads to none, then the time in no kernel."""
    if form == "json":
        found = [
            {by: group.label, "us": round(group.self_us, 3), "share": round(group.share, 5), "kernels": group.kernels}
            for group in groups
            if group.label
        ]
        print(json.dumps({f"{by}s": found, "unattributed_share": round(_unattributed(groups), 5)}, indent=1))
        return
    rows = [(group.label or f"no {by}", group.self_us, group.share, len(group.kernels)) for group in groups]
    signs = [*map(at_most, groups), ""]
    rest = table.unattributed_us
    rows.append(("in no kernel", rest, rest / table.run_us if table.run_us else 0.0, 0))
    if form == "csv":
        _print_csv((by, "us", "share", "kernels"), rows)
        return
    cells = [
        [label, f"{sign}{signed_time_text(us)}", share_text(share), str(count)]
        for sign, (label, us, share, count) in zip(signs, rows, strict=True)
    ]
    print(f"{time_text(table.run_us)} a run (median); a fusion's time is divided among its ops by their estimated work")
    _print_table((by, "time", "share", "kernels"), cells)


def _unattributed(groups: Sequence[KernelGroup]) -> float:
    """The part of the kernels' time that leads to no op, layer or line."""
    whole = sum(group.self_us for group in groups)
    return sum(group.self_us for group in groups if not group.label) / whole if whole else 0.0


def _print_lines(found: LineTimes, table: KernelTable, form: Form) -> None:
    if form == "json":
        rows = [
            {
                "file": line.file,
                "line": line.line,
                "xla_us": round(line.xla_us, 3),
                "no_xla_us": None if line.no_xla_us is None else round(line.no_xla_us, 3),
                "share": round(line.share, 5),
            }
            for line in found.lines
        ]
        print(json.dumps({"lines": rows, "unattributed_share": round(found.unattributed_share, 5)}, indent=1))
        return
    rest = table.unattributed_us
    run_us = table.run_us or 1.0
    ends = [("no line", found.unattributed_us), ("in no kernel", rest)]
    if form == "csv":
        raw = [[line.file, line.line, line.xla_us, line.no_xla_us, line.share] for line in found.lines]
        raw += [[label, None, us, None, us / run_us] for label, us in ends]
        _print_csv(("file", "line", "xla_us", "no_xla_us", "share"), raw)
        return
    cells = [
        [
            f"{line.file}:{line.line}",
            line.function,
            f"{at_most(line)}{time_text(line.xla_us)}",
            "" if line.no_xla_us is None else time_text(line.no_xla_us),
            share_text(line.share),
        ]
        for line in found.lines
    ]
    cells += [[label, "", signed_time_text(us), "", share_text(us / run_us)] for label, us in ends]
    lost = share_text(found.unattributed_share)
    print(f"{time_text(found.run_us)} a run (median); {lost} of the kernels' time leads to no line")
    _print_table(("line", "in", "XLA", "without", "share"), cells)
    for note in found.notes:
        print(note)


def _print_csv(head: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerow(head)
    writer.writerows(["" if value is None else value for value in row] for row in rows)


def _print_table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Columns as wide as they need; words to the left, long ones cut, numbers to the right."""
    rows = [[elide_middle(cell, _WIDEST) for cell in row] for row in rows]
    widths = [max(len(row[column]) for row in (head, *rows)) for column in range(len(head))]
    is_text = [not column or all(_is_word(row[column]) for row in rows) for column in range(len(head))]
    for row in (head, *rows):
        pairs = zip(row, widths, is_text, strict=True)
        print("  ".join(cell.ljust(width) if left else cell.rjust(width) for cell, width, left in pairs).rstrip())


def _is_word(cell: str) -> bool:
    return not (cell[:1].isdigit() or cell[:1] in ("≤", "−"))
