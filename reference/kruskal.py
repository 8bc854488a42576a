"""Kruskal's algorithm: process edges from light to heavy and keep each one that joins two trees.

Kruskal's algorithm processes all edges in ascending order of weight and keeps those that do not close a
cycle. Choose this algorithm as a test oracle, because each of its steps is simple.

J. B. Kruskal, "On the shortest spanning subtree of a graph and the traveling salesman problem", Proc. AMS
7(1), 1956, construction A.

Lighter edges are processed first. If the ends of an edge are already in the same tree, they are connected by
a path of lighter edges. In that case, the edge is in no minimum spanning forest. Otherwise, its ends are in
two trees that no lighter edge leaves, so it belongs to the minimum spanning forest.

In pseudo-code::

    sort: put the edges in ascending order of weight, and edges of equal weight in input order
    unite:
        for each edge (u, v) in that order:
            a, b = root of u, root of v
            if a and b differ: add the edge to the forest, and put a under b

Its phases:

- *sort*: edges are sorted by weight
- *unite*: each edge that joins two trees is added to the forest

Input: edges in any order and direction; loops and repeated edges are allowed. Deterministic. Work O(m log m);
depth O(m log m): serial.

See also ``prim``: grows one tree at a time; ``boruvka``: grows all trees in parallel.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from pointerjump.base.weighted import Weighted
from pointerjump.reference.trees import find_halving
from pointerjump.reference.vocabulary import phase


def kruskal(weighted: Weighted) -> npt.NDArray[np.int64]:
    """Return the indices of the minimum spanning forest's edges, in ascending order.

    Examples
    --------
    >>> from pointerjump import Graph
    >>> triangle = Graph.from_edges([0, 1, 2], [1, 2, 0])
    >>> kruskal(Weighted(triangle, np.array([3, 1, 2]))).tolist()
    [1, 2]
    """
    sources, targets = (ends.tolist() for ends in weighted.ends)
    phase("sort")
    in_order = np.argsort(weighted.keys(), kind="stable").tolist()

    phase("unite")
    parent = list(range(weighted.graph.vertices))
    forest = []
    for e in in_order:
        a, b = find_halving(sources[e], parent), find_halving(targets[e], parent)
        if a != b:
            forest.append(e)
            parent[a] = b
    return np.sort(np.array(forest, np.int64))
