"""Captures of small programs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from helpers.captures import Capture, Captured

from xlaviz.capture.request import CaptureRequest
from xlaviz.capture.runner import run_capture


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
