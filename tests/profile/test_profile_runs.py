"""Runs and the true ends of thunks, against the rules written down once more, the slow way."""

from __future__ import annotations

import random

import numpy as np
import pytest
from profile_builder import SpaceBuilder, hlo_module

from xlaviz.profile.ends import consumers
from xlaviz.profile.events import NO_RUN, RunWindow
from xlaviz.profile.profile import read_profile
from xlaviz.profile.runs import Intervals, assign_runs

GRAPH = {
    "body": [("b", "parameter", (), ()), ("tanh.1", "fusion", ("b",), ()), ("dot.2", "dot", ("tanh.1",), ())],
    "condition": [("c", "parameter", (), ()), ("less.3", "fusion", ("c",), ())],
    "main": [
        ("x", "parameter", (), ()),
        ("dot.4", "dot", ("x",), ()),
        ("pack", "tuple", ("dot.4", "x"), ()),
        ("while.5", "while", ("pack",), ("body", "condition")),
        ("part", "get-tuple-element", ("while.5",), ()),
        ("same", "bitcast", ("part",), ()),
        ("add.6", "fusion", ("same", "dot.4"), ()),
        ("copy.7", "copy", ("add.6",), ()),
        ("out", "tuple", ("copy.7", "add.6"), ()),
    ],
}
OPS = ("tanh.1", "dot.2", "less.3", "dot.4", "while.5", "add.6", "copy.7")
WAITING = {
    "tanh.1": {"dot.2"},
    "dot.2": {"add.6"},
    "less.3": {"add.6"},
    "dot.4": {"while.5", "add.6"},
    "while.5": {"add.6"},
    "add.6": {"copy.7"},
    "copy.7": set(),
}


@pytest.mark.parametrize("name", OPS)
def test_who_waits_for_a_value(name: str) -> None:
    builder = SpaceBuilder()
    builder.embed(hlo_module(GRAPH))
    builder.op(name, 0, 1)
    module = read_profile(builder.serialized(), file="a").modules[7]
    assert consumers(module, name) == WAITING[name]


@pytest.mark.parametrize("seed", range(12))
def test_inferred_ends_are_those_of_the_rule(seed: int) -> None:
    """An op whose end event starts before the call returned ended with the call. Else it ended at the earliest of: its
    end event, the first later start of a consumer or of itself in the run, the end of the run."""
    source = random.Random(seed)
    builder = SpaceBuilder()
    builder.embed(hlo_module(GRAPH))
    runs = [(start, start + source.randint(50, 95)) for start in range(0, 600, 100)]
    thunks = []
    for start, end in runs:
        builder.run(start, end)
        for at in sorted(source.sample(range(start, end), 14)):
            returned = at + source.randint(1, 20)
            logged = source.choice((None, returned - 1, returned, returned + 1, returned + source.randint(2, 60)))
            name = source.choice(OPS)
            builder.op(name, at, returned, logged=logged, lane=source.choice(("python", "worker")))
            thunks.append((name, at, returned, logged))
    expected = []
    for name, at, returned, logged in thunks:
        if logged is not None and logged <= returned:
            expected.append((name, at, returned, True))
            continue
        start, end = next(run for run in runs if run[0] <= at < run[1])
        bounds = [end, *([] if logged is None else [logged])]
        bounds += [other for who, other, *_ in thunks if start <= at < other < end and who in {name, *WAITING[name]}]
        expected.append((name, at, min(bounds), False))
    events = read_profile(builder.serialized(), file="a").events
    found = [(e.hlo_op, e.start_ps // 1000 - 1000, e.end_ps // 1000 - 1000, e.exact) for e in events]
    assert found == expected
    assert {exact for *_, exact in found} == {True, False}


@pytest.mark.parametrize("seed", range(20))
def test_a_moment_lies_in_the_interval_that_started_last(seed: int) -> None:
    source = random.Random(seed)
    starts = source.sample(range(200), source.randint(1, 15))
    spans = [(start, start + source.randint(0, 60)) for start in starts]
    intervals = Intervals(spans)
    expected = []
    for moment in range(-5, 270):
        around = [span for span in spans if span[0] <= moment < span[1]]
        expected.append(spans.index(max(around)) if around else -1)
    assert intervals.find_all(np.arange(-5, 270)).tolist() == expected
    assert [-1 if (one := intervals.find(moment)) is None else one for moment in range(-5, 270)] == expected


def test_no_interval_holds_nothing() -> None:
    assert Intervals([]).find(3) is None
    assert Intervals([]).find_all(np.arange(3)).tolist() == [-1, -1, -1]


@pytest.mark.parametrize("seed", range(10))
def test_an_op_belongs_to_the_last_started_run_of_its_own_program(seed: int) -> None:
    source = random.Random(seed)
    programs = [3, 2**64 - 5]  # as TPUs number them, beyond 63 bits
    starts = sorted(source.sample(range(300), 20))
    windows = [RunWindow(source.choice(programs), start, start + source.randint(1, 50)) for start in starts]
    ops = [(source.choice([*programs, 8]), source.randrange(360)) for _ in range(200)]
    expected = []
    for program, start in ops:
        inside = [
            index
            for index, window in enumerate(windows)
            if window.program_id == program and window.start_ps <= start < window.end_ps
        ]
        expected.append(inside[-1] if inside else NO_RUN)
    ids = np.array([program for program, _ in ops], np.uint64)
    assert assign_runs(ids, np.array([start for _, start in ops]), windows).tolist() == expected
