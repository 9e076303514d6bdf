"""Self times, divided times and executions, against the definition worked out moment by moment."""

from __future__ import annotations

import random

import numpy as np
import pytest
from helpers.modules import module_of

from xlaviz.hlo.model import HloModule
from xlaviz.profile.events import EventColumns, Op, OpEvents
from xlaviz.profile.executions import (
    RunColumns,
    called_instructions,
    divided_times_ps,
    merged,
    self_times_ps,
    union_ps,
)

SPAN = tuple[str, int, int]
LOOPS = module_of("""
deep { d = f32[] parameter(0)
  ROOT tanh.1 = f32[] tanh(d) }

body { b = f32[] parameter(0)
  dot.2 = f32[] negate(b)
  ROOT while.3 = f32[] while(dot.2), condition=condition, body=deep }

condition { c = f32[] parameter(0)
  ROOT less.4 = pred[] constant(true) }

ENTRY main { x = f32[] parameter(0)
  while.5 = f32[] while(x), condition=condition, body=body
  ROOT add.6 = f32[] negate(while.5) }
""")


def table(spans: list[SPAN], *, device: str = "CPU", runs: list[int] | None = None) -> tuple[OpEvents, RunColumns]:
    columns = EventColumns()
    for name, start, end in spans:
        columns.add(Op(7, name, "f"), start, end, lane="1", device=device)
    events = columns.finished(np.array(runs or [0] * len(spans), np.int64))
    return events, RunColumns(events, events.run)


def by_name(columns: RunColumns, values: np.ndarray) -> list[tuple[str, int]]:
    return [(columns.names[code], int(value)) for code, value in zip(columns.code, values, strict=True)]


def random_spans(source: random.Random, count: int = 25) -> list[SPAN]:
    starts = sorted(source.randrange(100) for _ in range(count))
    return [(source.choice("abc"), start, start + source.choice((0, 1, 7, 40))) for start in starts]


def covered(spans: list[SPAN]) -> set[int]:
    """The moments, each one unit long, in which something runs."""
    return {moment for _, start, end in spans for moment in range(start, end)}


@pytest.mark.parametrize("seed", range(20))
def test_the_union_counts_every_moment_once(seed: int) -> None:
    spans = random_spans(random.Random(seed))
    starts, ends = (np.array([span[place] for span in spans]) for place in (1, 2))
    assert union_ps(starts, ends) == len(covered(spans))


def test_the_union_of_nothing_is_nothing() -> None:
    assert union_ps(np.zeros(0, np.int64), np.zeros(0, np.int64)) == 0


@pytest.mark.parametrize("seed", range(20))
def test_divided_times_share_each_moment_and_add_up_to_the_union(seed: int) -> None:
    # A thousand to each moment: what is divided is rounded.
    spans = random_spans(random.Random(seed))
    events, columns = table([(name, 1000 * start, 1000 * end) for name, start, end in spans])
    self_ps = events.end_ps - events.start_ps
    divided = divided_times_ps(columns, self_ps, None)
    assert sum(divided) == pytest.approx(1000 * len(covered(spans)), abs=len(spans))
    for (_, start, end), found in zip(spans, divided, strict=True):
        at_once = [sum(s <= moment < e for _, s, e in spans) for moment in range(start, end)]
        assert found == pytest.approx(sum(1000 / number for number in at_once), abs=1)


def test_devices_do_not_divide_each_others_time() -> None:
    columns = EventColumns()
    for device in ("/device:GPU:0", "/device:GPU:1"):
        columns.add(Op(7, "a", "f"), 0, 10, lane=device, device=device)
    events = columns.finished(np.array([0, 1]))
    divided = divided_times_ps(RunColumns(events, events.run), events.end_ps - events.start_ps, None)
    assert divided.tolist() == [10, 10]


def test_a_loop_keeps_its_own_time_and_its_body_divides_only_among_itself() -> None:
    events, columns = table([("while.5", 0, 100), ("dot.2", 10, 30), ("dot.2", 20, 40), ("add.6", 100, 110)])
    self_ps = self_times_ps(columns, LOOPS)
    assert by_name(columns, self_ps) == [("while.5", 70), ("dot.2", 20), ("dot.2", 20), ("add.6", 10)]
    divided = divided_times_ps(columns, self_ps, LOOPS)
    assert by_name(columns, divided) == [("while.5", 70), ("dot.2", 15), ("dot.2", 15), ("add.6", 10)]
    assert sum(divided) == union_ps(events.start_ps, events.end_ps)


@pytest.mark.parametrize("seed", range(20))
def test_self_times_of_nested_loops_leave_out_what_starts_inside(seed: int) -> None:
    source = random.Random(seed)
    names = ["tanh.1", "dot.2", "while.3", "while.5", "add.6"]
    inside = {"while.5": {"tanh.1", "dot.2", "while.3", "less.4"}, "while.3": {"tanh.1", "less.4"}}
    spans = [(source.choice(names), start, start + source.choice((0, 2, 9, 30))) for start in range(0, 120, 3)]
    _, columns = table(spans)
    expected = []
    for name, start, end in spans:
        inner = [(n, s, min(e, end)) for n, s, e in spans if n in inside.get(name, ()) and start <= s < end]
        expected.append((name, end - start - len(covered(inner))))
    assert by_name(columns, self_times_ps(columns, LOOPS)) == expected


def test_a_loop_takes_nothing_from_another_run() -> None:
    _, columns = table([("while.5", 0, 100), ("dot.2", 20, 40)], runs=[0, 1])
    assert by_name(columns, self_times_ps(columns, LOOPS)) == [("while.5", 100), ("dot.2", 20)]


def executed(columns: RunColumns, module: HloModule | None) -> list[tuple[str, int, int]]:
    total = columns.end_ps - columns.start_ps
    found = merged(columns, total, total, module)
    return [
        (columns.names[code], int(run), int(time))
        for code, run, time in zip(found.code, found.run, found.total_ps, strict=True)
    ]


def test_several_kernels_of_an_instruction_are_one_execution_on_a_gpu() -> None:
    spans = [("add.6", 0, 10), ("add.6", 20, 25), ("add.6", 100, 107)]
    _, columns = table(spans, device="/device:GPU:0", runs=[0, 0, 1])
    assert executed(columns, LOOPS) == [("add.6", 0, 15), ("add.6", 1, 7)]


def test_on_a_cpu_each_event_is_an_execution() -> None:
    _, columns = table([("add.6", 0, 10), ("add.6", 20, 25)])
    assert executed(columns, LOOPS) == [("add.6", 0, 10), ("add.6", 0, 5)]


@pytest.mark.parametrize("name", ["dot.2", "tanh.1"])
def test_in_a_loop_each_kernel_is_one_in_order_of_time(name: str) -> None:
    spans = [(name, 0, 10), (name, 20, 25), ("add.6", 25, 30), (name, 100, 107)]
    _, columns = table(spans, device="/device:GPU:0", runs=[0, 0, 0, 1])
    own = [one for one in executed(columns, LOOPS) if one[0] == name]
    assert own == [(name, 0, 10), (name, 0, 5), (name, 1, 7)]


def test_without_a_module_nobody_knows_what_a_loop_is() -> None:
    _, columns = table([("add.6", 0, 10), ("add.6", 20, 25)], device="/device:GPU:0")
    assert executed(columns, None) == [("add.6", 0, 10), ("add.6", 0, 5)]


def test_called_instructions_are_those_of_all_computations_below() -> None:
    assert called_instructions(LOOPS, ["body"]) == {"b", "dot.2", "while.3", "d", "tanh.1", "c", "less.4"}
    assert called_instructions(LOOPS, ["nothing"]) == frozenset()
