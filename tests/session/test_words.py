"""Times in words, and errors that cross from the worker."""

from __future__ import annotations

import pickle

import pytest

from xlaviz.base.units import time_text
from xlaviz.profile.kernels import Kernel
from xlaviz.session.words import kernel_note
from xlaviz.session.work import ViewTooLargeError


@pytest.mark.parametrize(
    ("us", "text"),
    [(0.04, "0.0 µs"), (9.96, "10.0 µs"), (999.0, "999.0 µs"), (16464.9, "16.5 ms"), (2_100_000.0, "2.1 s")],
)
def test_times_have_a_fitting_unit(us: float, text: str) -> None:
    assert time_text(us) == text


def test_an_inferred_end_is_an_upper_bound() -> None:
    times = (12.0, 11.0, 13.0, 10.0, 12.0, 0.5)
    kernel = Kernel("k", "dot", 1, *times, exact=False, near_floor=False, self_per_run_us=12.0)
    assert kernel_note(kernel) == "≤ 12.0 µs · 50.0%"


def test_a_too_large_view_crosses_the_process_boundary_whole() -> None:
    error = ViewTooLargeError("Too large.", hint="Less.", detail="x", results=("a", "b"))
    copy = pickle.loads(pickle.dumps(error))
    assert (type(copy), copy.message, copy.hint, copy.detail, copy.results) == (
        ViewTooLargeError,
        "Too large.",
        "Less.",
        "x",
        ("a", "b"),
    )
