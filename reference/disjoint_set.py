"""Incremental connectivity: a disjoint-set forest that accepts edges in blocks and answers queries.

A disjoint-set forest stores one parent for each vertex. It processes edges in blocks without storing them,
and it can be queried after each block. Choose this algorithm for edges that come in blocks or keep coming;
``auto``, ``DisjointSet`` and streams use it.

L. Dhulipala, C. Hong and J. Shun, "ConnectIt: a framework for static and incremental parallel graph
connectivity algorithms", VLDB 2021 (arXiv 2008.03909), on incremental connectivity. M. Sutton, T. Ben-Nun and
A. Barak, "Optimizing parallel graph connectivity computation via subgraph sampling", IPDPS 2018, figure 3 and
theorem 1: *link* may process the edges in any order and direction.

A second forest can be merged into the first: each vertex is linked with its parent in the second forest. As
in ``afforest-edges``, trees are compressed only when the number of linked edges has quadrupled, so many tiny
blocks cost little more than one large block. The number of subsets is the number of vertices minus the number
of links that joined two trees. It is exact after every block: compare-and-swap gives new parents only to
roots, which then never become roots again.

In pseudo-code::

    init: for each vertex v in parallel: pi[v] = v
    for each block of edges, as it arrives:
        link: for each edge (u, v) of the block in parallel: link(u, v)
        if n edges are linked, and four times as many as when trees were last compressed:
            compress: for each vertex v in parallel: pi[v] = root of v
    (link is defined as in afforest)

Its phases:

- *init*: each vertex is a tree of its own
- *link*: the edges of one block are linked
- *compress*: each vertex points to its root

Input: each edge in at least one direction. The result does not depend on the schedule, the order of the edges
or their division into blocks. A parent is never larger than its children (invariant 1), so each root is the
smallest vertex of its subset. Work O(m + n log(m / n)) in practice; depth the length of the longest path, in
each block. A query takes a few steps in practice and O(n) at worst. Queries and merges never run at the same
time: an answer reflects exactly the blocks merged before the query.

See also ``afforest-edges``: for edges given all at once; ``interning``: numbers ids that are not integers.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from pointerjump.base import limits, memory
from pointerjump.base.edges import FEWER, VertexArray
from pointerjump.base.graph import Graph
from pointerjump.base.limits import FIRST_BATCH, GROWTH
from pointerjump.reference.afforest import compress, link
from pointerjump.reference.trees import find_halving
from pointerjump.reference.vocabulary import in_parallel, phase, shared

IntegerArray = npt.NDArray[Any]

BYTES_PER_VERTEX = 40
"""Bytes of memory per parent: a Python integer and the reference to it in a list."""


def disjoint_set(graph: Graph, block: int = 65536) -> VertexArray:
    """Return each vertex's representative, the smallest vertex of its component.

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
    """A partition of vertices into subsets. Each edge merges the subsets of its ends. Not thread-safe.

    Initially, there are `vertices` vertices, each in a subset of its own. Vertex ids are not checked: they
    must be nonnegative and below the number of vertices. Representatives are int32 or, if need be, int64.

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
        self._linked = 0  # the number of edges linked so far
        self._linked_before_compressing = 0
        self.add(vertices)

    @property
    def vertices(self) -> int:
        return len(self._pi)

    def add(self, vertices: int) -> None:
        """Add vertices until there are at least `vertices` of them, each new one in a subset of its own."""
        new = max(0, vertices - self.vertices)
        memory.require(BYTES_PER_VERTEX * new, f"parents of {vertices:,} vertices", FEWER)
        self._pi.extend(range(self.vertices, vertices))
        self.n_subsets += new

    def merge(self, sources: IntegerArray, targets: IntegerArray) -> None:
        """For each edge, merge the subsets that contain its two ends."""
        edges = list(zip(sources.tolist(), targets.tolist(), strict=True))
        phase("link")
        self.n_subsets -= sum(link(u, v, self._pi) for u, v in in_parallel(edges))
        self._linked += len(edges)
        if self._linked >= max(FIRST_BATCH * self.vertices, GROWTH * self._linked_before_compressing):
            self._compress_all()

    def _compress_all(self) -> None:
        phase("compress")
        for v in in_parallel(range(self.vertices)):
            compress(v, self._pi)
        self._linked_before_compressing = self._linked

    def find(self, vs: npt.ArrayLike) -> IntegerArray:
        """Return the representative of each vertex in `vs`: the smallest vertex of its subset."""
        wanted: list[int] = np.asarray(vs).tolist()
        roots = [0] * len(wanted)
        phase("find")
        for i in in_parallel(range(len(wanted))):
            roots[i] = find_halving(wanted[i], self._pi)
        return self._as_vertices(roots)

    def connected(self, us: npt.ArrayLike, vs: npt.ArrayLike) -> npt.NDArray[np.bool_]:
        """Return, for each pair of vertices ``us[i]`` and ``vs[i]``, whether they are in the same subset."""
        same: npt.NDArray[np.bool_] = self.find(us) == self.find(vs)
        return same

    def representatives(self) -> IntegerArray:
        self._compress_all()
        return self._as_vertices(self._pi)

    def update(self, parents: IntegerArray) -> None:
        """Merge another forest, given by the parents of its vertices, into this one."""
        self.add(len(parents))
        self.merge(np.arange(len(parents)), parents)

    def _as_vertices(self, ids: Sequence[int]) -> IntegerArray:
        return np.array(ids, np.int32 if self.vertices <= limits.MOST_NARROW_VERTICES else np.int64)
