"""Rooted forests, stored in arrays."""

from __future__ import annotations

from typing import NamedTuple

from pointerjump.base.edges import VertexArray


class Rooted(NamedTuple):
    """A rooted forest of n vertices and k trees, stored as arrays of int32.

    The children of a root are in ascending order. The children of any other vertex are in cyclic order: first
    those that are greater than its parent, in ascending order, then the others. Trees are ordered by their
    smallest vertex. All arrays are therefore determined by the edges and the roots.

    Preorder lists a vertex before its children, a child's whole subtree before the next child and a whole
    tree before the next tree. The subtree of `v` therefore occupies the positions from ``preorder[v]`` to
    ``preorder[v] + size[v] - 1``.
    """

    parent: VertexArray  # the parent of each vertex; a root is its own parent
    depth: VertexArray  # the number of edges between each vertex and its root
    preorder: VertexArray  # the position of each vertex in preorder
    size: VertexArray  # the number of vertices in each vertex's subtree
    tree: VertexArray  # the index of each vertex's tree
    roots: VertexArray  # the root of each of the k trees
