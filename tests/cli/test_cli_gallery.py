"""The window's picture for machines without a display."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtGui import QColor, QImage

from xlaviz.cli.gallery import write_window_picture
from xlaviz.scene.palette import LIGHT

pytestmark = pytest.mark.usefixtures("qapp")


def test_the_window_s_picture_is_taken_when_all_of_it_is_there(matmul_bundle: Path, tmp_path: Path) -> None:
    """Both panes with their graphs, the kernels' bars, the selection in the inspector."""
    picture = QImage(str(write_window_picture(matmul_bundle, tmp_path / "window.png")))
    assert (picture.width(), picture.height()) == (1600, 1000)
    panels = {"left": (320, 120, 460, 540), "right": (820, 120, 460, 540), "bars": (320, 750, 440, 180)}
    for place, area in panels.items():
        assert colours(picture, *area) > 12, place
    accent = QColor(LIGHT.accent).rgb()
    assert any(picture.pixel(x, y) == accent for x in range(460, 780, 2) for y in range(750, 930, 2))


def colours(picture: QImage, left: int, top: int, width: int, height: int) -> int:
    """How many colours there are in a part of a picture: a message on blank ground has few."""
    return len({picture.pixel(x, y) for x in range(left, left + width, 3) for y in range(top, top + height, 3)})
