"""Figures in words."""

from __future__ import annotations

import pytest

from xlaviz.base import units


@pytest.mark.parametrize(
    ("time_us", "text"),
    [
        (0.0, "0.0 µs"), (0.84, "0.8 µs"), (999.94, "999.9 µs"), (999.96, "1.0 ms"), (16_464.9, "16.5 ms"),
        (999_940.0, "999.9 ms"), (999_960.0, "1.0 s"), (7.2e9, "7200.0 s"),
    ],
)  # fmt: skip
def test_times(time_us: float, text: str) -> None:
    assert units.time_text(time_us) == text


@pytest.mark.parametrize(("time_us", "text"), [(5.0, "5.0 µs"), (0.0, "0.0 µs"), (-2500.0, "−2.5 ms")])
def test_times_that_can_be_negative(time_us: float, text: str) -> None:
    assert units.signed_time_text(time_us) == text


@pytest.mark.parametrize(("share", "text"), [(0.0, "0.0%"), (0.12345, "12.3%"), (1.0, "100.0%"), (-0.05, "−5.0%")])
def test_shares(share: float, text: str) -> None:
    assert units.share_text(share) == text


@pytest.mark.parametrize(
    ("size", "text"),
    [
        (0, "0 B"), (1023, "1023 B"), (1024, "1.0 KiB"), (1_048_570, "1.0 MiB"), (5 * 1024**3, "5.0 GiB"),
        (3 * 1024**5, "3072.0 TiB"),
    ],
)  # fmt: skip
def test_sizes(size: float, text: str) -> None:
    assert units.bytes_text(size) == text


@pytest.mark.parametrize(
    ("flops", "text"), [(0, "0 FLOP"), (999, "999 FLOP"), (1000, "1.0 KFLOP"), (205_520_896, "205.5 MFLOP")]
)
def test_work(flops: float, text: str) -> None:
    assert units.flops_text(flops) == text


def test_rates() -> None:
    assert units.flops_rate_text(1.634e14) == "163.4 TFLOP/s"
    assert units.bytes_rate_text(25.6e9) == "25.6 GB/s"


@pytest.mark.parametrize(
    ("intensity", "text"),
    [(0.0, "0"), (0.01234, "0.012"), (0.125, "0.12"), (9.876, "9.88"), (56.78, "56.8"), (123.4, "123")],
)
def test_intensities(intensity: float, text: str) -> None:
    assert units.intensity_text(intensity) == text


@pytest.mark.parametrize(("share", "text"), [(0.5, "50.0%"), (-0.0004, "0.0%"), (-0.02, "−2.0%"), (1.0, "100.0%")])
def test_shares_that_round_to_nothing_have_no_sign(share: float, text: str) -> None:
    assert units.share_text(share) == text
