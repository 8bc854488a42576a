"""Rooted forests in arrays."""

from __future__ import annotations

from typing import NamedTuple

from pointerjump.base.edges import VertexArray


class Rooted(NamedTuple):
    """A rooted forest of n vertices and k trees, as arrays of int32.

    A root's children are in ascending order. Those of another vertex are in cyclic order, beginning after its
    parent: first those greater than the parent, ascending, then the others. Trees are in order of their
    smallest vertices. So the edges and the roots determine all arrays.

    Attributes
    ----------
    parent : shape (n,)
        The vertex above each vertex. A root is its own parent.
    depth : shape (n,)
        The number of edges between each vertex and its root.
    preorder : shape (n,)
        The place of each vertex in preorder: a vertex comes before its children, a child's whole subtree
        before the next child, and a whole tree before the next tree.
    size : shape (n,)
        The number of vertices in each subtree. The preorder of those in v's subtree is ``preorder[v]`` to
        ``preorder[v] + size[v] - 1``.
    tree : shape (n,)
        The number of each vertex's tree.
    roots : shape (k,)
        The root of each tree.
    """

    parent: VertexArray
    depth: VertexArray
    preorder: VertexArray
    size: VertexArray
    tree: VertexArray
    roots: VertexArray
