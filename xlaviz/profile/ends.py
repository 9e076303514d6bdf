"""When the work of a thunk was done: its event lasts only as long as the call."""

from __future__ import annotations

from collections.abc import Collection, Iterator

import numpy as np

from xlaviz.hlo.model import HloInstruction, HloModule
from xlaviz.profile.events import NO_RUN, Bools, Ints, Op, integers
from xlaviz.profile.host import NO_PRODUCER, HostEvents
from xlaviz.profile.modules import EmbeddedModules

_SEEN_THROUGH = frozenset({"tuple", "get-tuple-element", "bitcast", "add-dependency", "opt-barrier"})
"""Opcodes that only rename a value and leave no event."""

_NEVER = np.iinfo(np.int64).max


def true_ends(host: HostEvents, run: Ints, run_ends_ps: Ints, modules: EmbeddedModules) -> tuple[Ints, Bools]:
    """For each thunk, by row, its true end and whether that is exact (profile research 1.4).

    A thunk whose end event starts before its call returned was synchronous: it ended when the call returned.
    Any other was asynchronous, and its end event, logged after the thunks that waited for it, comes too late (or
    never). It ended at the earliest of: that end event, the start of the first consumer of its value in the same
    run, the end of the run. This is an upper bound. It may lie before the call returned: a worker thread
    can finish and start the dependents while the calling thread is still returning.

    TensorFlow 2.18 and 2.19 write no end events: there every dot, convolution and partitioned op is taken for
    asynchronous. `run` has each row's run or NO_RUN, `run_ends_ps` the runs' ends.
    """
    returned_ps = integers(host.columns.end_ps)
    logged_ps = _logged_ps(host)
    exact = logged_ps <= returned_ps
    has_none = np.flatnonzero(integers(host.producer) == NO_PRODUCER)
    if len(has_none):
        exact[has_none] = ~_asynchronous_ops(host.columns.ops, modules)[integers(host.columns.op)[has_none]]
    bounds_ps = np.full(len(exact), _NEVER)
    bounds_ps[run != NO_RUN] = run_ends_ps[run[run != NO_RUN]]
    bounds_ps = np.minimum(bounds_ps, logged_ps)
    rows = np.flatnonzero(~exact)
    if len(rows):
        bounds_ps[rows] = np.minimum(bounds_ps[rows], _consumer_starts_ps(host, run, modules, rows))
    inferred_ps = np.where(bounds_ps == _NEVER, returned_ps, bounds_ps)
    return np.where(exact, returned_ps, inferred_ps), exact


def _logged_ps(host: HostEvents) -> Ints:
    """By row the start of the thunk's end event, or _NEVER."""
    producer, ended, ended_ps = integers(host.producer), integers(host.ended), integers(host.ended_ps)
    if not len(ended):
        return np.full(len(producer), _NEVER)
    order = np.argsort(ended, kind="stable")
    position = np.minimum(np.searchsorted(ended[order], producer), len(ended) - 1)
    is_found = (ended[order][position] == producer) & (producer != NO_PRODUCER)
    return np.where(is_found, ended_ps[order][position], _NEVER)


def _asynchronous_ops(ops: Collection[Op], modules: EmbeddedModules) -> Bools:
    """By op, whether XLA's CPU runtime hands it to other threads."""
    sound = {program_id: modules.sound(program_id) for program_id in {op.program_id for op in ops}}
    known = ((module := sound[op.program_id]) is not None and op.hlo_op in module.asynchronous for op in ops)
    return np.fromiter(known, np.bool_, len(ops))


def _consumer_starts_ps(host: HostEvents, run: Ints, modules: EmbeddedModules, rows: Ints) -> Ints:
    """For these rows the first start, after their own in the same run, of a consumer or of the op itself."""
    order = host.order
    rank = np.empty(len(order), np.int64)
    rank[order] = np.arange(len(order))
    # One number that sorts by run, then by start.
    keys = (run + 1) * len(order) + rank
    start_ps, op = integers(host.columns.start_ps), integers(host.columns.op)
    by_op = np.lexsort((keys, op))
    bounds = np.searchsorted(op[by_op], np.arange(len(host.columns.ops) + 1))
    found = np.full(len(rows), _NEVER)
    asked = op[rows]
    for code in np.unique(asked).tolist():
        mine = np.flatnonzero(asked == code)
        for other in _awaiting(host, code, modules):
            theirs = by_op[bounds[other] : bounds[other + 1]]
            position = np.searchsorted(keys[theirs], keys[rows[mine]], side="right")
            inside = position < len(theirs)
            next_row = theirs[position[inside]]
            same_run = run[next_row] == run[rows[mine[inside]]]
            at = mine[inside][same_run]
            found[at] = np.minimum(found[at], start_ps[next_row[same_run]])
    return found


def _awaiting(host: HostEvents, code: int, modules: EmbeddedModules) -> Iterator[int]:
    """The codes of the ops that cannot start before an execution of this one is done."""
    yield code
    op = list(host.columns.ops)[code]
    found = modules.sound(op.program_id)
    if found is not None:
        for name in consumers(found.module, op.hlo_op):
            other = Op(op.program_id, name, op.hlo_module)
            if other in host.columns.ops:
                yield host.columns.ops[other]


Element = tuple[int, ...]
"""Where in a tuple a value stands, the outermost index first; empty for the whole."""


def consumers(module: HloModule, name: str) -> frozenset[str]:
    """The instructions that wait for an instruction's value, looking through bitcasts and, element by element, tuples.

    A value that leaves its computation through the root is consumed by the users of the while, conditional or
    call. The next execution of the instruction itself (a loop's next iteration) waits for it too.
    """
    found: set[str] = set()
    seen: set[tuple[str, Element]] = {(name, ())}
    pending: list[tuple[str, Element]] = [(name, ())]
    while pending:
        value, element = pending.pop()
        computation = module.computation_of.get(value)
        if computation is None:
            continue
        for user in computation.users.get(value, ()):
            instruction = computation.by_name[user]
            if instruction.opcode not in _SEEN_THROUGH:
                found.add(user)
                continue
            further = [(user, inner) for inner in _elements(instruction, value, element)]
            pending += [one for one in further if one not in seen]
            seen.update(further)
        if value == computation.root:
            callers = {(caller.name, element) for caller in module.callers.get(computation.name, ())} - seen
            seen |= callers
            pending.extend(callers)
    return frozenset(found)


def _elements(user: HloInstruction, value: str, element: Element) -> Iterator[Element]:
    """Where in a user that only renames the value stands; nowhere where it takes another element."""
    if user.opcode == "tuple":
        for place, operand in enumerate(user.operands):
            if operand == value:
                yield (place, *element)
    elif user.opcode == "get-tuple-element" and element:
        if user.attributes.get("index") in (str(element[0]), None):
            yield element[1:]
    else:
        yield element
