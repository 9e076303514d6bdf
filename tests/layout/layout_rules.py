"""What must hold for every layout."""

from __future__ import annotations

import numpy as np
import pytest

from xlaviz.layout.model import Floats, LayoutInput, Places

SLACK_PX = 0.51


def check(inputs: LayoutInput, places: Places) -> None:
    """Everything a picture relies on."""
    left, top, width, height = places.boxes.T
    assert places.boxes.shape == (len(inputs.parents), 4)
    assert np.isfinite(places.boxes).all()
    assert left.min() >= -SLACK_PX
    assert top.min() >= -SLACK_PX
    assert (width >= np.array(inputs.widths) - SLACK_PX).all()
    assert (height >= np.array(inputs.heights) - SLACK_PX).all()
    for box, parent in enumerate(inputs.parents):
        if parent >= 0:
            assert left[box] >= left[parent] - SLACK_PX
            assert top[box] >= top[parent] + inputs.heights[parent] - SLACK_PX, "over the frame's title"
            assert left[box] + width[box] <= left[parent] + width[parent] + SLACK_PX
            assert top[box] + height[box] <= top[parent] + height[parent] + SLACK_PX
        for other in range(box):
            if inputs.parents[other] == parent:
                apart = max(left[box], left[other]) >= min(left[box] + width[box], left[other] + width[other]) - 1
                apart |= max(top[box], top[other]) >= min(top[box] + height[box], top[other] + height[other]) - 1
                assert apart, f"boxes {other} and {box} overlap"
    for (source, target), route in zip(inputs.edges, places.routes, strict=True):
        assert len(route) % 3 == 1
        assert np.isfinite(route).all()
        ends = route[0, 1] - top[source], route[-1, 1] - top[target]
        from_bottom_to_top = pytest.approx((height[source], 0), abs=SLACK_PX)
        turned_round = pytest.approx((0, height[target]), abs=SLACK_PX)  # an edge that closes a cycle runs upwards
        assert ends in (from_bottom_to_top, turned_round)
        for x, box in ((route[0, 0], source), (route[-1, 0], target)):
            assert left[box] - SLACK_PX <= x <= left[box] + width[box] + SLACK_PX


def points_along(route: Floats, each: int = 16) -> list[tuple[float, float]]:
    """Points on a curve of cubic Bezier pieces."""
    at = np.linspace(0, 1, each)[:, None]
    pieces = []
    for start in range(0, len(route) - 1, 3):
        a, b, c, d = route[start : start + 4]
        pieces.append(a * (1 - at) ** 3 + 3 * b * at * (1 - at) ** 2 + 3 * c * at**2 * (1 - at) + d * at**3)
    return [(float(x), float(y)) for x, y in np.vstack(pieces)]
