"""Bridges by marking (Chaitanya, Kothapalli): edges of a tree that lie on a cycle, walked upwards.

A bridge is an edge whose removal splits a component. Each edge outside a spanning forest closes a cycle with
the path between its ends in the forest, and marks the edges of that path. The edges without a mark are the
bridges. Choose it to find the bridges of any graph, as ``auto`` does.

M. Chaitanya and K. Kothapalli, "Efficient multicore algorithms for identifying biconnected components",
International Journal of Networking and Computing 6(1), 2016; A. Polak, A. Siwiec and M. Stobierski, "Euler
meets GPU", IPDPS 2021, section 4.2, whose "hybrid" roots any spanning forest by an Euler tour.

Vertices are named in preorder, so a later vertex is never above an earlier one. Walks start from both ends of
an edge, and the later one steps up until they meet. Here marked edges are skipped: as in union-find, each
vertex points to a vertex above it, and all edges between the two are marked. So most walks end at once.

In pseudo-code::

    span, tour, cut, PJ1, PJ2, orient, plant, count, number: find a spanning forest and root it
    rename: name each vertex by its place in preorder; up[v] = v
    mark: for each edge (u, v) in parallel:
        if v is below u, and the edge is the first to say so: it is the tree's; go on with the next edge
        u, v = find(u), find(v)
        while u and v differ:
            x = the later of the two
            up[x] = the vertex above x
            x = find(x)
    gather: the edge above each v with up[v] = v, other than roots, is a bridge

Its phases:

- *span*: a spanning forest is found
- *tour*: each edge finds the next edge of the tour
- *cut*: the tour ends where it returns to the root
- *PJ1*: each edge is one step before its successor
- *PJ2*: each edge jumps twice as far towards the end as before
- *orient*: the direction that comes first leads down
- *plant*: roots are their own parents
- *count*: edges down are counted along the tour
- *number*: depth and preorder follow from the counts
- *rename*: vertices are named in preorder
- *mark*: edges outside the forest mark the cycles that they close
- *gather*: an edge with no mark is a bridge

Input: edges in any order and direction; loops and parallel edges are allowed. Deterministic, whatever the
schedule. Work O(n log n + m) in practice; depth O(log n) in practice, plus the length of the longest walk.

The papers walk along marked edges again, which takes O(m) steps for each edge outside a deep tree. In a race,
only a shortened path can be lost, never a mark: once a vertex points upwards, it always points at least to
the vertex above it. A stale read only leads to a lower vertex, which is then marked again.

See also ``chain``: does the same with a depth-first tree; ``fast-bcc``: also finds blocks; ``euler-tour``:
roots the forest.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from pointerjump.base.edges import EdgeList
from pointerjump.reference.spanned import NONE, beside_the_forest, spanned
from pointerjump.reference.trees import find_halving
from pointerjump.reference.vocabulary import in_parallel, phase, shared


def marking(edges: EdgeList) -> npt.NDArray[np.int64]:
    """Return the indices of the edges that are bridges, in ascending order.

    Examples
    --------
    >>> marking(EdgeList.of([0, 1, 2, 2, 3], [1, 2, 0, 3, 3])).tolist()
    [3]
    """
    forest = spanned(edges)
    above, n = forest.above, edges.vertices
    phase("mark")
    up, claimed = shared("up", range(n)), shared("claimed", [NONE] * n)
    for u, v in beside_the_forest(forest, claimed):
        i, j = find_halving(u, up), find_halving(v, up)
        while i != j:
            i, j = min(i, j), max(i, j)
            up[j] = above[j]
            j = find_halving(j, up)

    phase("gather")
    bridges = [claimed[v] for v in in_parallel(range(n)) if up[v] == v and above[v] != v]
    return np.sort(np.array(bridges, np.int64))
