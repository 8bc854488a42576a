"""Tarjan and Vishkin's algorithm: blocks as components of an auxiliary graph of tree edges.

A block is a largest set of edges any two of which lie on a common cycle, or a single edge that lies on none.
The *auxiliary graph* joins edges of a spanning forest that are next to each other on a cycle. Choose it to
compare it with ``fast-bcc``, which finds the same components without storing that graph.

R. E. Tarjan and U. Vishkin, "An efficient parallel biconnectivity algorithm", SIAM J. Comput. 14(4), 1985,
section 3.

Take any rooted spanning forest, and name each of its edges by its lower end. An edge outside the forest
between two vertices neither of which is above the other joins the two tree edges above them (rule ii). If an
edge leads from the subtree of v to outside that of its parent p, it joins the tree edges above v and above p
(rule iii). Edges outside the forest are in the block of the tree edge above their later end (rule i).

In pseudo-code::

    span, tour, cut, PJ1, PJ2, orient, plant, count, number: find a spanning forest and root it
    rename: name each vertex by its place in preorder
    tag: for each edge (u, v) beside the forest, with u before v, in parallel:
        lower low[v] to u, and raise high[u] to v; both begin with the vertex itself
    fold: low[v], high[v] = the least and the greatest in the subtree of v
    auxiliary: for each edge (u, v) with u before v, and not above v, in parallel: store (u, v)
        for each vertex v, with p above it, in parallel:
            if low[v] or high[v] is outside the subtree of p: store (p, v)
    connect: for each stored pair (u, v) in parallel: link(u, v)
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
- *auxiliary*: pairs of tree edges on a common cycle are stored
- *connect*: stored pairs are linked
- *label*: each edge is in the block of its later end

Input: edges in any order and direction; loops and parallel edges are allowed. Deterministic, whatever the
schedule. Work O(n log n + m) in practice; depth O(log n) in practice, plus the length of the longest path.
Rooting the forest and folding take O(n log n) of the work.

In the paper, edges outside the forest are vertices of the auxiliary graph, too. Rule i joins each of them
only to one tree edge, so here they are left out until the end. The paper finds components by Shiloach and
Vishkin's algorithm.

See also ``fast-bcc``: finds the same components without storing the graph; ``hopcroft-tarjan``: serial;
``euler-tour``: roots the forest.
"""

from __future__ import annotations

from pointerjump.base.edges import EdgeList, VertexArray
from pointerjump.reference.afforest import link
from pointerjump.reference.spanned import numbered, reach, spanned
from pointerjump.reference.trees import shortcut
from pointerjump.reference.vocabulary import as_vertices, in_parallel, phase, shared


def tarjan_vishkin(edges: EdgeList) -> VertexArray:
    """Return the number of each edge's block, in order of the blocks' first edges; -1 for loops.

    Examples
    --------
    >>> tarjan_vishkin(EdgeList.of([0, 1, 2, 2, 3], [1, 2, 0, 3, 3])).tolist()
    [0, 0, 0, 1, -1]
    """
    forest = spanned(edges)
    above, size, n = forest.above, forest.size, edges.vertices
    low, high = reach(forest)

    phase("auxiliary")
    stored = [(u, v) for u, v, _ in in_parallel(forest.edges) if v >= u + size[u]]
    for v in in_parallel(range(n)):
        p = above[v]
        if low[v] < p or high[v] >= p + size[p]:
            stored.append((p, v))

    phase("connect")
    parent = shared("parent", range(n))
    for u, v in in_parallel(stored):
        link(u, v, parent)

    phase("label")
    for v in in_parallel(range(n)):
        shortcut(v, parent)
    return as_vertices(numbered(((e, parent[v]) for _, v, e in forest.edges), len(edges.sources)))
