"""Columns of ids that are numbered together, for callers that need all numbers at once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from pointerjump.face.ids import Numbers, numbered
from pointerjump.tables.ids import checked, common_type
from pointerjump.tables.selected import GivenTable

if TYPE_CHECKING:
    import pyarrow as pa


def numbered_columns(
    tables: Sequence[GivenTable], device: Any = None, *, name: str | None = None
) -> tuple[pa.Array[Any], list[Numbers]]:
    """Number the ids in all columns of some tables: equal ids get the same number.

    Ids are numbered in order of first appearance, one column after the other.

    Parameters
    ----------
    tables : sequence of GivenTable
        Such as pairs, and nodes. All their ids are compared with one another.
    device : optional
        As for :func:`components`. Few ids are numbered by pyarrow.
    name : str, optional
        What errors call the tables together. Default: the name of the first one.

    Returns
    -------
    ids : pyarrow Array
        Every id once. Its place is its number.
    numbers : list of ndarray of int32
        For each column, the number of the id in each row.

    Raises
    ------
    TableError
        If a column holds what cannot be ids, or a row has no id.
    """
    import pyarrow as pa

    fields = [field for table in tables for field in table.schema]
    type: Any = common_type(fields, name or tables[0].name)
    columns = [column for table in tables for column in _checked_columns(table, type)]
    numbers, ids = numbered(pa.chunked_array([part for column in columns for part in column], type), device)
    ends = np.cumsum([sum(map(len, column)) for column in columns])
    return ids, np.split(numbers, ends[:-1])


def _checked_columns(table: GivenTable, type: Any) -> list[list[pa.Array[Any]]]:
    """Return the parts of each of a table's columns, in the type in which ids are compared."""
    columns: list[list[pa.Array[Any]]] = [[] for _ in table.schema]
    before = 0
    for batch in table.batches():
        for column, field, values in zip(columns, table.schema, batch.columns, strict=True):
            column.append(checked(values, type, f"{table.name}: column {field.name!r}", before))
        before += len(batch)
    return columns


def in_ascending_order(ids: pa.Array[Any]) -> tuple[pa.Array[Any], Numbers]:
    """Return ids in ascending order, and the place of each: the smallest vertex is then the smallest id."""
    import pyarrow.compute as pc

    order = pc.sort_indices(ids)
    places = np.empty(len(ids), np.int32)
    places[order.to_numpy()] = np.arange(len(ids), dtype=np.int32)
    return ids.take(order), places
