"""The proper layered graph: edges longer than one rank run through a vertex of their own on every rank they pass."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]
Doubles = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Row:
    """One rank seen from one side: the vertices with neighbours there, and those neighbours one after the other."""

    start: int
    stop: int
    vertices: Ints
    neighbours: Ints
    firsts: Ints
    degrees: Doubles
    single: bool
    """Every vertex listed has one neighbour."""
    whole: bool
    """Every vertex of the rank is listed."""

    @property
    def fixed(self) -> bool:
        """There is nothing to sort."""
        return len(self.vertices) < 2


@dataclass(frozen=True, slots=True)
class Side:
    """Neighbours of all vertices on the rank above, or below: those of `v` at `starts[v]` to `starts[v + 1]`.

    `only` is the neighbour of a vertex that has one, -1 for others.
    """

    starts: Ints
    neighbours: Ints
    degrees: Ints
    only: Ints
    rows: tuple[Row, ...]


@dataclass(frozen=True, slots=True)
class Proper:
    """Vertices are numbered rank by rank: those of rank r are `offsets[r]` to `offsets[r + 1]`, at most `width`.

    `vertex_of` maps nodes to vertices and `node_of` back, -1 for the vertices of long edges. `path` holds the vertices
    of each edge from source to target, at `path_starts[e]` to `path_starts[e + 1]`; an edge left out has none. `above`
    and `below` are the steps of all paths, vertex and next vertex.
    """

    count: int
    rank: Ints
    offsets: tuple[int, ...]
    width: int
    vertex_of: Ints
    node_of: Ints
    path: Ints
    path_starts: Ints
    above: Ints
    below: Ints
    up: Side
    down: Side

    @property
    def rank_count(self) -> int:
        return len(self.offsets) - 1


def make_proper(ranks: Sequence[int], edges: Sequence[tuple[int, int]], *, longest: int) -> Proper:
    """The proper graph of `edges`, those spanning more than `longest` ranks left out. Ranks start at 0."""
    node_rank = np.array(ranks, np.int64)
    ends = np.array(edges, np.int64).reshape(-1, 2)
    spans = node_rank[ends[:, 1]] - node_rank[ends[:, 0]]
    lengths = np.where(spans <= longest, spans + 1, 0)
    path_starts = np.concatenate(([0], np.cumsum(lengths)))
    edge_of = np.repeat(np.arange(len(ends)), lengths)
    step = np.arange(path_starts[-1]) - path_starts[edge_of]
    inner = (step > 0) & (step < spans[edge_of])
    path = np.where(step == 0, ends[edge_of, 0], ends[edge_of, 1])
    path[inner] = len(ranks) + np.arange(np.count_nonzero(inner))
    rank = np.concatenate((node_rank, (node_rank[ends[edge_of, 0]] + step)[inner]))

    by_rank = np.argsort(rank, kind="stable")
    renumbered = np.empty_like(by_rank)
    renumbered[by_rank] = np.arange(len(by_rank))
    path = renumbered[path]
    rank = rank[by_rank]
    rank_count = int(rank[-1]) + 1 if len(rank) else 0
    offsets = np.searchsorted(rank, np.arange(rank_count + 1))
    last = np.zeros(len(path), bool)
    last[path_starts[1:][lengths > 0] - 1] = True
    above, below = path[:-1][~last[:-1]], path[1:][~last[:-1]]
    return Proper(
        count=len(rank),
        rank=rank,
        offsets=tuple(offsets.tolist()),
        width=int(np.diff(offsets).max(initial=0)),
        vertex_of=renumbered[: len(ranks)],
        node_of=np.where(by_rank < len(ranks), by_rank, -1),
        path=path,
        path_starts=path_starts,
        above=above,
        below=below,
        up=_side(below, above, offsets, len(rank)),
        down=_side(above, below, offsets, len(rank)),
    )


def _side(vertices: Ints, others: Ints, offsets: Ints, count: int) -> Side:
    degrees = np.bincount(vertices, minlength=count)
    starts = np.concatenate(([0], np.cumsum(degrees)))
    neighbours = others[np.argsort(vertices * count + others)]
    listed = np.flatnonzero(degrees)
    rows = []
    bounds = np.searchsorted(listed, offsets).tolist()
    edge_bounds = starts[offsets].tolist()
    stops = offsets.tolist()
    singles = (np.maximum.reduceat(np.append(degrees, 0), offsets[:-1]) <= 1).tolist() if count else []
    reals = degrees.astype(np.float64)
    for rank, (start, stop) in enumerate(pairwise(stops)):
        of_rank = listed[bounds[rank] : bounds[rank + 1]]
        rows.append(
            Row(
                start,
                stop,
                of_rank,
                neighbours[edge_bounds[rank] : edge_bounds[rank + 1]],
                starts[of_rank] - edge_bounds[rank],
                reals[of_rank],
                singles[rank],
                len(of_rank) == stop - start,
            )
        )
    only = np.full(count, -1, np.int64)
    one = np.flatnonzero(degrees == 1)
    only[one] = neighbours[starts[one]]
    return Side(starts, neighbours, degrees, only, tuple(rows))
