"""Reads tables that may be larger than memory, keeping only the rows on which an answer depends."""

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
"""Takes the number of ids and both ends of some rows, and returns which of these rows to keep."""

_TIMES_THEIR_BYTES, _BYTES_PER_ROW = 3, 80  # peak for a forest: copies of rows, and numbers of ids
_SHARE = 0.5  # rows wait until a forest of them would take this fraction of the free memory


class KeptRows(NamedTuple):
    """Some rows of a table, their indices among all rows, and the number of all rows."""

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
    """Read a table, and return the rows that `merge` keeps, or all rows if there are few or `whole` is set.

    `merge` is applied repeatedly to the rows kept so far and the next rows; each time, `keep` gets a mask of
    the rows that stay. For each id that occurs only in loops, one row is kept too. The last rows are merged
    only if `last` is set. Finally, the device numbers the ids of the kept rows in ascending order. The ids
    and the numbers of both ends are returned as well. Views become plain columns, because Arrow cannot select
    rows of views.
    """
    plain = pa.schema([field.with_type(without_view(field.type)) for field in given.schema])
    kept = KeptRows(plain.empty_table(), np.empty(0, np.int64), 0)
    waiting: list[pa.RecordBatch] = []
    waits, nbytes = 0, 0

    def numbered() -> tuple[KeptRows, pa.Array[Any], list[Numbers]]:
        """Return all rows and the numbers of their ids. Errors refer to new rows."""
        new = pa.Table.from_batches(waiting, given.schema)
        table = pa.concat_tables([kept.table, new if plain == given.schema else new.cast(plain)])
        places = np.concatenate([kept.places, np.arange(kept.read, kept.read + waits)])
        selected = given.holding(table.select(ends), rows_before=kept.read - len(kept.places))
        ids, numbers = numbered_columns([selected], device)
        return KeptRows(table, places, kept.read + waits), ids, numbers

    def reduced() -> KeptRows:
        rows, ids, (us, vs) = numbered()
        stays = np.zeros(len(us), bool)
        stays[merge(len(ids), us, vs)] = True
        alone = np.ones(len(ids), bool)
        alone[us[stays]] = alone[vs[stays]] = False
        loops = np.flatnonzero(alone[us])  # ids of which all rows are loops
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
