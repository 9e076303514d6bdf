"""How far two arrays are from each other, as the capture child measures it; and the machine's peaks with numpy."""

from __future__ import annotations

import importlib
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from xlaviz.capture import peaks, runner


@pytest.fixture
def numbers(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The child's module: the child finds its modules by their plain names."""
    monkeypatch.syspath_prepend(str(Path(runner.__file__).parent))
    return importlib.import_module("child_numbers")


def entry(numbers: ModuleType, xla: object, plain: object, again: object = None, why: str = "") -> dict[str, object]:
    repeat = None if again is None else numbers.compare_arrays(np.asarray(xla), np.asarray(again))
    found: dict[str, object] = numbers.entry("outputs", "output", np.asarray(xla), repeat, np.asarray(plain), why)
    return found


@pytest.mark.parametrize("kind", ["f2", "f4", "f8"])
def test_neighbours_are_one_step_apart(numbers: ModuleType, kind: str) -> None:
    one = np.array([1.0, -1.0, 0.0, 3.0], kind)
    other = np.array([np.nextafter(one[0], one[3]), -1.0, 0.0, 3.0], kind)
    found = numbers.compare_arrays(one, other)
    assert (found.max_ulps, found.differing, found.lonely, found.largest) == (1, 1, 0, 3.0)
    assert found.max_abs == found.max_rel * float(other[0]) == np.finfo(kind).eps


def test_steps_are_counted_through_zero(numbers: ModuleType) -> None:
    tiny = np.array([np.nextafter(np.float64(0), np.float64(1))])
    assert numbers.compare_arrays(tiny, -tiny).max_ulps == 2
    assert numbers.compare_arrays(np.array([0.0]), np.array([-0.0])).differing == 0
    most = np.array([np.finfo("f8").max])
    found = numbers.compare_arrays(most, -most)
    assert found.max_ulps == 2 * 0x7FEFFFFFFFFFFFFF
    assert found.max_abs == np.finfo("f8").max


def test_bfloat16(numbers: ModuleType) -> None:
    ml_dtypes = pytest.importorskip("ml_dtypes")
    one, other = (np.array([value], ml_dtypes.bfloat16) for value in (1.0, 1.0078125))
    found = entry(numbers, one, other)
    assert (found["dtype"], found["max_ulps"], found["max_abs"], found["rtol"]) == ("bfloat16", 1, 0.0078125, 3e-2)
    assert found["within"] is True


def test_the_tolerance_goes_by_the_largest_magnitude(numbers: ModuleType) -> None:
    near = entry(numbers, np.float32([1000, 1e-3]), np.float32([1000, 2e-3]))
    assert near["within"] is True
    assert near["max_rel"] == pytest.approx(0.5, rel=1e-5)
    far = entry(numbers, np.float32([1, 1e-3]), np.float32([1, 2e-3]))
    assert far["within"] is False
    assert (far["rtol"], far["atol"]) == (1e-5, 1e-6)
    assert (far["beyond"], far["differing"], far["note"]) == (1, 1, "")
    several = entry(numbers, np.float32([1, 2, 3, np.nan, 5]), np.float32([1, 2.0001, 3.1, 4, 5]))
    assert (several["beyond"], several["differing"]) == (3, 3)


def test_whole_numbers_have_to_be_equal(numbers: ModuleType) -> None:
    ends = np.iinfo("i8")
    found = entry(numbers, np.array([ends.max, 5]), np.array([ends.min, 5]))
    assert (found["max_abs"], found["within"], found["max_ulps"], found["differing"]) == (2.0**64, False, None, 1)
    large = 2**60
    assert entry(numbers, np.array([large]), np.array([large + 1]))["max_abs"] == 1
    assert entry(numbers, np.array([True, False]), np.array([True, True]))["max_abs"] == 1
    assert entry(numbers, np.array([3]), np.array([3]))["within"] is True


def test_complex_numbers(numbers: ModuleType) -> None:
    found = entry(numbers, np.complex64([3 + 4j]), np.complex64([0]))
    assert (found["max_abs"], found["max_rel"], found["max_ulps"]) == (5, 1, None)


def test_nan_and_infinity_count_as_equal_in_equal_places(numbers: ModuleType) -> None:
    same = np.float32([np.nan, np.inf, -np.inf, 2])
    found = entry(numbers, same, same.copy())
    assert (found["max_abs"], found["differing"], found["within"]) == (0, 0, True)
    other = entry(numbers, same, np.float32([np.nan, 1, np.nan, 2]))
    assert (other["max_abs"], other["within"], other["differing"], other["beyond"]) == (None, False, 2, 2)
    assert other["note"] == "NaN or infinity in one and not in the other in 2 places."


def test_notes(numbers: ModuleType) -> None:
    ones = np.ones(3, "f4")
    found = entry(numbers, ones, ones + 1, again=ones + 2, why="It draws.")
    assert found["note"] == "Two runs with XLA differ already. It draws."
    assert found["repeat_max_abs"] == 2
    assert entry(numbers, ones, ones, again=ones, why="It draws.")["note"] == ""
    shapes = entry(numbers, ones, np.ones((3, 1), "f4"))
    assert (shapes["note"], shapes["within"], shapes["max_abs"]) == ("Without XLA it is float32[3, 1].", False, None)


def test_large_and_empty_arrays(numbers: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(numbers, "CHUNK", 7)
    one = np.arange(100, dtype="f4").reshape(10, 10)
    other = one.copy()
    other[9, 9], other[0, 1] = 100, 3
    found = numbers.compare_arrays(one, other)
    assert (found.differing, found.max_abs, found.max_rel, found.largest) == (2, 2, pytest.approx(2 / 3), 100)
    nothing = entry(numbers, np.empty((0, 3), "f4"), np.empty((0, 3), "f4"))
    assert (nothing["within"], nothing["elements"], nothing["max_abs"]) == (True, 0, 0)


def test_peaks_with_numpy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(peaks, "SIDE", 64)
    monkeypatch.setattr(peaks, "STREAM_BYTES", 1 << 20)
    found = peaks.measure_peaks()
    assert set(found) == {"flops_per_s", "bytes_per_s", "how"}
    assert found["flops_per_s"] > 1e6
    assert found["bytes_per_s"] > 1e6
    assert "64 x 64 float32 matrices" in found["how"]
