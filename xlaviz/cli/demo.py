"""`demo`: capture an example on the spot and open it; without a display, leave everything in a folder."""

from __future__ import annotations

import tempfile
from pathlib import Path

from xlaviz.base.errors import WorkFailedError
from xlaviz.base.resources import asset
from xlaviz.capture.request import CaptureRequest
from xlaviz.cli.capture import run_with_progress
from xlaviz.cli.window import has_display, open_window

_TARGETS = {"matmul": "matmul_relu_sum", "dense_layer": "predict", "train_step": "train_step"}
_FOLDER = Path("xlaviz-demo")


def demo(example: str, out: Path | None, python: str | None) -> int:
    """Capture `example`; open the bundle in the window, or write what the window shows into the folder `out`."""
    in_window = out is None and has_display()
    folder = Path(tempfile.mkdtemp(prefix="xlaviz-demo-")) if in_window else out or _FOLDER
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise WorkFailedError(f"The folder {folder} cannot be made: {error.strerror}.") from error
    request = CaptureRequest(
        file=asset(f"examples/{example}.py"),
        target=_TARGETS[example],
        out=folder / f"{example}.xlaviz",
        python=python,
    )
    bundle = run_with_progress(request)
    if in_window:
        return open_window([bundle])
    from xlaviz.cli.gallery import write_gallery

    for path in write_gallery(bundle, folder):
        print(path)
    return 0
