"""Parquet and Arrow tables with one edge per row: two integer columns of ids, and optionally one of weights.

Only a limited number of rows is read at a time, however large the row groups or record batches are. Files in
Arrow's own format are memory-mapped, so that only the pages of the required columns are read. However,
compressed record batches are decompressed as a whole.
"""

from __future__ import annotations

import mmap
from collections.abc import Generator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy.typing as npt

from pointerjump.base import memory
from pointerjump.base.arrow import pa, pq
from pointerjump.errors import FormatError
from pointerjump.formats import parsing
from pointerjump.formats.files import damage_named, table_within
from pointerjump.formats.pieces import FileEdges, Piece, Pieces, Position, listed, numbers_of, require_plain
from pointerjump.formats.sources import Source

_OTHERWISE = "cut short, or not a file of Parquet or Arrow"

_READ_AT_A_TIME = 1 << 20  # bytes of a Parquet column; pyarrow's default is a whole row group

_MOST_IN_A_BATCH = 1 << 17  # rows of a Parquet table; pyarrow uses several times the memory that they take

_MAGIC = b"ARROW1"  # the first and last bytes of an Arrow file, around an Arrow stream and a footer
_MOST_PADDING = 64  # the most bytes after the end mark of an Arrow stream

_END_MARK = b"\xff\xff\xff\xff\0\0\0\0"
"""The end mark of an Arrow stream. Before Arrow 0.15, it consisted of only the last four of these bytes."""


def table_edges(source: Source, block: int) -> FileEdges:
    """Return the edges in a table, with weights if requested. Only the schema is read at this point."""
    require_plain(source)
    path, rows = source.path, None
    with damage_named(_OTHERWISE, pa.ArrowException):
        is_parquet = table_within(source.beginning) == ".parquet"
        if is_parquet:
            with _parquet(path) as file:
                schema, rows = file.schema_arrow, file.metadata.num_rows
        else:
            _, stream, _ = _as_stream(_mapped(path))
            schema = pa.ipc.open_stream(stream).schema
    columns = _columns_of(schema, source)
    read = _of_parquet if is_parquet else _of_arrow

    def pieces(start: Position) -> Pieces:
        end = start["record"]
        with damage_named(_OTHERWISE, pa.ArrowException), closing(read(path, columns, block, end)) as batches:
            for batch, bytes_read in batches:
                numbers = [
                    _numbers(column, schema.field(which).name, end)
                    for column, which in zip(batch.columns, columns, strict=True)
                ]
                end += batch.num_rows
                yield Piece.of(numbers, {"record": end}, bytes_read)
        if rows not in (None, end):
            raise FormatError(f"states {rows} rows but has {end}: it is damaged")

    return FileEdges(pieces, records=rows)


def _of_parquet(
    path: Path, columns: Sequence[int], block: int, start: int
) -> Generator[tuple[pa.RecordBatch, int], None, None]:
    with _parquet(path) as file:
        names = [file.schema_arrow.names[column] for column in columns]
        rows, size, at = file.metadata.num_rows, path.stat().st_size, 0
        wanted: list[int] = []
        for group in range(file.num_row_groups):
            count = file.metadata.row_group(group).num_rows
            if wanted or at + count > start:
                wanted.append(group)
            else:
                at += count
        batch_rows = min(max(1, block // (8 * len(columns))), _MOST_IN_A_BATCH)
        for batch in file.iter_batches(batch_rows, row_groups=wanted, columns=names):
            at += batch.num_rows
            if at > start:
                batch = batch.slice(max(0, start - at + batch.num_rows))
                yield batch.select(names), size * at // max(rows, at)


def _of_arrow(
    path: Path, columns: Sequence[int], block: int, start: int
) -> Generator[tuple[pa.RecordBatch, int], None, None]:
    mapped = _mapped(path)
    content, file, end = _as_stream(mapped)
    count, at = max(1, block // (8 * len(columns))), 0
    for batch in pa.ipc.open_stream(file, options=pa.ipc.IpcReadOptions(included_fields=sorted(columns))):
        batch.validate()
        data = batch.column(0).buffers()[1]
        unpacked = data is not None and not 0 <= data.address - content.address < content.size
        if unpacked and max(column.nbytes for column in batch.columns) > block:
            raise FormatError(
                f"has a compressed record batch of {batch.num_rows} rows, whose columns take "
                f"{memory.in_words(batch.nbytes)}, and memory= leaves "
                f"{memory.in_words(len(columns) * block)}: "
                "allow more, or write smaller batches"
            )
        batch = batch.select([sorted(columns).index(column) for column in columns])
        for first in range(max(0, start - at), batch.num_rows, count):
            yield batch.slice(first, count), len(mapped) * file.tell() // end
            if hasattr(mapped, "madvise"):  # pages already read need not count as memory of this process
                mapped.madvise(mmap.MADV_DONTNEED)
        at += batch.num_rows
    mark = _END_MARK if bytes(content[:4]) == _END_MARK[:4] else _END_MARK[4:]
    if bytes(content[file.tell() - len(mark) : file.tell()]) != mark:
        raise FormatError("ends without an end mark: it is truncated, or not an Arrow file")
    if not 0 <= end - file.tell() <= _MOST_PADDING:
        raise FormatError("has an end mark, but more data behind it: it is damaged, or unfinished")


def _as_stream(mapped: mmap.mmap) -> tuple[pa.Buffer, pa.BufferReader, int]:
    """Return a buffer and a reader that begin with the Arrow stream in a file, and the stream's length.

    If the file has a footer, the stream begins after the magic bytes and ends before the footer.
    """
    content, begin, end = pa.py_buffer(mapped), 0, len(mapped)
    if mapped[: len(_MAGIC)] == _MAGIC:
        if mapped[-len(_MAGIC) :] != _MAGIC or len(mapped) < 18:
            raise FormatError("does not end as an Arrow file does: it is truncated")
        begin, end = 8, end - 10 - int.from_bytes(mapped[-10:-6], "little")
    stream = content.slice(begin)
    return stream, pa.BufferReader(stream), end - begin


def _parquet(path: Path) -> Any:
    return pq.ParquetFile(path, memory_map=False, buffer_size=_READ_AT_A_TIME, pre_buffer=False)


def _mapped(path: Path) -> mmap.mmap:
    with path.open("rb") as file:
        if not path.stat().st_size:
            raise FormatError("is empty")
        return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)


def _columns_of(schema: pa.Schema, source: Source) -> list[int]:
    """Return the indices of the two id columns and, if weights are requested, of the weight column."""
    with damage_named(_OTHERWISE, pa.ArrowException):
        names = schema.names
    integers = [i for i, field in enumerate(schema) if pa.types.is_integer(field.type)]
    if source.columns is None and source.weighted and len(names) != 3:
        raise FormatError(
            f"has columns {listed(names)}: name the two with ids, and the one with weights, by columns= "
            "(--columns)"
        )
    if source.columns is None and not source.weighted and len(names) > 2 and len(integers) != 2:
        raise FormatError(
            f"has {len(integers)} columns of integers among {listed(names)}: name the two with ids by "
            "columns= (--columns)"
        )
    usual = range(3) if source.weighted else integers if len(names) > 2 else (0, 1)
    chosen = numbers_of(source.columns or usual, names, "it")
    for number, field in enumerate(map(schema.field, chosen)):
        if names.count(field.name) > 1:
            raise FormatError(f"has several columns called {field.name!r}: rename them")
        if number == 2:
            if not (pa.types.is_integer(field.type) or pa.types.is_floating(field.type)):
                raise FormatError(
                    f"column {field.name!r} holds {field.type}, but weights are numbers: cast it"
                )
        elif not pa.types.is_integer(field.type):
            text = pa.types.is_string(field.type) or pa.types.is_large_string(field.type)
            raise FormatError(
                f"column {field.name!r} holds {'string ids' if text else field.type}, but a graph's ids are "
                "integers: read it as a table with source= and target= (--source, --target), or name other "
                "columns with columns= (--columns)"
            )
    return chosen


def _numbers(column: pa.Array[Any], name: str, before: int) -> npt.NDArray[Any]:
    """Return a copy of the numbers in a column chunk.

    `before` is the number of rows before the chunk, which error messages need.
    """
    if column.null_count:
        at = before + column.is_null().index(True).as_py()
        raise FormatError(f"column {name!r} has no value in row {at}: each edge needs one")
    return parsing.to_numpy(pa.chunked_array([column])).copy()
