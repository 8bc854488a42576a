"""Rows in binary files, read piece by piece: a list of offsets, and a list of neighbors."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from pointerjump.errors import FormatError
from pointerjump.formats.pieces import Bounds, EdgeRecords, Piece, Pieces, Position
from pointerjump.formats.sources import Dump, Source
from pointerjump.formats.tables import Table


@dataclass(frozen=True)
class Rows:
    """Where a file has its rows.

    Parameters
    ----------
    ends : Table
        Where each row ends: the offsets without the first, which is 0.
    neighbors : Table
        The neighbors, perhaps with a weight after each.
    """

    ends: Table
    neighbors: Table

    @property
    def vertices(self) -> int:
        """How many rows there are."""
        return self.ends.records or 0

    @property
    def entries(self) -> int:
        """How many neighbors there are."""
        return self.neighbors.records or 0


@dataclass(frozen=True)
class Window:
    """Some rows that follow each other: the vertex of the first, and where each begins and ends."""

    vertex: int
    begins: npt.NDArray[np.int64]
    ends: npt.NDArray[np.int64]


def rows_of(
    source: Source,
    dump: Dump,
    offsets: tuple[str, int],
    neighbors: tuple[str, int],
    width: int = 1,
    *,
    first_offset: bool = True,
) -> Rows:
    """Return the rows of a file.

    Parameters
    ----------
    dump : Dump
        The file, after its header.
    offsets, neighbors : (str, int)
        The dtype of the offsets, and how many rows there are; the same of the neighbors.
    width : int
        2 if each neighbor has a weight of its own size.
    first_offset : bool
        Whether the file has the first offset, which is always 0.
    """
    if first_offset:
        (first,) = dump.take(offsets[0], 1)
        if first != 0:
            raise FormatError(f"offsets[0] is {first}: the first row must begin at 0")
    ends = Table(source.path, np.dtype(offsets[0]), 1, dump.at, offsets[1])
    place = dump.at + ends.record_bytes * offsets[1]
    return Rows(ends, Table(source.path, np.dtype(neighbors[0]), width, place, neighbors[1]))


def row_records(rows: Rows, bounds: Bounds) -> EdgeRecords:
    """Return the edges of rows; each goes from the vertex of a row to one of its neighbors."""
    return EdgeRecords(partial(_pieces, rows, bounds), rows.vertices, rows.entries)


def _pieces(rows: Rows, bounds: Bounds, start: Position) -> Pieces:
    done = start["record"]
    size = rows.neighbors.path.stat().st_size
    at_a_time = bounds.records(16)
    dtype = np.dtype(np.int32 if rows.vertices <= np.iinfo(np.int32).max else np.int64)
    with closing(rows.neighbors.open(done)) as stream, closing(_windows(rows, at_a_time)) as windows:
        for window in windows:
            while done < window.ends[-1]:
                end = min(done + at_a_time, int(window.ends[-1]))
                sources = _vertices_of_entries(window, done, end, dtype)
                targets = rows.neighbors.take(stream, end - done)[:, 0].copy()
                done = end
                yield Piece(sources, targets, {"record": end}, size * end // rows.entries)


def _vertices_of_entries(window: Window, first: int, end: int, dtype: np.dtype[Any]) -> npt.NDArray[Any]:
    """Return the vertex in whose row each of the entries first .. end - 1 is."""
    low = int(np.searchsorted(window.ends, first, side="right"))
    high = int(np.searchsorted(window.ends, end, side="left")) + 1
    counts = np.minimum(window.ends[low:high], end) - np.maximum(window.begins[low:high], first)
    return np.repeat(np.arange(window.vertex + low, window.vertex + high, dtype=dtype), counts)


def _windows(rows: Rows, at_a_time: int) -> Generator[Window, None, None]:
    """Yield all rows, after their offsets have been checked."""
    last = vertex = 0
    for records, end, _ in rows.ends.blocks(0, at_a_time):
        ends = records[:, 0]
        begins = np.empty_like(ends)
        begins[0], begins[1:] = last, ends[:-1]
        falls = ends < begins
        if falls.any():
            v = int(np.argmax(falls))
            raise FormatError(
                f"offsets fall from {begins[v]} to {ends[v]} at vertex {vertex + v}: "
                "each row must end where the next begins"
            )
        last = int(ends[-1])
        if last > rows.entries:
            raise FormatError(
                f"has an offset of {last}, but there are {rows.entries} neighbors: they must agree"
            )
        yield Window(vertex, begins.astype(np.int64), ends.astype(np.int64))
        vertex = end
    if last != rows.entries:
        raise FormatError(
            f"the last offset is {last}, but there are {rows.entries} neighbors: they must agree"
        )
