"""Tracing, compiling, timing and profiling the target."""

from __future__ import annotations

import glob
import os
import time
from collections.abc import Callable
from typing import Any

from child_errors import Failure, raised  # type: ignore[import-not-found]
from child_report import DumpWatch, Reporter  # type: ignore[import-not-found]
from child_target import Target  # type: ignore[import-not-found]

SECONDS = 5.0
"""A series of calls stops after this long."""
LEAST = 5
"""... but not before so many calls."""

Inputs = tuple[Any, ...]


def wrap(tf: Any, target: Target, *, xla: bool) -> Any:
    """The target under a one-letter name: the name is part of every dump file's name, which must not get too long."""
    call = target.call

    def f(*a: Any) -> Any:
        return call(*a)

    return tf.function(f, jit_compile=True) if xla else tf.function(f)


def trace(tf: Any, target: Target, inputs: Inputs) -> tuple[Any, Any, float]:
    """The wrapped function, its concrete function and the seconds that tracing took."""
    function = wrap(tf, target, xla=True)
    start = time.perf_counter()
    try:
        concrete = function.get_concrete_function(*inputs)
    except Exception as error:
        if not _creates_variables(error):
            raise raised(error, target.where) from error
        # One eager call lets the target make its variables; then a fresh wrapper finds them made.
        call(target.call, inputs, target.where)
        function = wrap(tf, target, xla=True)
        start = time.perf_counter()
        try:
            concrete = function.get_concrete_function(*inputs)
        except Exception as again:
            raise raised(again, target.where) from again
    return function, concrete, time.perf_counter() - start


def compile_call(tf: Any, function: Any, inputs: Inputs, where: str, report: Reporter, work: str) -> tuple[Any, float]:
    """The first call, inside a profiler session that records every pass: its result and its seconds."""
    with DumpWatch(report, os.path.join(work, "dump")):
        start_profile(tf, os.path.join(work, "compile"))
        try:
            start = time.perf_counter()
            result = call(function, inputs, where)
            seconds = time.perf_counter() - start
        finally:
            tf.profiler.experimental.stop()
    return result, seconds


def call(function: Callable[..., Any], inputs: Inputs, where: str) -> Any:
    """One call whose result is there when this returns."""
    try:
        result = function(*inputs)
        materialise(result)
    except Exception as error:
        raise raised(error, where) from error
    return result


def materialise(result: Any) -> None:
    """Wait for every tensor of a result."""
    if hasattr(result, "numpy"):
        result.numpy()
    elif isinstance(result, dict):
        for value in result.values():
            materialise(value)
    elif isinstance(result, (tuple, list)):
        for value in result:
            materialise(value)


def timed_calls(function: Any, inputs: Inputs, runs: int, tick: Callable[[int], None]) -> list[float]:
    """Microseconds of each call; fewer than `runs` when they take long."""
    times: list[float] = []
    begin = time.perf_counter()
    for number in range(runs):
        if number >= LEAST and time.perf_counter() - begin > SECONDS:
            break
        start = time.perf_counter()
        materialise(function(*inputs))
        times.append(round((time.perf_counter() - start) * 1e6, 1))
        tick(number + 1)
    return times


def profiled_calls(tf: Any, function: Any, inputs: Inputs, runs: int, folder: str, tick: Callable[[int], None]) -> int:
    """Profile the calls, each in a step of its own; the number of calls made."""
    start_profile(tf, folder)
    begin = time.perf_counter()
    made = 0
    try:
        while made < runs and (made < LEAST or time.perf_counter() - begin <= SECONDS):
            with tf.profiler.experimental.Trace("xlaviz_step", step_num=made, _r=1):
                materialise(function(*inputs))
            made += 1
            tick(made)
    finally:
        tf.profiler.experimental.stop()
    return made


def start_profile(tf: Any, folder: str) -> None:
    """Start a profiler session without Python's own calls, which would swamp it."""
    tf.profiler.experimental.start(folder, tf.profiler.experimental.ProfilerOptions(python_tracer_level=0))


def profile_file(folder: str) -> str:
    """The one file that a session left."""
    found = glob.glob(os.path.join(glob.escape(folder), "plugins", "profile", "*", "*.xplane.pb"))
    if not found:
        raise Failure("no-profile", "TensorFlow's profiler wrote no file.", "Is another profiler session running?")
    return found[0]


def _creates_variables(error: Exception) -> bool:
    text = str(error)
    return "singleton tf.Variables" in text or "lift variable creations" in text or "non-first call" in text
