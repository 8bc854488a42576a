"""Incremental connectivity: a disjoint-set forest that takes edges in blocks, and answers in between.

A disjoint-set forest keeps one parent for each vertex. It takes edges in blocks, forgets them, and answers
queries in between. Choose it for edges that come in blocks or keep coming, as ``auto``, ``DisjointSet`` and
streams do.

L. Dhulipala, C. Hong and J. Shun, "ConnectIt: a framework for static and incremental parallel graph
connectivity algorithms", VLDB 2021 (arXiv 2008.03909), on incremental connectivity. M. Sutton, T. Ben-Nun and
A. Barak, "Optimizing parallel graph connectivity computation via subgraph sampling", IPDPS 2018, figure 3 and
theorem 1: *link* may take the edges in any order and direction.

To merge another forest, the edges from its vertices to their parents are linked: they connect the same
vertices as the edges from which that forest was made. Trees are compressed as rarely as in afforest_edges, so
even many tiny blocks cost little more than one large block.

The number of subsets is the number of vertices minus the number of hooks. This is exact after every block:
only roots are hooked, by compare-and-swap, and a hooked vertex never becomes a root again.

In pseudo-code::

    init: for each vertex v in parallel: pi[v] = v
    for each block of edges, as it comes:
        link: for each edge (u, v) of the block in parallel: link(u, v)
        if n / 2 edges are linked, or twice as many as at the last time:
            compress: for each vertex v in parallel: pi[v] = root of v

    link(u, v):
        a, b = pi[u], pi[v]
        while a and b differ:
            high, low = the larger and the smaller of a and b
            swap pi[high] from high to low
            if that worked, return: two trees are joined
            otherwise a, b = pi[pi[high]], pi[low]

Its phases:

- *init*: each vertex is a tree of its own
- *link*: the edges of one block are linked
- *compress*: each vertex points to its root

Input: each edge in at least one direction. The result is deterministic whatever the schedule, the order of
the edges and their division into blocks: parents never exceed their children (invariant 1), so each root is
its subset's smallest vertex. Work O(m + n log(m / n)) in practice; depth the length of the longest path, in
each block. Links take O(m) in all, and compressing the trees O(n) each time. A query takes a few steps, and
O(n) at worst.

Queries and merges take turns: an answer reflects all blocks merged before the query, and no others.

See also ``afforest-edges``: for edges that are all known at once; ``union-find``: the serial original;
``interning``: numbers ids that are not integers.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from pointerjump.base import limits, memory
from pointerjump.base.edges import FEWER, VertexArray
from pointerjump.base.graph import Graph
from pointerjump.base.limits import FIRST_BATCH
from pointerjump.reference.afforest import compress, link
from pointerjump.reference.trees import find_halving
from pointerjump.reference.vocabulary import in_parallel, phase, shared

IntegerArray = npt.NDArray[Any]
"""Ids of any integer dtype."""

BYTES_PER_VERTEX = 40
"""Bytes that one parent takes: a Python integer and its place in a list."""


def disjoint_set(graph: Graph, block: int = 65536) -> VertexArray:
    """Return each vertex's representative, the smallest vertex of its component.

    Edges are merged `block` at a time.

    Examples
    --------
    >>> disjoint_set(Graph.from_edges([0, 4], [2, 3], vertices=5), block=1).tolist()
    [0, 1, 0, 3, 3]
    """
    forest = DisjointSets(graph.vertices)
    sources, targets = graph.sources, graph.neighbors
    for begin in range(0, len(sources), block):
        forest.merge(sources[begin : begin + block], targets[begin : begin + block])
    return forest.representatives()


class DisjointSets:
    """A partition of vertices into subsets, which edges merge. Only one thread may use it at a time.

    Ids are not checked: they must be integers in range. At first there are `vertices` vertices, each a subset
    of its own; `n_subsets` counts the subsets.

    Examples
    --------
    >>> forest = DisjointSets(5)
    >>> forest.merge(np.array([4, 2]), np.array([3, 0]))
    >>> forest.n_subsets, forest.find([3, 4, 2, 1]).tolist(), forest.connected([0, 0], [1, 2]).tolist()
    (3, [3, 3, 0, 1], [False, True])
    >>> other = DisjointSets(6)
    >>> other.merge(np.array([5]), np.array([4]))
    >>> forest.update(other.representatives())
    >>> forest.representatives().tolist()
    [0, 1, 0, 3, 3, 3]
    """

    def __init__(self, vertices: int = 0) -> None:
        phase("init")
        self._pi: list[int] = shared("pi", ())
        self.n_subsets = 0
        self._linked = 0  # edges
        self._linked_before_compressing = 0
        self.add(vertices)

    @property
    def vertices(self) -> int:
        return len(self._pi)

    def add(self, vertices: int) -> None:
        """Grow to this number of vertices, if there are fewer. Each new vertex is a subset of its own."""
        new = max(0, vertices - self.vertices)
        memory.require(BYTES_PER_VERTEX * new, f"parents of {vertices:,} vertices", FEWER)
        self._pi.extend(range(self.vertices, vertices))
        self.n_subsets += new

    def merge(self, sources: IntegerArray, targets: IntegerArray) -> None:
        """Merge the subsets of each edge's two ends."""
        edges = list(zip(sources.tolist(), targets.tolist(), strict=True))
        phase("link")
        self.n_subsets -= sum(link(u, v, self._pi) for u, v in in_parallel(edges))
        self._linked += len(edges)
        if self._linked >= max(FIRST_BATCH * self.vertices, 2 * self._linked_before_compressing):
            self._compress_all()

    def _compress_all(self) -> None:
        phase("compress")
        for v in in_parallel(range(self.vertices)):
            compress(v, self._pi)
        self._linked_before_compressing = self._linked

    def find(self, vs: npt.ArrayLike) -> IntegerArray:
        """Return the representative of each given vertex: the smallest vertex of its subset."""
        wanted: list[int] = np.asarray(vs).tolist()
        roots = [0] * len(wanted)
        phase("find")
        for i in in_parallel(range(len(wanted))):
            roots[i] = find_halving(wanted[i], self._pi)
        return self._as_vertices(roots)

    def connected(self, us: npt.ArrayLike, vs: npt.ArrayLike) -> npt.NDArray[np.bool_]:
        """Return, for each pair of vertices, whether both are in the same subset."""
        same: npt.NDArray[np.bool_] = self.find(us) == self.find(vs)
        return same

    def representatives(self) -> IntegerArray:
        self._compress_all()
        return self._as_vertices(self._pi)

    def update(self, parents: IntegerArray) -> None:
        """Merge another forest into this one, given the parent of each of its vertices."""
        self.add(len(parents))
        self.merge(np.arange(len(parents)), parents)

    def _as_vertices(self, ids: Sequence[int]) -> IntegerArray:
        """Return ids as an int32 array, or as int64 if there are too many vertices for int32."""
        return np.array(ids, np.int32 if self.vertices <= limits.MOST_NARROW_VERTICES else np.int64)
