"""Real captures, each made once per session."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from xlaviz.capture.progress import Progress
from xlaviz.capture.request import CaptureRequest
from xlaviz.capture.runner import run_capture

EXAMPLES = Path(__file__).parents[2] / "assets" / "examples"
TARGETS = {"matmul": "matmul_relu_sum", "dense_layer": "predict", "train_step": "train_step"}


STAGES = ["importing", "tracing", "compiling", "warming up", "profiling", "without XLA", "packing", "done"]


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


@pytest.fixture(scope="session")
def captured(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Captured]:
    """The capture of an example by its name."""
    folder = tmp_path_factory.mktemp("bundles")
    made: dict[str, Captured] = {}

    def get(name: str) -> Captured:
        if name not in made:
            result = Captured(folder / f"{name}.xlaviz")
            request = CaptureRequest(EXAMPLES / f"{name}.py", TARGETS[name], result.path, runs=6)
            run_capture(request, result.progress.append)
            made[name] = result
        return made[name]

    return get


@pytest.fixture
def capture(tmp_path: Path) -> Capture:
    """Capture a target of a small program, given as text."""

    def run(program: str, target: str, *args: str, **options: Any) -> Captured:
        file = tmp_path / "user.py"
        file.write_text(program, encoding="utf-8")
        result = Captured(tmp_path / "user.xlaviz")
        request = CaptureRequest(file, target, result.path, args, **{"runs": 5, "warmups": 1, **options})
        run_capture(request, result.progress.append)
        return result

    return run
