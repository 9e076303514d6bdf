"""From the time of a kernel to the instructions in it, to the framework's ops, to what stood before optimization.

XLA times kernels, nothing smaller. Whatever is said of a part of one is an attribution: the kernel's time divided among
its instructions in proportion to the work the cost model estimates.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Callable, Iterable, Mapping

from xlaviz.hlo.costs import CostModel
from xlaviz.hlo.model import HloInstruction, HloModule
from xlaviz.hlo.op_names import op_names
from xlaviz.lineage.sequence import Lineage
from xlaviz.profile.executions import CONTROL_FLOW
from xlaviz.profile.kernels import Kernel

Shares = Mapping[str, float]
"""Name -> the part of a kernel's time that is attributed to it; the parts add up to 1."""

_FAR = 64
"""How many instructions are passed on the way to one that has an op."""


def member_shares(module: HloModule, kernels: Iterable[Kernel]) -> dict[str, Shares]:
    """For each kernel the instructions it is made of, with their parts: those of a fusion's body, or itself."""
    costs = CostModel(module)
    found: dict[str, Shares] = {}
    for kernel in kernels:
        instruction = module.instruction(kernel.name)
        if instruction is not None:
            found[kernel.name] = _parts(costs, instruction)
    return found


def _parts(costs: CostModel, instruction: HloInstruction) -> Shares:
    work = {one.name: costs.work(one) for one in _inside(costs.module, instruction)}
    total = sum(work.values())
    if not total:
        return {instruction.name: 1.0}
    return {name: own / total for name, own in work.items() if own}


def _inside(module: HloModule, instruction: HloInstruction) -> list[HloInstruction]:
    """The instructions of a fusion's body, of fusions within it too. A loop's body has kernels of its own, and what a
    reduction applies to its elements is no instruction to be timed."""
    found: list[HloInstruction] = []
    pending = [instruction]
    seen: set[str] = set()  # a fusion that calls itself is of a damaged file
    while pending:
        one = pending.pop()
        bodies = [name for name in one.called_computations if name in module.by_name] if one.opcode == "fusion" else []
        if not bodies:
            found.append(one)
        for name in bodies:
            if name not in seen:
                seen.add(name)
                pending.extend(reversed(module.by_name[name].instructions))
    return found


Names = Callable[[HloInstruction], tuple[str, ...]]
"""Gives the names of the ops behind an instruction."""


Origins = Callable[[str], tuple[str, ...]]
"""Gives the names of the ops behind what an instruction of this name came from."""


def op_shares(
    module: HloModule, members: Mapping[str, Shares], names: Names = op_names, origins: Origins = lambda name: ()
) -> dict[str, Shares]:
    """For each kernel the framework's ops it does, by `names`, with their parts.

    An instruction without op, as a pass makes it, does those of its origins; where they are not known either it gives
    its part to the others of its kernel. A kernel without any takes those of the nearest instruction it is made for.
    Several ops of one instruction share its part. A kernel that leads to no op has no parts.
    """
    return {kernel: _op_parts(module, kernel, parts, names, origins) for kernel, parts in members.items()}


def _op_parts(module: HloModule, kernel: str, parts: Shares, names: Names, origins: Origins) -> Shares:
    found: dict[str, float] = defaultdict(float)
    for name, part in parts.items():
        instruction = module.instruction(name)
        ops = (names(instruction) if instruction is not None else ()) or origins(name)
        for op in ops:
            found[op] += part / len(ops)
    known = sum(found.values())
    if known:
        return {op: part / known for op, part in found.items()}
    ops = origins(kernel) or _nearest_ops(module, kernel, names)
    return {op: 1 / len(ops) for op in ops}


def origin_ops(before: HloModule, lineage: Lineage, names: Names) -> Origins:
    """By what the lineage says of the first snapshot's instructions, whose ops are `names`."""

    def ops(name: str) -> tuple[str, ...]:
        own = lineage.origins.get(name) or lineage.fusion_origins.get(name) or ()
        instructions = (before.instruction(origin) for origin in sorted(own))
        return tuple(dict.fromkeys(op for one in instructions if one is not None for op in names(one)))

    return ops


def nameless_share(module: HloModule, members: Mapping[str, Shares], kernels: Iterable[Kernel]) -> float:
    """The part of the kernels' time in instructions that name no op: only their origins tell what they do."""
    nameless = whole = 0.0
    for kernel in kernels:
        whole += kernel.self_per_run_us
        for name, part in members.get(kernel.name, {}).items():
            instruction = module.instruction(name)
            if instruction is None or not op_names(instruction):
                nameless += part * kernel.self_per_run_us
    return nameless / whole if whole else 0.0


def _nearest_ops(module: HloModule, name: str, names: Names) -> tuple[str, ...]:
    """Its own ops, or those of the nearest instruction it is made for or made from: a copy XLA made is there for its
    users, or else for its operand. What shares no more than an operand with it says nothing."""
    computation = module.computation_of.get(name)
    if computation is None:
        return ()
    own = _ops_within(module, computation.by_name[name], names)
    if own:
        return own
    instructions, users = computation.by_name, computation.users
    made_for = _first_ops(module, instructions, name, lambda one: users.get(one, ()), names)
    return made_for or _first_ops(module, instructions, name, lambda one: instructions[one].operands, names)


def _first_ops(
    module: HloModule,
    instructions: Mapping[str, HloInstruction],
    name: str,
    neighbours: Callable[[str], tuple[str, ...]],
    names: Names,
) -> tuple[str, ...]:
    """Those of the nearest instruction that way which has some."""
    seen = {name}
    pending = deque((name,))
    for _ in range(_FAR):
        if not pending:
            break
        for other in neighbours(pending.popleft()):
            if other in instructions and other not in seen:
                ops = _ops_within(module, instructions[other], names)
                if ops:
                    return ops
                seen.add(other)
                pending.append(other)
    return ()


def _ops_within(module: HloModule, instruction: HloInstruction, names: Names) -> tuple[str, ...]:
    own = names(instruction)
    if own or instruction.opcode in CONTROL_FLOW:
        return own
    return tuple(dict.fromkeys(op for one in _inside(module, instruction) for op in names(one)))[:1]


def times_before(kernels: Iterable[Kernel], members: Mapping[str, Shares], lineage: Lineage) -> dict[str, float]:
    """The time per run, in microseconds, pushed back to the first snapshot's instructions: each instruction of a kernel
    gives its part to its origins, in equal shares; one that a pass made gives it to the others of its kernel, or to all
    that went into it."""
    found: dict[str, float] = defaultdict(float)
    for kernel in kernels:
        parts = members.get(kernel.name, {kernel.name: 1.0})
        origins = {name: lineage.origins[name] for name in parts if name in lineage.origins}
        known = sum(parts[name] for name in origins)
        if known:
            for name, own in origins.items():
                for origin in own:
                    found[origin] += kernel.self_per_run_us * parts[name] / known / len(own)
            continue
        whole = lineage.fusion_origins.get(kernel.name) or lineage.origins.get(kernel.name) or frozenset()
        for origin in whole:
            found[origin] += kernel.self_per_run_us / len(whole)
    return dict(found)
