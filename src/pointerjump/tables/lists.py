"""Members of groups: one in each row, or a list of them in each row."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from pointerjump.errors import TableError
from pointerjump.tables.ids import element_type

if TYPE_CHECKING:
    import pyarrow as pa


class Members(NamedTuple):
    """Members of groups, side by side.

    Attributes
    ----------
    groups : list of pyarrow Array
        The group of each member, by each key. Without keys, rows are groups: their numbers.
    ids : pyarrow Array
        The members.
    rows : ndarray, optional
        The row of the batch in which each member is; None if there is one in each row.
    """

    groups: list[Any]
    ids: Any
    rows: Any = None


def is_list(field: pa.Field[Any]) -> bool:
    """Return whether a column holds lists."""
    return element_type(field.type) is not field.type


def members_of_rows(batch: pa.RecordBatch, before: int, *, lists: bool, what: str) -> Members:
    """Return the members in a batch: of its last column, in the groups of the others.

    Raises
    ------
    TableError
        If a row has no list. An empty one is fine: nobody is in it.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    column: Any = batch.column(-1)
    if not lists:
        return Members(batch.columns[:-1], column)
    if column.null_count:
        at = before + pc.index(column.is_null(), True).as_py()
        raise TableError(
            f"{what} is null in row {at}: every row needs a list; leave "
            "such rows out, by the condition is not null on it"
        )
    rows = np.asarray(pc.list_parent_indices(column))
    groups = [_at(each, rows) for each in batch.columns[:-1]] or [pa.array(before + rows)]
    return Members(groups, pc.list_flatten(column), rows)


def _at(column: Any, rows: Any) -> Any:
    """Return a column's values in some rows; Arrow cannot take them from views."""
    import pyarrow as pa

    if pa.types.is_string_view(column.type):
        column = column.cast(pa.large_string())
    elif pa.types.is_binary_view(column.type):
        column = column.cast(pa.large_binary())
    return column.take(pa.array(rows))
