"""The child's lines: progress, and how it ended."""

from __future__ import annotations

import json
from dataclasses import dataclass

from xlaviz.base.errors import WorkFailedError, XlavizError

_WRONG_INPUT = frozenset(
    {
        "missing-file",
        "not-python",
        "not-loadable",
        "no-target",
        "bad-spec",
        "no-inputs",
        "wrong-count",
        "wrong-input",
        "not-written",
    }
)


@dataclass(frozen=True)
class Progress:
    """One line of the child. `stage` is one of importing, tracing, compiling, warming up, timing, profiling, without
    XLA, comparing, measuring peaks, packing, done, failed; `total` is 0 while the length is unknown. `error` is set on
    the last line of a failure.
    """

    stage: str
    text: str
    done: int = 0
    total: int = 0
    error: XlavizError | None = None


def parse_progress(line: str) -> Progress | None:
    """The progress that a line of the child holds, None for anything else."""
    try:
        fields = json.loads(line)
        if fields["stage"] == "failed":
            return Progress("failed", fields["message"], error=_error(fields))
        return Progress(fields["stage"], fields["text"], int(fields.get("done", 0)), int(fields.get("total", 0)))
    except (ValueError, KeyError, TypeError):
        return None


def _error(fields: dict[str, str]) -> XlavizError:
    kind = XlavizError if fields["kind"] in _WRONG_INPUT else WorkFailedError
    return kind(fields["message"], hint=fields["hint"], detail=fields["detail"])
