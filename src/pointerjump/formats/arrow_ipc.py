"""Arrow's own files, ``.arrow``, ``.feather`` and ``.ipc``: two columns of integers.

pyarrow reads a record batch whole, and one batch may be a whole table. So this module only has pyarrow
read the schema. A file is a sequence of messages, each of which says where in the bytes after it the
columns lie. These few facts are looked up here; the layout of a message is that of FlatBuffers, and its
fields are numbered as in Arrow's ``Message.fbs`` and ``Schema.fbs``.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Literal, cast

import numpy as np
import numpy.typing as npt

from pointerjump import memory
from pointerjump.errors import FormatError
from pointerjump.formats.columns import id_columns
from pointerjump.formats.pieces import Bounds, EdgeRecords, Piece, Pieces, Position, require_plain
from pointerjump.formats.sources import Source
from pointerjump.formats.tables import Table, paired_pieces

if TYPE_CHECKING:
    import pyarrow as pa

_MOST_PADDING = 72
"""An end mark takes up to 8 bytes, and what follows may be aligned to 64."""

_FILE_MAGIC = b"ARROW1"
_CONTINUES = b"\xff\xff\xff\xff"
_LONGEST_METADATA = 1 << 26
"""Bytes that say where columns lie; a longer message is not made by any table of sensible width."""

_NO_MESSAGE = "has a message that is longer than it: it is truncated, damaged, or not an Arrow file"
_SCHEMA, _RECORD_BATCH = 1, 3
_CODECS: tuple[Literal["lz4"], Literal["zstd"]] = ("lz4", "zstd")


class _FlatTable:
    """A FlatBuffers table: fields by number, of which those with default values may be missing."""

    def __init__(self, data: bytes, at: int) -> None:
        self.data = data
        self.at = at
        self.fields = at - self._number("<i", at)

    @classmethod
    def root(cls, data: bytes) -> _FlatTable:
        """Return the table that the data begin with."""
        return cls(data, struct.unpack_from("<I", data)[0])

    def number(self, field: int, code: str) -> int:
        """Return a number, or 0 if it is missing."""
        place = self._place(field)
        return self._number(code, place) if place else 0

    def table(self, field: int) -> _FlatTable | None:
        """Return a table within this one."""
        place = self._place(field)
        return _FlatTable(self.data, place + self._number("<I", place)) if place else None

    def pairs(self, field: int) -> list[tuple[int, int]]:
        """Return a list of pairs of 64-bit integers."""
        place = self._place(field)
        if not place:
            return []
        place += self._number("<I", place)
        count = self._number("<I", place)
        flat = struct.unpack_from(f"<{2 * count}q", self.data, place + 4)
        return list(zip(flat[::2], flat[1::2], strict=True))

    def _place(self, field: int) -> int:
        size = self._number("<H", self.fields)
        at = 4 + 2 * field
        offset = self._number("<H", self.fields + at) if at < size else 0
        return self.at + offset if offset else 0

    def _number(self, code: str, at: int) -> int:
        if at < 0:
            raise struct.error("an offset points before the beginning")
        return int(struct.unpack_from(code, self.data, at)[0])


@dataclass(frozen=True)
class _Message:
    """A message: what kind it is of, its own table, and where in the file its body lies."""

    kind: int
    header: _FlatTable
    body: int
    end: int
    metadata: bytes


@dataclass(frozen=True)
class _Column:
    """A column: its name and dtype, and its places among all columns' nodes and buffers."""

    name: str
    dtype: np.dtype[Any]
    node: int
    buffer: int


@dataclass(frozen=True)
class _Layout:
    """The two columns with ids, and how many nodes and buffers a batch of these columns has."""

    columns: tuple[_Column, _Column]
    nodes: int
    buffers: int


def arrow_records(source: Source, bounds: Bounds) -> EdgeRecords:
    """Look at the schema of a file or stream."""
    require_plain(source, "an Arrow file")
    with source.path.open("rb") as file:
        first = next(_messages(file), None)
    if first is None or first.kind != _SCHEMA:
        raise FormatError("has no schema: it is damaged, or not an Arrow file")
    layout = _layout(first, source)
    return EdgeRecords(partial(_pieces, source.path, layout, bounds))


def _layout(message: _Message, source: Source) -> _Layout:
    import pyarrow as pa

    try:
        if message.header.number(0, "<h"):
            raise FormatError("holds big-endian numbers: write it on a little-endian machine")
        schema = pa.ipc.read_schema(pa.py_buffer(message.metadata))
        chosen = id_columns(schema, source)
        left, right = (_column(schema, number) for number in chosen)
        return _Layout((left, right), *_counts(schema))
    except (pa.ArrowException, UnicodeDecodeError, struct.error) as error:
        raise FormatError(
            f"has a schema that cannot be read: it is damaged, or not an Arrow file ({error})"
        ) from error


def _column(schema: pa.Schema, number: int) -> _Column:
    import pyarrow as pa

    field = schema.field(number)
    nodes, buffers = _counts(pa.schema([schema.field(i) for i in range(number)]))
    return _Column(field.name, np.dtype(field.type.to_pandas_dtype()), nodes, buffers)


def _counts(schema: pa.Schema) -> tuple[int, int]:
    """Return how many nodes and buffers a batch with these columns has: pyarrow writes an empty one."""
    import pyarrow as pa

    columns = [pa.nulls(0, field.type) for field in schema]
    written = pa.record_batch(columns, schema=schema).serialize().to_pybytes()
    batch = _FlatTable.root(written[8:]).table(2)
    assert batch is not None
    return len(batch.pairs(1)), len(batch.pairs(2))


def _messages(file: BinaryIO) -> Iterator[_Message]:
    """Yield the messages of a file or stream."""
    size = file.seek(0, 2)
    file.seek(0)
    at = 8 if file.read(6) == _FILE_MAGIC else 0
    if at:
        file.seek(max(0, size - 6))
        if file.read() != _FILE_MAGIC:
            raise FormatError("does not end as an Arrow file does: it is truncated")
    while True:
        message = _message(file, at, size)
        if message is None:
            _require_end(file, at, size)
            return
        yield message
        at = message.end


def _require_end(file: BinaryIO, at: int, size: int) -> None:
    """Refuse an end mark with more behind it than padding and a footer: a hole of zeros looks like one."""
    end = size
    file.seek(0)
    if file.read(6) == _FILE_MAGIC:
        file.seek(max(0, size - 10))
        end = size - 10 - int.from_bytes(file.read(4), "little", signed=True)
    if not at <= end <= at + _MOST_PADDING:
        raise FormatError(
            f"has an end mark at byte {at}, but more data behind it: it is damaged, or unfinished"
        )


def _message(file: BinaryIO, at: int, size: int) -> _Message | None:
    """Return the message at a place, or None if the messages end there."""
    file.seek(at)
    prefix = file.read(8)
    begins = 8 if prefix[:4] == _CONTINUES else 4  # before version 0.15, Arrow had no marker
    if len(prefix) < begins:
        raise FormatError("ends without an end mark: it is truncated, or not an Arrow file")
    length = int.from_bytes(prefix[begins - 4 : begins], "little", signed=True)
    if length == 0:
        return None
    if not 0 < length <= min(size - at - begins, _LONGEST_METADATA):
        raise FormatError(_NO_MESSAGE)
    file.seek(at + begins)
    metadata = file.read(length)
    try:
        table = _FlatTable.root(metadata)
        kind, header, body_bytes = table.number(1, "<B"), table.table(2), table.number(3, "<q")
    except struct.error as error:
        raise FormatError("has a message that cannot be read: it is damaged, or not an Arrow file") from error
    body = at + begins + length
    if header is None or not 0 <= body_bytes <= size - body:
        raise FormatError(_NO_MESSAGE)
    return _Message(kind, header, body, body + body_bytes, prefix[:begins] + metadata)


def _pieces(path: Path, layout: _Layout, bounds: Bounds, start: Position) -> Pieces:
    before = 0
    with path.open("rb") as file:
        for message in _messages(file):
            if message.kind != _RECORD_BATCH:
                continue
            try:
                batch = _Batch(path, message, layout, before)
            except struct.error as error:
                raise FormatError("has a record batch that cannot be read: it is damaged") from error
            if start["record"] < before + batch.rows:
                for piece in batch.pieces(bounds, max(0, start["record"] - before)):
                    end = {"record": before + piece.end["record"]}
                    yield Piece(piece.sources, piece.targets, end, message.body + piece.bytes_read)
            before += batch.rows


class _Batch:
    """A record batch in a file: where its two columns with ids lie."""

    def __init__(self, path: Path, message: _Message, layout: _Layout, before: int) -> None:
        self.path = path
        self.message = message
        self.before = before
        header = message.header
        self.rows = header.number(0, "<q")
        nodes, self.buffers = header.pairs(1), header.pairs(2)
        compression = header.table(3)
        self.codec = None if compression is None else _CODECS[compression.number(0, "<b") != 0]
        self.columns = layout.columns
        if (len(nodes), len(self.buffers)) != (layout.nodes, layout.buffers):
            raise FormatError(
                "has record batches that do not agree with its schema, or columns of views: write it anew"
            )
        for column in layout.columns:
            self._require_whole(column, *nodes[column.node])

    def _require_whole(self, column: _Column, length: int, nulls: int) -> None:
        if length != self.rows or self.rows < 0:
            raise FormatError(
                f"has a record batch of {self.rows} rows, but {length} in column {column.name!r}"
            )
        if nulls:
            raise FormatError(
                f"column {column.name!r} has {nulls} missing values in rows {self.before} to "
                f"{self.before + self.rows - 1}: each edge needs two ids"
            )
        offset, size = self.buffers[column.buffer + 1]
        end = self.message.body + offset + size
        if offset < 0 or size < 0 or end > self.message.end:
            raise FormatError(f"has column {column.name!r} outside its record batch: it is damaged")
        if self.codec is None and size < self.rows * column.dtype.itemsize:
            raise FormatError(f"has fewer ids in column {column.name!r} than rows: it is damaged")

    def pieces(self, bounds: Bounds, start: int) -> Pieces:
        """Yield the edges from a row on; their positions are counted from the beginning of the batch."""
        if self.codec is None:
            left, right = (
                Table(self.path, column.dtype, 1, self._place(column), self.rows) for column in self.columns
            )
            for piece in paired_pieces(left, right, bounds, {"record": start}):
                yield Piece(piece.sources, piece.targets, piece.end, self._bytes_read(piece.end["record"]))
            return
        sources, targets = (self._unpacked(column, self.codec, bounds)[start:] for column in self.columns)
        yield Piece(sources, targets, {"record": self.rows}, self._bytes_read(self.rows))

    def _place(self, column: _Column) -> int:
        return self.message.body + self.buffers[column.buffer + 1][0]

    def _bytes_read(self, rows: int) -> int:
        return (self.message.end - self.message.body) * rows // self.rows

    def _unpacked(self, column: _Column, codec: Literal["lz4", "zstd"], bounds: Bounds) -> npt.NDArray[Any]:
        """Return a compressed column, which can only be unpacked whole."""
        import pyarrow as pa

        size = self.rows * column.dtype.itemsize
        packed_size = self.buffers[column.buffer + 1][1]
        if max(size, packed_size) > bounds.block:
            raise FormatError(
                f"has a compressed record batch of {self.rows} rows, each column of which takes "
                f"{memory.in_words(size)}, and memory= leaves {memory.in_words(bounds.block)}: allow more, "
                "or write smaller batches"
            )
        with self.path.open("rb") as file:
            file.seek(self._place(column))
            packed = file.read(packed_size)
        stated = int.from_bytes(packed[:8], "little", signed=True)
        if stated not in (-1, size):
            raise FormatError(
                f"has {stated} bytes in column {column.name!r} of {self.rows} rows: it is damaged"
            )
        if stated == -1:  # it was no smaller when compressed
            return np.frombuffer(packed, column.dtype, self.rows, 8)
        try:
            unpacked = pa.Codec(codec).decompress(packed[8:], size)
        except (pa.ArrowException, OSError) as error:
            raise FormatError(f"cannot be decompressed: it is damaged ({error})") from error
        return np.frombuffer(cast(Any, unpacked), column.dtype, self.rows)
