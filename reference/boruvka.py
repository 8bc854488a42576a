"""Borůvka's algorithm: each tree takes the lightest edge that leaves it, all at once, in rounds.

In each round of Borůvka's algorithm, every tree finds the lightest edge that leaves it, and joins the tree at
the other end of that edge. Choose it as a yardstick, or for graphs with few edges per vertex.

O. Borůvka, "O jistém problému minimálním", Práce moravské přírodovědecké společnosti 3, 1926; A. Fallin, A.
Gonzalez, J. Seo and M. Burtscher, "A high-performance MST implementation for GPUs", SC 2023, section 3.

The lightest edge that leaves a tree is in the minimum spanning forest. No two edges are equally light,
because ties between equal weights are broken by the places of the edges. So the edges that the trees choose
close no cycle. Each remaining edge is kept with the roots of its ends' trees, as in ECL-MST.

In pseudo-code::

    init: for each vertex v in parallel: parent[v] = v
    take: for each edge (u, v) that is no loop in parallel:
        keep it, and offer it to u and v: best[u], best[v] = the lightest edge that was offered
    until no edge is left:
        join: for each root r with a lightest edge (u, v) = best[r] in parallel:
            best[r] = none
            if link(u, v): put the edge into the forest
        find: for each edge that is left in parallel:
            u, v = root of u, root of v
            keep it if u and v differ, and offer it to u and v

Its phases:

- *init*: each vertex is a tree
- *take*: each vertex is offered its edges
- *join*: the lightest edge of each tree joins it to another
- *find*: each tree is offered the edges that leave it

Input: edges in any order and direction; loops and repeated edges are allowed. Deterministic, whatever the
schedule. Work O(m log n); depth O(log n) rounds. A round at least halves the number of trees that an edge
leaves, and is as deep as the paths that it walks.

ECL-MST looks for the lightest edges among all remaining edges, and resets them in a third kernel. Here each
root takes and resets its own lightest edge, because memory is read faster in order than at random. If two
trees choose the same edge, one of the two links joins them. A 64-bit word holds an edge's weight and its
place. Of a 64-bit weight, the word holds only the first 32 bits; on devices without 64-bit atomics, it holds
only the place. The rest is looked up.

See also ``filter-boruvka``: takes light edges first; ``kruskal``: takes edges in order; ``spanning-forest``:
finds any spanning forest, in one pass.
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
"""An edge's key and place. Of two edges, the one with the smaller pair is lighter."""

NOTHING: Lightness = (1 << 64, -1)
"""Heavier than every edge."""


class Left(NamedTuple):
    """A remaining edge, with the roots that its ends' trees had when it was last looked at."""

    u: int
    v: int
    lightness: Lightness


class GrowingTrees:
    """A growing forest: its trees, their lightest edges, and the places of the edges taken so far."""

    def __init__(self, weighted: Weighted) -> None:
        phase("init")
        vertices = weighted.graph.vertices
        self.sources, self.targets = (ends.tolist() for ends in weighted.ends)
        self.parent = shared("parent", range(vertices))
        self.best = shared("best", [NOTHING] * vertices)
        self.forest: list[int] = []

    def offer(self, edges: Iterable[Left]) -> list[Left]:
        """Offer each edge to the trees of both ends, and return the edges between two different trees."""
        kept = []
        for edge in edges:
            if edge.u != edge.v:
                kept.append(edge)
                for root in (edge.u, edge.v):
                    if edge.lightness < self.best[root]:
                        fetch_min(self.best, root, edge.lightness)  # type: ignore[arg-type]
        return kept

    def rounds(self, left: list[Left]) -> None:
        """Repeat *join* and *find* until no edge is left."""
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
        """Return the edges with the roots that their ends' trees have now."""
        for u, v, lightness in in_parallel(left):
            yield Left(find_splitting(u, self.parent), find_splitting(v, self.parent), lightness)


def edges_left(weighted: Weighted) -> list[Left]:
    """Return all edges, before anything is joined."""
    sources, targets = (ends.tolist() for ends in weighted.ends)
    lightness = zip(weighted.keys().tolist(), range(len(sources)), strict=True)
    return list(map(Left, sources, targets, lightness))


def boruvka(weighted: Weighted) -> npt.NDArray[np.int64]:
    """Return the indices of the edges of the minimum spanning forest, in ascending order.

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
