"""The columns of the kernel table: what each shows of a kernel and of a group of them, in which words."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from xlaviz.base.units import (
    bytes_rate_text,
    bytes_text,
    flops_rate_text,
    flops_text,
    intensity_text,
    signed_time_text,
)
from xlaviz.plots.parts import small_share_text
from xlaviz.profile.kernels import NEAR_FLOOR_US, Kernel
from xlaviz.profile.peaks import Peaks
from xlaviz.session.words import at_most
from xlaviz.timing.groups import KernelGroup

Row = Kernel | KernelGroup
Value = str | float | None

_SHOWN_OPS = 2


@dataclass(frozen=True, slots=True)
class Column:
    """`of_kernel` and `of_group` give the value that is sorted by, None or an empty text where there is none;
    `text` puts a number into words.
    """

    title: str
    width_px: int
    tip: str
    of_kernel: Callable[[Kernel, Peaks], Value]
    of_group: Callable[[KernelGroup, Peaks], Value] = lambda group, peaks: None
    text: Callable[[float], str] | None = None
    is_default: bool = True
    is_bound: bool = False
    """Whether an inferred end makes the value an upper bound."""
    is_right: bool = True

    def value(self, row: Row, peaks: Peaks) -> Value:
        return self.of_kernel(row, peaks) if isinstance(row, Kernel) else self.of_group(row, peaks)

    def cell(self, row: Row, peaks: Peaks) -> str:
        """The value as it is shown."""
        value = self.value(row, peaks)
        if value is None or isinstance(value, str):
            return value or ""
        assert self.text is not None
        sign = at_most(row) if self.is_bound else ""
        return sign + self.text(value)


def _group_rate(amount: float | None, group: KernelGroup) -> float | None:
    return amount / group.self_us * 1e6 if amount is not None and group.self_us > 0 else None


def _group_intensity(group: KernelGroup) -> float | None:
    return group.flops / group.bytes if group.flops is not None and group.bytes else None


def _group_bound(group: KernelGroup, peaks: Peaks) -> str:
    intensity = _group_intensity(group)
    if intensity is None or peaks.ridge is None:
        return ""
    return "compute" if intensity >= peaks.ridge else "memory"


def ops_text(op_names: Sequence[str]) -> str:
    """The last parts of the first ops' names, and how many more there are."""
    words = ", ".join(name.rpartition("/")[2] for name in op_names[:_SHOWN_OPS])
    more = len(op_names) - _SHOWN_OPS
    return f"{words} +{more}" if more > 0 else words


COLUMNS = (
    Column(
        "kernel",
        146,
        "the HLO instruction",
        lambda k, _: k.name,
        lambda g, _: g.label or "not attributed",
        is_right=False,
    ),
    Column("opcode", 66, "the instruction's opcode", lambda k, _: k.opcode, is_right=False),
    Column("kind", 64, "the kind of a fusion", lambda k, _: k.fusion_kind, is_default=False, is_right=False),
    Column(
        "ops",
        140,
        "the TensorFlow ops it stems from",
        lambda k, _: ops_text(k.op_names),
        is_default=False,
        is_right=False,
    ),
    Column("runs", 54, "executions", lambda k, _: k.runs, text=str, is_default=False),
    Column(
        "median",
        82,
        "the median time of one execution",
        lambda k, _: k.median_us,
        text=signed_time_text,
        is_bound=True,
    ),
    Column("p10", 66, "a tenth of the executions is faster", lambda k, _: k.p10_us, text=signed_time_text),
    Column("p90", 66, "a tenth of the executions is slower", lambda k, _: k.p90_us, text=signed_time_text),
    Column("min", 68, "the fastest execution", lambda k, _: k.min_us, text=signed_time_text, is_default=False),
    Column(
        "self/run",
        82,
        "the time in one run, without what it calls",
        lambda k, _: k.self_per_run_us,
        lambda g, _: g.self_us,
        signed_time_text,
        is_bound=True,
    ),
    Column(
        "total/run",
        76,
        "the time in one run, with what it calls",
        lambda k, _: k.total_per_run_us,
        text=signed_time_text,
        is_default=False,
        is_bound=True,
    ),
    Column(
        "share", 58, "the self time over the run's time", lambda k, _: k.share, lambda g, _: g.share, small_share_text
    ),
    Column(
        "FLOPs",
        88,
        "floating-point operations, of one execution",
        lambda k, _: k.flops,
        lambda g, _: g.flops,
        flops_text,
        is_default=False,
    ),
    Column(
        "bytes",
        76,
        "bytes read and written, of one execution",
        lambda k, _: k.bytes,
        lambda g, _: g.bytes,
        bytes_text,
        is_default=False,
    ),
    Column(
        "FLOP/s",
        96,
        "FLOPs over the median time",
        lambda k, _: k.flops_per_s,
        lambda g, _: _group_rate(g.flops, g),
        flops_rate_text,
    ),
    Column(
        "bandwidth",
        82,
        "bytes over the median time",
        lambda k, _: k.bytes_per_s,
        lambda g, _: _group_rate(g.bytes, g),
        bytes_rate_text,
    ),
    Column(
        "FLOP/B",
        64,
        "arithmetic intensity: FLOPs over bytes",
        lambda k, _: k.intensity,
        lambda g, _: _group_intensity(g),
        intensity_text,
        is_default=False,
    ),
    Column(
        "bound by",
        74,
        "the lower of the two roofs at this intensity",
        lambda k, peaks: k.bound_by(peaks),
        _group_bound,
    ),
)
_NUMBERS = {column.title: number for number, column in enumerate(COLUMNS)}


def number_of(title: str) -> int:
    """The column with this title."""
    return _NUMBERS[title]


def in_order(rows: Sequence[Row], column: Column, peaks: Peaks, *, is_descending: bool) -> list[Row]:
    """Rows by a column's values. What has none comes last either way."""
    known = [row for row in rows if column.value(row, peaks) not in (None, "")]
    missing = [row for row in rows if column.value(row, peaks) in (None, "")]
    return sorted(known, key=lambda row: column.value(row, peaks), reverse=is_descending) + missing  # type: ignore[arg-type, return-value]


def marks(kernel: Kernel) -> dict[str, str]:
    """What to keep in mind about a kernel's times: signs and their sentences."""
    found = {}
    if not kernel.exact:
        found["≤"] = "Runs asynchronously: its end is inferred from its first consumer, an upper bound."
    if kernel.near_floor:
        found["↓"] = f"Near the measurement floor ({NEAR_FLOOR_US:.0f} µs): recording alone costs 2 to 4 µs."
    if kernel.is_spread:
        found["↔"] = "Spread too wide: p10 and p90 lie more than half a median apart."
    return found


def row_tip(row: Row) -> str:
    """The whole name, the marks in words and all the ops."""
    if isinstance(row, Kernel):
        ops = ["", *row.op_names] if row.op_names else []
        return "\n".join([row.name, *(f"{sign} {sentence}" for sign, sentence in marks(row).items()), *ops])
    bound = "" if row.exact else "\n≤ Some ends are inferred: the time is an upper bound."
    return f"{row.label}\nThe part of these kernels' time that belongs to it: {len(row.kernels)} in all.{bound}"
