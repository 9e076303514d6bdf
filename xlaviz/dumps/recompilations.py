"""Modules that are one function compiled again: same name, other shapes."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from xlaviz.dumps.sequence import PassSequence
from xlaviz.hlo.model import HloModule

_COUNTER = re.compile(r"(?:[._]\d+|__\.\d+)+$")


def base_name(name: str) -> str:
    """A module's name without the numbers that XLA and torch_xla count compilations with."""
    return _COUNTER.sub("", name) or name


def groups(sequences: Sequence[PassSequence]) -> list[list[PassSequence]]:
    """The modules, those of one function (and, where they come from profiles, of one profile) together, in order of
    each group's first."""
    found: dict[tuple[str, str], list[PassSequence]] = {}
    for sequence in sequences:
        profile = sequence.recorded.file if sequence.recorded is not None else ""
        found.setdefault((profile, base_name(sequence.name)), []).append(sequence)
    return list(found.values())


def parameter_shapes(module: HloModule) -> tuple[str, ...]:
    """The shapes of the entry computation's parameters, in their order, without layouts."""
    parameters = module.entry_computation.parameters
    return tuple(parameters[number].shape.text(layout=False) for number in sorted(parameters))


def differing_shapes(shapes: Mapping[int, tuple[str, ...]]) -> dict[int, str]:
    """For each module of a group (by its place) what sets it apart: `arg1 f32[2,3]`; empty where nothing does.

    Modules with other numbers of parameters are set apart by that number.
    """
    counts = {len(parameters) for parameters in shapes.values()}
    if len(counts) > 1:
        return {place: f"{len(parameters)} parameters" for place, parameters in shapes.items()}
    places = range(counts.pop() if counts else 0)
    differing = [place for place in places if len({parameters[place] for parameters in shapes.values()}) > 1]
    return {
        place: ", ".join(f"arg{number} {parameters[number]}" for number in differing)
        for place, parameters in shapes.items()
    }
