"""Borůvka's algorithm: in each round, every tree is joined to another along the lightest edge leaving it.

In each round, every tree finds the lightest edge that leaves it, and is joined to the tree at the other end
of this edge. Choose this algorithm as a yardstick, or for graphs with few edges per vertex.

O. Borůvka, "O jistém problému minimálním", Práce moravské přírodovědecké společnosti 3, 1926; A. Fallin, A.
Gonzalez, J. Seo and M. Burtscher, "A high-performance MST implementation for GPUs", SC 2023, section 3
(ECL-MST).

The lightest edge that leaves a tree is in the minimum spanning forest. Ties between equal weights are broken
by the positions of the edges in the input, so the edges that the trees choose form no cycle. Each remaining
edge is stored with the roots of the trees that contain its ends, as in ECL-MST.

In pseudo-code::

    init: for each vertex v in parallel: parent[v] = v
    take: for each edge (u, v) that is not a loop, in parallel:
        keep it, and offer it to u and v: best[u], best[v] = the lightest edge offered so far
    repeat until no edge is left:
        join: for each root r with a lightest edge (u, v) = best[r] in parallel:
            best[r] = none
            if link(u, v): add the edge to the forest
        find: for each remaining edge in parallel:
            u, v = root of u, root of v
            keep it if u and v differ, and offer it to u and v

Its phases:

- *init*: each vertex is a tree
- *take*: each vertex is offered its edges
- *join*: each tree is joined to another along its lightest edge
- *find*: each tree is offered the edges that leave it

Input: edges in any order and direction; loops and repeated edges are allowed. The result does not depend on
the schedule. Work O(m log n); depth O(log n) rounds. Each round at least halves the number of trees that have
edges leaving them. Each round is as deep as the longest path that it walks.

ECL-MST scans all remaining edges to find those chosen by a tree, and resets the choices in a third kernel.
Here, each root handles and resets its own lightest edge, because sequential memory access is faster than
random access. On a GPU, once few edges are left, the kernel goes over these edges instead of the roots. If
two trees choose the same edge, only one of the two links joins them. ECL-MST assumes that both directions of
an edge have the same weight. If rows seem to store both directions, the kernels check this assumption. If it
holds, they ignore the second direction.

See also ``filter-boruvka``: processes light edges first; ``kruskal``: processes edges in order of weight.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from pointerjump.base.weighted import Weighted
from pointerjump.reference.afforest import link
from pointerjump.reference.trees import find_splitting
from pointerjump.reference.vocabulary import fetch_min, in_parallel, phase, shared

Lightness = tuple[int, int]
"""A pair that orders edges from light to heavy: the key of the weight, and the position in the input."""

NOTHING: Lightness = (1 << 64, -1)
"""A placeholder for no edge. It compares as heavier than every edge."""


class Left(NamedTuple):
    """A remaining edge. `u` and `v` are the last known roots of the trees that contain its ends."""

    u: int
    v: int
    lightness: Lightness


class GrowingTrees:
    """The state of Borůvka's algorithm. `forest` lists the input positions of the edges chosen so far."""

    def __init__(self, weighted: Weighted) -> None:
        phase("init")
        vertices = weighted.graph.vertices
        self.sources, self.targets = (ends.tolist() for ends in weighted.ends)
        self.parent = shared("parent", range(vertices))
        self.best = shared("best", [NOTHING] * vertices)
        self.forest: list[int] = []

    def offer(self, edges: Iterable[Left]) -> list[Left]:
        """Offer each edge that joins two different trees to both of them. Return these edges."""
        kept = []
        for edge in edges:
            if edge.u != edge.v:
                kept.append(edge)
                for root in (edge.u, edge.v):
                    if edge.lightness < self.best[root]:
                        fetch_min(self.best, root, edge.lightness)  # type: ignore[arg-type]
        return kept

    def rounds(self, left: list[Left]) -> None:
        while left:
            phase("join")
            for root in in_parallel(range(len(self.parent))):
                lightness = self.best[root]
                if lightness == NOTHING:
                    continue
                self.best[root] = NOTHING
                place = lightness[1]
                if link(self.sources[place], self.targets[place], self.parent):
                    self.forest.append(place)
            phase("find")
            left = self.offer(self.again(left))

    def again(self, left: Sequence[Left]) -> Iterable[Left]:
        """Yield the edges with their roots updated."""
        for u, v, lightness in in_parallel(left):
            yield Left(find_splitting(u, self.parent), find_splitting(v, self.parent), lightness)


def edges_left(weighted: Weighted) -> list[Left]:
    sources, targets = (ends.tolist() for ends in weighted.ends)
    lightness = zip(weighted.keys().tolist(), range(len(sources)), strict=True)
    return list(map(Left, sources, targets, lightness))


def boruvka(weighted: Weighted) -> npt.NDArray[np.int64]:
    """Return the indices of the minimum spanning forest's edges, in ascending order.

    Examples
    --------
    >>> from pointerjump import Graph
    >>> triangle = Graph.from_edges([0, 1, 2], [1, 2, 0])
    >>> boruvka(Weighted(triangle, np.array([3, 1, 2]))).tolist()
    [1, 2]
    """
    growing = GrowingTrees(weighted)
    phase("take")
    growing.rounds(growing.offer(in_parallel(edges_left(weighted))))
    return np.sort(np.array(growing.forest, np.int64))
