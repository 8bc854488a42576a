"""Sparse matrices: Matrix Market ``.mtx`` and scipy's ``.npz``.

Every stored entry is an edge, whatever its value. A rectangular matrix is a bipartite graph: its
columns are numbered after its rows.

``scipy.io.mmread`` could read ``.mtx``, but some damaged files make it end the whole process (scipy
issue 19949), and it parses the values, which no graph needs.
"""

from __future__ import annotations

import io
import re
from typing import Any, BinaryIO

from pointerjump import numbering
from pointerjump.errors import FormatError
from pointerjump.formats import arrays, edge_list, parsing
from pointerjump.formats.sources import Source
from pointerjump.graph import Graph, check_vertex_count, graph_without_copy

BANNER = re.compile(
    rb"%%MatrixMarket[ \t]+matrix[ \t]+(coordinate|array)[ \t]+(?:real|double|integer|complex|pattern)"
    rb"[ \t]+(general|symmetric|skew-symmetric|hermitian)[ \t]*[\r\n]+",
    re.IGNORECASE,
)
COMMENTS = re.compile(rb"(?:[ \t]*(?:%[^\r\n]*)?[\r\n])*+")
SIZE = re.compile(rb"[ \t]*([0-9]{1,18})[ \t]+([0-9]{1,18})[ \t]+([0-9]{1,18})[ \t]*(?:[\r\n]+|\Z)")


def read_mtx(source: Source) -> Graph:
    """Read a Matrix Market file in coordinate format; values are ignored."""
    text = source.text
    banner = text.take(BANNER)
    if banner is None:
        raise FormatError(
            "does not begin with a Matrix Market banner, as in "
            "'%%MatrixMarket matrix coordinate pattern symmetric'"
        )
    if banner[1].lower() == b"array":
        raise FormatError("holds a dense matrix (array): store the graph in coordinate format")
    text.skip(COMMENTS)
    size = text.take(SIZE)
    if size is None:
        raise FormatError("has no size line: 'rows columns entries' must follow the banner and comments")
    rows, columns, entries = map(int, size.groups())
    if rows != columns and banner[2].lower() != b"general":
        raise FormatError(f"is {rows}x{columns} and {banner[2].decode()}: such a matrix must be square")
    row, column = parsing.integer_pairs(text, "an entry is 'row column', maybe with a value")
    if len(row) != entries:
        raise FormatError(f"states {entries} entries but has {len(row)}: it is truncated or miscounted")
    row = numbering.from_one(row, rows, "the row of entry")
    return _graph_of_entries(row, numbering.from_one(column, columns, "the column of entry"), rows, columns)


def write_mtx(graph: Graph, file: BinaryIO) -> None:
    """Write the lower triangle, as a symmetric pattern."""
    columns, rows = edge_list.undirected_edges(graph)
    n = graph.vertices
    file.write(b"%%MatrixMarket matrix coordinate pattern symmetric\n")
    file.write(f"{n} {n} {len(rows)}\n".encode())
    parsing.write_columns(file, [rows + 1, columns + 1])


def read_npz(source: Source) -> Graph:
    """Read what ``scipy.sparse.save_npz`` wrote, in any of its formats."""
    import scipy.sparse as sp

    with source.open() as file:
        try:
            arrays.require_members(file)
            matrix = sp.load_npz(file)
        except (MemoryError, FormatError):
            raise
        # zipfile, zlib, NumPy's header parser and scipy's constructors raise a dozen kinds of errors.
        except Exception as error:
            raise FormatError(
                "is damaged, or not what scipy.sparse.save_npz writes (a sparse matrix)"
            ) from error
    return _graph_of_matrix(matrix)


def write_npz(graph: Graph, file: BinaryIO) -> None:
    """Write a symmetric boolean CSR array."""
    import scipy.sparse as sp

    archive = io.BytesIO()  # writing a zip archive needs to seek, which a compressed file cannot do
    sp.save_npz(archive, graph.to_scipy(), compressed=False)
    file.write(archive.getbuffer())


def _graph_of_matrix(matrix: Any) -> Graph:
    if matrix.ndim != 2:
        raise FormatError(f"holds an array of {matrix.ndim} dimensions: a graph needs a matrix, of two")
    rows, columns = matrix.shape
    if rows == columns and matrix.format in {"csr", "csc"}:
        return Graph(matrix.indptr, matrix.indices)
    entries = matrix.tocoo()
    return _graph_of_entries(entries.row, entries.col, rows, columns)


def _graph_of_entries(row: Any, column: Any, rows: int, columns: int) -> Graph:
    if rows == columns:
        return graph_without_copy(row, column, rows)
    check_vertex_count(rows + columns)  # before the column numbers can overflow
    return graph_without_copy(row, column + rows, rows + columns)
