"""A Keras train step with every name in it changed: what each instruction became is known, and all of it is found."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from lineage_texts import FUSED, UNFUSED

from xlaviz.hlo.model import NO_METADATA, HloComputation, HloInstruction, HloModule
from xlaviz.hlo.proto import read_hlo_proto
from xlaviz.lineage.diff import diff_step
from xlaviz.lineage.step import match_step

FILE = Path(__file__).parents[1] / "data" / "hlo" / "keras_train_step.hlo.pb"


@pytest.fixture(scope="module")
def train_step() -> HloModule:
    return read_hlo_proto(FILE.read_bytes(), file=FILE.name)


def bare(instruction: HloInstruction) -> HloInstruction:
    return replace(instruction, metadata=NO_METADATA)


def renamed(instruction: HloInstruction) -> HloInstruction:
    def many(names: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(f"new.{name}" for name in names)

    return replace(
        bare(instruction),
        name=f"new.{instruction.name}",
        operands=many(instruction.operands),
        called_computations=many(instruction.called_computations),
        control_predecessors=many(instruction.control_predecessors),
    )


def all_renamed(module: HloModule) -> HloModule:
    def computation(one: HloComputation) -> HloComputation:
        instructions = tuple(map(renamed, one.instructions))
        return replace(one, name=f"new.{one.name}", root=f"new.{one.root}", instructions=instructions)

    return replace(module, computations=tuple(map(computation, module.computations)), entry=f"new.{module.entry}")


def computing(module: HloModule) -> list[str]:
    """What match_step can find: in computations that something calls; no fusions, no parameters of what they wrap."""
    found = []
    for computation in module.computations:
        callers = module.callers.get(computation.name, ())
        if callers or computation.name == module.entry:
            wrapped = any(caller.opcode == "fusion" for caller in callers)
            skipped = {"fusion", "parameter"} if wrapped else {"fusion"}
            found += [i.name for i in computation.instructions if i.opcode not in skipped]
    return found


@pytest.mark.parametrize("small", [UNFUSED, FUSED], ids=["plain", "fused"])
def test_a_small_module_renamed_is_recognized(small: HloModule) -> None:
    step = match_step(small, all_renamed(small))
    assert {name: step.origins[f"new.{name}"] for name in computing(small)} == {n: {n} for n in computing(small)}


def test_a_train_step_renamed_and_without_metadata_is_recognized(train_step: HloModule) -> None:
    step = match_step(train_step, all_renamed(train_step))
    names = computing(train_step)
    assert len(names) > 100
    assert [name for name in names if step.origins[f"new.{name}"] != {name}] == []
    assert not step.merged


def test_a_train_step_does_not_differ_from_itself_without_metadata(train_step: HloModule) -> None:
    computations = tuple(
        replace(one, instructions=tuple(map(bare, one.instructions))) for one in train_step.computations
    )
    assert diff_step(train_step, replace(train_step, computations=computations)).is_empty
