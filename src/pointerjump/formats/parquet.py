"""Apache Parquet: two columns of integers, read a batch at a time however large the row groups are."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from pointerjump.errors import FormatError
from pointerjump.formats.columns import id_columns, integers
from pointerjump.formats.pieces import Bounds, EdgeRecords, Piece, Pieces, Position, require_plain
from pointerjump.formats.sources import Source

if TYPE_CHECKING:
    import pyarrow.parquet as pq

_READ_AT_A_TIME = 1 << 20
"""Bytes of a column that are read at a time; without this, a row group's whole column would be."""

_MOST_IN_A_BATCH = 1 << 17
"""Rows. pyarrow takes several times the memory of a batch, and decodes larger ones no faster."""


def parquet_records(source: Source, bounds: Bounds) -> EdgeRecords:
    """Look at the schema of a Parquet file."""
    require_plain(source, "Parquet")
    with _opened(source.path) as file:
        columns = id_columns(file.schema_arrow, source)
        names = [file.schema_arrow.names[column] for column in columns]
        records = file.metadata.num_rows
    count = min(bounds.records(16), _MOST_IN_A_BATCH)
    return EdgeRecords(partial(_pieces, source.path, names, count), records=records)


def _pieces(path: Path, names: list[str], count: int, start: Position) -> Pieces:
    with _opened(path) as file:
        first, groups = _groups_from(file, start["record"])
        unwanted = start["record"] - first
        end, size, records = start["record"], path.stat().st_size, file.metadata.num_rows
        for batch in file.iter_batches(count, row_groups=groups, columns=names):
            wanted = batch.slice(unwanted)
            unwanted = max(0, unwanted - batch.num_rows)
            if wanted.num_rows:
                sources, targets = (integers(wanted.column(name), name, end) for name in names)
                end += wanted.num_rows
                yield Piece(sources, targets, {"record": end}, size * end // max(records, end))
        if end != records:
            raise FormatError(f"states {records} rows but has {end}: it is damaged")


def _groups_from(file: pq.ParquetFile, record: int) -> tuple[int, list[int]]:
    """Return the row groups from the one that holds a record on, and the records before them."""
    first, before = 0, 0
    for group in range(file.num_row_groups):
        rows = file.metadata.row_group(group).num_rows
        if before + rows > record:
            break
        first, before = group + 1, before + rows
    return before, list(range(first, file.num_row_groups))


@contextmanager
def _opened(path: Path) -> Iterator[pq.ParquetFile]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        with pq.ParquetFile(path, memory_map=False, buffer_size=_READ_AT_A_TIME, pre_buffer=False) as file:
            yield file
    except (pa.ArrowException, UnicodeDecodeError, OSError) as error:
        if isinstance(error, OSError) and error.errno:
            raise
        raise FormatError(f"is damaged, cut short, or not a Parquet file ({error})") from error
