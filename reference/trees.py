"""Trees of parent pointers: finding a root, and flattening a tree.

A vertex whose parent is itself is a root. If an algorithm's parents never exceed their children, these
functions are correct, however stale their plain reads are. An old parent is still an ancestor. Writes only
replace one ancestor by another, and only in a vertex that was seen not to be a root.
"""

from __future__ import annotations

from collections.abc import Callable

Find = Callable[[int, list[int]], int]


def find_root(v: int, parent: list[int]) -> int:
    """Return v's root and leave the path as it is."""
    while (up := parent[v]) != v:
        v = up
    return v


def find_compression(v: int, parent: list[int]) -> int:
    """Walk to v's root, then point every vertex of the path directly to it; return the root."""
    root = find_root(v, parent)
    while (up := parent[v]) != root:
        parent[v] = root
        v = up
    return root


def find_halving(v: int, parent: list[int]) -> int:
    """Point every other vertex of the path to its grandparent, and go there; return the root."""
    while (up := parent[v]) != (above := parent[up]):
        parent[v] = above
        v = above
    return up


def find_splitting(v: int, parent: list[int]) -> int:
    """Point every vertex of the path to its grandparent, going one step at a time; return the root."""
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
    """Point v to its grandparent until it points to its root; return the root."""
    up = parent[v]
    while (above := parent[up]) != up:
        parent[v] = up = above
    return up
