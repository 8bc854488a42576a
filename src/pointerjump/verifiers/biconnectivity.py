"""Checks the bridges of a graph, and its blocks, which are its biconnected components."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from pointerjump.base import memory
from pointerjump.base.edges import EdgeList, Ids
from pointerjump.base.integers import as_integers, distinct
from pointerjump.errors import VerificationError
from pointerjump.ids.multigraphs import multigraph_of
from pointerjump.tables.open import Roles
from pointerjump.verifiers.graphs import contracted, edge_keys, parents_by_search

_BYTES_PER_VERTEX, _BYTES_PER_EDGE = 100, 80  # at the peak of checking bridges: matrix, search tree, sums
_PYTHON_BYTES_PER_EDGE = 400  # at the peak of searching blocks: lists of Python numbers


def verify_bridges(
    graph: Any,
    bridges: npt.ArrayLike,
    *,
    source: str | None = None,
    target: str | None = None,
    where: Any = None,
    vertices: int | None = None,
    ids: Ids | None = None,
) -> None:
    """Check that the given edges are exactly the bridges of a graph.

    Each edge outside a spanning tree closes a cycle with edges of the tree. A random amount of flow is sent
    around each of these cycles. If the total flow through a tree edge is not 0, the edge is on a cycle, so it
    is not a bridge. If the total flow is 0, the edge is a bridge, with an error probability of about 2**-64
    per edge. The check takes about as long as a few sorts and searches in scipy.

    Parameters
    ----------
    graph, source, target, where, vertices, ids
        As for :func:`bridges`.
    bridges : array_like of int, shape (k, 2)
        The endpoints of the bridges, in any order. For a table, the endpoints are positions in the sorted
        list of its ids.

    Raises
    ------
    VerificationError
        If a bridge is missing, or if one of the given edges is not a bridge. The message names the edge.

    Examples
    --------
    >>> import pointerjump as pj
    >>> pj.verify_bridges([(0, 1), (1, 2), (2, 0), (2, 3)], [(2, 3)])
    >>> pj.verify_bridges([(0, 1), (1, 2), (2, 0), (2, 3)], [(0, 1), (2, 3)])
    Traceback (most recent call last):
    pointerjump.errors.VerificationError: 0-1 is given as a bridge, but is not one
    """
    given = multigraph_of(
        graph, roles=Roles(source, target), where=where, vertices=vertices, ids=ids, numbering="reference"
    )
    found = as_integers(np.asarray(bridges).ravel(), "bridges", VerificationError).astype(np.int64)
    if len(found) % 2:
        raise VerificationError(f"bridges has {len(found)} ends: give two for each")
    check_bridges(given.edges, found[::2], found[1::2])


def check_bridges(edges: EdgeList, us: npt.NDArray[Any], vs: npt.NDArray[Any]) -> None:
    """Check that the bridges of a graph are exactly the edges between ``us[i]`` and ``vs[i]``."""
    expected, found = _bridges_of(edges), np.sort(edge_keys(us, vs))
    if len(twice := np.flatnonzero(found[1:] == found[:-1])):
        key = found[twice[0]]
        raise VerificationError(f"{key >> 32}-{key & 0xFFFFFFFF} is given twice")
    for some, others, fact in (
        (found, expected, "is given as a bridge, but is not one"),
        (expected, found, "is a bridge, but is not given"),
    ):
        if len(wrong := np.setdiff1d(some, others)):
            raise VerificationError(f"{wrong[0] >> 32}-{wrong[0] & 0xFFFFFFFF} {fact}")


def _bridges_of(edges: EdgeList) -> npt.NDArray[np.int64]:
    """Return the keys of all bridges: the tree edges through which the total random flow is 0."""
    n, m = edges.vertices, len(edges.sources)
    memory.require(_BYTES_PER_VERTEX * n + _BYTES_PER_EDGE * m, f"checking {n:,} vertices and {m:,} edges")
    us, vs = edges.sources.astype(np.int64), edges.targets.astype(np.int64)
    _, tree = contracted(n, np.arange(n), us, vs)
    up = np.append(parents_by_search(us, vs, tree, n), n)

    lower = np.where(up[vs] == us, vs, np.where(up[us] == vs, us, -1))
    lower[us == vs] = -1
    of_tree = np.full(n, -1)
    along = np.flatnonzero(lower >= 0)
    of_tree[lower[along]] = along  # of parallel edges, only one is in the tree
    beside = us != vs
    beside[of_tree[of_tree >= 0]] = False
    drawn = np.random.default_rng().integers(1, 2**64 - 1, int(beside.sum()), np.uint64)
    flow = np.zeros(n + 1, np.uint64)
    np.add.at(flow, us[beside], drawn)
    np.subtract.at(flow, vs[beside], drawn)
    above = up
    while (above != n).any():  # sums over whole subtrees, twice as deep each time
        below = np.flatnonzero(above != n)
        sums = flow.copy()
        np.add.at(sums, above[below], flow[below])
        flow, above = sums, above[above]
    still = np.flatnonzero((flow[:n] == 0) & (of_tree >= 0))
    return np.sort(edge_keys(up[still], still))


def verify_biconnected(
    graph: Any,
    labels: npt.ArrayLike,
    *,
    source: str | None = None,
    target: str | None = None,
    where: Any = None,
    vertices: int | None = None,
    ids: Ids | None = None,
) -> None:
    """Check that edge labels number the blocks of a graph, which are its biconnected components.

    Edges with the same label form a block if two conditions hold. First, they are connected, and remain
    connected if any one of their vertices is removed. This is checked by a depth-first search in plain
    Python, which takes about ten seconds per million edges. Second, they are not part of a larger block. This
    is true if the blocks and the vertices that they share form a forest.

    Parameters
    ----------
    graph, source, target, where, vertices, ids
        As for :func:`biconnected_components`.
    labels : array_like of int, shape (m,)
        The label of each edge, as in :attr:`BiconnectedComponents.labels`.

    Raises
    ------
    VerificationError
        If the label of an edge is wrong, or if two blocks have the same label. The message usually names an
        edge or a block.

    Examples
    --------
    >>> import pointerjump as pj
    >>> pj.verify_biconnected([(0, 1), (1, 2), (2, 0), (2, 3)], [0, 0, 0, 1])
    >>> pj.verify_biconnected([(0, 1), (1, 2), (2, 0), (2, 3)], [0, 0, 0, 0])
    Traceback (most recent call last):
    pointerjump.errors.VerificationError: block 0 comes apart without vertex 2
    """
    edges = multigraph_of(
        graph, roles=Roles(source, target), where=where, vertices=vertices, ids=ids, numbering="reference"
    ).edges
    check_blocks(edges, labels)


def check_blocks(edges: EdgeList, labels: npt.ArrayLike) -> None:
    m = len(edges.sources)
    memory.require(_PYTHON_BYTES_PER_EDGE * m, f"checking blocks of {m:,} edges")
    label = as_integers(labels, "labels", VerificationError).astype(np.int64)
    us, vs = edges.sources.astype(np.int64), edges.targets.astype(np.int64)
    if len(label) != m:
        raise VerificationError(f"there are {len(label)} labels: give one for each of {m} edges")
    if len(wrong := np.flatnonzero((label == -1) != (us == vs))):
        raise VerificationError(
            f"edge {wrong[0]} has label {label[wrong[0]]}: loops, and only loops, have -1"
        )
    us, vs, label = us[label != -1], vs[label != -1], label[label != -1]
    _, first = np.unique(label, return_index=True)
    if label.min(initial=0) < 0 or not np.array_equal(label[np.sort(first)], np.arange(len(first))):
        raise VerificationError("blocks are not numbered 0, 1, ... in order of their first edges")

    # A vertex is copied for each of its blocks, so that each block is a component.
    pairs = distinct(np.concatenate([us << 32 | label, vs << 32 | label]))
    u_copies, v_copies = (np.searchsorted(pairs, ends << 32 | label).tolist() for ends in (us, vs))
    vertex, block = pairs >> 32, pairs & 0xFFFFFFFF
    _require_no_cuts(u_copies, v_copies, vertex, block)
    used, vertex_number = np.unique(vertex, return_inverse=True)
    size = len(first) + len(used)
    trees, tree = contracted(size, np.arange(size), block, len(first) + vertex_number)
    if len(pairs) != size - trees:
        counts = np.bincount(tree[block], minlength=trees) - np.bincount(tree, minlength=trees) + 1
        at = int(np.flatnonzero(tree[block] == np.argmax(counts > 0))[0])
        raise VerificationError(f"block {block[at]} and others close a cycle, and are one block")


def _require_no_cuts(us: list[int], vs: list[int], vertex: Any, block: Any) -> None:
    near: list[list[int]] = [[] for _ in range(len(vertex))]
    for u, v in zip(us, vs, strict=True):
        near[u].append(v)
        near[v].append(u)
    time, low, searched, clock = [0] * len(near), [0] * len(near), set[int](), 0
    for start in range(len(near)):
        if time[start]:
            continue
        if int(block[start]) in searched:
            raise VerificationError(f"block {block[start]} is not connected")
        searched.add(int(block[start]))
        clock += 1
        time[start] = low[start] = clock
        way, children = [(start, iter(near[start]))], 0
        while way:
            u, others = way[-1]
            for v in others:
                if not time[v]:
                    clock += 1
                    time[v] = clock
                    low[v] = time[u]
                    way.append((v, iter(near[v])))
                    break
                if time[v] < low[u]:
                    low[u] = time[v]
            else:
                way.pop()
                if not way:
                    break
                above = way[-1][0]
                low[above] = min(low[above], low[u])
                children += above == start
                if (above != start and low[u] >= time[above]) or children > 1:
                    raise VerificationError(
                        f"block {block[above]} comes apart without vertex {vertex[above]}"
                    )
