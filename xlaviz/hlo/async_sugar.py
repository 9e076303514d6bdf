"""`dot-start(...)` is short for an async-start of a computation that holds the dot alone: put that back."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from xlaviz.hlo.lexer import unquoted
from xlaviz.hlo.model import HloComputation, HloInstruction, LazyAttributes
from xlaviz.hlo.names import UniqueNames

_NATIVE = {"all-gather", "all-reduce", "collective-permute", "copy", "send", "recv", "async"}
_OF_THE_START = ("async_execution_thread", "sharding", "frontend_attributes")


def desugared(
    instruction: HloInstruction,
    operands: Sequence[HloInstruction],
    instruction_names: UniqueNames,
    computation_names: UniqueNames,
) -> tuple[HloInstruction, HloComputation | None]:
    """The plain form of a sugared start, update or done, and the computation a start wraps. Others stay as they are."""
    opcode, _, part = instruction.opcode.rpartition("-")
    if opcode in _NATIVE:
        return instruction, None
    if part != "start":
        continues = bool(operands) and operands[0].opcode in ("async-start", "async-update")
        return (replace(instruction, opcode=f"async-{part}") if continues else instruction), None
    shape = instruction.shape
    if len(shape.elements) < 2 or not shape.elements[0].is_tuple:
        return instruction, None
    wrapped = _wrapped(instruction, opcode, instruction_names, computation_names)
    kept = {key: value for key, value in instruction.attributes.items() if key in _OF_THE_START}
    plain = replace(
        instruction,
        opcode="async-start",
        called_computations=(wrapped.name,),
        attributes=LazyAttributes.of(kept),
    )
    return plain, wrapped


def _wrapped(
    start: HloInstruction, opcode: str, instruction_names: UniqueNames, computation_names: UniqueNames
) -> HloComputation:
    bound, result = start.shape.elements[:2]
    parameters = [
        HloInstruction(instruction_names.fresh(f"param_{number}"), "parameter", shape, parameter_number=number)
        for number, shape in enumerate(bound.elements)
    ]
    operation = HloInstruction(
        name=instruction_names.fresh(opcode),
        opcode=opcode,
        shape=result,
        operands=tuple(parameter.name for parameter in parameters),
        called_computations=start.called_computations,
        metadata=start.metadata,
        attributes=LazyAttributes.of({k: v for k, v in start.attributes.items() if k != "async_execution_thread"}),
    )
    return HloComputation(
        name=computation_names.fresh("async_wrapped"),
        instructions=(*parameters, operation),
        root=operation.name,
        execution_thread=unquoted(start.attributes.get("async_execution_thread", "main")),
    )
