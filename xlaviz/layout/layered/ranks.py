"""Ranks: every edge leads down, and the edges together are as short as can be."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from xlaviz.layout.layered.acyclic import Edge, neighbours
from xlaviz.layout.layered.simplex import Line, minimise

_SIMPLEX_WORK = 30_000_000
"""Steps times nodes the network simplex may take: more than it needs on graphs of some thousand nodes."""
_TIGHTENINGS = 4
_OLD_RANK_WEIGHT = 4.0
"""What a rank away from the old one costs, where an edge longer by a rank costs 1."""


def assign_ranks(
    count: int, edges: Sequence[Edge], ports: Sequence[int] = (), old: Mapping[int, int] | None = None
) -> list[int]:
    """Ranks from 0 of an acyclic graph. Ports are alone on rank 0; no edge may lead to one.

    Nodes with an `old` rank stay there, or as near as the edges allow, relative to one another.
    """
    node_of, arcs, weights = _with_ports_as_one(count, edges, ports)
    total = max(node_of, default=-1) + 1
    users, operands = neighbours(total, arcs), neighbours(total, arcs, back=True)
    order = _topological(users, operands)
    balance = [0] * total
    for (source, target), weight in zip(arcs, weights, strict=True):
        balance[source] -= weight
        balance[target] += weight
    old_of = {node_of[node]: rank for node, rank in (old or {}).items()}
    ranks = [0] * total
    for node in order:
        ranks[node] = max([old_of.get(node, 0), *(ranks[operand] + 1 for operand in operands[node])])
    if not old:
        _tighten(ranks, order, users, operands, balance)
    ranks = _shorten(ranks, arcs, balance, old_of)
    return [ranks[node] for node in node_of]


def _with_ports_as_one(
    count: int, edges: Sequence[Edge], ports: Sequence[int]
) -> tuple[list[int], list[Edge], list[int]]:
    """The graph with its ports as one node, above all else. An arc of weight 0 only keeps two nodes apart."""
    if not ports:
        return list(range(count)), list(edges), [1] * len(edges)
    is_port = set(ports)
    node_of = [0] * count
    inner = [node for node in range(count) if node not in is_port]
    for number, node in enumerate(inner, 1):
        node_of[node] = number
    arcs = [(node_of[source], node_of[target]) for source, target in edges]
    fed = {target for _, target in arcs}
    loose = [node_of[node] for node in inner if node_of[node] not in fed]
    return node_of, arcs + [(0, node) for node in loose], [1] * len(arcs) + [0] * len(loose)


def _topological(users: list[list[int]], operands: list[list[int]]) -> list[int]:
    waiting = [len(of_node) for of_node in operands]
    order = [node for node, degree in enumerate(waiting) if not degree]
    for node in order:
        for user in users[node]:
            waiting[user] -= 1
            if not waiting[user]:
                order.append(user)
    return order


def _tighten(
    ranks: list[int], order: list[int], users: list[list[int]], operands: list[list[int]], balance: list[int]
) -> None:
    """Move what has more users than operands down to them, and the others up: a good start in linear time."""
    for _ in range(_TIGHTENINGS):
        before = ranks.copy()
        for node in reversed(order):
            if users[node] and balance[node] <= 0:
                ranks[node] = min([ranks[user] for user in users[node]]) - 1
        for node in order:
            if operands[node] and balance[node] > 0:
                ranks[node] = max([ranks[operand] for operand in operands[node]]) + 1
        if ranks == before:
            break


def _shorten(ranks: list[int], arcs: list[Edge], balance: list[int], old: Mapping[int, int]) -> list[int]:
    """Least sum of edge lengths, by the network simplex. The last place stands for what old ranks count from."""
    count = len(ranks)
    kept = np.array(list(old), np.int64)
    ends = np.array(arcs, np.int64).reshape(-1, 2)
    line = Line(
        costs=np.array([*balance, 0], np.float64),
        left=ends[:, 0],
        right=ends[:, 1],
        gaps=np.ones(len(ends)),
        a=kept,
        b=np.full(len(kept), count),
        offsets=np.array([old[node] for node in old], np.float64),
        weights=np.full(len(kept), _OLD_RANK_WEIGHT),
    )
    best = minimise(line, np.array([*ranks, 0], np.float64), steps=_SIMPLEX_WORK // (count + 1))[:-1]
    return (best - best.min(initial=np.inf)).astype(np.int64).tolist() if count else []
