"""Rooted forests in arrays."""

from __future__ import annotations

from typing import NamedTuple

from pointerjump.base.edges import VertexArray


class Rooted(NamedTuple):
    """A rooted forest of n vertices and k trees, as arrays of int32.

    A root's children are in ascending order. Those of any other vertex are in cyclic order: first the ones
    greater than the vertex's parent, then the smaller ones, both in ascending order. Trees are in order of
    their smallest vertices. So all arrays follow from the edges and the roots.

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
