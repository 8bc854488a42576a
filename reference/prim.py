"""Prim's algorithm (also known as Jarník's): repeatedly add the lightest edge that leaves the tree.

Prim's algorithm starts with one vertex, and repeatedly adds the lightest edge between the tree and the rest
of the graph. Choose this algorithm to see the opposite of Kruskal's algorithm: a tree grows one vertex at
a time, and edges are not taken in order.

V. Jarník, "O jistém problému minimálním", Práce moravské přírodovědecké společnosti 6, 1930; R. C. Prim,
"Shortest connection networks and some generalizations", Bell System Technical Journal 36, 1957.

The lightest edge between the tree and the rest of the graph belongs to the minimum spanning forest. Any other
path from the tree to the far end of that edge contains a heavier edge, which the lightest edge could replace.

In pseudo-code::

    rows: list the edges at each vertex
    grow: for each vertex r that is in no tree:
        put r into a new tree, and r's edges into an empty heap
        until the heap is empty:
            remove the lightest edge (u, v) from it
            if v is in no tree:
                add the edge to the forest, v to the tree, and v's edges to the heap

Its phases:

- *rows*: the edges at each vertex are listed
- *grow*: the lightest edge that leaves the tree is added to the forest

Input: edges in any order and direction; loops and repeated edges are allowed. The result is deterministic.
Work O(m log m) with a binary heap; depth O(m log m): serial.

See also ``kruskal``: adds edges in order of weight; ``boruvka``: grows all trees in parallel.
"""

from __future__ import annotations

from heapq import heappop, heappush

import numpy as np
import numpy.typing as npt

from pointerjump.base.weighted import Weighted
from pointerjump.reference.vocabulary import phase


def prim(weighted: Weighted) -> npt.NDArray[np.int64]:
    """Return the indices of the minimum spanning forest's edges, in ascending order.

    Examples
    --------
    >>> from pointerjump import Graph
    >>> triangle = Graph.from_edges([0, 1, 2], [1, 2, 0])
    >>> prim(Weighted(triangle, np.array([3, 1, 2]))).tolist()
    [1, 2]
    """
    n, key = weighted.graph.vertices, weighted.keys().tolist()
    sources, targets = (ends.tolist() for ends in weighted.ends)
    phase("rows")
    edges_at: list[list[tuple[int, int, int]]] = [[] for _ in range(n)]
    for e, (u, v) in enumerate(zip(sources, targets, strict=True)):
        edges_at[u].append((key[e], e, v))
        edges_at[v].append((key[e], e, u))

    phase("grow")
    in_tree = [False] * n
    forest = []
    for r in range(n):
        if in_tree[r]:
            continue
        in_tree[r] = True
        leaving = sorted(edges_at[r])  # a sorted list is a heap
        while leaving:
            _, e, v = heappop(leaving)
            if in_tree[v]:
                continue
            forest.append(e)
            in_tree[v] = True
            for edge in edges_at[v]:
                heappush(leaving, edge)
    return np.sort(np.array(forest, np.int64))
