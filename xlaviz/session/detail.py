"""What the inspector shows of an instruction, as plain values. Runs in the worker process."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from xlaviz.dumps.sequence import PassSequence
from xlaviz.graph.clusters import Clusters
from xlaviz.graph.openable import scopes_of
from xlaviz.graph.parts import Cluster, members_of
from xlaviz.graph.repeats import Repeat, fold
from xlaviz.hlo.model import HloComputation, HloModule
from xlaviz.session.documents import Report, opened_at
from xlaviz.timing.lines import Stacks


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
    place: str
    """`file:line` of the user's that made it, "" where that is not known."""
    attributes: tuple[tuple[str, str], ...]
    operands: tuple[Neighbour, ...]
    users: tuple[Neighbour, ...]
    fused: int


@dataclass(frozen=True, slots=True)
class ClusterDetail:
    """Everything the inspector shows of a cluster that no instruction stands for."""

    name: str
    title: str
    kind: str
    scope: str
    computation: str
    instructions: tuple[str, ...]
    opcodes: tuple[tuple[str, int], ...]


def cluster_detail(
    report: Report, path: Path, sequence: PassSequence, index: int, name: str, fold_repeats: bool
) -> ClusterDetail | None:
    """The cluster with the id `name` in snapshot `index`, None where that has none."""
    module = opened_at(path).module(sequence.snapshots[index])
    for computation in module.computations:
        found = _find(module, computation, name, fold_repeats=fold_repeats)
        if found is not None:
            clusters, part = found
            inside = [clusters.flow.instructions[member] for member in _members(part)]
            return ClusterDetail(
                name=name,
                title=part.title,
                kind=part.kind if isinstance(part, Cluster) else "repeat",
                scope="/".join(part.path) if isinstance(part, Cluster) else "",
                computation=_computation_words(module, computation.name),
                instructions=tuple(instruction.name for instruction in inside),
                opcodes=tuple(Counter(instruction.opcode for instruction in inside).most_common()),
            )
    return None


def _find(
    module: HloModule, computation: HloComputation, name: str, *, fold_repeats: bool
) -> tuple[Clusters, Cluster | Repeat] | None:
    callers = module.callers.get(computation.name, ())
    clusters = scopes_of(module, computation, callers[0] if callers and computation.name != module.entry else None)
    stack = [clusters.top()] if clusters is not None else []
    while clusters is not None and stack:
        parts = stack.pop()
        for part in fold(module, clusters, parts) if fold_repeats else parts:
            if isinstance(part, int):
                continue
            if part.id == name:
                return clusters, part
            if isinstance(part, Cluster) and name.startswith(f"{part.id}/"):
                stack.append(clusters.parts(part))
            elif isinstance(part, Repeat):
                stack.append(part.parts)
    return None


def _members(part: Cluster | Repeat) -> Iterator[int]:
    if isinstance(part, Cluster):
        yield from part.members
    else:
        for each in part.parts:
            yield from members_of(each)


def _computation_words(module: HloModule, name: str) -> str:
    return "the entry computation" if name == module.entry else name


def instruction_detail(
    report: Report, path: Path, sequence: PassSequence, index: int, name: str
) -> InstructionDetail | None:
    """The instruction as it stands in snapshot `index`, None where that has none of this name."""
    opened = opened_at(path)
    module = opened.module(sequence.snapshots[index])
    instruction = module.instruction(name)
    if instruction is None:
        return None
    computation = module.computation_of[name]
    stacks = Stacks(opened.document.tracebacks)

    def neighbours(names: tuple[str, ...]) -> tuple[Neighbour, ...]:
        found = [computation.by_name[n] for n in names if n in computation.by_name]
        return tuple(Neighbour(i.name, i.opcode, i.shape.text(layout=False)) for i in found)

    literal = (("value", instruction.literal),) if instruction.literal else ()
    return InstructionDetail(
        name=name,
        opcode=instruction.opcode,
        shape=str(instruction.shape),
        byte_count=instruction.shape.byte_count,
        computation=_computation_words(module, computation.name),
        op_name=instruction.metadata.op_name,
        op_type=instruction.metadata.op_type,
        place=next(filter(None, map(stacks.place_of, stacks.names_in(module)(instruction))), ""),
        attributes=(*literal, *instruction.attributes.items()),
        operands=neighbours(instruction.operands),
        users=neighbours(computation.users.get(name, ())),
        fused=sum(len(module.by_name[c].instructions) for c in instruction.called_computations if c in module.by_name),
    )
