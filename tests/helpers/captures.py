"""Real captures: the examples and their targets, and a captured bundle with the progress of its making."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from xlaviz.capture.progress import Progress

EXAMPLES = Path(__file__).parents[2] / "assets" / "examples"
TARGETS = {"matmul": "matmul_relu_sum", "dense_layer": "predict", "train_step": "train_step"}

STAGES = [
    *("importing", "tracing", "compiling", "warming up", "timing", "profiling"),
    *("without XLA", "comparing", "measuring peaks", "packing", "done"),
]


@dataclass
class Captured:
    """A bundle and the progress that was reported while it was made."""

    path: Path
    progress: list[Progress] = field(default_factory=list)

    @property
    def names(self) -> list[str]:
        with zipfile.ZipFile(self.path) as bundle:
            return bundle.namelist()

    @property
    def stages(self) -> list[str]:
        return list(dict.fromkeys(progress.stage for progress in self.progress))

    def read(self, member: str) -> bytes:
        with zipfile.ZipFile(self.path) as bundle:
            return bundle.read(member)

    def json(self, member: str) -> Any:
        return json.loads(self.read(member))

    @property
    def manifest(self) -> dict[str, Any]:
        manifest: dict[str, Any] = self.json("manifest.json")
        return manifest


Capture = Callable[..., Captured]
