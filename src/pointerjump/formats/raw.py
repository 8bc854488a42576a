"""Raw pairs: ``.raw32`` and ``.raw64``, the two ids of each edge as little-endian signed integers.

There is nothing else in such a file: no header, and no number of vertices.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from pointerjump.errors import FormatError
from pointerjump.formats.pieces import Bounds, EdgeRecords
from pointerjump.formats.sources import Source
from pointerjump.formats.tables import Table, column_pieces


def raw_records(source: Source, bounds: Bounds, dtype: str) -> EdgeRecords:
    """Look at a file of pairs of a dtype."""
    table = whole_file(source, dtype, 2, "pairs")
    return EdgeRecords(partial(column_pieces, table, (0, 1), bounds), records=table.records)


raw32_records = partial(raw_records, dtype="<i4")
raw64_records = partial(raw_records, dtype="<i8")


def whole_file(source: Source, dtype: str, width: int, what: str) -> Table:
    """Return the table that fills a file, which has to be a whole number of records."""
    table = Table(source.path, np.dtype(dtype), width, 0, None)
    if source.compressed:
        return table  # nobody knows its length yet
    records, rest = divmod(source.size, table.record_bytes)
    if rest:
        raise FormatError(
            f"has {source.size} bytes, which is not a whole number of {what} of {table.record_bytes} bytes: "
            "it is truncated, or in another format"
        )
    return Table(source.path, table.dtype, width, 0, records)
