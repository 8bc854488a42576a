"""Groups of which several parts have members: all rows of a group come to one part, and become pairs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from pointerjump.graphs.parallel import AS_PAIRS, one_type
from pointerjump.tables.ids import common_type, has_value
from pointerjump.tables.open import Roles, id_columns, id_fields, ids_in, open_table

if TYPE_CHECKING:
    import pyarrow as pa

OfKeys = list[Any]
"""For each key, a table of groups and ids, or None if all are null; and last, a table of ids in no group."""


def divided_by_group(tables: Iterable[Any], roles: Roles, where: Any, parts: int) -> list[list[OfKeys]]:
    """Divide rows among some parts. All rows of a group go to the same part, whichever task divides them."""
    found: list[list[OfKeys]] = [[] for _ in range(parts)]
    for table in tables:
        if len(table):  # what is empty may have any type
            for of_keys in _rows(table, roles, where):
                part = [None if rows is None else _hashes_of(rows.column(0)) % parts for rows in of_keys]
                for i, of_part in enumerate(found):
                    of_part.append(
                        [
                            None if rows is None else rows.take(np.flatnonzero(which == i))
                            for rows, which in zip(of_keys, part, strict=True)
                        ]
                    )
    return found


def _hashes_of(values: pa.ChunkedArray[Any]) -> Any:
    """Return a hash of each value, the same in every process."""
    series = values.to_pandas(types_mapper=pd.ArrowDtype)
    return pd.util.hash_pandas_object(series, index=False, categorize=False).to_numpy()


def _rows(table: Any, roles: Roles, where: Any) -> Iterator[OfKeys]:
    """Yield some rows of a table at a time."""
    import pyarrow as pa

    given = id_columns(open_table(table), roles, where)
    keys = list(given.schema)[:-1]
    for _, by_key, (ids,) in ids_in(given, common_type(id_fields(given), given.name)):
        of_keys: OfKeys = []
        alone = np.ones(len(ids), np.bool_)
        for key, groups in zip(keys, by_key, strict=True):
            there = has_value(groups)
            alone &= ~there
            named = pa.table({"group": groups.filter(there), "id": ids.filter(there)})
            of_keys.append(None if pa.types.is_null(key.type) else named)
        yield [*of_keys, pa.table({"id": ids.filter(alone)})]


def pairs_of_groups(several: Sequence[list[OfKeys]]) -> pa.Table:
    """Return pairs that join the members of each group, given all its rows."""
    import pyarrow as pa

    batches = [of_keys for some in several for of_keys in some]
    if not batches:
        return pa.table(dict.fromkeys(AS_PAIRS[:2], pa.nulls(0)))
    *keys, alone = ([rows for rows in tables if rows is not None] for tables in zip(*batches, strict=True))
    one_type([rows["id"].type for tables in (*keys, alone) for rows in tables])
    pairs = [rows.append_column("root", rows["id"]) for rows in alone]
    for tables in filter(None, keys):
        one_type([rows["group"].type for rows in tables], "groups")
        rows = pa.concat_tables(tables)
        group = rows["group"].combine_chunks().dictionary_encode().indices.to_numpy()
        first = np.empty(group.max(initial=-1) + 1, np.int64)
        first[group[::-1]] = np.arange(len(group))[::-1]  # of a group's rows, the first one is written last
        pairs.append(pa.table({"id": rows["id"], "root": rows["id"].take(first[group])}))
    return pa.concat_tables(pairs)
