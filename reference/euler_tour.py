"""Rooting trees by an Euler tour (Tarjan and Vishkin): rank the edges of a walk around each tree.

An Euler tour of a tree traverses each edge twice, once in each direction, and ends where it began. Choose
this algorithm to root trees of any height, on any device: a path takes no longer than a star.

R. E. Tarjan and U. Vishkin, "An efficient parallel biconnectivity algorithm", SIAM J. Comput. 14(4), 1985; A.
Polak, A. Siwiec and M. Stobierski, "Euler meets GPU", IPDPS 2021.

The edges of each vertex are in a cyclic order. After following an edge from v to u, the tour continues with
the edge of u that comes next after the one back to v. Each edge can find its successor independently. Cutting
the tour where it returns to the root for the last time turns it into a linked list. List ranking then yields
the position of each edge. The tour follows each edge first down and later up. In between, it covers the
subtree below the edge.

In pseudo-code::

    tour: for each directed edge e = (v, u) in parallel:
        twin[e] = the edge (u, v)
        successor[e] = the edge of u after twin[e]; after u's last edge, its first
    cut: for each root in parallel: the edge before its first one is the last of its tour
    PJ1, PJ2: rank the lists of edges
    orient: for each directed edge e = (v, u) in parallel:
        if twin[e] comes before e:
            parent[v] = u; size[v] = half of the edges from twin[e] to e
            at[v] = the position of twin[e], which leads down
    plant: each root is its own parent and has depth 0
    count: downs[p] = the number of edges up to position p that lead down
    number: for each vertex v in parallel:
        depth[v] = the number of edges down minus the number of edges up until v is reached
        preorder[v] = the number of vertices reached before v

Its phases:

- *tour*: each edge finds the next edge of the tour
- *cut*: the tour is cut where it returns to the root
- *PJ1*: each edge points one step ahead, to its successor
- *PJ2*: each edge points twice as far towards the end as before
- *orient*: of each edge's two directions, the first on the tour leads down
- *plant*: each root becomes its own parent
- *count*: downward edges are counted along the tour
- *number*: depth and preorder are computed from the counts

Input: the rows of a forest, each in ascending order; the root of each tree; and the index of each vertex's
tree. The rows contain both directions of each edge once, and no loops. The result does not depend on the
schedule. The children of a vertex are visited in ascending order, except that those smaller than its parent
come last. Work O(n log n); depth O(log n). Finding the twins (the two directions of an edge) takes O(n log d)
work if no vertex has more than d neighbors. The remaining work is the ranking of 2 (n - k) list elements,
where k is the number of trees.

The papers compute depths by summing +1 and -1 along the tour. Here, only the edges that lead down are
counted. If a vertex is first reached by the p-th edge, and D of the first p edges lead down, its depth is D -
(p - D). A single prefix count therefore yields both depth and preorder. The tours of all trees are stored one
after another. Each tour has as many edges up as down, so earlier trees do not affect the depth. The kernels
rank the lists with ``random-splitter``. They store the two directions of an edge side by side, so they need
not search for twins.

See also ``level-by-level``: faster for shallow trees; ``random-splitter``: ranks the tour in the kernels.
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
    """Root the trees of a forest, and return each vertex's parent, depth, preorder number and subtree size.

    `graph` stores the forest as sorted adjacency rows without loops. `roots` contains the root of each tree,
    and `tree` the index of each vertex's tree. Trees are numbered in order of their smallest vertices.

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
    last = [2 * (vertices_before[t + 1] - (t + 1)) - 1 for t in range(len(root))]  # each tour's last position
    for e in in_parallel(edges):
        before = rank[twin[e]] - rank[e]  # the number of steps from twin[e] to e
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
