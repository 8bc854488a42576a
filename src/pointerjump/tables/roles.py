"""The roles of a table's columns: the two ends of pairs, groups and their members, or ids without pairs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from os import PathLike
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from pointerjump.errors import TableError
from pointerjump.formats.files import one_line
from pointerjump.tables.end_names import columns_of_ends
from pointerjump.tables.ids import are_of_one_kind, common_type, element_type
from pointerjump.tables.open import is_table, open_table
from pointerjump.tables.select import THE_TABLE, OpenTable, Selected, listed, require_columns, selected

if TYPE_CHECKING:
    import pyarrow as pa


class Roles(NamedTuple):
    """Which columns of a table hold the ids: the two ends of pairs, or groups and their members."""

    source: str | None = None
    target: str | None = None
    group: str | Sequence[str] | None = None
    member: str | None = None


@dataclass(frozen=True)
class IdColumns:
    """The columns of a table that hold ids.

    Attributes
    ----------
    table : Selected
        The two ends of pairs; or the groups by each key, and last the members. Or only members.
    grouped : bool
        Whether they are groups and members.
    """

    table: Selected
    grouped: bool

    @property
    def lists(self) -> bool:
        """Whether each row has a list of members."""
        return self.grouped and is_list(self.table.schema.field(-1))

    def types_of_groups(self) -> list[Any]:
        """Return the type in which groups are compared, by each key; of rows, their numbers are."""
        import pyarrow as pa

        if not self.grouped:
            return []
        keys = list(self.table.schema)[:-1]
        return [common_type([field], self.table.name) for field in keys] or [pa.int64()]

    def id_fields(self) -> list[Any]:
        """Return the columns whose ids become vertices."""
        fields = list(self.table.schema)
        if not self.grouped:
            return fields
        return [fields[-1].with_type(element_type(fields[-1].type))]


def id_columns(opened: OpenTable, roles: Roles, where: Any) -> IdColumns:
    """Return the columns that hold ids: those that the caller names, or pairs with usual names."""
    pairs = roles[:2]
    if roles.group is None and roles.member is None:
        columns = pair_columns(opened, *pairs)
        return IdColumns(selected(opened, columns, where), grouped=False)
    if any(pairs):
        raise TableError(
            f"{opened.name}: source= and target= are for pairs, group= and member= for groups: give either"
        )
    members = group_columns(opened, roles.group, roles.member)
    by_themselves = [[column] for column in members]
    given = IdColumns(selected(opened, members, where, by_themselves, members[-1:]), grouped=True)
    field = given.table.schema.field(0)
    if len(members) == 1 and not given.lists and any(map(len, given.table.batches())):
        raise TableError(
            f"{opened.name}: column {field.name!r} holds {field.type}, and no lists: name the column of "
            "groups with group="
        )
    return given


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


# -- members of groups ---------------------------------------------------------------------------------


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


# -- ids without pairs -------------------------------------------------------------------------------


def given_nodes(nodes: Any) -> Selected:
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
    given = selected(opened, [_column_of_ids(opened) if column is None else column])
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
