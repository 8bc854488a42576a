"""Rooted forests in arrays."""

from __future__ import annotations

from typing import NamedTuple

from pointerjump.base.edges import VertexArray


class Rooted(NamedTuple):
    """A rooted forest of n vertices and k trees, as arrays of int32.

    A root's children are in ascending order. The children of any other vertex are in cyclic order: first
    those greater than its parent, in ascending order, then the others. Trees are in order of smallest vertex.
    So the edges and the roots determine all arrays.

    In preorder, a vertex comes before its children, a child's whole subtree before the next child, and a
    whole tree before the next tree. So the subtree of `v` takes up the places from ``preorder[v]`` to
    ``preorder[v] + size[v] - 1``.
    """

    parent: VertexArray  # the vertex above each vertex; a root is its own parent
    depth: VertexArray  # the number of edges between each vertex and its root
    preorder: VertexArray  # the place of each vertex in preorder
    size: VertexArray  # the number of vertices in each vertex's subtree
    tree: VertexArray  # the index of each vertex's tree
    roots: VertexArray  # the root of each of the k trees
