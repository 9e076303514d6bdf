"""The graph the layered method works on: no cycle, no self-loop, no parallel edge."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

Edge = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Acyclic:
    """Edges that all lead onwards. `of_edge` says for each edge given which of `edges` it became, -1 for one dropped,
    and `flipped` which of those given had to be turned round."""

    count: int
    edges: tuple[Edge, ...]
    of_edge: tuple[int, ...]
    flipped: tuple[bool, ...]


def make_acyclic(count: int, edges: Iterable[Edge], ports: Iterable[int] = ()) -> Acyclic:
    """Turn round the edges that close a cycle in a depth-first search from the sources, then from what is left.

    Edges into ports are turned round as well, and those from port to port dropped like self-loops.
    """
    given = list(edges)
    first = set(ports)
    back = {(source, target) for source, target in given if target in first}
    back |= _back_edges(count, [(source, target) for source, target in given if target not in first])
    index: dict[Edge, int] = {}
    of_edge: list[int] = []
    for source, target in given:
        edge = (target, source) if (source, target) in back else (source, target)
        placed = source != target and not (source in first and target in first)
        of_edge.append(index.setdefault(edge, len(index)) if placed else -1)
    return Acyclic(count, tuple(index), tuple(of_edge), tuple(edge in back for edge in given))


def _back_edges(count: int, edges: list[Edge]) -> set[Edge]:
    users, indegree = neighbours(count, edges), [0] * count
    for source, target in edges:
        indegree[target] += source != target
    if _is_acyclic(users, indegree):
        return set()
    back: set[Edge] = set()
    state = bytearray(count)  # 0 not seen, 1 on the path, 2 done
    for start in sorted(range(count), key=lambda node: (indegree[node] > 0, node)):
        path = [] if state[start] else [(start, iter(users[start]))]
        state[start] = state[start] or 1
        while path:
            node, rest = path[-1]
            for user in rest:
                if state[user] == 1 and user != node:
                    back.add((node, user))
                elif not state[user]:
                    state[user] = 1
                    path.append((user, iter(users[user])))
                    break
            else:
                state[node] = 2
                path.pop()
    return back


def _is_acyclic(users: list[list[int]], indegree: list[int]) -> bool:
    waiting = indegree.copy()
    ready = [node for node, degree in enumerate(waiting) if not degree]
    for node in ready:
        for user in users[node]:
            waiting[user] -= user != node
            if user != node and not waiting[user]:
                ready.append(user)
    return len(ready) == len(users)


def neighbours(count: int, edges: Iterable[Edge], *, back: bool = False) -> list[list[int]]:
    """For each node the targets of its edges, or with `back` the sources."""
    lists: list[list[int]] = [[] for _ in range(count)]
    for source, target in edges:
        if back:
            lists[target].append(source)
        else:
            lists[source].append(target)
    return lists
