"""When the work of a thunk was done: its event lasts only as long as the call."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence

from xlaviz.hlo.model import HloModule
from xlaviz.profile.events import OpEvent, RunWindow
from xlaviz.profile.host import HostEvents, Thunk
from xlaviz.profile.modules import EmbeddedModules

_SEEN_THROUGH = frozenset({"tuple", "get-tuple-element", "bitcast", "add-dependency", "opt-barrier"})
"""Opcodes that only rename a value and leave no event."""

_Starts = dict[str, list[int]]


def op_events(
    host: HostEvents, runs: Sequence[int | None], windows: Sequence[RunWindow], modules: EmbeddedModules
) -> tuple[OpEvent, ...]:
    """The thunks with their true ends (profile research 1.4).

    A thunk whose end event starts before its call returned was synchronous: it ended when the call returned.
    Any other was asynchronous, and its end event, logged after the thunks that waited for it, comes too late (or
    never). It ended at the earliest of: that end event, the start of the first consumer of its value in the same
    run, the end of the run. This is an upper bound. It may lie before the call returned: a worker thread
    can finish and start the dependents while the calling thread is still returning.

    TensorFlow 2.18 and 2.19 write no end events: there every dot, convolution and partitioned op is taken for
    asynchronous.
    """
    resolver = _Resolver(host, runs, windows, modules)
    return tuple(resolver.resolve(thunk, run) for thunk, run in zip(host.thunks, runs, strict=True))


class Consumers:
    """Instruction -> the instructions that wait for its value, looking through tuples and bitcasts.

    A value that leaves its computation through the root is consumed by the users of the while, conditional or
    call. The next execution of the instruction itself (a loop's next iteration) waits for it too.
    """

    def __init__(self, module: HloModule) -> None:
        self._module = module
        self._known: dict[str, frozenset[str]] = {}

    def of(self, name: str) -> frozenset[str]:
        if name not in self._known:
            self._known[name] = self._walk(name)
        return self._known[name]

    def _walk(self, name: str) -> frozenset[str]:
        found: set[str] = set()
        seen = {name}
        pending = [name]
        while pending:
            value = pending.pop()
            computation = self._module.computation_of.get(value)
            if computation is None:
                continue
            for user in computation.users.get(value, ()):
                if computation.by_name[user].opcode not in _SEEN_THROUGH:
                    found.add(user)
                elif user not in seen:
                    seen.add(user)
                    pending.append(user)
            if value == computation.root:
                callers = {caller.name for caller in self._module.callers.get(computation.name, ())} - seen
                seen |= callers
                pending.extend(callers)
        return frozenset(found)


class _Resolver:
    def __init__(
        self,
        host: HostEvents,
        runs: Sequence[int | None],
        windows: Sequence[RunWindow],
        modules: EmbeddedModules,
    ) -> None:
        self._ends_ps: Mapping[int, int] = host.ends_ps
        self._windows = windows
        self._modules = modules
        self._consumers: dict[int, Consumers] = {}
        self._starts: dict[tuple[int, int | None], _Starts] = {}
        for thunk, run in zip(host.thunks, runs, strict=True):
            own = self._starts.setdefault((thunk.program_id, run), {})
            own.setdefault(thunk.hlo_op, []).append(thunk.start_ps)

    def resolve(self, thunk: Thunk, run: int | None) -> OpEvent:
        exact = self._is_synchronous(thunk)
        end_ps = thunk.returned_ps if exact else self._inferred_end_ps(thunk, run)
        return OpEvent(thunk.program_id, thunk.hlo_op, thunk.hlo_module, thunk.start_ps, end_ps, thunk.lane, run, exact)

    def _is_synchronous(self, thunk: Thunk) -> bool:
        if thunk.producer is not None:
            end_ps = self._ends_ps.get(thunk.producer)
            return end_ps is not None and end_ps <= thunk.returned_ps
        if thunk.program_id not in self._modules:
            return True
        return thunk.hlo_op not in self._modules.embedded(thunk.program_id).asynchronous

    def _inferred_end_ps(self, thunk: Thunk, run: int | None) -> int:
        bounds = self._consumer_starts_ps(thunk, run)
        end_ps = self._ends_ps.get(thunk.producer) if thunk.producer is not None else None
        if end_ps is not None:
            bounds.append(end_ps)
        if run is not None:
            bounds.append(self._windows[run].end_ps)
        return min(bounds, default=thunk.returned_ps)

    def _consumer_starts_ps(self, thunk: Thunk, run: int | None) -> list[int]:
        """The first start of each consumer at or after the thunk's own, and the thunk's next one."""
        starts = self._starts[thunk.program_id, run]
        own = starts[thunk.hlo_op]
        found = own[bisect_right(own, thunk.start_ps) :][:1]
        for name in self._consumers_of(thunk):
            at = starts.get(name, [])
            found += at[bisect_left(at, thunk.start_ps) :][:1]
        return found

    def _consumers_of(self, thunk: Thunk) -> frozenset[str]:
        if thunk.program_id not in self._modules:
            return frozenset()
        if thunk.program_id not in self._consumers:
            self._consumers[thunk.program_id] = Consumers(self._modules[thunk.program_id])
        return self._consumers[thunk.program_id].of(thunk.hlo_op)
