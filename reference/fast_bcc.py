"""FAST-BCC (Dong, Wang, Gu, Sun): blocks as components of a skeleton that is never stored.

A block is a largest set of edges any two of which lie on a common cycle, or a single edge that lies on none.
The *skeleton* is what is left of a graph when its spanning forest is cut where blocks meet. Choose it to find
the blocks of any graph, as ``auto`` does.

X. Dong, L. Wang, Y. Gu and Y. Sun, "Provably fast and space-efficient parallel biconnectivity", PPoPP 2023,
algorithm 1.

Take any rooted spanning forest. The edge from v up to p is a *fence* if no edge leads from the subtree of v
to outside that of p. Otherwise, it is *plain*: it is in the same block as the edge above p. A *cross edge*
joins two vertices neither of which is above the other. The components of the plain and the cross edges are
the blocks, each without its *head*: the vertex at the upper end of its fences. So an edge is in the block of
its lower end, or of either end if neither is above the other.

In pseudo-code::

    span, tour, cut, PJ1, PJ2, orient, plant, count, number: find a spanning forest and root it
    rename: name each vertex by its place in preorder
    tag: for each edge (u, v) beside the forest, with u before v, in parallel:
        lower low[v] to u, and raise high[u] to v; both begin with the vertex itself
    fold: low[v], high[v] = the least and the greatest in the subtree of v
    fence: for each vertex v, with p above it, in parallel:
        parent[v] = p if low[v] or high[v] is outside the subtree of p, otherwise v
    connect: for each cross edge (u, v) in parallel: link(u, v)
    label: for each edge (u, v) in parallel: its block is the root of the later end

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
- *tag*: each edge outside the forest tells both ends the other's number
- *fold*: each subtree learns the least and greatest number its edges reach
- *fence*: plain edges become the first parents
- *connect*: cross edges link what they join
- *label*: each edge is in the block of its later end

Input: edges in any order and direction; loops and parallel edges are allowed. Deterministic, whatever the
schedule. Work O(n log n + m) in practice; depth O(log n) in practice, plus the length of the longest path.
Rooting the forest and folding take O(n log n) of the work.

Parents in preorder are smaller than their children. So the plain edges already form a forest, and only cross
edges are linked. The paper names vertices by their first places on the tour, finds the components by another
algorithm, and lists the vertices of each block. Here each edge gets the number of its block.

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
    """Return the number of each edge's block, in order of the blocks' first edges; -1 for loops.

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
