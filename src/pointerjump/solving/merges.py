"""What each edge of a forest merges, found by contracting the forest level by level.

This is PANDORA: P. Sao, A. Prokopenko and D. Lebrun-Grandié, "PANDORA: a parallel dendrogram construction
algorithm for single linkage clustering on GPU", ICPP 2024 (arXiv 2401.06089).

At each level, every vertex takes its lightest edge, and the edges that are taken are contracted, as in a
round of Borůvka's algorithm. The vertices that this leaves are the next level. A taken edge merges a cluster
with one vertex of its level, so the edges inside of what becomes one vertex x merge one after the other: they
are a *chain*, from light to heavy. Those that are lighter than x's own lightest edge are below it in the
dendrogram. The others wait for the level at which this holds.

Here edges are numbered from light to heavy, so their numbers are compared instead of weights.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

EdgeNumbers = npt.NDArray[Any]


def merges_of(sources: EdgeNumbers, targets: EdgeNumbers, vertices: int) -> EdgeNumbers:
    """Return what each edge of a forest merges; arguments and result are as for the reference's.

    There are O(log n) levels, each with at most half of the vertices that the one before it has.
    """
    m, n = len(sources), vertices
    edges, ends = np.arange(m, dtype=np.int32), np.stack((sources, targets)).astype(np.int32)
    levels = _Chains(m, vertices)
    waiting, into = edges[:0], edges[:0]  # edges in no chain yet, and the vertices that they are inside of
    while True:
        lightest = np.minimum(*(_lightest(edges, side, n, m) for side in ends))
        placed = waiting < lightest[into]
        taken = lightest[ends] == edges
        levels.add(
            n, waiting[placed], into[placed], [(edges[by], v[by]) for by, v in zip(taken, ends, strict=True)]
        )
        if len(edges) == 0:
            return levels.merges()
        number, n = _contracted(ends, taken, n)
        inside = taken.any(axis=0)
        waiting = np.concatenate((waiting[~placed], edges[inside]))
        into = number[np.concatenate((into[~placed], ends[0, inside]))]
        edges, ends = edges[~inside], number[ends[:, ~inside]]


class _Chains:
    """The chains of all levels, numbered level by level; they grow."""

    def __init__(self, m: int, vertices: int) -> None:
        self.vertices = vertices
        self.chain = np.empty(m, np.int32)  # of each edge
        self.sides = np.full((2, m), -1, np.int32)  # the cluster on either side of an edge, where it is known
        self.above: list[
            list[tuple[EdgeNumbers, EdgeNumbers]]
        ] = []  # for each level and side, edges and the chains below
        self.starts = [0]  # the number of each level's first chain

    def add(
        self, n: int, edges: EdgeNumbers, into: EdgeNumbers, taken: list[tuple[EdgeNumbers, EdgeNumbers]]
    ) -> None:
        """Add a level with n vertices, each with a chain, and the vertices whose lightest edge is taken."""
        if not self.above:
            for side, (by, vertex) in zip(self.sides, taken, strict=True):
                side[by] = vertex
            self.above.append([])
            return
        start = self.starts[-1]
        self.chain[edges] = into + start
        self.above.append([(by, vertex + start) for by, vertex in taken])
        self.starts.append(start + n)

    def merges(self) -> EdgeNumbers:
        """Go along all chains, from light to heavy."""
        m, sides, chains = len(self.chain), self.sides, self.starts[-1]
        # Sorted by chain in linear time: as rows of a matrix, in which edges stay in order.
        each = np.arange(m, dtype=np.int32)
        rows = sp.coo_array((np.ones(m, np.int8), (self.chain, each)), shape=(chains, m or 1)).tocsr()
        order, offsets = rows.indices, rows.indptr
        last = offsets[1:] - 1  # every chain has an edge, apart from those of vertices without any
        size = (sides >= 0).sum(axis=0, dtype=np.int32)

        linked = np.ones(m, bool)
        linked[offsets[:-1][offsets[:-1] < m]] = False
        lower, upper = order[:-1][linked[1:]], order[1:][linked[1:]]

        for begin, end, above in zip(self.starts, self.starts[1:], self.above[1:], strict=False):
            of_level = order[offsets[begin] : offsets[end]]
            up_to = np.cumsum(size[of_level], dtype=np.int32)
            before = np.concatenate(([0], up_to))[offsets[begin:end] - offsets[begin]]
            size[of_level] = up_to - np.repeat(before, np.diff(offsets[begin : end + 1]))
            for side, (by, chain) in zip(sides, above, strict=True):
                top = order[last[chain]]
                side[by] = self.vertices + top
                size[by] += size[top]

        free = (sides[1, upper] < 0).astype(np.int8)
        sides[free, upper] = self.vertices + lower
        return np.stack((sides.min(axis=0), sides.max(axis=0), size), axis=1).astype(np.int64)


def _lightest(edges: EdgeNumbers, ends: EdgeNumbers, n: int, none: int) -> EdgeNumbers:
    """Return the first of ascending edges at each vertex; of what is written to a word, the last stays."""
    found = np.full(n, none, np.int32)
    found[ends[::-1]] = edges[::-1]
    return found


def _contracted(ends: EdgeNumbers, taken: EdgeNumbers, n: int) -> tuple[EdgeNumbers, int]:
    """Contract the edges that are taken; return each vertex's number at the next level, and their count."""
    up = np.arange(n, dtype=np.int32)
    by_target = taken[1] & ~taken[0]  # of two vertices that take the same edge, one stays a root
    up[ends[0][taken[0]]] = ends[1][taken[0]]
    up[ends[1][by_target]] = ends[0][by_target]
    root = up == np.arange(n, dtype=np.int32)
    while not np.array_equal(above := up[up], up):
        up = above
    number = np.cumsum(root, dtype=np.int32) - 1
    return number[up], int(root.sum())
