"""Reads tables that may be larger than memory, and keeps only the rows that affect the result."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from pointerjump.base import memory
from pointerjump.base.arrow import pa
from pointerjump.ids.interning import Numbers, numbered_columns
from pointerjump.tables.frames import Selected
from pointerjump.tables.ids import without_view

Merge = Callable[[int, Numbers, Numbers], npt.NDArray[np.int64]]
"""A function that takes the number of ids and the two ends of each row, and returns the indices of the rows
to keep."""

_TIMES_THEIR_BYTES, _BYTES_PER_ROW = 3, 80  # peak memory of a merge: copies of the rows, and bytes per row
_SHARE = 0.5  # rows are merged once merging them would take this fraction of free memory


class KeptRows(NamedTuple):
    """Some rows of a table, their indices in the whole table, and the number of rows read so far."""

    table: pa.Table
    places: npt.NDArray[np.int64]
    read: int


def kept_rows(
    given: Selected,
    ends: Sequence[str],
    merge: Merge,
    device: Any,
    keep: Callable[[npt.NDArray[np.bool_]], None] = lambda stays: None,
    *,
    whole: bool = False,
    last: bool = False,
) -> tuple[KeptRows, pa.Array[Any], list[Numbers]]:
    """Read a table, and return the rows that `merge` keeps.

    If there are many rows and `whole` is not set, they are merged in steps: `merge` is applied to the rows
    kept so far and the next rows. After each step, `keep` is called with a mask of the rows that remain. One
    row is also kept for each id that occurs only in loops. Rows that are read after the last step, or all
    rows if there was no step, are returned without merging unless `last` is set.

    Finally, the device numbers the ids of the kept rows in ascending order. In addition to the rows, the
    distinct ids and an array of numbers for each of the two id columns are returned. Columns with view types,
    such as ``string_view``, are converted to plain types, because Arrow cannot select rows from such columns.
    """
    plain = pa.schema([field.with_type(without_view(field.type)) for field in given.schema])
    kept = KeptRows(plain.empty_table(), np.empty(0, np.int64), 0)
    waiting: list[pa.RecordBatch] = []
    waits, nbytes = 0, 0

    def numbered() -> tuple[KeptRows, pa.Array[Any], list[Numbers]]:
        new = pa.Table.from_batches(waiting, given.schema)
        table = pa.concat_tables([kept.table, new if plain == given.schema else new.cast(plain)])
        places = np.concatenate([kept.places, np.arange(kept.read, kept.read + waits)])
        # Errors state the row numbers of new rows, because the kept rows have already been checked.
        selected = given.holding(table.select(ends), rows_before=kept.read - len(kept.places))
        ids, numbers = numbered_columns([selected], device)
        return KeptRows(table, places, kept.read + waits), ids, numbers

    def reduced() -> KeptRows:
        rows, ids, (us, vs) = numbered()
        stays = np.zeros(len(us), bool)
        stays[merge(len(ids), us, vs)] = True
        alone = np.ones(len(ids), bool)
        alone[us[stays]] = alone[vs[stays]] = False
        loops = np.flatnonzero(alone[us])  # ids that occur only in loops
        stays[loops[np.unique(us[loops], return_index=True)[1]]] = True
        keep(stays)
        return KeptRows(rows.table.filter(stays), rows.places[stays], rows.read)

    for batch in given.batches():
        waiting.append(batch)
        waits, nbytes = waits + len(batch), nbytes + batch.nbytes
        needed = _TIMES_THEIR_BYTES * (nbytes + kept.table.nbytes)
        needed += _BYTES_PER_ROW * (waits + len(kept.places))
        if not whole and waits >= len(kept.places) and needed > _SHARE * memory.available()[0]:
            kept, waiting, waits, nbytes = reduced(), [], 0, 0
    if last:
        kept, waiting, waits = reduced(), [], 0
    return numbered()
