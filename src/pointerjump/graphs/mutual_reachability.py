"""Mutual reachability distances between nearest neighbors, for clustering with HDBSCAN*."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from pointerjump.base import memory
from pointerjump.base.edges import check_vertex_count
from pointerjump.base.graph import Graph
from pointerjump.base.integers import as_array, as_count
from pointerjump.errors import GraphError

_BYTES_PER_ENTRY = 48  # of memory, at the peak


def mutual_reachability(neighbors: Any, min_samples: int) -> sp.csr_array[Any]:
    """Compute the mutual reachability distances between nearest neighbors.

    A point's *core distance* is the distance to the farthest of its `min_samples` nearest neighbors. The
    mutual reachability distance of two points is the maximum of three distances: the distance between the two
    points, and the core distance of each.

    Parameters
    ----------
    neighbors : sparse matrix, or tuple of two arrays
        A matrix of shape (n, n), as returned by ``sklearn.neighbors.kneighbors_graph(..., mode="distance")``.
        Each row contains the distances from a point to its nearest neighbors. Alternatively, a tuple of two
        arrays of shape (n, k), in either order: the integer indices of the neighbors, and their distances.
        The index -1 stands for a missing neighbor. If a point is listed as its own neighbor, that entry is
        ignored.
    min_samples : int
        The number of neighbors that determines the core distance, at least 1. Each point must have at least
        this number of neighbors. In scikit-learn, `min_samples` includes the point itself, so the equivalent
        value is larger by 1.

    Returns
    -------
    scipy.sparse.csr_array, shape (n, n)
        A matrix with an entry for each point and each of its neighbors. If you pass it to
        :func:`single_linkage`, the ``clusters`` method of the result returns the clusters of HDBSCAN*. A
        distance of 0 between points at the same position is stored explicitly.

    Raises
    ------
    GraphError
        If the arrays have the wrong shape or dtype, if a distance is negative or NaN, or if a point has too
        few neighbors.

    Examples
    --------
    >>> import pointerjump as pj
    >>> indices, distances = [[1, 2], [0, 2], [1, 0]], [[1.0, 4.0], [1.0, 3.0], [3.0, 4.0]]
    >>> pj.mutual_reachability((indices, distances), 1).toarray().tolist()
    [[0.0, 1.0, 4.0], [1.0, 0.0, 3.0], [4.0, 3.0, 0.0]]
    """
    count = as_count(min_samples, "min_samples", GraphError)
    if count < 1:
        raise GraphError(f"min_samples is {count}: give at least 1")
    n, rows, columns, distances = _entries_of(neighbors)
    wrong = ~(distances >= 0)
    if wrong.any():
        at = int(np.argmax(wrong))
        raise GraphError(
            f"the distance from point {rows[at]} to {columns[at]} is {distances[at]}: distances are numbers "
            "from 0 on"
        )
    order = np.lexsort((distances, rows))
    rows, columns, distances = rows[order], columns[order], distances[order]
    offsets = np.concatenate(([0], np.cumsum(np.bincount(rows, minlength=n))))
    few = np.diff(offsets) < count
    if few.any():
        v = int(np.argmax(few))
        raise GraphError(
            f"point {v} has {offsets[v + 1] - offsets[v]} neighbors besides itself, and min_samples is "
            f"{count}: find more neighbors, or give a smaller number"
        )
    core = distances[offsets[:-1] + count - 1]
    reached = np.maximum(distances, np.maximum(core[rows], core[columns]))
    return sp.csr_array((reached, columns, offsets), shape=(n, n))


def _entries_of(neighbors: Any) -> tuple[int, npt.NDArray[Any], npt.NDArray[Any], npt.NDArray[Any]]:
    """Return the number of points, followed by the point, neighbor and distance of each entry."""
    if sp.issparse(neighbors):
        given: Any = neighbors
        if given.format in ("bsr", "dia"):
            raise GraphError(
                f"neighbors is a {given.format} matrix, filled up with zeros: make it a csr_array"
            )
        n, size = Graph.from_scipy(given).vertices, given.nnz  # this checks the matrix
        memory.require(_BYTES_PER_ENTRY * size, f"{size:,} distances")
        entries = given.tocoo()
        rows, columns, distances = entries.row, entries.col, entries.data
    else:
        if not isinstance(neighbors, tuple) or len(neighbors) != 2:
            raise GraphError(
                f"neighbors is of type {type(neighbors).__name__}: give a sparse matrix of distances, or a "
                "tuple of two arrays, the numbers and the distances of neighbors"
            )
        pair = [as_array(each, "neighbors", GraphError) for each in neighbors]
        pair.sort(key=lambda each: each.dtype.kind not in "iu")
        columns, distances = pair
        if columns.dtype.kind not in "iu" or distances.dtype.kind != "f":
            raise GraphError(
                f"neighbors has arrays of {pair[0].dtype} and {pair[1].dtype}: give integers, the numbers of "
                "neighbors, and floating-point numbers, their distances"
            )
        if columns.ndim != 2 or columns.shape != distances.shape:
            raise GraphError(
                f"neighbors has arrays of shape {columns.shape} and {distances.shape}: both must be (n, k)"
            )
        n = check_vertex_count(len(columns))
        memory.require(_BYTES_PER_ENTRY * columns.size, f"{columns.size:,} distances")
        if columns.size and not -1 <= int(columns.min()) <= int(columns.max()) < n:
            raise GraphError(
                f"neighbors have numbers from {columns.min()} to {columns.max()}, and there are {n} points: "
                "numbers run from 0, and -1 is no neighbor"
            )
        rows = np.repeat(np.arange(n, dtype=np.int32), columns.shape[1])
        columns, distances = columns.ravel(), distances.ravel()
    if distances.dtype.kind not in "biuf":
        raise GraphError(f"neighbors has distances of {distances.dtype}: give numbers")
    if distances.dtype.kind != "f":
        distances = distances.astype(np.float64)
    there = (columns != rows) & (columns != -1)
    return n, rows[there], columns[there].astype(np.int32), distances[there]
