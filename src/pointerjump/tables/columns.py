"""Which columns of a table hold the ids, and what to say of columns that are not there."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any

from pointerjump.errors import TableError
from pointerjump.tables.end_names import columns_of_ends

if TYPE_CHECKING:
    import pyarrow as pa

    from pointerjump.tables.selected import OpenTable


def pair_columns(opened: OpenTable, source: str | None, target: str | None) -> tuple[str, str]:
    """Return the two columns with the ids of pairs: those that the caller names, or those with usual names.

    Parameters
    ----------
    opened : OpenTable
    source, target : str or None
        What the caller says: both or neither.

    Raises
    ------
    TableError
        If only one is named, both are the same, or no names are usual.
    """
    names, table = opened.names, opened.name
    if source is None and target is None:
        usual = columns_of_ends(names)
        if usual is None or not usual.sure:
            raise TableError(
                f"{table}: has columns {listed(names)}{opened.hint}: name those of the ids with source= and "
                "target= (--source, --target)"
            )
        source, target = (names[number] for number in usual.columns)
    if source is None or target is None:
        known, other = ("source", "target") if target is None else ("target", "source")
        raise TableError(f"{table}: {known}= is given, but {other}= is not: a pair needs two columns")
    if source == target:
        raise TableError(f"{table}: source and target are both {source!r}: a pair needs two columns")
    return source, target


def group_columns(opened: OpenTable, group: str | Sequence[str] | None, member: str | None) -> list[str]:
    """Return the columns of groups and of their members; or only members, if rows are groups.

    Raises
    ------
    TableError
        If members are not named, or both are the same, or a list of keys is empty.
    """
    if member is None:
        raise TableError(f"{opened.name}: group= is given, but member= is not: name the column of ids")
    if group is None:
        return [member]
    groups: list[Any] = [group] if isinstance(group, str) else list(group)
    if not groups:
        raise TableError(f"{opened.name}: group= is an empty list: name at least one column")
    if member in groups:
        raise TableError(f"{opened.name}: group and member are both {member!r}: name two columns")
    return [*groups, member]


def require_columns(names: Sequence[str], wanted: Sequence[str], table: str, hint: str = "") -> None:
    """Raise a TableError unless each of these columns is there, and is there only once."""
    for column in wanted:
        if not isinstance(column, str):
            raise TableError(f"{table}: {column!r} is not the name of a column: give a string")
        if (count := list(names).count(column)) > 1:
            raise TableError(f"{table}: has {count} columns called {column!r}: rename them")
        if not count:
            near = get_close_matches(column, names, 1)
            raise TableError(
                f"{table}: has no column {column!r}: it has {listed(names)}{hint}"
                + (f"; did you mean {near[0]!r}?" if near else "")
            )


def type_of_column(opened: OpenTable, column: str) -> pa.DataType:
    """Return the type of one of a table's columns.

    Raises
    ------
    TableError
        If it is not there.
    """
    require_columns(opened.names, [column], opened.name, opened.hint)
    type: pa.DataType = opened.schema_of([column]).field(column).type
    return type


def listed(names: Sequence[str]) -> str:
    """Return the names of columns as errors show them."""
    shown = ", ".join(map(repr, names[:20])) + (", ..." if len(names) > 20 else "")
    return shown or "no columns"
