"""Tables as callers give them, read as Arrow batches of the columns that are wanted."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from importlib import import_module
from os import PathLike
from typing import Any

from pointerjump.errors import TableError
from pointerjump.formats.files import are_paths
from pointerjump.tables.columns import require_columns
from pointerjump.tables.ids import common_type, element_type
from pointerjump.tables.kinds import is_table, opener
from pointerjump.tables.selected import Alike, OpenTable, Selected
from pointerjump.tables.where import as_conditions


def open_table(given: Any) -> OpenTable:
    """Return a table of any kind, or in files, with the names of its columns known and nothing else read.

    What can be read only once, such as a reader or an iterator of tables, must be opened only once.

    Raises
    ------
    TableError
        If it is not a table.
    FormatError
        If it is a path to files that are not there, or not what their names say.
    """
    if isinstance(given, str | PathLike) or are_paths(given):
        return _called("files.open_files")(given)
    if hasattr(given, "select") and hasattr(given, "schema_of"):
        opened: OpenTable = given
        return opened
    if known := opener(given):
        return _called(known)(given)
    if isinstance(given, Iterator) or (isinstance(given, list) and all(map(is_table, given))):
        return _called("parts.open_parts")(iter(given))
    raise TableError(
        f"{type(given).__name__} is not a table: give a frame of pandas or Polars, a table of Arrow, a "
        "relation of DuckDB, or a path; for a graph, name options, as in algorithm='afforest'"
    )


def given_table(
    given: Any,
    columns: Sequence[str],
    where: Any = (),
    compared: Sequence[Sequence[str]] | None = None,
    results: Sequence[str] | None = None,
) -> Selected:
    """Return what is wanted of a table: these columns, of the rows that meet every condition.

    Parameters
    ----------
    given : object
        A table, a path, or what :func:`open_table` returned.
    columns : sequence of str
    where : condition or list of conditions
        See :func:`~pointerjump.tables.where.as_conditions`.
    compared : sequence of sequences of str, optional
        Which of the columns hold ids that are compared with one another. Default: all.
    results : sequence of str, optional
        The columns that the ids of results come from. Default: all that are compared.

    Raises
    ------
    TableError
        If it is no table, a column is not there or is named twice, or a condition does not fit the table.
    """
    opened = open_table(given)
    conditions = as_conditions(where)
    require_columns(opened.names, [*columns, *(each.column for each in conditions)], opened.name, opened.hint)
    if twice := {column for column in columns if list(columns).count(column) > 1}:
        raise TableError(f"{opened.name}: column {min(twice)!r} is named twice: name different columns")
    compared = [columns] if compared is None else compared
    results = [column for group in compared for column in group] if results is None else results
    found = opened.select(columns, conditions, Alike(compared, results))
    # Ids that cannot be compared are an error as soon as they are read, unless there are none.
    if _may_be_compared(found, compared) or (found.rows != 0 and any(map(len, found.batches()))):
        return found
    import pyarrow as pa

    no_types = pa.schema([(name, pa.null()) for name in found.schema.names])  # those of no rows say nothing
    return replace(found, schema=no_types, rows=0, read=lambda: iter(()))


def _may_be_compared(given: Selected, compared: Sequence[Sequence[str]]) -> bool:
    """Return whether columns may hold ids, and ids that can be equal where they are compared."""
    try:
        for columns in compared:
            fields = map(given.schema.field, columns)
            common_type([field.with_type(element_type(field.type)) for field in fields], given.name)
    except TableError:
        return False
    return True


def refuse_dask(given: Any) -> OpenTable:
    """Say which function takes a table of Dask's."""
    raise TableError(f"{type(given).__name__} is one of Dask's: give it to pointerjump.dask.components")


def _called(name: str) -> Callable[[Any], OpenTable]:
    """Return a function or class of this package; modules are imported when they are first needed."""
    module, _, attribute = name.partition(".")
    found: Callable[[Any], OpenTable] = getattr(import_module(f"pointerjump.tables.{module}"), attribute)
    return found
