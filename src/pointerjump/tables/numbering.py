"""Ids become numbers: equal ids the same one, in the order in which they first occur."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from pointerjump.tables.ids import checked, common_type
from pointerjump.tables.selected import GivenTable

if TYPE_CHECKING:
    import pyarrow as pa

Codes = npt.NDArray[np.int32]


def number_ids(*tables: GivenTable) -> tuple[pa.Array[Any], list[Codes]]:
    """Number the ids in all columns of some tables.

    Parameters
    ----------
    *tables : GivenTable
        Such as pairs, and nodes. All their ids are compared with one another.

    Returns
    -------
    ids : pyarrow Array
        Every id once. Its place is its number.
    codes : list of ndarray of int32
        For each column, the number of the id in each row.

    Raises
    ------
    TableError
        If a column holds what cannot be ids, or a row has no id.
    """
    import pyarrow as pa

    fields = [field for table in tables for field in table.schema]
    type: Any = common_type(fields, tables[0].name)
    parts: list[Any] = []
    columns: list[list[int]] = []
    for table in tables:
        columns += _read(table, type, parts)
    coded: Any = pa.chunked_array(parts, type).dictionary_encode()  # all parts by one dictionary
    ids = coded.chunk(0).dictionary if parts else pa.array([], type)
    numbers = [np.from_dlpack(chunk.indices) for chunk in coded.chunks]
    none = np.empty(0, np.int32)
    return ids, [np.concatenate([none, *(numbers[part] for part in column)]) for column in columns]


def _read(table: GivenTable, type: Any, parts: list[Any]) -> list[list[int]]:
    """Read a table's ids, and append them to `parts`; return which parts belong to each column."""
    columns: list[list[int]] = [[] for _ in table.schema]
    before = 0
    for batch in table.batches():
        for column, field, values in zip(columns, table.schema, batch.columns, strict=True):
            column.append(len(parts))
            parts.append(checked(values, type, f"{table.name}: column {field.name!r}", before))
        before += len(batch)
    return columns
