"""Tarjan and Vishkin's algorithm: blocks as components of an auxiliary graph of tree edges.

A block is a maximal set of edges any two of which lie on a common cycle, or a single edge that lies on no
cycle. Tarjan and Vishkin's algorithm finds the blocks of a graph as components of an *auxiliary graph*, which
joins edges of a spanning forest that lie on a common cycle. Choose this algorithm for a comparison with
``fast-bcc``, which finds the same components without storing that graph.

R. E. Tarjan and U. Vishkin, "An efficient parallel biconnectivity algorithm", SIAM J. Comput. 14(4), 1985,
section 3.

The algorithm takes any rooted spanning forest, and identifies each forest edge by its lower end. Three rules
determine the blocks. Rule i: an edge outside the forest has one end that comes later in preorder. It is in
the same block as the tree edge above this end. Rule ii: if an edge outside the forest connects two vertices
neither of which is above the other, the tree edges above these vertices are joined. Rule iii: if an edge
leads from the subtree of v to a vertex outside the subtree of v's parent p, the tree edges above v and above
p are joined.

In pseudo-code::

    span, tour, cut, PJ1, PJ2, orient, plant, count, number: find a spanning forest and root it
    rename: name each vertex by its position in preorder
    tag: for each edge (u, v) outside the forest, with u before v, in parallel:
        lower low[v] to u, and raise high[u] to v; both begin with the vertex itself
    fold: low[v], high[v] = the smallest low and the largest high in the subtree of v
    auxiliary: for each edge (u, v) with u before v but not above it, in parallel: store (u, v)
        for each vertex v with parent p, in parallel:
            if low[v] or high[v] is outside the subtree of p: store (p, v)
    connect: for each stored pair (u, v) in parallel: link(u, v)
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
- *rename*: vertices are renamed in preorder
- *tag*: each edge outside the forest tells each end the other's number
- *fold*: each subtree learns the smallest and largest number its edges reach
- *auxiliary*: pairs of tree edges on a common cycle are stored
- *connect*: stored pairs are linked
- *label*: each edge takes the block of its end that is later in preorder

Input: edges in any order and direction; loops and parallel edges are allowed. The result is deterministic
regardless of the schedule. Work O(n log n + m) in practice; depth O(log n) in practice, plus the length of
the longest path. Rooting the forest and folding account for O(n log n) of the work.

In the paper, edges outside the forest are also vertices of the auxiliary graph. Rule i joins each of them to
only one tree edge, so they are left out here until *label*. The paper finds the components by Shiloach and
Vishkin's algorithm; here, Afforest's link is used.

See also ``fast-bcc``: stores no auxiliary graph; ``hopcroft-tarjan``: serial; ``euler-tour``: roots forests.
"""

from __future__ import annotations

from pointerjump.base.edges import EdgeList, VertexArray
from pointerjump.reference.afforest import link
from pointerjump.reference.spanned import numbered, reach, spanned
from pointerjump.reference.trees import shortcut
from pointerjump.reference.vocabulary import as_vertices, in_parallel, phase, shared


def tarjan_vishkin(edges: EdgeList) -> VertexArray:
    """Return each edge's block number, or -1 for loops. Blocks are numbered in order of their first edges.

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
