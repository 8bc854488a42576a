"""Binary files of rows: ``.egr`` of ECLgraph, ``.sg`` and ``.wsg`` of GAP, ``.gr`` of Galois.

Each is a header, a list of offsets and a list of neighbors. A format has a function that checks the header
and the size of a file and says where its rows are; all else is the same for all of them.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Generator
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from typing import Any, BinaryIO, NamedTuple

import numpy as np
import numpy.typing as npt

from pointerjump.base.graph import Graph
from pointerjump.errors import FormatError
from pointerjump.formats.pieces import Budget, FileEdges, Piece, Pieces, Position, require_plain
from pointerjump.formats.records import Records
from pointerjump.formats.sources import Content, Source


@dataclass(frozen=True)
class StoredRows:
    """Where a file has its rows: from a place on, offsets and then neighbors of these dtypes.

    The first offset, which is always 0, may be left out. If `width` is 2, a weight follows each neighbor.
    """

    content: Content
    place: int
    offsets: str
    neighbors: str
    vertices: int
    entries: int
    first_offset: bool = True
    width: int = 1

    def array(self, dtype: str, count: int, place: int) -> npt.NDArray[Any]:
        """Return numbers in the file, which the array shares."""
        return np.frombuffer(self.content, dtype, count, place)

    @property
    def neighbors_place(self) -> int:
        """Where the neighbors begin."""
        return self.place + np.dtype(self.offsets).itemsize * (self.vertices + self.first_offset)


class _Window(NamedTuple):
    """Some rows that follow each other: the vertex of the first, and where each begins and ends."""

    vertex: int
    begins: npt.NDArray[np.int64]
    ends: npt.NDArray[np.int64]


def graph_of(rows_of: Callable[[Source], StoredRows]) -> Callable[[Source], Graph]:
    """Return the reader of whole graphs for a format, whose rows a function finds."""

    def read(source: Source) -> Graph:
        rows = rows_of(source)
        offsets = rows.array(rows.offsets, rows.vertices + rows.first_offset, rows.place)
        neighbors = rows.array(rows.neighbors, rows.width * rows.entries, rows.neighbors_place)
        if not rows.first_offset:
            offsets = np.append(np.zeros(1, rows.offsets), offsets)
        return Graph(offsets.copy(), neighbors[:: rows.width].copy())

    return read


def edges_of(rows_of: Callable[[Source], StoredRows]) -> Callable[[Source, Budget], FileEdges]:
    """Return what reads a format piece by piece: an edge goes from a row's vertex to one of its neighbors."""

    def edges(source: Source, budget: Budget) -> FileEdges:
        require_plain(source)
        rows = rows_of(source)
        place = rows.place
        if rows.first_offset:
            (first,) = rows.array(rows.offsets, 1, place)
            if first != 0:
                raise FormatError(f"offsets[0] is {first}: the first row must begin at 0")
            place += np.dtype(rows.offsets).itemsize
        ends = Records(source, np.dtype(rows.offsets), 1, place, rows.vertices)
        neighbors = Records(source, np.dtype(rows.neighbors), rows.width, rows.neighbors_place, rows.entries)
        pieces = partial(_pieces, ends, neighbors, budget.records(16))
        return FileEdges(pieces, rows.vertices, rows.entries)

    return edges


def _pieces(ends: Records, neighbors: Records, at_a_time: int, start: Position) -> Pieces:
    done, entries = start["record"], neighbors.count or 0
    dtype = np.dtype(np.int32 if (ends.count or 0) <= np.iinfo(np.int32).max else np.int64)
    with closing(neighbors.open(done)) as stream, closing(_windows(ends, entries, at_a_time)) as windows:
        for window in windows:
            while done < window.ends[-1]:
                end = min(done + at_a_time, int(window.ends[-1]))
                sources = _vertices_of_entries(window, done, end, dtype)
                targets = neighbors.take(stream, end - done)[:, 0].copy()
                done = end
                yield Piece(sources, targets, {"record": end}, ends.source.size * end // entries)


def _vertices_of_entries(window: _Window, first: int, end: int, dtype: np.dtype[Any]) -> npt.NDArray[Any]:
    """Return the vertex in whose row each of the entries first .. end - 1 is."""
    low = int(np.searchsorted(window.ends, first, side="right"))
    high = int(np.searchsorted(window.ends, end, side="left")) + 1
    counts = np.minimum(window.ends[low:high], end) - np.maximum(window.begins[low:high], first)
    return np.repeat(np.arange(window.vertex + low, window.vertex + high, dtype=dtype), counts)


def _windows(ends: Records, entries: int, at_a_time: int) -> Generator[_Window, None, None]:
    """Yield all rows, after their offsets have been checked."""
    last = vertex = 0
    for records, end, _ in ends.blocks(0, at_a_time):
        stops = records[:, 0]
        begins = np.empty_like(stops)
        begins[0], begins[1:] = last, stops[:-1]
        falls = stops < begins
        if falls.any():
            v = int(np.argmax(falls))
            raise FormatError(
                f"offsets fall from {begins[v]} to {stops[v]} at vertex {vertex + v}: "
                "each row must end where the next begins"
            )
        last = int(stops[-1])
        if last > entries:
            raise FormatError(f"has an offset of {last}, but there are {entries} neighbors: they must agree")
        yield _Window(vertex, begins.astype(np.int64), stops.astype(np.int64))
        vertex = end
    if last != entries:
        raise FormatError(f"the last offset is {last}, but there are {entries} neighbors: they must agree")


def _header(content: Content, format: str, what: str) -> tuple[int, ...]:
    """Return the numbers at the beginning of a file."""
    size = struct.calcsize(format)
    if len(content) < size:
        raise FormatError(f"has {len(content)} bytes: too short for the {size} bytes of {what}")
    return struct.unpack_from(format, content)


def _require_size(content: Content, size: int, what: str) -> None:
    """Refuse a file that is not exactly `size` bytes, before anything is allocated."""
    if len(content) != size:
        fault = "truncated" if len(content) < size else "longer than its header says"
        raise FormatError(f"is {fault}: {what} takes {size} bytes, but the file has {len(content)}")


# -- ECLgraph ------------------------------------------------------------------------------------------


_WIDTHS = (("<ii", "<i4"), ("<qq", "<i8"), ("<iq", "<i8"))
"""How n and m are stored, and the dtype of the offsets."""


def egr(source: Source) -> StoredRows:
    """Find the rows of an ECLgraph, with or without weights.

    There is no magic number, and header and offsets come in three widths. The exact size of the file tells
    which it is; if two widths fit it, the first and the last offset decide.
    """
    content, fitting = source.content, []
    n, m = _header(content, "<ii", "an .egr header")
    for format, offsets in _WIDTHS:
        place = struct.calcsize(format)
        if len(content) >= place:
            rows = StoredRows(content, place, offsets, "<i4", *struct.unpack_from(format, content))
            size = rows.neighbors_place + 4 * rows.entries
            if min(rows.vertices, rows.entries) >= 0 and len(content) in (size, size + 4 * rows.entries):
                fitting.append(rows)
    if len(fitting) > 1:
        fitting = [rows for rows in fitting if _spans(rows)]
    if len(fitting) != 1:
        raise FormatError(
            f"has {len(content)} bytes, which fits no .egr header of 32 or 64 bits (with 32 bits: "
            f"{n} vertices, {m} directed edges): it is truncated, or not an ECLgraph"
        )
    return fitting[0]


def _spans(rows: StoredRows) -> bool:
    """Whether the offsets begin at 0 and end at the number of edges."""
    offsets = rows.array(rows.offsets, rows.vertices + 1, rows.place)
    return bool(offsets[0] == 0 and offsets[-1] == rows.entries)


def write_egr(graph: Graph, file: BinaryIO) -> None:
    """Write both directions of every edge, in 64 bits if there are 2**31 directed edges or more."""
    dtype = "<i4" if graph.offsets.dtype == np.int32 else "<i8"
    file.write(np.array([graph.vertices, graph.directed_edges], dtype).data)
    file.write(graph.offsets.astype(dtype, copy=False).data)
    file.write(graph.neighbors.astype("<i4", copy=False).data)


# -- GAP -----------------------------------------------------------------------------------------------


def sg(source: Source, width: int = 1) -> StoredRows:
    """Find the rows of a GAP graph; `width` is 2 if it has weights.

    Undirected graphs hold both directions of every edge. Directed ones hold all out-edges and then all
    in-edges, which are the same edges again and are not read.
    """
    content = source.content
    directed, m, n = _header(content, "<Bqq", "a GAP header")
    if directed not in (0, 1):
        raise FormatError(
            f"begins with byte {directed}, but a GAP graph begins with 0 (undirected) or 1 (directed)"
        )
    if m < 0 or n < 0:
        raise FormatError(f"states {n} vertices and {m} directed edges: neither can be negative")
    one_direction = 8 * (n + 1) + 4 * width * m
    _require_size(
        content,
        17 + (1 + directed) * one_direction,
        f"a GAP graph of {n} vertices and {m} {'out-edges' if directed else 'directed edges'}",
    )
    return StoredRows(content, 17, "<i8", "<i4", n, m, width=width)


def wsg(source: Source) -> StoredRows:
    """Find the rows of a GAP graph with weights."""
    return sg(source, width=2)


def write_sg(graph: Graph, file: BinaryIO) -> None:
    """Write an undirected graph, both directions of every edge."""
    file.write(b"\0")
    file.write(np.array([graph.directed_edges, graph.vertices], "<i8").data)
    file.write(graph.offsets.astype("<i8").data)
    file.write(graph.neighbors.astype("<i4", copy=False).data)


# -- Galois --------------------------------------------------------------------------------------------


def galois(source: Source) -> StoredRows:
    """Find the rows of a Galois graph of version 1 or 2 (neighbors of 32 or 64 bits), without edge data."""
    content = source.content
    version, edge_bytes, n, m = _header(content, "<4Q", "a Galois header")
    if version not in (1, 2):
        raise FormatError(f"states Galois version {version}: only versions 1 and 2 can be read")
    padding = 4 * (m % 2) if version == 1 else 0
    _require_size(
        content,
        32 + 8 * n + 4 * version * m + padding + edge_bytes * m,
        f"a Galois graph (version {version}) of {n} vertices, {m} edges and {edge_bytes} bytes "
        "of data for each edge",
    )
    return StoredRows(content, 32, "<u8", f"<u{4 * version}", n, m, first_offset=False)


def write_galois(graph: Graph, file: BinaryIO) -> None:
    """Write version 1, both directions of every edge, without edge data."""
    n, m = graph.vertices, graph.directed_edges
    file.write(np.array([1, 0, n, m], "<u8").data)
    file.write(graph.offsets[1:].astype("<u8").data)
    file.write(graph.neighbors.astype("<u4").data)
    file.write(bytes(4 * (m % 2)))
