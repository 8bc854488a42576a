"""Build a rooted spanning forest in preorder, and find which vertices other edges join to each subtree.

Vertices are named by their positions in preorder, so a subtree is an interval, and the ancestors of a vertex
have smaller numbers. There is a benign race: parallel edges between a vertex and its parent compete for one
place in the tree, but the result is the same regardless of which edge wins.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

import numpy as np

from pointerjump.base.edges import EdgeList
from pointerjump.base.graph import Graph
from pointerjump.reference.afforest import link
from pointerjump.reference.euler_tour import euler_tour
from pointerjump.reference.trees import shortcut
from pointerjump.reference.vocabulary import compare_and_swap, fetch_min, in_parallel, phase, shared

NONE = -1


class Spanned(NamedTuple):
    """A rooted spanning forest and all edges, with vertices named by their positions in preorder.

    `edges` contains the two ends of each edge that is not a loop, the smaller end first, and the edge's index
    in the input. `above` contains the parent of each vertex (roots are their own parents). `size` contains
    the number of vertices in each subtree.
    """

    edges: list[tuple[int, int, int]]
    above: list[int]
    size: list[int]


def pairs_of(edges: EdgeList) -> list[tuple[int, int]]:
    return list(zip(edges.sources.tolist(), edges.targets.tolist(), strict=True))


def spanned(given: EdgeList) -> Spanned:
    """Find a spanning forest, root each tree at its smallest vertex and rename the vertices in preorder."""
    pairs, n = pairs_of(given), given.vertices
    phase("span")
    pi = shared("pi", range(n))
    forest = np.array([(u, v) for u, v in in_parallel(pairs) if link(u, v, pi)], np.int32).reshape(-1, 2)
    for v in in_parallel(range(n)):
        shortcut(v, pi)
    roots, tree = np.unique(np.array(pi, np.int32), return_inverse=True)
    rows = Graph.from_edges(forest, vertices=n).symmetrized()
    rooted = euler_tour(rows, roots.astype(np.int32), tree.astype(np.int32))

    phase("rename")
    parent, size, preorder = (array.tolist() for array in (rooted.parent, rooted.size, rooted.preorder))
    above, sizes = shared("above", [0] * n), shared("size", [0] * n)
    for v in in_parallel(range(n)):
        above[preorder[v]], sizes[preorder[v]] = preorder[parent[v]], size[v]
    renamed = ((*sorted((preorder[u], preorder[v])), e) for e, (u, v) in enumerate(pairs))
    return Spanned([(i, j, e) for i, j, e in renamed if i != j], above, sizes)


def beside_the_forest(forest: Spanned, claimed: list[int]) -> Iterator[tuple[int, int]]:
    """Yield the edges outside the forest. In `claimed`, record the edge from each vertex to its parent."""
    for i, j, e in in_parallel(forest.edges):
        if forest.above[j] != i or compare_and_swap(claimed, j, NONE, e) != NONE:
            yield i, j


def reach(forest: Spanned) -> tuple[list[int], list[int]]:
    """Return the smallest and the largest vertex that each subtree contains or reaches.

    A subtree reaches a vertex if an edge outside the forest leads to it from the subtree.
    """
    n = len(forest.above)
    phase("tag")
    low, minus_high = shared("low", range(n)), shared("minus high", range(0, -n, -1))
    for i, j in beside_the_forest(forest, shared("claimed", [NONE] * n)):
        fetch_min(low, j, i)
        fetch_min(minus_high, i, -j)
    phase("fold")
    return fold(low, forest.size), [-least for least in fold(minus_high, forest.size)]


def fold(values: list[int], size: list[int]) -> list[int]:
    """Return the smallest value in each subtree, using minima of aligned blocks of 1, 2, 4, ... vertices."""
    levels = [values]
    while len(levels[-1]) > 1:
        halves = levels[-1]
        levels.append(shared("block", [0] * -(-len(halves) // 2)))
        for b in in_parallel(range(len(levels[-1]))):
            levels[-1][b] = min(halves[2 * b : 2 * b + 2])
    least = shared("least", [0] * len(values))
    for v in in_parallel(range(len(values))):
        least[v] = min(_blocks(levels, v, v + size[v]))
    return least


def _blocks(levels: list[list[int]], begin: int, end: int) -> Iterable[int]:
    """Yield the minima of the blocks that make up an interval, from both ends inwards."""
    for level in levels:
        if begin < end and begin % 2:
            yield level[begin]
            begin += 1
        if begin < end and end % 2:
            end -= 1
            yield level[end]
        begin, end = begin // 2, end // 2


def numbered(blocks: Iterable[tuple[int, int]], edges: int) -> list[int]:
    """Return the number of each edge's block, where blocks are numbered in order of their first edges.

    `blocks` contains pairs of an edge index and a block name. Edges not in `blocks` are loops, and get -1.
    """
    labels, number = [NONE] * edges, dict[int, int]()
    for e, block in sorted(blocks):
        labels[e] = number.setdefault(block, len(number))
    return labels
