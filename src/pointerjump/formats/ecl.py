"""ECLgraph ``.egr``, the binary CSR format of ECL-CC and its relatives.

There is no magic number, and header and offsets come in three widths. The exact size of the file tells
which it is; if two widths fit it, the first and the last offset decide.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import BinaryIO

import numpy as np

from pointerjump.errors import FormatError
from pointerjump.formats.pieces import Bounds, EdgeRecords, require_plain
from pointerjump.formats.sources import Content, Dump, Source
from pointerjump.formats.stored_rows import row_records, rows_of
from pointerjump.graph import Graph


@dataclass(frozen=True)
class Width:
    """The dtypes of the number of vertices, the number of directed edges, and the offsets."""

    n: str
    m: str
    offsets: str


WIDTHS = (Width("<i4", "<i4", "<i4"), Width("<i8", "<i8", "<i8"), Width("<i4", "<i8", "<i8"))


def read_egr(source: Source) -> Graph:
    """Read an ECLgraph of any width; edge weights are ignored."""
    width = _width(source)
    dump, n, m = _after_header(source.content, width)
    offsets = dump.take(width.offsets, n + 1)
    return Graph(offsets, dump.take("<i4", m))


def egr_records(source: Source, bounds: Bounds) -> EdgeRecords:
    """Look at the header of an ECLgraph of any width."""
    require_plain(source, "an ECLgraph")
    width = _width(source)
    dump, n, m = _after_header(source.content, width)
    return row_records(rows_of(source, dump, (width.offsets, n), ("<i4", m)), bounds)


def _width(source: Source) -> Width:
    """Return the width that the size of the file and, if need be, its offsets tell."""
    n, m = Dump(source.content).header("<i4", 2, "an .egr header")
    fitting = [width for width in WIDTHS if _fits(source.content, width)]
    if len(fitting) > 1:
        fitting = [width for width in fitting if _spans(source.content, width)]
    if len(fitting) != 1:
        raise FormatError(
            f"has {len(source.content)} bytes, which fits no .egr header of 32 or 64 bits (with 32 bits: "
            f"{n} vertices, {m} directed edges): it is truncated, or not an ECLgraph"
        )
    return fitting[0]


def _after_header(content: Content, width: Width) -> tuple[Dump, int, int]:
    dump = Dump(content)
    (n,) = dump.header(width.n, 1, "an .egr header")
    (m,) = dump.header(width.m, 1, "an .egr header")
    return dump, n, m


def _fits(content: Content, width: Width) -> bool:
    """Whether the file has the size that its header, read in this width, means, with or without weights."""
    if len(content) < np.dtype(width.n).itemsize + np.dtype(width.m).itemsize:
        return False
    dump, n, m = _after_header(content, width)
    size = dump.at + np.dtype(width.offsets).itemsize * (n + 1) + 4 * m
    return n >= 0 and m >= 0 and len(content) in (size, size + 4 * m)


def _spans(content: Content, width: Width) -> bool:
    """Whether the offsets begin at 0 and end at the number of edges."""
    dump, n, m = _after_header(content, width)
    (first,) = dump.take(width.offsets, 1)
    dump.at += np.dtype(width.offsets).itemsize * (n - 1)
    last = first if n == 0 else dump.take(width.offsets, 1)[0]
    return bool(first == 0 and last == m)


def write_egr(graph: Graph, file: BinaryIO) -> None:
    """Write both directions of every edge, in 64 bits if there are 2**31 directed edges or more."""
    dtype = "<i4" if graph.offsets.dtype == np.int32 else "<i8"
    file.write(np.array([graph.vertices, graph.directed_edges], dtype).data)
    file.write(graph.offsets.astype(dtype, copy=False).data)
    file.write(graph.neighbors.astype("<i4", copy=False).data)
