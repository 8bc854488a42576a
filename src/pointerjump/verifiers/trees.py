"""Checks rooted forests without sharing any code with the algorithms."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from pointerjump.base.integers import distinct
from pointerjump.base.rooted import Rooted
from pointerjump.errors import VerificationError
from pointerjump.solving.inputs import as_graph
from pointerjump.verifiers.graphs import edge_keys


def verify_rooted(graph: Any, rooted: Any, *, vertices: int | None = None) -> None:
    """Check a rooted forest of a graph: its edges, depths, preorder, subtree sizes and trees.

    Parameters
    ----------
    graph : object
        The graph, as for :func:`pointerjump.rooted_forest`.
    rooted : RootedForest
        The result of :func:`pointerjump.rooted_forest`.
    vertices : int, optional
        As for :func:`pointerjump.rooted_forest`.

    Raises
    ------
    VerificationError
        If the forest is wrong. The message names a vertex and says what is wrong with it.

    Examples
    --------
    >>> import pointerjump as pj
    >>> pj.verify_rooted([(0, 1), (1, 2)], pj.rooted_forest([(0, 1), (1, 2)]))
    >>> pj.verify_rooted([(0, 1), (0, 2)], pj.rooted_forest([(0, 1), (1, 2)]))
    Traceback (most recent call last):
    pointerjump.errors.VerificationError: vertex 2 has the parent 1, but they share no edge
    """
    found = getattr(rooted, "rooted", None)
    if not isinstance(found, Rooted):
        raise VerificationError(f"rooted is of type {type(rooted).__name__}: give a RootedForest")
    graph = as_graph(graph, vertices=vertices)
    n, vertex = graph.vertices, np.arange(graph.vertices)
    for name, array in found._asdict().items():
        if array.dtype.kind != "i":
            raise VerificationError(f"{name} has dtype {array.dtype}: it must hold integers")
        if name != "roots" and array.shape != (n,):
            raise VerificationError(f"{name} has shape {array.shape}, but there are {n} vertices")
        below = n + (name == "size")
        outside = (array < 0) | (array >= below)
        _require(outside, lambda i: f"{name}[{i}] is {array[i]}, outside 0 .. {below - 1}")  # noqa: B023
    parent, depth, preorder, size, tree, roots = (array.astype(np.int64) for array in found)
    is_root, up = parent == vertex, parent

    sources, targets = graph.sources, graph.neighbors
    edges = distinct(edge_keys(sources, targets)[sources != targets])
    own = edge_keys(vertex, up)
    strange = ~np.isin(own, edges) & ~is_root
    _require(strange, lambda v: f"vertex {v} has the parent {up[v]}, but they share no edge")
    if len(missing := np.setdiff1d(edges, own[~is_root])):
        u, v = missing[0] >> 32, missing[0] & 0xFFFFFFFF
        raise VerificationError(f"vertices {u} and {v} share an edge, but neither is the other's parent")

    wrong = depth != np.where(is_root, 0, depth[up] + 1)
    _require(wrong, lambda v: f"vertex {v} has depth {depth[v]}, and its parent {up[v]} has {depth[up[v]]}")
    children = np.bincount(up[~is_root], size[~is_root], n).astype(np.int64)
    _require(
        size != 1 + children, lambda v: f"vertex {v} has size {size[v]}, its children {children[v]} in all"
    )

    counts = np.bincount(roots, minlength=n)
    _require(
        counts != is_root, lambda v: f"vertex {v} is {counts[v]} times in roots, and its parent is {up[v]}"
    )
    _require(
        tree != np.where(is_root, tree, tree[up]), lambda v: f"vertices {v} and {up[v]} are in two trees"
    )
    wrong = tree[roots] != np.arange(len(roots))
    _require(wrong, lambda t: f"vertex {roots[t]} is the root of tree {t}, but in tree {tree[roots[t]]}")
    first_seen = np.unique(tree, return_index=True)[1]
    wrong = np.diff(first_seen, prepend=-1) < 0
    _require(wrong, lambda t: f"tree {t} begins at vertex {first_seen[t]}, before tree {t - 1} does")

    # In preorder, the subtrees of a vertex's children follow one another, and so do trees.
    above = np.where(is_root, n, up)
    place = np.where(is_root, tree, (vertex < np.where(is_root[up], -1, up[up])) * n + vertex)
    order = np.lexsort((place, above))
    before = np.cumsum(size[order]) - size[order]
    begins = np.flatnonzero(np.diff(above[order], prepend=-1))
    before -= np.repeat(before[begins], np.diff(begins, append=n))
    expected = np.empty(n, np.int64)
    expected[order] = before + np.where(is_root[order], 0, preorder[up[order]] + 1)
    _require(preorder != expected, lambda v: f"vertex {v} has preorder {preorder[v]}, not {expected[v]}")


def _require(wrong: npt.NDArray[np.bool_], told: Any) -> None:
    """Raise an error with the message that `told` returns for the first index at which `wrong` is True."""
    if wrong.any():
        raise VerificationError(told(int(np.argmax(wrong))))
