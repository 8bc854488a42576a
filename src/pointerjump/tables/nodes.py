"""Ids without pairs, which a caller gives as ``nodes``: a column, or a table with one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from os import PathLike
from typing import Any

from pointerjump.errors import TableError
from pointerjump.formats.files import one_line
from pointerjump.tables.columns import listed
from pointerjump.tables.given import given_table, open_table
from pointerjump.tables.ids import are_of_one_kind
from pointerjump.tables.kinds import is_table
from pointerjump.tables.selected import THE_TABLE, GivenTable, OpenTable


def given_nodes(nodes: Any) -> GivenTable:
    """Return ids without pairs as a table of one column.

    Parameters
    ----------
    nodes : object
        A table or path with a single column, or with one called ``id``; a tuple of a table or path and the
        name of its column; or a column: an array, list or series.

    Raises
    ------
    TableError
        If a table has several columns, of which none is named or called ``id``, or `nodes` is neither table
        nor column.
    """
    column = None
    if isinstance(nodes, tuple):
        if len(nodes) != 2 or not _is_table_or_path(nodes[0]):
            raise TableError("nodes is a tuple: give a table and the name of its column, or ids in a list")
        nodes, column = nodes
    if not _is_table_or_path(nodes):
        nodes = _table_of(nodes)
    opened = open_table(nodes)
    given = given_table(opened, [_column_of_ids(opened) if column is None else column])
    return replace(given, name="nodes") if given.name == THE_TABLE else given


def _column_of_ids(opened: OpenTable) -> str:
    """Return the column of ids of a table in which none is named."""
    if len(opened.names) == 1:
        return opened.names[0]
    if "id" in opened.names:
        return "id"
    raise TableError(
        f"nodes: {opened.name} has columns {listed(opened.names)}: name the one with the ids, as in "
        "nodes=(table, column) or --nodes FILE:COLUMN"
    )


def _is_table_or_path(given: Any) -> bool:
    return isinstance(given, str | PathLike) or is_table(given)


def _table_of(column: Any) -> Any:
    """Return a column as a table."""
    import pyarrow as pa

    if isinstance(column, set | frozenset):
        raise TableError("nodes is a set, which has no order: give a list")
    try:
        if hasattr(column, "__arrow_c_stream__"):
            values = pa.chunked_array(column)
        else:
            has_type = hasattr(column, "dtype")
            ids = column if has_type or isinstance(column, Sequence) else list(column)
            values = pa.array(ids)
            if not has_type and not are_of_one_kind(ids, values.type):
                raise TypeError("they are objects of several types")
    except (pa.ArrowException, OverflowError, TypeError, ValueError) as error:
        raise TableError(f"nodes: {type(column).__name__} is no column of ids: {one_line(error)}") from None
    return pa.table({"nodes": values})
