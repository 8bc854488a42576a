"""Checks results without sharing any code with the algorithms.

Component labels are correct if two conditions hold: both endpoints of every edge have the same label, and
there are as many different labels as components, which are counted by scipy. Ranks are correct if they
decrease by one along every link, and if the last element of each list has rank 0.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp
from scipy.sparse.csgraph import breadth_first_order
from scipy.sparse.csgraph import connected_components as scipy_components

from pointerjump.base import memory
from pointerjump.base.edges import Ids, ends_of
from pointerjump.base.integers import as_array, as_integers, first_outside
from pointerjump.base.linked_lists import as_successors, require_lists
from pointerjump.base.progress import Progress
from pointerjump.errors import VerificationError
from pointerjump.solving.inputs import as_graph

_CHUNK = 1 << 22  # edges checked at a time, to keep temporary arrays small even for a large graph
_WAY_OUT = "allow more memory, or check on a machine that has more"
_BYTES_PER_VERTEX, _BYTES_PER_EDGE = 52, 29  # measured at the peak of checking labels with scipy's search


def verify(
    graph: Any,
    labels: npt.ArrayLike,
    *,
    vertices: int | None = None,
    ids: Ids | None = None,
    progress: Progress | None = None,
) -> None:
    """Check that two vertices have the same label if and only if they are in the same connected component.

    Parameters
    ----------
    graph : Graph or anything that :func:`pointerjump.components` accepts
    labels : array_like of int, shape (vertices,)
        One label for each vertex. The labels themselves may be arbitrary.
    vertices, ids : optional
        As for :func:`pointerjump.components`.
    progress : callable, optional
        Called periodically with the fraction of the work completed, from 0 to 1.

    Raises
    ------
    VerificationError
        If the endpoints of an edge have different labels, or if two vertices have the same label but no path
        joins them. The message names the two vertices.

    Examples
    --------
    >>> import pointerjump as pj
    >>> pj.verify(([0, 1], [1, 2]), [7, 7, 7])
    >>> pj.verify(([0, 1], [1, 2]), [7, 7, 8])
    Traceback (most recent call last):
    pointerjump.errors.VerificationError: vertices 1 and 2 share an edge but have labels 7 and 8
    """
    graph = as_graph(graph, vertices=vertices, ids=ids).in_rows()
    label = as_integers(labels, "labels", VerificationError)
    if label.shape != (graph.vertices,):
        raise VerificationError(
            f"labels has shape {label.shape}, but the graph has {graph.vertices} vertices: give one for each"
        )

    memory.require(
        _BYTES_PER_VERTEX * graph.vertices + _BYTES_PER_EDGE * graph.directed_edges,
        f"checking labels of {graph.vertices:,} vertices and {graph.directed_edges:,} directed edges",
        _WAY_OUT,
    )
    report = progress or (lambda share: None)
    sources = graph.sources
    for first in range(0, graph.directed_edges, _CHUNK):
        report(0.5 * first / graph.directed_edges)
        _require_alike(label, sources[first : first + _CHUNK], graph.neighbors[first : first + _CHUNK])

    report(0.5)  # the search takes about the same time, and does not report its progress
    # No edge joins different labels, so each label covers whole components. If there are as many labels as
    # components, each label covers one component.
    del sources  # freed for the search, which needs even more memory
    count, component = scipy_components(graph.to_scipy(), directed=True, connection="weak")
    if len(np.unique(label)) != count:
        raise _unjoined(label, component)
    report(1.0)


def verify_blocks(blocks: Iterable[Any], labels: npt.ArrayLike, *, progress: Progress | None = None) -> None:
    """Check the component labels of a graph whose edges are read in blocks.

    Labels must be in a form that :func:`components` returns: either the components are numbered in order of
    their smallest vertices, or each is labelled by its smallest vertex. Blocks are not kept in memory.

    Parameters
    ----------
    blocks : iterable of (sources, targets)
        The edges, for example as returned by :func:`pointerjump.read_blocks`.
    labels : array_like of int, shape (vertices,)
        One label for each vertex.
    progress : callable, optional
        Called periodically with the fraction of the work completed, from 0 to 1, if the number of edges is
        known.

    Raises
    ------
    VerificationError
        If the endpoints of an edge have different labels or are not vertices, if two vertices have the same
        label but no path joins them, or if a component has the wrong label. The message names the vertices.

    Notes
    -----
    Checking a block can take as long as a search over all vertices, even if the block has only a few edges.

    Examples
    --------
    >>> import pointerjump as pj
    >>> blocks = [([0, 1], [1, 0]), ([3], [1])]
    >>> pj.verify_blocks(blocks, [0, 0, 1, 0])
    >>> pj.verify_blocks(blocks, [0, 0, 1, 1])
    Traceback (most recent call last):
    pointerjump.errors.VerificationError: vertices 3 and 1 share an edge but have labels 1 and 0
    """
    label = as_integers(labels, "labels", VerificationError)
    n, edges = len(label), getattr(blocks, "records", None)
    report = progress if progress and edges else (lambda share: None)
    memory.require(_BYTES_PER_VERTEX * n, f"checking labels of {n:,} vertices", _WAY_OUT)
    component = np.arange(n)
    count, seen = n, 0
    for block in blocks:
        sources, targets = ends_of(block)
        for begin in range(0, len(sources), _CHUNK):
            s, t = (ends[begin : begin + _CHUNK] for ends in (sources, targets))
            for ends in (s, t):
                if (at := first_outside(ends, n)) is not None:
                    outside = f"has an end outside 0 .. {n - 1}, which labels has"
                    raise _wrong_edge((s[at], t[at]), outside)
            _require_alike(label, s, t)
            count, component = contracted(count, component, component[s], component[t])
        seen += len(sources)
        report(min(1.0, seen / (edges or 1)))
    _check_numbers(label, component)
    report(1.0)


def _require_alike(label: npt.NDArray[Any], sources: npt.NDArray[Any], targets: npt.NDArray[Any]) -> None:
    differ = label[sources] != label[targets]
    if differ.any():
        at = int(np.argmax(differ))
        u, v = int(sources[at]), int(targets[at])
        raise VerificationError(
            f"vertices {u} and {v} share an edge but have labels {label[u]} and {label[v]}", (u, v)
        )


def contracted(
    count: int, component: npt.NDArray[Any], s: npt.NDArray[Any], t: npt.NDArray[Any]
) -> tuple[int, npt.NDArray[Any]]:
    """Merge components ``s[i]`` and ``t[i]`` of a graph. Return the new `count` and `component`.

    `count` is the number of components, and `component` contains the component of each vertex.
    """
    apart = s != t
    if not apart.any():
        return count, component
    s, t = s[apart], t[apart]
    between = sp.coo_array((np.ones(len(s), np.int8), (s, t)), shape=(count, count))
    count, after = scipy_components(between, directed=False)
    return int(count), after[component]


def edge_keys(us: npt.NDArray[Any], vs: npt.NDArray[Any]) -> npt.NDArray[np.int64]:
    """Return an integer key for each edge. The order of its two endpoints does not matter."""
    lesser, greater = np.minimum(us, vs).astype(np.int64), np.maximum(us, vs).astype(np.int64)
    keys: npt.NDArray[np.int64] = lesser << 32 | greater
    return keys


def parents_by_search(
    us: npt.NDArray[Any], vs: npt.NDArray[Any], tree: npt.NDArray[Any], n: int
) -> npt.NDArray[np.int64]:
    """Search each tree from its smallest vertex. Return the parent of each vertex.

    For the smallest vertex of a tree, `n` is returned.
    """
    roots = np.unique(tree, return_index=True)[1]
    # Add a vertex above all roots, so that one search goes through all trees.
    ends = np.concatenate((us, np.full(len(roots), n))), np.concatenate((vs, roots))
    matrix = sp.coo_array((np.ones(len(ends[0]), np.int8), ends), shape=(n + 1, n + 1)).tocsr()
    matrix.data[:] = 1  # parallel edges were added up, perhaps to 0
    return breadth_first_order(matrix, n, directed=False)[1][:n].astype(np.int64)


def _check_numbers(label: npt.NDArray[Any], component: npt.NDArray[Any]) -> None:
    """Check that components are labelled by, or numbered in order of, their smallest vertices."""
    _, first, inverse = np.unique(component, return_index=True, return_inverse=True)
    smallest = first[inverse]
    if np.array_equal(label, smallest):
        return
    number = np.cumsum(smallest == np.arange(len(label))) - 1
    wrong = label != number[smallest]
    if not wrong.any():
        return
    if len(np.unique(label)) != len(first):
        raise _unjoined(label, component)
    v = int(np.argmax(wrong))
    raise VerificationError(
        f"vertex {v} has label {label[v]}, but its component, whose smallest vertex is {smallest[v]}, "
        f"is number {number[smallest[v]]}",
        (v,),
    )


def _unjoined(label: npt.NDArray[Any], component: npt.NDArray[Any]) -> VerificationError:
    u, v = joined(label, component)
    return VerificationError(
        f"vertices {u} and {v} both have label {label[u]}, but no path joins them", (u, v)
    )


def joined(label: npt.NDArray[Any], component: npt.NDArray[Any]) -> tuple[int, int]:
    """Return two vertices that have the same label but are in different components."""
    _, first, inverse = np.unique(label, return_index=True, return_inverse=True)
    v = int(np.argmax(component[first[inverse]] != component))
    return int(first[inverse[v]]), v


def verify_forest(
    graph: Any, edges: npt.ArrayLike, *, vertices: int | None = None, ids: Ids | None = None
) -> None:
    """Check that `edges` is a spanning forest of `graph`.

    Parameters
    ----------
    graph : Graph or anything that :func:`pointerjump.components` accepts
    edges : array_like of int, shape (k, 2)
        The two endpoints of each edge in the forest.
    vertices, ids : optional
        As for :func:`pointerjump.components`.

    Raises
    ------
    VerificationError
        If an edge is not in the graph or closes a cycle, or if there are too few edges. If one of the edges
        is wrong, the message names it.

    Examples
    --------
    >>> import pointerjump as pj
    >>> pj.verify_forest(([0, 1, 2], [1, 2, 0]), [[0, 1], [1, 2]])
    >>> pj.verify_forest(([0, 1, 2], [1, 2, 0]), [[0, 1]])
    Traceback (most recent call last):
    pointerjump.errors.VerificationError: the forest has 1 edges, and a spanning one has 2
    """
    graph = as_graph(graph, vertices=vertices, ids=ids)
    forest = as_array(edges, "edges", VerificationError)
    if forest.size == 0:
        forest = np.empty((0, 2), np.int64)
    if forest.ndim != 2 or forest.shape[1] != 2 or forest.dtype.kind not in "iu":
        raise VerificationError(
            f"edges has shape {forest.shape} and dtype {forest.dtype}: give (k, 2) integers"
        )
    n = graph.vertices
    outside = np.flatnonzero((forest < 0).any(axis=1) | (forest >= n).any(axis=1))
    if len(outside):
        raise _wrong_edge(forest[outside[0]], f"has an end outside 0 .. {n - 1}")
    stored = graph.symmetrized().to_scipy()
    there = np.asarray(stored[forest[:, 0], forest[:, 1]]).ravel() if len(forest) else np.empty(0, np.bool_)
    missing = np.flatnonzero(~there.astype(np.bool_))
    if len(missing):
        raise _wrong_edge(forest[missing[0]], "is not in the graph")

    def has_cycle(edges: int) -> bool:
        # In a forest, each edge joins two components.
        return bool(contracted(n, np.arange(n), *forest[:edges].T)[0] != n - edges)

    if has_cycle(len(forest)):
        first = bisect_left(range(len(forest)), True, key=has_cycle)
        raise _wrong_edge(forest[first - 1], "closes a cycle")
    spanning = n - int(scipy_components(stored, directed=False)[0])
    if len(forest) != spanning:
        raise VerificationError(f"the forest has {len(forest)} edges, and a spanning one has {spanning}")


def _wrong_edge(edge: Iterable[Any], fault: str) -> VerificationError:
    u, v = map(int, edge)
    return VerificationError(f"edge ({u}, {v}) {fault}", (u, v))


def verify_ranks(successors: npt.ArrayLike, ranks: npt.ArrayLike) -> None:
    """Check that the rank of each element is its distance to the last element of its list.

    Parameters
    ----------
    successors : array_like of int, shape (n,)
        The successor of each element. The last element of a list is its own successor.
    ranks : array_like of int, shape (n,)
        The rank of each element.

    Raises
    ------
    VerificationError
        If a rank is wrong. The message names the element.
    ListError
        If `successors` does not represent linked lists.

    Examples
    --------
    >>> import pointerjump as pj
    >>> pj.verify_ranks([1, 2, 2], [2, 1, 0])
    >>> pj.verify_ranks([1, 2, 2], [3, 1, 0])
    Traceback (most recent call last):
    pointerjump.errors.VerificationError: element 0 has rank 3, but its successor 1 has rank 1
    """
    succ = as_successors(successors)
    require_lists(succ)
    rank = as_integers(ranks, "ranks", VerificationError)
    if rank.shape != succ.shape:
        raise VerificationError(f"ranks has shape {rank.shape}, but there are {len(succ)} elements")
    last = succ == np.arange(len(succ))
    wrong = np.flatnonzero(last & (rank != 0))
    if len(wrong):
        raise VerificationError(f"element {wrong[0]} is the last of its list but has rank {rank[wrong[0]]}")
    # Compared as int64, because adding 1 to the largest number of a smaller type would overflow.
    wrong = np.flatnonzero(~last & (rank.astype(np.int64) != rank[succ].astype(np.int64) + 1))
    if len(wrong):
        j = int(wrong[0])
        raise VerificationError(
            f"element {j} has rank {rank[j]}, but its successor {succ[j]} has rank {rank[succ[j]]}"
        )
