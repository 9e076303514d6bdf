"""What the card beside the mouse says of an instruction. Runs in the worker process."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from xlaviz.dumps.sequence import PassSequence
from xlaviz.hlo.printer import instruction_text
from xlaviz.session.documents import Report, opened_at

_LINE_LENGTH = 400


@dataclass(frozen=True, slots=True)
class Card:
    name: str
    line: str
    operands: int
    users: int


def instruction_card(report: Report, path: Path, sequence: PassSequence, index: int, name: str) -> Card | None:
    """The instruction's line as XLA prints it, None where snapshot `index` has none of this name."""
    module = opened_at(path).module(sequence.snapshots[index])
    instruction = module.instruction(name)
    if instruction is None:
        return None
    computation = module.computation_of[name]
    line = instruction_text(module, computation, instruction).strip()
    if len(line) > _LINE_LENGTH:
        line = f"{line[:_LINE_LENGTH]}…"
    return Card(name, line, len(instruction.operands), len(computation.users.get(name, ())))
