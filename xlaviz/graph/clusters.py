"""The clusters of a computation: scopes, blocks where nothing has a name, inputs and outputs.

Each cluster has a bounded number of parts, so that a page can always be filled by opening clusters one by one. The
parts of a cluster never stand in a circle (partition.py has the rule), and so no choice of open clusters shows one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from xlaviz.graph.flow import Flow
from xlaviz.graph.gather import Gathering
from xlaviz.graph.partition import Piece, divide
from xlaviz.graph.parts import Cluster, Part, members_of
from xlaviz.graph.scopes import ScopePath, scope_path
from xlaviz.hlo.model import HloComputation, HloInstruction, HloModule

_MANY_BOXES = 4
_LEAST_NAMED = 0.2
_MOSTLY = 0.9


@dataclass(slots=True)
class Clusters:
    """The clusters of one computation, each made when it is first asked for."""

    flow: Flow
    base: str
    root: str
    is_called: bool
    _parts: dict[str, tuple[Part, ...]] = field(default_factory=dict)
    _alone: dict[int, str] = field(default_factory=dict)
    """Scopes of one instruction, which are no clusters."""

    def top(self) -> tuple[Part, ...]:
        """What the computation itself consists of. A called one's parameters are ports, and in no cluster."""
        if "" not in self._parts:
            inputs, outputs = self._inputs(), self._outputs()
            apart = {*inputs, *outputs}
            if self.is_called:
                apart.update(n for n, i in enumerate(self.flow.instructions) if i.opcode == "parameter")
            rest = tuple(number for number in range(len(self.flow)) if number not in apart)
            inner = Gathering(self.flow, self._alone, self.base).gathered(self._level(rest, (), self.base))
            self._parts[""] = (*self._end("inputs", inputs), *inner, *self._end("outputs", outputs))
        return self._parts[""]

    def parts(self, cluster: Cluster) -> tuple[Part, ...]:
        if cluster.id not in self._parts:
            if cluster.kind in ("inputs", "outputs"):
                parts: tuple[Part, ...] = cluster.members
            else:
                inner = cluster.given or self._level(cluster.members, cluster.path, f"{cluster.id}/")
                parts = Gathering(self.flow, self._alone, f"{cluster.id}/").gathered(inner)
            self._parts[cluster.id] = parts
        return self._parts[cluster.id]

    def id_of(self, part: Part) -> str:
        return self.flow.instructions[part].name if isinstance(part, int) else part.id

    def results(self, part: Part) -> list[HloInstruction]:
        """The instructions whose values leave the part."""
        inside = set(members_of(part))
        flow = self.flow
        return [flow.instructions[m] for m in sorted(inside) if any(user not in inside for user in flow.users[m])]

    def has_names(self, cluster: Cluster) -> bool:
        """Whether there are scopes among its parts, or in the blocks among them."""
        clusters = [each for each in self.parts(cluster) if isinstance(each, Cluster)]
        return any(each.kind == "scope" or each.names_inside for each in clusters)

    def _inputs(self) -> list[int]:
        if self.is_called:
            return []
        return [n for n, instruction in enumerate(self.flow.instructions) if instruction.opcode == "parameter"]

    def _outputs(self) -> list[int]:
        """The root tuple and what only hands values to it."""
        root = next((n for n, i in enumerate(self.flow.instructions) if i.name == self.root), None)
        if root is None or self.flow.instructions[root].opcode != "tuple":
            return []
        found = {root}
        for number in range(root - 1, -1, -1):
            users = self.flow.users[number]
            if users and all(user in found for user in users) and _is_handing_over(self.flow.instructions[number]):
                found.add(number)
        return sorted(found)

    def _end(self, kind: Literal["inputs", "outputs"], members: list[int]) -> tuple[Part, ...]:
        width = len(members) if kind == "inputs" or not members else len(self.flow.operands[members[-1]])
        if width <= _MANY_BOXES:
            return tuple(members)
        return (Cluster(f"{self.base}{kind}:", kind, kind, tuple(members)),)

    def _level(self, members: tuple[int, ...], path: ScopePath, prefix: str) -> tuple[Part, ...]:
        """The scopes right below `path`, and the instructions in none, in topological order."""
        settled = [m for m in members if not self.flow.is_ready[m] and self.flow.instructions[m].opcode != "parameter"]
        skipped = len(path)
        names = self._names(settled, path)
        while len(set(names.values())) == 1 and len(names) >= _MOSTLY * len(settled):
            path = (*path, next(iter(names.values())))
            names = self._names(settled, path)
        if len(names) < _LEAST_NAMED * len(settled):
            return members
        pieces = divide(settled, self.flow.operands, names)
        turns: Counter[str] = Counter()
        parts: list[Part] = []
        for name, content in self._with_ready(members, pieces, self._names(members, path)):
            if name is None or len(content) == 1:
                self._alone.update((member, name) for member in content if name is not None)
                parts.extend(content)
                continue
            turns[name] += 1
            turn = f"#{turns[name]}" if turns[name] > 1 else ""
            id_ = f"{prefix}{'/'.join((*path[skipped:], name))}{turn}"
            parts.append(Cluster(id_, f"{name} {turn}".rstrip(), "scope", tuple(content), (*path, name)))
        return tuple(parts)

    def _names(self, settled: Sequence[int], path: ScopePath) -> dict[int, str]:
        """The scope right below `path` that each instruction is in. One whose `op_name` is missing, or leads elsewhere,
        joins what it serves: the one scope of its users, else that of its operands."""
        depth = len(path)
        names: dict[int, str] = {}
        nameless: dict[int, None] = {}
        for member in settled:
            own = scope_path(self.flow.instructions[member].metadata.op_name)
            if own[:depth] == path and len(own) > depth:
                names[member] = own[depth]
            elif own[:depth] != path or not self.flow.instructions[member].metadata.op_name:
                nameless[member] = None
        for member in reversed(nameless):
            served = {names.get(user) for user in self.flow.users[member]}
            if len(served) == 1 and None not in served:
                names[member] = served.pop() or ""
        for member in nameless:
            served = {names.get(operand) for operand in self.flow.operands[member] if not self.flow.is_ready[operand]}
            if member not in names and len(served) == 1 and None not in served:
                names[member] = served.pop() or ""
        return names

    def _with_ready(
        self, members: Sequence[int], pieces: Sequence[Piece], names: Mapping[int, str]
    ) -> Iterator[tuple[str | None, list[int]]]:
        """Name and content of the pieces, what is ready at any time put to its first user; what nobody uses, to its
        own scope."""
        contents = [list(piece.items) for piece in pieces]
        place = {member: number for number, content in enumerate(contents) for member in content}
        first = {piece.name: number for number, piece in reversed(list(enumerate(pieces))) if piece.name is not None}
        alone = []
        for member in reversed(members):
            if member in place:
                continue
            users = [place[user] for user in self.flow.users[member] if user in place]
            own = first.get(names.get(member, ""))
            if not users and own is not None and not self.flow.users[member]:
                users = [own]
            if users:
                place[member] = min(users)
                contents[place[member]].append(member)
            else:
                alone.append(member)
        yield None, alone[::-1]
        for piece, content in zip(pieces, contents, strict=True):
            yield piece.name, sorted(content)


def clusters_of(module: HloModule, computation: HloComputation, *, is_called: bool) -> Clusters:
    """The clusters of a computation, kept with it as its look-up tables are: every view of it needs them again."""
    key = f"clusters, called: {is_called}"
    known: Clusters | None = vars(computation).get(key)
    if known is None:
        base = "scope:" if computation.name == module.entry else f"scope:{computation.name}:"
        known = Clusters(Flow(computation), base, computation.root, is_called)
        vars(computation)[key] = known
    return known


def _is_handing_over(instruction: HloInstruction) -> bool:
    moves = ("copy", "reshape", "bitcast", "tuple", "get-tuple-element", "copy-start", "copy-done")
    return instruction.opcode in moves and instruction.metadata.op_name in ("", "XLA_Retvals")
