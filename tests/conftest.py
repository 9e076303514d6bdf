"""What all tests share: a Qt platform without a display, settings of their own, real captures made once."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from helpers.captures import EXAMPLES, TARGETS, Captured

from xlaviz.capture.request import CaptureRequest
from xlaviz.capture.runner import run_capture

_SETTINGS = tempfile.TemporaryDirectory(prefix="xlaviz-test-settings-")
os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
os.environ["XLAVIZ_SETTINGS"] = str(Path(_SETTINGS.name) / "settings.json")

ROOT = Path(__file__).resolve().parents[1]
SHARED = ROOT.parent / "shared"


@pytest.fixture(scope="session")
def captured(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Captured]:
    """The capture of an example by its name, made with the real TensorFlow, once a test run."""
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


@pytest.fixture(scope="session")
def train_step_bundle(captured: Callable[[str], Captured]) -> Path:
    return captured("train_step").path


@pytest.fixture(scope="session")
def matmul_bundle() -> Path:
    """The small bundle that comes with the tests; needs no TensorFlow."""
    return ROOT / "tests" / "data" / "matmul.xlaviz"


@pytest.fixture(scope="session")
def shared() -> Path:
    """The research folder beside the repository, with real files of others."""
    if not (SHARED / "corpus").is_dir():
        pytest.skip(f"{SHARED} is not there: it holds real HLO files and profiles that are not part of the repository")
    return SHARED


@pytest.fixture(autouse=True)
def no_leaked_processes() -> Iterator[None]:
    """A test leaves no child process behind."""
    yield
    left = _children()
    assert not left, f"processes left running: {left}"


def _children() -> list[str]:
    """Command lines of this process's running children; empty where /proc does not tell."""
    found = []
    for entry in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = entry.read_text().rpartition(")")[2].split()
            if int(fields[1]) == os.getpid() and fields[0] != "Z":
                found.append((entry.parent / "cmdline").read_bytes().replace(b"\0", b" ").decode())
        except (OSError, ValueError, IndexError):
            continue
    return found
