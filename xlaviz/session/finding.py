"""Searching the instructions of the snapshots that are shown. Runs in the worker process."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from xlaviz.base.errors import XlavizError
from xlaviz.dumps.sequence import PassSequence
from xlaviz.graph.search import find, parse_query
from xlaviz.hlo.model import HloInstruction, HloModule
from xlaviz.session.documents import Report, opened_at
from xlaviz.session.shown import Pane

LISTED = 2000
"""Hits of one side that are told of in full."""


@dataclass(frozen=True, slots=True)
class Hit:
    pane: Pane
    name: str
    opcode: str
    shape: str
    op_name: str


@dataclass(frozen=True, slots=True)
class Found:
    """`hits` are the first of each side, `names` all of them."""

    text: str
    hits: tuple[Hit, ...]
    names: Mapping[Pane, frozenset[str]]

    @property
    def count(self) -> int:
        return sum(map(len, self.names.values()))


NOTHING_FOUND = Found("", (), {})


def find_instructions(
    report: Report,
    path: Path,
    sequence: PassSequence,
    indices: Mapping[Pane, int],
    text: str,
    times: Mapping[Pane, Mapping[str, float]],
) -> Found:
    """The instructions of some panes' snapshots for which a query holds. A side of which no times are known has none
    for a query of times, unless that is so of all sides."""
    query = parse_query(text)
    hits: list[Hit] = []
    names: dict[Pane, frozenset[str]] = {}
    errors = []
    for pane, index in indices.items():
        report(0.1, f"searching {sequence.snapshots[index].label}")
        opened = opened_at(path)
        module = opened.module(sequence.snapshots[index])
        sources = opened.document.tracebacks.places_of(i.metadata.op_name for i in _instructions(module))
        try:
            found = find(module, query, times=times.get(pane), sources=sources)
        except XlavizError as error:
            errors.append(error)
            continue
        names[pane] = frozenset(found)
        hits.extend(_hit(module, pane, name) for name in found[:LISTED])
    if len(errors) == len(indices) and errors:
        raise errors[0]
    return Found(text, tuple(hits), names)


def _instructions(module: HloModule) -> Iterator[HloInstruction]:
    return (instruction for computation in module.computations for instruction in computation.instructions)


def _hit(module: HloModule, pane: Pane, name: str) -> Hit:
    instruction = module.computation_of[name].by_name[name]
    shape = instruction.shape.text(layout=False)
    return Hit(pane, name, instruction.opcode, shape, instruction.metadata.op_name)
