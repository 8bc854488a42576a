"""Connected components and minimum spanning trees, with the same parameters and results as in scipy."""

from __future__ import annotations

from numbers import Number
from os import PathLike
from typing import Any

import numpy as np
import scipy.sparse as sp

from pointerjump.base.edges import VertexArray
from pointerjump.base.graph import Graph, require_sound_blocks
from pointerjump.base.integers import as_array
from pointerjump.errors import AlgorithmError, GraphError
from pointerjump.formats.files import are_paths
from pointerjump.graphs.connectivity import components
from pointerjump.graphs.spanning_forests import minimum_spanning_forest
from pointerjump.solving.inputs import as_graph
from pointerjump.solving.result import check_labels, smallest_representatives


def connected_components(
    csgraph: Any,
    directed: bool = True,
    connection: str = "weak",
    return_labels: bool = True,
    *,
    algorithm: str = "auto",
    device: Any = None,
    labels: str = "consecutive",
) -> Any:
    """Find the connected components of a graph as scipy does, but on any OpenCL device.

    This function accepts the arguments of ``scipy.sparse.csgraph.connected_components`` and returns the same
    results, including the numbering of components. Weak components are found on the device. Strong components
    of a directed graph are found serially on the host, by scipy's function.

    Parameters
    ----------
    csgraph : array_like or sparse matrix, shape (n, n), or a graph
        The adjacency matrix. Its entries are interpreted as edges in the same way as in the installed version
        of scipy. In a sparse matrix, the edges are the stored entries, including explicit zeros. In a dense
        matrix, they are the finite entries that differ from 0 by more than 1e-8. In a masked array, they are
        the unmasked entries. Zeros in a DIA matrix are never edges. Zeros in a BSR matrix count as edges up
        to scipy 1.17, but scipy 1.18 and :func:`components` ignore them. As in scipy, an array or a list is
        always read as an adjacency matrix; to pass edges, use :func:`components`. Other graphs and generator
        specs are accepted as in :func:`components`. A file is always read as a graph, never as a table.
    directed : bool
        Whether edges have a direction. This only affects strong components.
    connection : {"weak", "strong"}
        Which components to find. Two vertices of a directed graph are weakly connected if there is a path
        between them when directions are ignored. They are strongly connected if there are directed paths from
        each of them to the other. For an undirected graph, "strong" gives the same result as "weak".
    return_labels : bool
        Whether to return the labels in addition to the number of components.
    algorithm, device
        As for :func:`components`. Must be omitted for strong components of a directed graph.
    labels : {"consecutive", "representative"}
        As for :func:`components`, except that strong components are numbered as in scipy, not in order of
        their smallest vertices.

    Returns
    -------
    n_components : int
        The number of components.
    labels : ndarray of int32, shape (n,)
        The label of each vertex. Returned only if `return_labels` is true.

    Raises
    ------
    AlgorithmError, GraphError
        If `connection` is neither "weak" nor "strong", if strong components are requested for anything other
        than a matrix, or if `csgraph` is not square or does not contain numbers. Other errors are the same as
        for :func:`components`.

    Examples
    --------
    >>> import numpy as np
    >>> import pointerjump as pj
    >>> matrix = np.array([[0, 1, 0], [0, 0, 0], [0, 0, 0]])
    >>> pj.connected_components(matrix)
    (2, array([0, 0, 1], dtype=int32))
    >>> pj.connected_components(matrix, connection="strong", return_labels=False)
    3
    """
    if not (isinstance(connection, str) and connection.lower() in ("weak", "strong")):
        raise AlgorithmError(f"connection={connection!r}: it must be 'weak' or 'strong'")
    sparse = sp.issparse(csgraph)
    if not sparse:
        if isinstance(csgraph, np.ndarray | list | tuple) and not are_paths(csgraph):
            csgraph = _sparse(csgraph)
    elif csgraph.format == "bsr" and csgraph.shape[0] == csgraph.shape[1]:
        from scipy.sparse.csgraph._validation import validate_graph

        require_sound_blocks(csgraph)
        csgraph = validate_graph(csgraph, directed, dense_output=False)  # in CSR, as scipy reads it
    if directed and connection.lower() == "strong":
        count, found = _strong_components(csgraph, algorithm, device, labels)
        return (count, found) if return_labels else count
    if not sparse and (isinstance(csgraph, str | PathLike) or are_paths(csgraph)):
        csgraph = as_graph(csgraph)  # even if the names of a file's columns suggest a table
    weak = components(csgraph, algorithm=algorithm, device=device, labels=labels)
    return (weak.count, weak.labels) if return_labels else weak.count


def minimum_spanning_tree(
    csgraph: Any, overwrite: bool = False, *, algorithm: str = "auto", device: Any = None
) -> Any:
    """Find the minimum spanning forest of a graph as scipy does, but on any OpenCL device.

    This function accepts the arguments of ``scipy.sparse.csgraph.minimum_spanning_tree`` and returns the same
    edges. Among edges with equal weights, those that come first in the order of the rows are preferred.

    Parameters
    ----------
    csgraph : array_like or sparse matrix, shape (n, n)
        The weights. In a sparse matrix, the edges are the stored entries, including explicit zeros. In a
        dense matrix, they are the finite entries that differ from 0 by more than 1e-8. An edge may be stored
        above or below the diagonal. If it is stored on both sides, the smaller of the two weights is used.
    overwrite : bool
        Ignored: `csgraph` is never overwritten. This parameter exists only for compatibility with scipy.
    algorithm, device
        As for :func:`minimum_spanning_forest`.

    Returns
    -------
    csr_array or csr_matrix of float64, shape (n, n)
        The entries of `csgraph` that belong to the forest. As in scipy's result, zeros are not stored: an
        edge with weight 0 may belong to the forest, but it does not appear in the matrix.

    Raises
    ------
    GraphError
        If `csgraph` is not a square matrix of real numbers, or if a stored entry is NaN (which scipy
        accepts).

    Examples
    --------
    >>> import numpy as np
    >>> import pointerjump as pj
    >>> pj.minimum_spanning_tree(np.array([[0, 8, 3], [0, 0, 2], [0, 0, 0]])).toarray().tolist()
    [[0.0, 0.0, 3.0], [0.0, 0.0, 2.0], [0.0, 0.0, 0.0]]
    """
    sparse = sp.issparse(csgraph)
    matrix: Any = csgraph if sparse else _sparse(csgraph)
    Graph.from_scipy(matrix)  # rejects a matrix that is damaged or not square
    if matrix.dtype.kind not in "biuf":
        raise GraphError(f"csgraph has dtype {matrix.dtype}: weights are real numbers")
    rows = matrix.tocsr()
    if rows.dtype not in (np.int32, np.float32) or not rows.has_canonical_format:
        # scipy does this, too. It also adds up repeated entries, unless they are already float64.
        rows = rows.astype(np.float64, copy=False)
    forest = minimum_spanning_forest(rows, algorithm=algorithm, device=device)
    weights = rows.data[forest.places].astype(np.float64)
    kept = weights != 0
    lengths = np.bincount(forest.edges[kept, 0], minlength=rows.shape[0])
    offsets = np.concatenate(([0], np.cumsum(lengths))).astype(rows.indptr.dtype)
    made = sp.csr_matrix if isinstance(csgraph, sp.spmatrix | np.matrix) else sp.csr_array
    return made((weights[kept], forest.edges[kept, 1], offsets), shape=rows.shape)


def _strong_components(matrix: Any, algorithm: str, device: Any, labels: str) -> tuple[int, VertexArray]:
    # Import from where the function is defined: scipy's public name may have been patched to our function.
    from scipy.sparse.csgraph._traversal import connected_components as scipys_function

    if algorithm != "auto" or device is not None:
        raise AlgorithmError(
            'connection="strong" is answered by scipy, which has one algorithm and uses no device: leave '
            "algorithm and device out"
        )
    check_labels(labels)
    if not sp.issparse(matrix):
        raise AlgorithmError(
            f'connection="strong" needs the directions of edges, and a {type(matrix).__name__} is taken as '
            "undirected: give the adjacency matrix, sparse or dense"
        )
    stored: Any = matrix
    Graph.from_scipy(stored)  # rejects a damaged matrix, which might crash scipy
    rows = stored.tocsr()
    entries = (np.ones(rows.nnz), rows.indices[: rows.nnz], rows.indptr)  # values do not matter
    pattern = sp.csr_array(entries, shape=rows.shape)
    once = pattern.copy()
    once.sum_duplicates()  # this also sorts rows, and so changes scipy's numbering
    if once.nnz < pattern.nnz:
        pattern = once  # scipy's function never returns from some rows with duplicates
    count, found = scipys_function(pattern, connection="strong")
    return count, smallest_representatives(found) if labels == "representative" else found


def _sparse(dense: Any) -> Any:
    """Convert a dense or masked adjacency matrix to the sparse matrix that scipy would derive from it."""
    masked = isinstance(dense, np.ma.MaskedArray)
    matrix: Any = dense if masked else as_array(dense, "csgraph", GraphError)
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1]:
        raise GraphError(
            f"csgraph has shape {matrix.shape}: an adjacency matrix is square; give edges to components()"
        )
    objects = matrix.flat if matrix.dtype == object else ()
    if matrix.dtype.kind not in "biufcO" or not all(isinstance(each, Number | np.bool_) for each in objects):
        raise GraphError(f"csgraph has dtype {matrix.dtype}: an adjacency matrix holds numbers")
    matrix = matrix.astype(np.float64)
    if matrix.size == 0:  # if it is also masked, scipy fails
        return sp.csr_array(matrix.shape)
    return sp.csgraph.csgraph_from_masked(matrix) if masked else sp.csgraph.csgraph_from_dense(matrix)
