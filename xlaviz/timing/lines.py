"""The user's program with the time each of its lines took, in XLA's kernels and without XLA."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class LineTime:
    """One line of the user's program. Times are microseconds of one run.

    `xla_us` is the time of XLA's kernels attributed to the ops that this line made: it is the innermost of the user's
    lines on their stack. `with_calls_us` adds those of the lines it calls. `no_xla_us` and `no_xla_with_calls_us` are
    the same for TensorFlow's own kernels, None where the function was not measured without XLA. `share` is `xla_us`
    over the time of a run. `kernels` names the kernels of the last snapshot behind it, the costliest first, `ops` the
    TensorFlow ops, and `before` the first snapshot's instructions. `folded` says which library's frames lie between
    this line and its ops.
    """

    file: str
    line: int
    function: str
    xla_us: float
    with_calls_us: float
    no_xla_us: float | None
    no_xla_with_calls_us: float | None
    share: float
    kernels: tuple[str, ...]
    ops: tuple[str, ...]
    before: tuple[str, ...]
    folded: str = ""


@dataclass(frozen=True, slots=True)
class SourceFile:
    """A file of the user's; `text` is None where it is not at hand."""

    path: str
    text: str | None


@dataclass(frozen=True, slots=True)
class LineTimes:
    """All lines with time, the costliest first, and the files they are in, the costliest first.

    `unattributed_us` is the time of kernels that lead to no line, those of `unattributed_kernels`;
    `unattributed_share` is that over the time of the kernels. `notes` are sentences for the user.
    """

    run_us: float
    lines: tuple[LineTime, ...]
    files: tuple[SourceFile, ...]
    unattributed_us: float
    unattributed_share: float
    unattributed_kernels: tuple[str, ...]
    no_xla_unattributed_us: float | None = None
    notes: tuple[str, ...] = ()
