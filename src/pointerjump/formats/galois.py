"""Galois's binary ``.gr``, versions 1 and 2 (32-bit and 64-bit destinations)."""

from __future__ import annotations

from typing import BinaryIO

import numpy as np

from pointerjump.errors import FormatError
from pointerjump.formats.pieces import Bounds, EdgeRecords, require_plain
from pointerjump.formats.sources import Dump, Source
from pointerjump.formats.stored_rows import row_records, rows_of
from pointerjump.graph import Graph

HEADER_BYTES = 32


def read_galois(source: Source) -> Graph:
    """Read either version; edge data are ignored."""
    dump, n, (dtype, m) = _after_header(source)
    row_ends = dump.take("<u8", n)  # the file leaves out where the first row begins, which is 0
    return Graph(np.append(np.uint64(0), row_ends), dump.take(dtype, m))


def galois_records(source: Source, bounds: Bounds) -> EdgeRecords:
    """Look at the header of either version."""
    require_plain(source, "a Galois graph")
    dump, n, neighbors = _after_header(source)
    return row_records(rows_of(source, dump, ("<u8", n), neighbors, first_offset=False), bounds)


def _after_header(source: Source) -> tuple[Dump, int, tuple[str, int]]:
    """Check the header and the size of a file; return its dump, and what it has of vertices and neighbors."""
    dump = Dump(source.content)
    version, edge_bytes, n, m = dump.header("<u8", 4, "a Galois header")
    if version not in (1, 2):
        raise FormatError(f"states Galois version {version}: only versions 1 and 2 can be read")
    target_bytes = 4 * version
    padding = 4 * (m % 2) if version == 1 else 0
    dump.require_size(
        HEADER_BYTES + 8 * n + target_bytes * m + padding + edge_bytes * m,
        f"a Galois graph (version {version}) of {n} vertices, {m} edges and {edge_bytes} bytes "
        "of data for each edge",
    )
    return dump, n, (f"<u{target_bytes}", m)


def write_galois(graph: Graph, file: BinaryIO) -> None:
    """Write version 1, both directions of every edge, without edge data."""
    n, m = graph.vertices, graph.directed_edges
    file.write(np.array([1, 0, n, m], "<u8").data)
    file.write(graph.offsets[1:].astype("<u8").data)
    file.write(graph.neighbors.astype("<u4").data)
    file.write(bytes(4 * (m % 2)))
