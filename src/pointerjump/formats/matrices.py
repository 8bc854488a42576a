"""Sparse matrices: Matrix Market ``.mtx`` and scipy's ``.npz``.

Every stored entry is an edge, whatever its value. In BSR and DIA, which pad blocks and diagonals with zeros,
a zero is not an edge. A rectangular matrix is a bipartite graph: its columns are numbered after its rows.

``scipy.io.mmread`` is not used, because some damaged files make it end the process (scipy issue 19949), and
because it always parses the values.
"""

from __future__ import annotations

import io
import re
from functools import partial
from typing import Any, BinaryIO, NamedTuple

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


class _Size(NamedTuple):
    """The number of rows and columns of a matrix."""

    rows: int
    columns: int

    @property
    def vertices(self) -> int:
        """The number of vertices: the columns of a rectangular matrix are vertices of their own."""
        return self.rows if self.rows == self.columns else self.rows + self.columns


def mtx_edges(source: Source, block: int) -> FileEdges:
    """Read the banner and the size of a Matrix Market file in coordinate format.

    Values are weights if the source is read with weights, and ignored otherwise.
    """
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
    size = _Size(rows, columns)
    expected = "'row column value'" if source.weighted else "'row column', maybe with a value"
    parse = parsing.IntegerPairs(text.line(), f"an entry is {expected}", weighted=source.weighted)
    ends = partial(_ends, size)
    return edges_in_lines(source, block, parse, text.place, size.vertices, entries, MISCOUNTED, ends)


def _ends(
    size: _Size, row: npt.NDArray[Any], column: npt.NDArray[Any], before: int
) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
    """Return the vertices of entries. `before` counts the entries before them."""
    sources = from_one(row, size.rows, "the row of entry", before)
    targets = from_one(column, size.columns, "the column of entry", before)
    if size.vertices == size.columns:
        return sources, targets
    if size.vertices > MAX_VERTICES:  # more than the dtype of the columns may hold
        targets = targets.astype(np.int64)
    return sources, targets + (size.vertices - size.columns)


def write_mtx(graph: Graph, file: BinaryIO) -> None:
    """Write the lower triangle, as a symmetric pattern."""
    columns, rows = undirected_edges(graph)
    n = graph.vertices
    file.write(b"%%MatrixMarket matrix coordinate pattern symmetric\n")
    file.write(f"{n} {n} {len(rows)}\n".encode())
    parsing.write_columns(file, [rows + 1, columns + 1])


def read_npz(source: Source) -> tuple[Graph, npt.NDArray[Any]]:
    """Read what ``scipy.sparse.save_npz`` wrote, in any of its formats: a graph, and its entries' values."""
    import scipy.sparse as sp

    with source.open() as file:
        try:
            require_members(file)
            matrix: Any = sp.load_npz(file)
        except (MemoryError, FormatError):
            raise
        # zipfile, zlib, NumPy's header parser and scipy's constructors raise a dozen kinds of errors.
        except Exception as error:
            raise FormatError(
                "is damaged, or not what scipy.sparse.save_npz writes (a sparse matrix)"
            ) from error
    if matrix.ndim != 2:
        raise FormatError(f"holds an array of {matrix.ndim} dimensions: a graph needs a matrix, of two")
    size = _Size(*matrix.shape)
    square = size.rows == size.columns
    if square and matrix.format in {"csr", "csc"}:
        return Graph(matrix.indptr, matrix.indices), matrix.data[: matrix.nnz]
    entries = matrix.tocoo()
    if matrix.format == "bsr":
        entries.eliminate_zeros()
    check_vertex_count(size.vertices)  # before the column numbers can overflow
    column = entries.col if square else entries.col + size.rows
    return Graph.of_edges(entries.row, column, size.vertices), entries.data


def write_npz(graph: Graph, file: BinaryIO) -> None:
    """Write a symmetric boolean CSR array."""
    import scipy.sparse as sp

    archive = io.BytesIO()  # writing a zip archive needs to seek, which a compressed file cannot do
    sp.save_npz(archive, graph.to_scipy(), compressed=False)
    file.write(archive.getbuffer())
