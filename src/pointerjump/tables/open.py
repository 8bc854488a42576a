"""Opens tables of any kind, and finds the columns that contain pairs, groups and their members, or nodes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import chain, cycle, islice
from os import PathLike
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from pointerjump.base.arrow import pa, pc
from pointerjump.errors import TableError
from pointerjump.formats.files import are_paths
from pointerjump.formats.pieces import listed
from pointerjump.tables import frames
from pointerjump.tables.end_names import columns_of_ends
from pointerjump.tables.files import open_files
from pointerjump.tables.frames import OpenTable, Selected, called
from pointerjump.tables.ids import (
    as_column,
    checked,
    common_type,
    element_type,
    in_type,
    stored,
    value_type,
    with_dictionaries_of,
)
from pointerjump.tables.where import Condition


def _refuse_dask(given: Any) -> OpenTable:
    raise TableError(f"{type(given).__name__} is one of Dask's: give it to a function of pointerjump.dask")


_KINDS: dict[tuple[str, str], Callable[[Any], OpenTable] | None] = {
    ("dask", "DataFrame"): _refuse_dask,
    ("dask", "Series"): _refuse_dask,
    ("pandas", "DataFrame"): frames.open_pandas,
    ("polars", "DataFrame"): frames.open_polars,
    ("polars", "LazyFrame"): frames.open_polars,
    ("duckdb", "DuckDBPyRelation"): frames.open_duckdb,
    ("_duckdb", "DuckDBPyRelation"): frames.open_duckdb,
    ("pyarrow", "Dataset"): frames.open_arrow,
    ("pyarrow", "Scanner"): frames.open_arrow,
    # Columns have the Arrow PyCapsule interface too, but are not tables.
    ("polars", "Series"): None,
    ("pyarrow", "Array"): None,
    ("pyarrow", "ChunkedArray"): None,
    ("pandas", "Series"): None,
}
"""The function that opens each kind of table. The keys are the package and name of the table's class or of a
base class."""


def is_table(given: object) -> bool:
    """Return whether `given` is a table, based on its class. A path never counts as a table."""
    return _opener_of(type(given)) is not None  # type: ignore[arg-type]  # mypy: classes are not hashable


@lru_cache(maxsize=1024)
def _opener_of(kind: type) -> Callable[[Any], OpenTable] | None:
    """Return the function that opens objects of a class, or None. The class's package is not imported."""
    classes = [(base.__module__.partition(".")[0], base.__name__) for base in kind.__mro__]
    for each in classes:
        if each in _KINDS:
            return _KINDS[each]
    capsules = hasattr(kind, "__arrow_c_stream__") or hasattr(kind, "__arrow_c_array__")
    return frames.open_arrow if capsules else None


def open_table(given: Any) -> OpenTable:
    """Open a table of any kind, including tables in files. Only the names of the columns are read.

    A reader or an iterator of tables can be opened only once.
    """
    if opener := _opener_of(type(given)):  # type: ignore[arg-type]
        return opener(given)
    if isinstance(given, OpenTable):
        return given
    if isinstance(given, str | PathLike) or are_paths(given):
        return open_files(given)
    if isinstance(given, Iterator) or (isinstance(given, list) and all(map(is_table, given))):
        others = iter(given)
        if (one := next(others, None)) is None:
            raise TableError(
                "the iterator of tables is empty: give at least one table, which may have no rows"
            )
        first = open_table(one)
        return _Parts(first.names, first.part, hint=first.hint, first=first, others=others)
    raise TableError(
        f"{type(given).__name__} is not a table: give a frame of pandas or Polars, a table of Arrow, a "
        "relation of DuckDB, or a path; for a graph, name options, as in algorithm='afforest'"
    )


# -- tables that come in parts -----------------------------------------------------------------------


@dataclass(frozen=True)
class _Parts(OpenTable):
    """Several tables that are read as one. Results are of the same kind as the first table that has rows."""

    first: OpenTable | None = None
    others: Iterable[Any] = ()

    def _selected(
        self,
        columns: Sequence[str],
        needed: Sequence[str],
        conditions: Sequence[Condition],
        compared: Sequence[Sequence[str]],
    ) -> Selected:
        def wanted(table: Any) -> Selected:
            return open_table(table).select(columns, conditions, compared, results=())

        parts = enumerate(map(wanted, chain([self.first], self.others)))
        coming = ((number, part, batch) for number, part in parts for batch in part.batches() if len(batch))
        begin = next(coming, None)
        if begin is None:  # empty parts have no types
            return wanted(self.first)
        which, first, _ = begin

        def batches() -> Iterator[pa.RecordBatch]:
            known = which
            for number, part, batch in chain([begin], coming):
                if number != known:
                    _require_same_types(which, first, number, part, compared)
                    known = number
                yield batch

        return replace(first, rows=None, batches=batches)


def that_have_rows(tables: Iterable[Any]) -> Iterator[Any]:
    """Yield all tables that are not empty, or the last one if all are empty.

    Empty tables are skipped because their columns may have any type.
    """
    last, some = None, False
    for last in tables:
        if not hasattr(last, "__len__") or len(last):
            some = True
            yield last
    if not some and last is not None:
        yield last


def _require_same_types(
    which: int, first: Selected, number: int, part: Selected, compared: Sequence[Sequence[str]]
) -> None:
    """Raise a TableError if a column of a part does not have the same type as in the first part.

    For ids, only the types in which they are compared must be the same. A column of nulls is always allowed.
    """
    types, of_part = _types(first, compared), _types(part, compared)
    for one, other in zip(first.schema, part.schema, strict=True):
        if types[one.name] != of_part[one.name] and str(other.type) != "null":
            raise TableError(
                f"{first.name}: column {one.name!r} holds {one.type} in part {which}, but {other.type} in "
                f"part {number}: cast it to one type"
            )


def _types(given: Selected, compared: Sequence[Sequence[str]]) -> dict[str, Any]:
    types = {field.name: (value_type(field.type), False) for field in given.schema}
    for columns in compared:
        fields = [given.schema.field(column) for column in columns]
        type = common_type(fields, given.name, of_lists=True)
        types |= {field.name: (type, element_type(field.type) is not field.type) for field in fields}
    return types


# -- columns of ids ----------------------------------------------------------------------------------


class Roles(NamedTuple):
    """The columns of a table that contain ids: either the two ends of pairs, or groups and their members."""

    source: str | None = None
    target: str | None = None
    group: str | Sequence[str] | None = None
    member: str | None = None


def id_columns(opened: OpenTable, roles: Roles, where: Any) -> Selected:
    """Select the columns of ids that the caller names or, by default, two whose names suggest pairs."""
    if roles.group is None and roles.member is None:
        return opened.select(pair_columns(opened, roles.source, roles.target), where)
    if roles.source is not None or roles.target is not None:
        raise TableError(
            f"{opened.name}: source= and target= are for pairs, group= and member= for groups: give either"
        )
    group, member = roles.group, roles.member
    if member is None:
        raise TableError(f"{opened.name}: group= is given, but member= is not: name the column of ids")
    groups: list[Any] = [group] if isinstance(group, str) else list(group or ())
    if group is not None and not groups:
        raise TableError(f"{opened.name}: group= is an empty list: name at least one column")
    if member in groups:
        raise TableError(f"{opened.name}: group and member are both {member!r}: name two columns")
    members = [*groups, member]
    by_themselves = [[column] for column in members]
    given = replace(opened.select(members, where, by_themselves, members[-1:]), grouped=True)
    field = given.schema.field(0)
    if len(members) == 1 and element_type(field.type) is field.type and any(map(len, given.batches())):
        raise TableError(
            f"{opened.name}: column {field.name!r} holds {field.type}, and no lists: name the column of "
            "groups with group="
        )
    return given


def pair_columns(opened: OpenTable, source: str | None, target: str | None) -> tuple[str, str]:
    """Return the columns `source` and `target` or, by default, two whose names suggest pairs."""
    names, table = opened.names, opened.name
    if source is None and target is None:
        if not names:
            raise TableError(f"{table}: has no columns: give a table with two columns of ids")
        if (usual := columns_of_ends(names)) is None:
            raise TableError(
                f"{table}: has columns {listed(names)}{opened.hint}: name those of the ids with source= and "
                "target= (--source, --target)"
            )
        source, target = usual
    if source is None or target is None:
        known, other = ("source", "target") if target is None else ("target", "source")
        raise TableError(f"{table}: {known}= is given, but {other}= is not: a pair needs two columns")
    if source == target:
        raise TableError(f"{table}: source and target are both {source!r}: a pair needs two columns")
    return source, target


def pairs_with_numbers(
    opened: OpenTable,
    roles: Roles,
    column: str,
    where: Any,
    called: str,
    keep: Callable[[npt.NDArray[Any]], object],
) -> Selected:
    """Select the two columns of pairs, and pass the numbers in a third column to `keep`.

    Whenever a batch of pairs is read, `keep` is called with the batch's numbers in `column`.
    """
    source, target = pair_columns(opened, roles.source, roles.target)
    given = opened.select([source, target, column], where, [[source, target]])
    type = given.schema.field(column).type
    numbers = pa.types.is_integer, pa.types.is_floating, pa.types.is_decimal, pa.types.is_null
    if not any(are(type) for are in numbers):
        raise TableError(f"{given.name}: column {column!r} holds {type}, but {called}s are numbers: cast it")

    def pairs() -> Iterator[pa.RecordBatch]:
        before = 0
        for batch in given.batches():
            found = batch.column(2)
            missing = pc.is_null(found, nan_is_null=pa.types.is_floating(found.type))
            if pc.any(missing).as_py():
                raise TableError(
                    f"{given.name}: column {column!r} has no {called} in row "
                    f"{before + pc.index(missing, True).as_py()}: leave such rows out, with "
                    f"where=({column!r}, 'is not null') (--where {column} 'is not' null)"
                )
            if pa.types.is_decimal(found.type):
                found = found.cast(pa.float64())
            keep(found.to_numpy(zero_copy_only=False))
            before += len(batch)
            yield batch.select([0, 1])

    return replace(given, schema=given.schema.remove(2), batches=pairs)


# -- ids in columns ----------------------------------------------------------------------------------


def id_fields(given: Selected) -> list[Any]:
    """Return the fields of the columns whose ids become vertices."""
    *others, last = given.schema
    return [last.with_type(element_type(last.type))] if given.grouped else [*others, last]


def group_types(given: Selected) -> list[Any]:
    """Return the types in which columns of groups are compared, or int64 (row numbers) if there are none."""
    return [common_type([field], given.name) for field in list(given.schema)[:-1]] or [pa.int64()]


def ids_in(
    given: Selected, *types: pa.DataType, coded: bool = False
) -> Iterator[tuple[int, list[Any], list[Any]]]:
    """Validate the ids in each batch of a table, and yield them in the types in which they are compared.

    `types` contains one type for all columns of ids, or one type for each column. Each yielded item is a
    tuple of three values. The first is the number of rows read so far. The second is a list of the columns of
    groups, which contain the groups that each id belongs to. Groups may be null or empty. If rows contain
    lists of ids and there are no columns of groups, each row is a group. The third value is a list of the
    columns of ids: the two ends of pairs, the members of groups, or nodes. If `coded` is True, the two ends
    of pairs may be dictionary-encoded.

    A TableError is raised if a row has no id or no list of ids. An empty list is allowed.
    """
    names, of_groups = given.schema.names, group_types(given) if given.grouped else []
    before = given.rows_before
    for batch in given.batches():
        groups, ids, rows = [], batch.columns, None
        if given.grouped:
            *groups, members = batch.columns
            if element_type(members.type) is not members.type:
                if members.null_count:
                    row = before + pc.index(members.is_null(), True).as_py()
                    raise TableError(
                        f"{given.name}: column {names[-1]!r} is null in row {row}: every row needs a list; "
                        "leave such rows out, by the condition is not null on it"
                    )
                rows = np.asarray(pc.list_parent_indices(members))
                groups = [stored(each).take(pa.array(rows)) for each in groups] or [pa.array(before + rows)]
                members = pc.list_flatten(members)
            groups = [in_type(*each, given.name) for each in zip(groups, of_groups, strict=False)]
            ids = [members]
        found = None
        if coded and len(ids) == 2 and isinstance(ids[0], pa.DictionaryArray):
            found = with_dictionaries_of(ids, *types)
        if found is None:
            found = []
            for name, column, type in zip(names[-len(ids) :], ids, cycle(types)):
                found.append(checked(column, type, f"{given.name}: column {name!r}", before, rows))
        before += len(batch)
        yield before, groups, found


def whole_columns(given: Selected, *types: pa.DataType) -> list[pa.ChunkedArray[Any]]:
    """Join the batches that :func:`ids_in` yields: columns of groups (if any), followed by columns of ids."""
    found = group_types(given) if given.grouped else []
    found += islice(cycle(types), 1 if given.grouped else len(given.schema))
    parts: list[list[Any]] = [[] for _ in found]
    for _, groups, ids in ids_in(given, *types):
        for part, column in zip(parts, [*groups, *ids], strict=True):
            part.append(column)
    return [pa.chunked_array(part, of_part) for part, of_part in zip(parts, found, strict=True)]


# -- ids without pairs -------------------------------------------------------------------------------


def given_nodes(nodes: Any) -> Selected:
    """Return `nodes` as a table with one column. Nodes are ids that need not occur in a pair.

    `nodes` may be a table or path with a single column, or with a column named ``id``. It may also be a tuple
    (table or path, column name), or an array, list or series of ids.
    """
    column = None
    if isinstance(nodes, tuple):
        if len(nodes) != 2 or not _is_table_or_path(nodes[0]):
            raise TableError("nodes is a tuple: give a table and the name of its column, or ids in a list")
        nodes, column = nodes
    if not _is_table_or_path(nodes):
        nodes, column = pa.table({"nodes": as_column(nodes, "nodes")}), "nodes"
    opened = open_table(nodes)
    if column is None:
        if not (names := opened.names):
            raise TableError(f"nodes: {opened.name} has no columns: give a table with a column of ids")
        column = names[0] if len(names) == 1 else "id"
        if column not in names:
            raise TableError(
                f"nodes: {opened.name} has columns {listed(names)}: name the one with the ids, as in "
                "nodes=(table, column) or --nodes FILE:COLUMN"
            )
    return called(opened.select([column]), "nodes")


def _is_table_or_path(given: Any) -> bool:
    return isinstance(given, str | PathLike) or is_table(given)
