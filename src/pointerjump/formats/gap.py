"""The GAP Benchmark Suite's serialized graphs: ``.sg``, and ``.wsg`` with weights.

Undirected graphs hold both directions of every edge. Directed ones hold all out-edges and then all
in-edges, which are the same edges again and are not read.
"""

from __future__ import annotations

from functools import partial
from typing import BinaryIO

import numpy as np

from pointerjump.errors import FormatError
from pointerjump.formats.pieces import Bounds, EdgeRecords, require_plain
from pointerjump.formats.sources import Dump, Source
from pointerjump.formats.stored_rows import row_records, rows_of
from pointerjump.graph import Graph


def read_sg(source: Source) -> Graph:
    """Read an unweighted graph."""
    return _read(source, neighbor_bytes=4)


def read_wsg(source: Source) -> Graph:
    """Read a weighted graph; its weights are ignored."""
    return _read(source, neighbor_bytes=8)


def _read(source: Source, neighbor_bytes: int) -> Graph:
    dump, m, n = _after_header(source, neighbor_bytes)
    offsets = dump.take("<i8", n + 1)
    neighbors = dump.take("<i4", neighbor_bytes // 4 * m)
    return Graph(offsets, neighbors[:: neighbor_bytes // 4])


def sg_records(source: Source, bounds: Bounds, neighbor_bytes: int = 4) -> EdgeRecords:
    """Look at the header of a graph with or without weights."""
    require_plain(source, "a GAP graph")
    dump, m, n = _after_header(source, neighbor_bytes)
    return row_records(rows_of(source, dump, ("<i8", n), ("<i4", m), neighbor_bytes // 4), bounds)


wsg_records = partial(sg_records, neighbor_bytes=8)


def _after_header(source: Source, neighbor_bytes: int) -> tuple[Dump, int, int]:
    """Check the header and the size of a file; return its dump, and how many edges and vertices it has."""
    dump = Dump(source.content)
    (directed,) = dump.header("u1", 1, "a GAP header")
    m, n = dump.header("<i8", 2, "a GAP header")
    if directed not in (0, 1):
        raise FormatError(
            f"begins with byte {directed}, but a GAP graph begins with 0 (undirected) or 1 (directed)"
        )
    if m < 0 or n < 0:
        raise FormatError(f"states {n} vertices and {m} directed edges: neither can be negative")
    one_direction = 8 * (n + 1) + neighbor_bytes * m
    dump.require_size(
        17 + (1 + directed) * one_direction,
        f"a GAP graph of {n} vertices and {m} {'out-edges' if directed else 'directed edges'}",
    )
    return dump, m, n


def write_sg(graph: Graph, file: BinaryIO) -> None:
    """Write an undirected graph, both directions of every edge."""
    file.write(b"\0")
    file.write(np.array([graph.directed_edges, graph.vertices], "<i8").data)
    file.write(graph.offsets.astype("<i8").data)
    file.write(graph.neighbors.astype("<i4", copy=False).data)
