"""Functions that find roots in trees of parent pointers and flatten the trees.

A root is a vertex that is its own parent. As long as no parent is larger than its child, these functions are
correct even if they read old parents, because an old parent is still an ancestor. Writes only replace one
ancestor with another, and only at vertices that are known not to be roots.
"""

from __future__ import annotations

from collections.abc import Callable

Find = Callable[[int, list[int]], int]


def find_root(v: int, parent: list[int]) -> int:
    """Return the root of v without changing the path."""
    while (up := parent[v]) != v:
        v = up
    return v


def find_compression(v: int, parent: list[int]) -> int:
    """Return the root of v, and point every vertex on the path directly to it."""
    root = find_root(v, parent)
    while (up := parent[v]) != root:
        parent[v] = root
        v = up
    return root


def find_halving(v: int, parent: list[int]) -> int:
    """Return the root of v, and make every other vertex on the path point to its grandparent."""
    while (up := parent[v]) != (above := parent[up]):
        parent[v] = above
        v = above
    return up


def find_splitting(v: int, parent: list[int]) -> int:
    """Return the root of v, and make every vertex on the path point to its grandparent."""
    while (up := parent[v]) != (above := parent[up]):
        parent[v] = above
        v = up
    return up


FIND: dict[str, Find] = {
    "none": find_root,
    "compression": find_compression,
    "halving": find_halving,
    "splitting": find_splitting,
}


def shortcut(v: int, parent: list[int]) -> int:
    """Point v to its grandparent repeatedly until it points to its root, and return the root."""
    up = parent[v]
    while (above := parent[up]) != up:
        parent[v] = up = above
    return up
