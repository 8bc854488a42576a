"""FAST-BCC (Dong, Wang, Gu, Sun): blocks as components of a skeleton that is never stored.

A block is a maximal set of edges any two of which lie on a common cycle, or a single edge that lies on no
cycle. FAST-BCC cuts a spanning forest where blocks meet. The forest edges that are left, and some edges
outside the forest, form the *skeleton* of the graph. Its components determine the blocks. Choose this
algorithm to find the blocks of any graph, as ``auto`` does.

X. Dong, L. Wang, Y. Gu and Y. Sun, "Provably fast and space-efficient parallel biconnectivity", PPoPP 2023,
algorithm 1.

Consider any rooted spanning forest. The edge from a vertex v to its parent p is a *fence* if no edge leads
from the subtree of v to a vertex outside the subtree of p. Otherwise, the edge is *plain* and belongs to the
same block as the edge from p to the parent of p. A *cross edge* joins two vertices neither of which is an
ancestor of the other. Plain edges and cross edges divide the vertices into components. Each block has one
component, which contains all vertices of the block except its *head*, the vertex at the upper end of the
block's fences.

In pseudo-code::

    span, tour, cut, PJ1, PJ2, orient, plant, count, number: find a spanning forest and root it
    rename: name each vertex by its position in preorder
    tag: for each edge (u, v) outside the forest, with u before v, in parallel:
        lower low[v] to u, and raise high[u] to v   (initially, low[v] = high[v] = v)
    fold: low[v], high[v] = the least low and the greatest high in the subtree of v
    fence: for each vertex v with parent p in parallel:
        parent[v] = p if low[v] or high[v] is outside the subtree of p, otherwise v
    connect: for each cross edge (u, v) in parallel: link(u, v)
    label: for each edge (u, v) in parallel: its block is the root of its later end in preorder

Its phases:

- *span*: a spanning forest is found
- *tour*: each edge finds the next edge of the tour
- *cut*: the tour is cut where it returns to the root
- *PJ1*: each edge points one step ahead, to its successor
- *PJ2*: each edge points twice as far towards the end as before
- *orient*: of each edge's two directions, the first on the tour leads down
- *plant*: each root becomes its own parent
- *count*: downward edges are counted along the tour
- *number*: depth and preorder are computed from the counts
- *rename*: vertices are named in preorder
- *tag*: edges outside the forest update the ranges reached from their ends
- *fold*: the range reached from each subtree is computed
- *fence*: plain edges define the initial parents
- *connect*: the ends of cross edges are linked
- *label*: each edge takes the block of its end that is later in preorder

Input: edges in any order and direction; loops and parallel edges are allowed. The result does not depend on
the schedule. Work O(n log n + m) in practice; depth O(log n) in practice, plus the length of the longest
path. Rooting the forest and *fold* take O(n log n).

In preorder, parents come before their children, so the plain edges already form a forest of parent pointers,
and only cross edges have to be linked. Unlike this implementation, the paper names vertices by their first
positions on the tour, finds the components by another algorithm and lists the vertices of each block.

See also ``tarjan-vishkin``: stores the auxiliary graph; ``hopcroft-tarjan``: serial; ``marking``: finds only
bridges; ``euler-tour``: roots the forest.
"""

from __future__ import annotations

from pointerjump.base.edges import EdgeList, VertexArray
from pointerjump.reference.afforest import link
from pointerjump.reference.spanned import numbered, reach, spanned
from pointerjump.reference.trees import shortcut
from pointerjump.reference.vocabulary import as_vertices, in_parallel, phase, shared


def fast_bcc(edges: EdgeList) -> VertexArray:
    """Return each edge's block number, or -1 for loops. Blocks are numbered in order of their first edges.

    Examples
    --------
    >>> fast_bcc(EdgeList.of([0, 1, 2, 2, 3], [1, 2, 0, 3, 3])).tolist()
    [0, 0, 0, 1, -1]
    """
    forest = spanned(edges)
    above, size, n = forest.above, forest.size, edges.vertices
    low, high = reach(forest)

    phase("fence")
    parent = shared("parent", [0] * n)
    for v in in_parallel(range(n)):
        p = above[v]
        plain = low[v] < p or high[v] >= p + size[p]
        parent[v] = p if plain else v

    phase("connect")
    for u, v, _ in in_parallel(forest.edges):
        if v >= u + size[u]:
            link(u, v, parent)

    phase("label")
    for v in in_parallel(range(n)):
        shortcut(v, parent)
    return as_vertices(numbered(((e, parent[v]) for _, v, e in forest.edges), len(edges.sources)))
