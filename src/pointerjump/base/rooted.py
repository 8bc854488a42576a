"""Rooted forests in arrays."""

from __future__ import annotations

from typing import NamedTuple

from pointerjump.base.edges import VertexArray


class Rooted(NamedTuple):
    """A rooted forest of n vertices and k trees, as arrays of int32.

    A root's children are in ascending order. Those of another vertex are, too, beginning after its parent:
    first those that are greater than the parent, then the others. Trees are in order of their smallest
    vertices. So all arrays follow from the edges and the roots, whatever finds them.

    Attributes
    ----------
    parent : shape (n,)
        The vertex above each vertex. A root is its own parent.
    depth : shape (n,)
        The number of edges between each vertex and its root.
    preorder : shape (n,)
        How many vertices come before each vertex, if every vertex comes before its children, a child's whole
        subtree before the next child, and a whole tree before the next tree.
    size : shape (n,)
        How many vertices each subtree has. The vertices of v's subtree are those whose preorder is from
        ``preorder[v]`` to ``preorder[v] + size[v] - 1``.
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
