"""Rooting trees level by level: breadth-first from all roots at once, then sizes up and preorder down.

A level consists of all vertices at one depth. Choose it for trees of few levels, but never for paths, whose
levels have one vertex each.

E. F. Moore, "The shortest path through a maze", Int. Symp. on the Theory of Switching, 1959; the functions of
vertices in trees are those of R. E. Tarjan and U. Vishkin, SIAM J. Comput. 14(4), 1985.

All roots are the first level. The children of a vertex are its neighbors in the next level. From the last
level upwards, a vertex adds up the sizes of its children's subtrees. From the first level downwards, a vertex
divides the places after its own among its children: in ascending order, beginning after the parent, as on an
Euler tour.

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
        preorder of each other child = that of the child before it + the size of that child

Its phases:

- *plant*: roots are their own parents, and the first level
- *expand*: each vertex of a level claims its other neighbors
- *add_up*: each vertex adds up its children's sizes
- *number*: each vertex numbers its children

Input: the rows of a forest, each in ascending order, with both directions of each edge once and no loops; a
root for each tree, and the number of each vertex's tree. Deterministic, except for the order of the vertices
within a level, which does not affect the result. Work O(n); depth the number of levels.

See also ``euler-tour``: takes as long for a path as for a star; ``bfs``: runs the same search, for
components.
"""

from __future__ import annotations

from itertools import accumulate

import numpy as np

from pointerjump.base.edges import VertexArray
from pointerjump.base.graph import Graph
from pointerjump.base.rooted import Rooted
from pointerjump.reference.vocabulary import as_vertices, in_parallel, neighborhoods, phase, shared


def level_by_level(graph: Graph, roots: VertexArray, tree: VertexArray) -> Rooted:
    """Root a forest, as ``euler-tour`` does.

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
