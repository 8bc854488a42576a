"""Rooting trees by an Euler tour (Tarjan and Vishkin): along each edge down and up, ranked as a list.

An Euler tour of a tree goes along each edge twice, once in each direction, and ends where it began. Choose it
to root trees of any height, on any device: a path takes no longer than a star.

R. E. Tarjan and U. Vishkin, "An efficient parallel biconnectivity algorithm", SIAM J. Comput. 14(4), 1985; A.
Polak, A. Siwiec and M. Stobierski, "Euler meets GPU", IPDPS 2021.

After an edge has led from v to u, the tour takes the edge of u that follows the one back to v; after the last
edge of u comes the first. So each edge finds its successor on its own. If the tour is cut where it returns to
the root for the last time, it is a linked list. List ranking gives each edge's place in that list. Of an
edge's two directions, the one that comes first leads down. The part of the tour between them is the subtree.

In pseudo-code::

    tour: for each directed edge e = (v, u) in parallel:
        twin[e] = the edge (u, v)
        successor[e] = the edge of u after twin[e]; after u's last edge, its first
    cut: for each root in parallel: the edge before its first one is the last of its tour
    PJ1, PJ2: rank the lists of edges
    orient: for each directed edge e = (v, u) in parallel:
        if twin[e] comes before e:
            parent[v] = u; size[v] = half of the edges from twin[e] to e
            at[v] = the place of twin[e]; it leads down
    plant: each root is its own parent, of depth 0
    count: downs[p] = how many of the places up to p lead down
    number: for each vertex v in parallel:
        depth[v] = the edges down less the edges up until v is reached
        preorder[v] = the vertices that were reached before

Its phases:

- *tour*: each edge finds the next edge of the tour
- *cut*: the tour ends where it returns to the root
- *PJ1*: each edge is one step before its successor
- *PJ2*: each edge jumps twice as far towards the end as before
- *orient*: the direction that comes first leads down
- *plant*: roots are their own parents
- *count*: edges down are counted along the tour
- *number*: depth and preorder follow from the counts

Input: the rows of a forest, each in ascending order, with both directions of each edge once and no loops; a
root for each tree, and the number of each vertex's tree. On devices, kernels find the roots and numbers.
Deterministic, whatever the schedule: a vertex's children are visited in ascending order, beginning after its
parent. Work O(n log n); depth O(log n). Finding twins (an edge's two directions) in rows of up to d neighbors
takes O(n log d). The remaining work is to rank 2 (n - k) elements for k trees.

The papers sum +1 and -1 along the tour. If a vertex is reached at place p, counted from 1, after D edges
down, its depth is D - (p - D). So one count of bits gives both depth and preorder. The tours of the trees
follow one another. Each tour has as many edges up as down, so earlier trees cancel out in the depth. The
kernels rank by ``random-splitter``, the reference by ``wylie``. The kernels take each edge twice: in order of
the smaller ends, and then in order of the larger ends. Twins are then side by side and need no search.

See also ``level-by-level``: goes down one level at a time, and is faster on shallow trees;
``random-splitter``: ranks the tour; ``list-scan``: sums along lists.
"""

from __future__ import annotations

from bisect import bisect_left
from itertools import accumulate

import numpy as np

from pointerjump.base.edges import VertexArray
from pointerjump.base.graph import Graph
from pointerjump.base.rooted import Rooted
from pointerjump.reference.vocabulary import as_vertices, in_parallel, neighborhoods, phase, shared
from pointerjump.reference.wylie import jump_pairs


def euler_tour(graph: Graph, roots: VertexArray, tree: VertexArray) -> Rooted:
    """Root a forest.

    The `graph` holds the forest's rows: both directions of each edge once, in ascending order, and no loops.
    Trees are in order of their smallest vertices: `roots` gives the root of each tree, and `tree` the number
    of each vertex's tree.

    Examples
    --------
    >>> graph = Graph.from_edges([0, 0, 2], [1, 2, 3])
    >>> euler_tour(graph, np.array([0]), np.zeros(4, np.int32)).depth.tolist()
    [0, 1, 1, 2]
    """
    N, first = neighborhoods(graph), graph.offsets.tolist()
    source, target = graph.sources.tolist(), graph.neighbors.tolist()
    edges = range(len(target))
    root, tree_of = roots.tolist(), tree.tolist()
    sizes = np.bincount(tree, minlength=len(root)).tolist()

    phase("tour")
    twin, successor = shared("twin", [0] * len(edges)), shared("successor", [0] * len(edges))
    for e in in_parallel(edges):
        v, u = source[e], target[e]
        back = first[u] + bisect_left(N[u], v)
        twin[e] = back
        successor[e] = back + 1 if back + 1 < first[u + 1] else first[u]

    phase("cut")
    for r in in_parallel([r for r in root if N[r]]):
        end = twin[first[r + 1] - 1]
        successor[end] = end

    rank = shared("rank", jump_pairs([int(successor[e] != e) for e in edges], list(successor)))

    phase("orient")
    n = len(tree_of)
    parent, depth, preorder, size = (
        shared(name, [0] * n) for name in ("parent", "depth", "preorder", "size")
    )
    at, down = shared("at", [0] * n), shared("down", [0] * len(edges))
    vertices_before = list(accumulate(sizes, initial=0))
    last = [2 * (vertices_before[t + 1] - (t + 1)) - 1 for t in range(len(root))]  # each tour's last place
    for e in in_parallel(edges):
        before = rank[twin[e]] - rank[e]  # the places from twin[e] to e
        if before > 0:
            v = source[e]
            parent[v], size[v] = target[e], (before + 1) // 2
            at[v] = last[tree_of[v]] - rank[twin[e]]
            down[at[v]] = 1

    phase("plant")
    for t in in_parallel(range(len(root))):
        r = root[t]
        parent[r], depth[r], preorder[r], size[r] = r, 0, vertices_before[t], sizes[t]

    phase("count")
    downs = shared("downs", accumulate(down))

    phase("number")
    for v in in_parallel(range(n)):
        if parent[v] != v:
            depth[v] = 2 * downs[at[v]] - (at[v] + 1)
            preorder[v] = downs[at[v]] + tree_of[v]
    found = as_vertices(parent), as_vertices(depth), as_vertices(preorder), as_vertices(size)
    return Rooted(found[0], found[1], found[2], found[3], tree, roots)
