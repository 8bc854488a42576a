"""Sparse matrices: Matrix Market ``.mtx`` and scipy's ``.npz``.

Every stored entry is an edge, whatever its value. Only in BSR and DIA, which fill blocks and diagonals up
with zeros, is a zero not an edge. A rectangular matrix is a bipartite graph: its columns are numbered after
its rows.

``scipy.io.mmread`` could read ``.mtx``, but some damaged files make it end the whole process (scipy
issue 19949), and it parses the values, which no graph needs.
"""

from __future__ import annotations

import io
import re
from dataclasses import dataclass
from functools import partial
from typing import Any, BinaryIO

import numpy as np
import numpy.typing as npt

from pointerjump import numbering
from pointerjump.edges import MAX_VERTICES, check_vertex_count
from pointerjump.errors import FormatError
from pointerjump.formats import arrays, edge_list, parsing
from pointerjump.formats.pieces import Bounds, EdgeRecords
from pointerjump.formats.sources import Source
from pointerjump.formats.text import Text
from pointerjump.formats.text_pieces import Lines, text_records
from pointerjump.graph import Graph

BANNER = re.compile(
    rb"%%MatrixMarket[ \t]+matrix[ \t]+(coordinate|array)[ \t]+(?:real|double|integer|complex|pattern)"
    rb"[ \t]+(general|symmetric|skew-symmetric|hermitian)[ \t]*[\r\n]+",
    re.IGNORECASE,
)
COMMENTS = re.compile(rb"(?:[ \t]*(?:%[^\r\n]*)?[\r\n])*+")
MISCOUNTED = "states {stated} entries but has {found}: it is truncated or miscounted"
SIZE = re.compile(rb"[ \t]*([0-9]{1,18})[ \t]+([0-9]{1,18})[ \t]+([0-9]{1,18})[ \t]*(?:[\r\n]+|\Z)")


@dataclass(frozen=True)
class _Size:
    """What the size line of a Matrix Market file states."""

    rows: int
    columns: int
    entries: int

    @property
    def vertices(self) -> int:
        """How many vertices there are: columns are vertices of their own if the matrix is rectangular."""
        return self.rows if self.rows == self.columns else self.rows + self.columns


def read_mtx(source: Source) -> Graph:
    """Read a Matrix Market file in coordinate format; values are ignored."""
    text = source.text
    size = _size(text)
    check_vertex_count(size.vertices)
    row, column = parsing.joined(text.parsed(_entries(text)))
    if len(row) != size.entries:
        raise FormatError(MISCOUNTED.format(stated=size.entries, found=len(row)))
    return Graph.of_edges(*_ends(size, row, column), size.vertices)


def mtx_records(source: Source, bounds: Bounds) -> EdgeRecords:
    """Look at the banner and the size of a Matrix Market file."""
    text = source.text
    size = _size(text)
    parse, ends = _entries(text), partial(_ends, size)
    lines = Lines(parse, text.place, size.vertices, size.entries, MISCOUNTED, ends)
    return text_records(source, lines, bounds)


def _size(text: Text) -> _Size:
    """Pass over the banner and the size line, and return the size."""
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
    return _Size(rows, columns, entries)


def _entries(text: Text) -> parsing.IntegerPairs:
    return parsing.IntegerPairs(parsing.first_line(text.head), "an entry is 'row column', maybe with a value")


def _ends(
    size: _Size, row: npt.NDArray[Any], column: npt.NDArray[Any], before: int = 0
) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
    """Return the vertices of entries, before which there are so many others."""
    sources = numbering.from_one(row, size.rows, "the row of entry", before)
    targets = numbering.from_one(column, size.columns, "the column of entry", before)
    if size.vertices == size.columns:
        return sources, targets
    if size.vertices > MAX_VERTICES:  # more than the dtype of the columns may hold
        targets = targets.astype(np.int64)
    return sources, targets + (size.vertices - size.columns)


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
    if matrix.format == "bsr":
        entries.eliminate_zeros()
    return _graph_of_entries(entries.row, entries.col, rows, columns)


def _graph_of_entries(row: Any, column: Any, rows: int, columns: int) -> Graph:
    if rows == columns:
        return Graph.of_edges(row, column, rows)
    check_vertex_count(rows + columns)  # before the column numbers can overflow
    return Graph.of_edges(row, column + rows, rows + columns)
