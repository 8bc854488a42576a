"""Tables of integers as binary files hold them: equally long records, one after the other."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import numpy as np
import numpy.typing as npt

from pointerjump import memory
from pointerjump.errors import FormatError
from pointerjump.formats.pieces import Bounds, Piece, Pieces, Position
from pointerjump.formats.sources import Stream

Records = npt.NDArray[Any]


@dataclass(frozen=True)
class Table:
    """A part of a file that holds nothing but records.

    Parameters
    ----------
    path : Path
        The file.
    dtype : dtype
        Of each integer.
    width : int
        How many integers a record has.
    place : int
        Where the first record begins, in bytes.
    records : int, optional
        How many there are. Default: up to the end of the file.
    """

    path: Path
    dtype: np.dtype[Any]
    width: int
    place: int
    records: int | None

    @property
    def record_bytes(self) -> int:
        """The bytes of one record."""
        return self.width * self.dtype.itemsize

    def open(self, start: int) -> Stream:
        """Return the file from a record on; the caller has to close it."""
        return Stream.starting_at(self.path, self.place + start * self.record_bytes)

    def take(self, stream: Stream, count: int) -> Records:
        """Return the next `count` records in an array of their own, in native byte order.

        There may be fewer only if their number is not known, and only at the end.
        """
        records = np.empty((count, self.width), self.dtype)  # its columns know it as their base
        filled = stream.fill(memoryview(cast(Any, records.reshape(-1))).cast("B")) if count else 0
        whole, rest = divmod(filled, self.record_bytes)
        if rest or (whole < count and self.records is not None):
            raise FormatError(
                f"ends within a record of {self.record_bytes} bytes, or before its last: it is truncated"
            )
        return _native(records if whole == count else records[:whole].copy())

    def blocks(self, start: int, count: int) -> Generator[tuple[Records, int, int], None, None]:
        """Yield `count` records at a time, the number of records up to there, and the bytes read."""
        with closing(self.open(start)) as stream:
            at = start
            while self.records is None or at < self.records:
                left = count if self.records is None else min(count, self.records - at)
                records = self.take(stream, left)
                at += len(records)
                if len(records):
                    yield records, at, stream.bytes_read
                if len(records) < left:
                    return


def _native(records: Records) -> Records:
    if records.dtype.isnative:
        return records
    return records.byteswap(inplace=True).view(records.dtype.newbyteorder())


def require_bounded(table: Table, bounds: Bounds) -> None:
    """Refuse records that are longer than a whole block may be."""
    if table.record_bytes > bounds.block:
        raise FormatError(
            f"has records of {memory.in_words(table.record_bytes)}, and memory is for blocks of "
            f"{memory.in_words(bounds.block)}: allow more memory"
        )


def column_pieces(table: Table, columns: tuple[int, int], bounds: Bounds, start: Position) -> Pieces:
    """Yield two columns of a table."""
    left, right = columns
    for records, end, bytes_read in table.blocks(start["record"], bounds.records(table.record_bytes)):
        # Of wider records, the other columns would stay in memory.
        chosen = records if table.width == 2 else records[:, [left, right]]
        first, second = (left, right) if table.width == 2 else (0, 1)
        yield Piece(chosen[:, first], chosen[:, second], {"record": end}, bytes_read)


def paired_pieces(left: Table, right: Table, bounds: Bounds, start: Position) -> Pieces:
    """Yield the records of two tables of width 1, side by side."""
    count = bounds.records(left.record_bytes + right.record_bytes)
    with (
        closing(left.blocks(start["record"], count)) as sources,
        closing(right.blocks(start["record"], count)) as targets,
    ):
        for (s, end, s_bytes), (t, _, t_bytes) in zip(sources, targets, strict=True):
            both = s_bytes + t_bytes if left.path != right.path else max(s_bytes, t_bytes)
            yield Piece(s[:, 0], t[:, 0], {"record": end}, both)
