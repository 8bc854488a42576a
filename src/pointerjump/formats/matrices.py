"""Sparse matrices: Matrix Market ``.mtx`` and scipy's ``.npz``.

Every stored entry is an edge, whatever its value. A rectangular matrix is a bipartite graph: its
columns are numbered after its rows.
"""

from __future__ import annotations

import io
from typing import Any, BinaryIO

from pointerjump.errors import FormatError
from pointerjump.formats.files import Source, one_line
from pointerjump.graph import Graph, check_vertex_count


def read_mtx(source: Source) -> Graph:
    """Read a Matrix Market file in coordinate format."""
    import scipy.io

    content = source.text
    try:
        _, _, entries, layout, _, _ = scipy.io.mminfo(io.BytesIO(content))
        if layout != "coordinate":
            raise FormatError(f"holds a dense matrix ({layout}): a graph is stored as 'coordinate'")
        matrix = scipy.io.mmread(io.BytesIO(content))
    except (ValueError, OverflowError) as error:
        if isinstance(error, FormatError):
            raise
        raise FormatError(f"is not a Matrix Market file that scipy reads: {one_line(error)}") from error
    graph = _graph_of_matrix(matrix)
    graph.records = entries  # symmetric storage holds one triangle, and scipy gives both
    return graph


def write_mtx(graph: Graph, file: BinaryIO) -> None:
    """Write the lower triangle, as a symmetric pattern."""
    import scipy.io

    adjacency = graph.symmetrized().to_scipy()
    scipy.io.mmwrite(file, adjacency, field="pattern", symmetry="symmetric")


def read_npz(source: Source) -> Graph:
    """Read what ``scipy.sparse.save_npz`` wrote, in any of its formats."""
    import scipy.sparse as sp

    content = source.content
    if len(content) == 0:
        raise FormatError("is empty")
    try:
        matrix = sp.load_npz(io.BytesIO(content))
    except MemoryError:
        raise
    # zipfile, zlib, numpy's header parser and scipy's constructors each have their own errors.
    except Exception as error:
        raise FormatError(f"is not a scipy.sparse .npz file: {one_line(error)}") from error
    return _graph_of_matrix(matrix)


def write_npz(graph: Graph, file: BinaryIO) -> None:
    """Write a symmetric boolean CSR array."""
    import scipy.sparse as sp

    sp.save_npz(file, graph.symmetrized().to_scipy(), compressed=False)


def _graph_of_matrix(matrix: Any) -> Graph:
    rows, columns = matrix.shape
    if rows == columns and matrix.format in {"csr", "csc"}:
        return Graph(matrix.indptr, matrix.indices)
    vertices = rows if rows == columns else rows + columns
    check_vertex_count(vertices)  # before the column numbers below can overflow
    coo = matrix.tocoo()
    return Graph.from_edges(coo.row, coo.col + (vertices - columns), vertices=vertices)
