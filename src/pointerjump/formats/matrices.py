"""Sparse matrices: Matrix Market's ``.mtx`` files and scipy's ``.npz`` files.

Every stored entry is an edge, whatever its value. However, the BSR and DIA formats pad blocks and diagonals
with zeros, so zeros are not edges in these formats. A rectangular matrix is treated as a bipartite graph, in
which the columns are numbered after the rows.

``scipy.io.mmread`` is not used: damaged files can crash it (scipy issue 19949), and it parses all values
even if no weights are requested.
"""

from __future__ import annotations

import io
import re
from typing import Any, BinaryIO

import numpy as np
import numpy.typing as npt

from pointerjump.base.edges import MAX_VERTICES, check_vertex_count, from_one
from pointerjump.base.graph import Graph
from pointerjump.errors import FormatError
from pointerjump.formats import parsing
from pointerjump.formats.outputs import undirected_edges
from pointerjump.formats.pieces import FileEdges, edges_in_lines
from pointerjump.formats.records import require_members
from pointerjump.formats.sources import Source
from pointerjump.formats.text import TextStart

BANNER = re.compile(
    rb"%%MatrixMarket[ \t]+matrix[ \t]+(coordinate|array)[ \t]+(real|double|integer|complex|pattern)"
    rb"[ \t]+(general|symmetric|skew-symmetric|hermitian)[ \t]*[\r\n]+",
    re.IGNORECASE,
)
COMMENTS = re.compile(rb"(?:[ \t]*(?:%[^\r\n]*)?[\r\n])*+")
MISCOUNTED = "states {stated} entries but has {found}: it is truncated or miscounted"
SIZE = re.compile(rb"[ \t]*([0-9]{1,18})[ \t]+([0-9]{1,18})[ \t]+([0-9]{1,18})[ \t]*(?:[\r\n]+|\Z)")


def _vertices(rows: int, columns: int) -> int:
    return rows if rows == columns else rows + columns


def mtx_edges(source: Source, block: int) -> FileEdges:
    """Read the banner and the size line. Return entries as edges, with values as weights if requested."""
    text = TextStart(source)
    banner = text.take(BANNER)
    if banner is None:
        raise FormatError(
            "does not begin with a Matrix Market banner, as in "
            "'%%MatrixMarket matrix coordinate pattern symmetric'"
        )
    if banner[1].lower() == b"array":
        raise FormatError("holds a dense matrix (array): store the graph in coordinate format")
    field, symmetry = banner[2].decode().lower(), banner[3].decode().lower()
    if source.weighted and (field in ("pattern", "complex") or symmetry == "skew-symmetric"):
        raise FormatError(f"is {field} and {symmetry}: an edge's weight is one real number")
    text.take(COMMENTS)
    stated = text.take(SIZE)
    if stated is None:
        raise FormatError("has no size line: 'rows columns entries' must follow the banner and comments")
    rows, columns, entries = map(int, stated.groups())
    if rows != columns and symmetry != "general":
        raise FormatError(f"is {rows}x{columns} and {symmetry}: such a matrix must be square")
    expected = "'row column value'" if source.weighted else "'row column', maybe with a value"
    parse = parsing.IntegerPairs(text.line(), f"an entry is {expected}", weighted=source.weighted)
    vertices = _vertices(rows, columns)

    def ends(
        row: npt.NDArray[Any], column: npt.NDArray[Any], before: int
    ) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
        sources = from_one(row, rows, "the row of entry", before)
        targets = from_one(column, columns, "the column of entry", before)
        if vertices == columns:
            return sources, targets
        if vertices > MAX_VERTICES:  # more than the dtype of `targets` might hold
            targets = targets.astype(np.int64)
        return sources, targets + rows

    return edges_in_lines(source, block, parse, text.place, vertices, entries, MISCOUNTED, ends)


def write_mtx(graph: Graph, file: BinaryIO) -> None:
    """Write the lower triangle of the adjacency matrix as a symmetric pattern matrix."""
    columns, rows = undirected_edges(graph)
    n = graph.vertices
    file.write(b"%%MatrixMarket matrix coordinate pattern symmetric\n")
    file.write(f"{n} {n} {len(rows)}\n".encode())
    parsing.write_columns(file, [rows + 1, columns + 1])


def read_npz(source: Source) -> tuple[Graph, npt.NDArray[Any]]:
    """Read a matrix written by ``scipy.sparse.save_npz``. Return the graph and the values of the entries."""
    import scipy.sparse as sp

    with source.open() as file:
        try:
            require_members(file)
            matrix: Any = sp.load_npz(file)
        except (MemoryError, FormatError):
            raise
        # zipfile, zlib, NumPy's header parser and scipy's constructors raise a dozen types of errors.
        except Exception as error:
            raise FormatError(
                "is damaged, or not what scipy.sparse.save_npz writes (a sparse matrix)"
            ) from error
    if matrix.ndim != 2:
        raise FormatError(f"holds an array of {matrix.ndim} dimensions: a graph needs a matrix, of two")
    rows, columns = matrix.shape
    if rows == columns and matrix.format in {"csr", "csc"}:
        return Graph(matrix.indptr, matrix.indices), matrix.data[: matrix.nnz]
    entries = matrix.tocoo()
    if matrix.format == "bsr":
        entries.eliminate_zeros()
    vertices = check_vertex_count(_vertices(rows, columns))  # checked here, before column numbers overflow
    column = entries.col if rows == columns else entries.col + rows
    return Graph.of_edges(entries.row, column, vertices), entries.data


def write_npz(graph: Graph, file: BinaryIO) -> None:
    """Write the adjacency matrix as a symmetric boolean CSR array."""
    import scipy.sparse as sp

    archive = io.BytesIO()  # a zip archive needs a seekable file, which a compressed file is not
    sp.save_npz(archive, graph.to_scipy(), compressed=False)
    file.write(archive.getbuffer())
