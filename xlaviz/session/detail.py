"""What the inspector shows of an instruction, as plain values. Runs in the worker process."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from xlaviz.dumps.sequence import PassSequence
from xlaviz.session.documents import Report, opened_at


@dataclass(frozen=True, slots=True)
class Neighbour:
    name: str
    opcode: str
    shape: str


@dataclass(frozen=True, slots=True)
class InstructionDetail:
    """Everything the inspector shows of an instruction."""

    name: str
    opcode: str
    shape: str
    byte_count: int
    computation: str
    op_name: str
    op_type: str
    attributes: tuple[tuple[str, str], ...]
    operands: tuple[Neighbour, ...]
    users: tuple[Neighbour, ...]
    fused: int


def instruction_detail(
    report: Report, path: Path, sequence: PassSequence, index: int, name: str
) -> InstructionDetail | None:
    """The instruction as it stands in snapshot `index`, None where that has none of this name."""
    module = opened_at(path).module(sequence.snapshots[index])
    instruction = module.instruction(name)
    if instruction is None:
        return None
    computation = module.computation_of[name]

    def neighbours(names: tuple[str, ...]) -> tuple[Neighbour, ...]:
        found = [computation.by_name[n] for n in names if n in computation.by_name]
        return tuple(Neighbour(i.name, i.opcode, i.shape.text(layout=False)) for i in found)

    literal = (("value", instruction.literal),) if instruction.literal else ()
    return InstructionDetail(
        name=name,
        opcode=instruction.opcode,
        shape=str(instruction.shape),
        byte_count=instruction.shape.byte_count,
        computation="the entry computation" if computation.name == module.entry else computation.name,
        op_name=instruction.metadata.op_name,
        op_type=instruction.metadata.op_type,
        attributes=(*literal, *instruction.attributes.items()),
        operands=neighbours(instruction.operands),
        users=neighbours(computation.users.get(name, ())),
        fused=sum(len(module.by_name[c].instructions) for c in instruction.called_computations if c in module.by_name),
    )
