"""Bridges by marking (Chaitanya, Kothapalli): mark the forest edges that lie on a cycle of the graph.

A bridge is an edge whose removal splits a component. Each edge outside a spanning forest closes a cycle with
the forest path between its ends, and all edges on this path are marked. The forest edges that remain unmarked
are the bridges. Choose this algorithm to find the bridges of any graph, as ``auto`` does.

M. Chaitanya and K. Kothapalli, "Efficient multicore algorithms for identifying biconnected components",
International Journal of Networking and Computing 6(1), 2016; A. Polak, A. Siwiec and M. Stobierski, "Euler
meets GPU", IPDPS 2021, section 4.2, whose "hybrid" algorithm roots any spanning forest by an Euler tour.

Vertices are renamed in preorder, so an ancestor always comes before its descendants. For each edge outside
the forest, a walk starts at each end. In each step, the walk at the later vertex moves up. The walks end
where they meet. Edges that are already marked are skipped: as in union-find, each vertex points to itself or
to one of its ancestors, and all edges between the vertex and that ancestor are marked.

In pseudo-code::

    span, tour, cut, PJ1, PJ2, orient, plant, count, number: find a spanning forest and root it
    rename: name each vertex by its position in preorder; up[v] = v
    mark: for each edge (u, v) in parallel:
        if u is v's parent, and v is not claimed yet: claim v for this edge, and go on with the next edge
        u, v = find(u), find(v)
        while u and v differ:
            x = the later of the two
            up[x] = the vertex above x
            x = find(x)
    gather: for each v with up[v] = v that is not a root, the edge above v is a bridge

Its phases:

- *span*: a spanning forest is found
- *tour*: each edge finds the next edge of the tour
- *cut*: the tour is cut where it returns to the root
- *PJ1*: each edge points one step ahead, to its successor
- *PJ2*: each edge points twice as far ahead as before
- *orient*: each edge leads down in the direction that the tour follows first
- *plant*: each root becomes its own parent
- *count*: downward edges are counted along the tour
- *number*: depth and preorder are computed from the counts
- *rename*: vertices are renamed in preorder
- *mark*: edges outside the forest mark the cycles that they close
- *gather*: the unmarked edges of the forest are collected as bridges

Input: edges in any order and direction; loops and parallel edges are allowed. The result is deterministic
regardless of the schedule. Work O(n log n + m) in practice; depth O(log n) in practice, plus the length of
the longest walk.

Deviation: in the papers, walks also follow edges that are already marked. Here, they skip these edges. A race
can undo the shortening of a path, but it cannot remove a mark: once a vertex points upwards, it always points
to its parent or further up. A stale read only leads to a lower vertex, and the edge above that vertex is then
marked again.

See also ``chain``: uses a depth-first tree; ``fast-bcc``: also finds blocks; ``euler-tour``: roots forests.
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
