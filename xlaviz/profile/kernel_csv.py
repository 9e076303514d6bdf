"""A kernel table as CSV, for spreadsheets and scripts."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable

from xlaviz.profile.kernels import Kernel, KernelTable
from xlaviz.profile.peaks import Peaks

_Value = str | int | float | bool | None

_COLUMNS: dict[str, Callable[[Kernel, Peaks], _Value]] = {
    "name": lambda kernel, _: kernel.name,
    "opcode": lambda kernel, _: kernel.opcode,
    "fusion_kind": lambda kernel, _: kernel.fusion_kind,
    "op_names": lambda kernel, _: ";".join(kernel.op_names),
    "runs": lambda kernel, _: kernel.runs,
    "median_us": lambda kernel, _: kernel.median_us,
    "p10_us": lambda kernel, _: kernel.p10_us,
    "p90_us": lambda kernel, _: kernel.p90_us,
    "min_us": lambda kernel, _: kernel.min_us,
    "self_per_run_us": lambda kernel, _: kernel.self_per_run_us,
    "total_per_run_us": lambda kernel, _: kernel.total_per_run_us,
    "share": lambda kernel, _: kernel.share,
    "flops": lambda kernel, _: kernel.flops,
    "bytes": lambda kernel, _: kernel.bytes,
    "flops_per_s": lambda kernel, _: kernel.flops_per_s,
    "bytes_per_s": lambda kernel, _: kernel.bytes_per_s,
    "flops_per_byte": lambda kernel, _: kernel.intensity,
    "bound_by": lambda kernel, peaks: kernel.bound_by(peaks),
    "exact": lambda kernel, _: kernel.exact,
    "near_floor": lambda kernel, _: kernel.near_floor,
    "wide_spread": lambda kernel, _: kernel.is_spread,
}


def kernel_csv(table: KernelTable) -> str:
    """A line of headers, one for each kernel in the table's order, and a last one named `unattributed`.

    Numbers are raw, the units are in the headers; empty means not known. With the last line, `self_per_run_us` adds
    up to the run's time and `share` to 1.
    """
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(_COLUMNS)
    for kernel in table.kernels:
        writer.writerow([_cell(value(kernel, table.peaks)) for value in _COLUMNS.values()])
    rest: dict[str, _Value] = {
        "name": "unattributed",
        "self_per_run_us": table.unattributed_us,
        "share": 1 - sum(kernel.share for kernel in table.kernels),
    }
    writer.writerow([_cell(rest.get(key)) for key in _COLUMNS])
    return text.getvalue()


def _cell(value: _Value) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return f"{value:.7g}"
    return "" if value is None else str(value)
