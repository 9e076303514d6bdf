"""The inspector says what a kernel does, how fast, and what keeps it from being faster."""

from __future__ import annotations

from dataclasses import replace

from xlaviz.profile.kernels import Kernel
from xlaviz.profile.peaks import NO_PEAKS, Peaks
from xlaviz.ui.inspector import work_rows
from xlaviz.ui.main_window import MainWindow

# 2 GFLOP and 12 MB in 10 ms.
DOT = Kernel(
    *("dot.1", "dot", 10, 10_000.0, 9_000.0, 11_000.0, 8_000.0, 10_000.0, 0.9, True, False), flops=2e9, bytes=12e6
)
PEAKS = Peaks(8e11, 2.4e9)


def test_rates_stand_beside_the_peaks() -> None:
    assert list(work_rows(DOT, PEAKS)) == [
        ("work", "2.0 GFLOP · 11.4 MiB"),
        ("rate", "200.0 GFLOP/s (25% of the peak)<br>1.2 GB/s (50% of the peak)<br>bound by memory"),
    ]


def test_without_peaks_nothing_is_said_of_bounds() -> None:
    assert list(work_rows(DOT, NO_PEAKS))[1] == ("rate", "200.0 GFLOP/s<br>1.2 GB/s")


def test_what_only_moves_has_no_flops() -> None:
    assert list(work_rows(replace(DOT, flops=0.0), NO_PEAKS)) == [("work", "11.4 MiB"), ("rate", "1.2 GB/s")]


def test_unknown_work_is_left_out() -> None:
    assert list(work_rows(replace(DOT, flops=None), PEAKS)) == []


def test_what_is_above_the_peak_has_no_part_of_it_and_what_is_far_below_a_bound() -> None:
    assert list(work_rows(DOT, Peaks(1e11, 1e12)))[1] == (
        "rate",
        "200.0 GFLOP/s (above the known peak)<br>1.2 GB/s (&lt; 1% of the peak)<br>bound by compute",
    )


def test_the_costliest_kernel_of_a_capture_has_them(opened: MainWindow) -> None:
    text = opened.inspector.toPlainText()
    assert "2.0 GFLOP · 11.4 MiB" in text
    assert "bound by compute" in text
