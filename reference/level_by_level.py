"""Rooting trees level by level: a breadth-first search, a bottom-up pass and a top-down pass.

All trees of a forest are rooted together, level by level. A level consists of all vertices at the same depth.
Choose this algorithm for trees with few levels, but never for paths, whose levels have one vertex each.

E. F. Moore, "The shortest path through a maze", Int. Symp. on the Theory of Switching, 1959; the values
computed for each vertex are those of R. E. Tarjan and U. Vishkin, SIAM J. Comput. 14(4), 1985.

The children of a vertex are its neighbors in the next level. Subtree sizes are added up from the last level
upwards, and children are numbered from the first level downwards. The children of a vertex are numbered in
ascending order, except that those smaller than the vertex's own parent come last, as on an Euler tour.

In pseudo-code::

    plant: each root is its own parent; the roots are level 0
    expand: until a level is empty:
        for each vertex v of the level in parallel:
            for each neighbor u of v that is not its parent:
                parent[u] = v; depth[u] = depth[v] + 1; u is in the next level
    add_up: for each level, from the last one up, for each of its vertices v in parallel:
        size[v] = 1 + the sizes of v's children
    number: for each level, from the first one down, for each of its vertices v in parallel:
        preorder of v's first child = preorder[v] + 1
        preorder of each other child = preorder of the child before it + size of that child

Its phases:

- *plant*: each root becomes its own parent, and the roots form the first level
- *expand*: each vertex of a level claims its neighbors other than its parent
- *add_up*: each vertex adds up the sizes of its children's subtrees
- *number*: each vertex numbers its children

Input: the rows of a forest, each in ascending order; the root of each tree; and the index of each vertex's
tree. The rows contain both directions of each edge once, and no loops. The order of the vertices within a
level depends on the schedule, but the result is deterministic. Work O(n); depth the number of levels.

See also ``euler-tour``: as fast for a path as for a star; ``bfs``: runs this search to find components.
"""

from __future__ import annotations

from itertools import accumulate

import numpy as np

from pointerjump.base.edges import VertexArray
from pointerjump.base.graph import Graph
from pointerjump.base.rooted import Rooted
from pointerjump.reference.vocabulary import as_vertices, in_parallel, neighborhoods, phase, shared


def level_by_level(graph: Graph, roots: VertexArray, tree: VertexArray) -> Rooted:
    """Root each tree of a forest. The arguments and the result are the same as for ``euler-tour``.

    Examples
    --------
    >>> graph = Graph.from_edges([0, 0, 2], [1, 2, 3])
    >>> level_by_level(graph, np.array([0]), np.zeros(4, np.int32)).size.tolist()
    [4, 1, 2, 1]
    """
    N, n = neighborhoods(graph), graph.vertices
    sizes = np.bincount(tree, minlength=len(roots)).tolist()
    parent, depth, preorder, size = (
        shared(name, [0] * n) for name in ("parent", "depth", "preorder", "size")
    )

    phase("plant")
    root, vertices_before = roots.tolist(), list(accumulate(sizes, initial=0))
    for t in in_parallel(range(len(root))):
        r = root[t]
        parent[r], depth[r], preorder[r], size[r] = r, 0, vertices_before[t], sizes[t]

    levels: list[list[int]] = []
    level = root
    while level:
        levels.append(level)
        phase("expand")
        level = []
        for v in in_parallel(levels[-1]):
            for u in N[v]:
                if u != parent[v]:
                    parent[u], depth[u] = v, len(levels)
                    level.append(u)

    for level in reversed(levels):
        phase("add_up")
        for v in in_parallel(level):
            size[v] = 1 + sum(size[u] for u in N[v] if u != parent[v])

    for level in levels:
        phase("number")
        for v in in_parallel(level):
            up = parent[v] if parent[v] != v else -1
            following = preorder[v] + 1
            for u in sorted(N[v], key=lambda u: (u < up, u)):
                if u != up:
                    preorder[u] = following
                    following += size[u]
    found = as_vertices(parent), as_vertices(depth), as_vertices(preorder), as_vertices(size)
    return Rooted(found[0], found[1], found[2], found[3], tree, roots)
