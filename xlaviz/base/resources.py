"""Where the files that come with xlaviz lie: beside the package in a clone, inside it once installed."""

from __future__ import annotations

from pathlib import Path

from xlaviz.base.errors import XlavizError

_PACKAGE = Path(__file__).resolve().parents[1]


def asset(name: str) -> Path:
    """The path of an asset such as `examples/train_step.py`."""
    for root in (_PACKAGE.parent / "assets", _PACKAGE / "assets"):
        if (root / name).exists():
            return root / name
    raise XlavizError(f"The file {name}, which comes with xlaviz, is missing.", hint="Install xlaviz again.")
