"""Binary files of adjacency rows: ECLgraph's ``.egr``, GAP's ``.sg`` and ``.wsg``, and Galois's ``.gr``.

Each file contains a header, a list of offsets and a list of neighbors. For each format, one function checks
the header and the size of a file and locates its rows. The rest of the reading code is shared.
"""

from __future__ import annotations

import mmap
import struct
from collections.abc import Callable
from contextlib import closing, nullcontext
from dataclasses import dataclass
from functools import partial
from typing import Any, BinaryIO

import numpy as np
import numpy.typing as npt

from pointerjump.base.graph import Graph
from pointerjump.errors import FormatError
from pointerjump.formats.pieces import FileEdges, Piece, Pieces, Position, require_plain
from pointerjump.formats.records import Records
from pointerjump.formats.sources import Source

Content = bytes | mmap.mmap
_ENTRY_BYTES = 16  # bytes that an entry takes while it is converted to an edge


@dataclass(frozen=True)
class StoredRows:
    """The location of the adjacency rows in a file: a list of offsets, followed by a list of neighbors.

    The offsets begin at byte `place` of `content`. `offsets` and `neighbors` are the dtypes of the two lists.
    If `first_offset` is False, the first offset, which is always 0, is not stored. If `width` is 2, each
    neighbor is followed by a weight.
    """

    content: Content
    place: int
    offsets: str
    neighbors: str
    vertices: int
    entries: int
    first_offset: bool = True
    width: int = 1

    def arrays(self) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
        """Return the stored offsets and the neighbors without copying them."""
        offsets = np.frombuffer(self.content, self.offsets, self.vertices + self.first_offset, self.place)
        neighbors = np.frombuffer(
            self.content, self.neighbors, self.width * self.entries, self.place + offsets.nbytes
        )
        return offsets, neighbors[:: self.width]

    def place_of_weights(self) -> int:
        """Return where weights begin: after the first neighbor if `width` is 2, otherwise after the last."""
        place = self.place + np.dtype(self.offsets).itemsize * (self.vertices + self.first_offset)
        place += np.dtype(self.neighbors).itemsize * (1 if self.width == 2 else self.entries)
        if self.width == 1 and self.entries and len(self.content) == place:
            raise FormatError("has no weights after its neighbors")
        return place

    def weights(self) -> npt.NDArray[Any]:
        count = max(0, self.width * self.entries - (self.width - 1))
        return np.frombuffer(self.content, self.neighbors, count, self.place_of_weights())[:: self.width]


def readers_of(
    rows_of: Callable[[Source], StoredRows],
) -> tuple[Callable[[Source, int], FileEdges], Callable[[Source], tuple[Graph, npt.NDArray[Any] | None]]]:
    """Return a reader of pieces and a reader of whole graphs, given a function that locates a file's rows."""

    def graph(source: Source) -> tuple[Graph, npt.NDArray[Any] | None]:
        rows = rows_of(source)
        offsets, neighbors = rows.arrays()
        if not rows.first_offset:
            offsets = np.append(np.zeros(1, rows.offsets), offsets)
        found = Graph(offsets.copy(), neighbors.copy())
        return found, rows.weights().copy() if source.weighted else None

    def edges(source: Source, block: int) -> FileEdges:
        require_plain(source)
        rows = rows_of(source)
        offsets, neighbors = rows.arrays()
        if rows.first_offset and offsets[0] != 0:
            raise FormatError(f"offsets[0] is {offsets[0]}: the first row must begin at 0")
        place = rows.place + rows.first_offset * offsets.itemsize
        ends = Records(source, offsets.dtype, 1, place, rows.vertices)
        place = rows.place + offsets.nbytes
        entries = Records(source, neighbors.dtype, rows.width, place, rows.entries)
        weights = None
        if source.weighted and rows.width == 1:
            weights = Records(source, neighbors.dtype, 1, rows.place_of_weights(), rows.entries)
        read = partial(_pieces, ends, entries, weights, max(1, block // _ENTRY_BYTES))
        return FileEdges(read, rows.vertices, rows.entries)

    return edges, graph


def _pieces(rows: Records, neighbors: Records, weights: Records | None, most: int, start: Position) -> Pieces:
    """Yield at most `most` edges at a time, after checking the offsets of their rows.

    If weights are requested and `weights` is None, they are read from the records of `neighbors`.
    """
    weighted = neighbors.source.weighted
    entries, done, last, first = neighbors.count or 0, start["record"], 0, 0
    dtype = np.int32 if (rows.count or 0) <= np.iinfo(np.int32).max else np.int64
    with (
        closing(neighbors.open(done)) as stream,
        closing(weights.open(done)) if weights else nullcontext() as stream_of_weights,
        closing(rows.blocks(0, most)) as windows,
    ):
        for records, until, _ in windows:
            ends = records[:, 0]
            begins = np.append(np.array(last, ends.dtype), ends[:-1])
            falls = ends < begins
            if falls.any():
                v = int(np.argmax(falls))
                raise FormatError(
                    f"offsets fall from {begins[v]} to {ends[v]} at vertex {first + v}: "
                    "each row must end where the next begins"
                )
            last = int(ends[-1])
            if last > entries:
                raise FormatError(
                    f"has an offset of {last}, but there are {entries} neighbors: they must agree"
                )
            while done < last:
                end = min(done + most, last)
                low = int(np.searchsorted(ends, done, side="right"))
                high = int(np.searchsorted(ends, end, side="left")) + 1
                counts = np.minimum(ends[low:high], end) - np.maximum(begins[low:high], done)
                sources = np.repeat(
                    np.arange(first + low, first + high, dtype=dtype), counts.astype(np.int64)
                )
                columns = [sources, *neighbors.take(stream, end - done).T[: 1 + weighted].copy()]
                if weights and stream_of_weights:
                    columns.append(weights.take(stream_of_weights, end - done)[:, 0])
                done = end
                yield Piece.of(columns, {"record": end}, rows.source.size * end // entries)
            first = until
    if last != entries:
        raise FormatError(f"the last offset is {last}, but there are {entries} neighbors: they must agree")


def _header(content: Content, format: str, what: str) -> tuple[int, ...]:
    size = struct.calcsize(format)
    if len(content) < size:
        raise FormatError(f"has {len(content)} bytes: too short for the {size} bytes of {what}")
    return struct.unpack_from(format, content)


def _require_size(content: Content, size: int, what: str) -> None:
    """Raise an error unless a file has exactly `size` bytes. This is checked before memory is allocated."""
    if len(content) != size:
        fault = "truncated" if len(content) < size else "longer than its header says"
        raise FormatError(f"is {fault}: {what} takes {size} bytes, but the file has {len(content)}")


# -- ECLgraph ------------------------------------------------------------------------------------------


_WIDTHS = (("<ii", "<i4"), ("<qq", "<i8"), ("<iq", "<i8"))
"""The possible struct formats of n and m, each with the dtype of the offsets."""


def egr(source: Source) -> StoredRows:
    """Locate the rows of an ECLgraph, with or without weights.

    The format has no magic number, and there are three variants with integers of different widths. The
    variant is determined from the exact size of the file. If the size fits several variants, the first and
    the last offset decide between them.
    """
    content, fitting = source.content, []
    n, m = _header(content, "<ii", "an .egr header")
    for format, offsets in _WIDTHS:
        place = struct.calcsize(format)
        if len(content) >= place:
            rows = StoredRows(content, place, offsets, "<i4", *struct.unpack_from(format, content))
            size = place + np.dtype(offsets).itemsize * (rows.vertices + 1) + 4 * rows.entries
            if min(rows.vertices, rows.entries) >= 0 and len(content) in (size, size + 4 * rows.entries):
                fitting.append(rows)
    if len(fitting) > 1:
        fitting = [rows for rows in fitting if rows.arrays()[0][[0, -1]].tolist() == [0, rows.entries]]
    if len(fitting) != 1:
        raise FormatError(
            f"has {len(content)} bytes, which fits no .egr header of 32 or 64 bits (with 32 bits: "
            f"{n} vertices, {m} directed edges): it is truncated, or not an ECLgraph"
        )
    return fitting[0]


def write_egr(graph: Graph, file: BinaryIO) -> None:
    """Write both directions of every edge. Offsets have 64 bits if there are 2**31 or more directed edges."""
    dtype = "<i4" if graph.offsets.dtype == np.int32 else "<i8"
    file.write(np.array([graph.vertices, graph.directed_edges], dtype).data)
    file.write(graph.offsets.astype(dtype, copy=False).data)
    file.write(graph.neighbors.astype("<i4", copy=False).data)


# -- GAP -----------------------------------------------------------------------------------------------


def sg(source: Source, width: int = 1) -> StoredRows:
    """Locate the rows of a GAP graph. `width` is 2 if the graph has weights.

    The file of an undirected graph contains both directions of every edge. The file of a directed graph
    contains all out-edges, followed by the same edges as in-edges, which are not read.
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


wsg = partial(sg, width=2)


def write_sg(graph: Graph, file: BinaryIO) -> None:
    """Write an undirected graph, with both directions of every edge."""
    file.write(b"\0")
    file.write(np.array([graph.directed_edges, graph.vertices], "<i8").data)
    file.write(graph.offsets.astype("<i8").data)
    file.write(graph.neighbors.astype("<i4", copy=False).data)


# -- Galois --------------------------------------------------------------------------------------------


def galois(source: Source) -> StoredRows:
    """Locate the rows of a Galois graph of version 1 (32-bit ids) or 2 (64-bit ids). Ignore edge data."""
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
    """Write both directions of every edge in version 1 of the format, without edge data."""
    n, m = graph.vertices, graph.directed_edges
    file.write(np.array([1, 0, n, m], "<u8").data)
    file.write(graph.offsets[1:].astype("<u8").data)
    file.write(graph.neighbors.astype("<u4").data)
    file.write(bytes(4 * (m % 2)))
