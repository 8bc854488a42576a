"""Tables as callers give them: which kind they are, and one function that opens any kind."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import chain, islice
from os import PathLike
from typing import TYPE_CHECKING, Any

from pointerjump.errors import TableError
from pointerjump.formats.files import are_paths
from pointerjump.tables import frames
from pointerjump.tables.files import open_files
from pointerjump.tables.ids import common_type, element_type, value_type
from pointerjump.tables.select import Alike, OpenTable, Selected, selected

if TYPE_CHECKING:
    import pyarrow as pa

    from pointerjump.tables.where import Condition


def _refuse_dask(given: Any) -> OpenTable:
    """Say which function takes a table of Dask's."""
    raise TableError(f"{type(given).__name__} is one of Dask's: give it to pointerjump.dask.components")


_KINDS: dict[tuple[str, str], Callable[[Any], OpenTable] | None] = {
    ("dask", "DataFrame"): _refuse_dask,
    ("dask", "Series"): _refuse_dask,
    ("pandas", "DataFrame"): frames.open_pandas,
    ("polars", "DataFrame"): frames.open_polars,
    ("polars", "LazyFrame"): frames.open_polars,
    ("duckdb", "DuckDBPyRelation"): frames.open_duckdb,
    ("_duckdb", "DuckDBPyRelation"): frames.open_duckdb,
    ("pyarrow", "Table"): frames.open_arrow,
    ("pyarrow", "RecordBatch"): frames.open_arrow,
    ("pyarrow", "RecordBatchReader"): frames.open_arrow,
    ("pyarrow", "Dataset"): frames.open_arrow,
    ("pyarrow", "Scanner"): frames.open_arrow,
    # Single columns have the Arrow PyCapsule interface too, but are no tables.
    ("polars", "Series"): None,
    ("pyarrow", "Array"): None,
    ("pyarrow", "ChunkedArray"): None,
    ("pandas", "Series"): None,
}
"""What opens a table, by the package and the name of its class or of a class that it inherits from."""


def is_table(given: object) -> bool:
    """Return whether something is a table, told by its class alone. Paths may be tables or not: no."""
    return opener_of(given) is not None


def opener_of(given: object) -> Callable[[Any], OpenTable] | None:
    """Return what opens a table, or None if it is not one."""
    return _opener_of(type(given))  # type: ignore[arg-type]  # mypy does not know that classes are hashable


@lru_cache(maxsize=1024)
def _opener_of(kind: type) -> Callable[[Any], OpenTable] | None:
    """Return what opens a table of this class, without importing the package that it comes from."""
    classes = [(base.__module__.partition(".")[0], base.__name__) for base in kind.__mro__]
    for each in classes:
        if each in _KINDS:
            return _KINDS[each]
    capsules = hasattr(kind, "__arrow_c_stream__") or hasattr(kind, "__arrow_c_array__")
    return frames.open_capsule if capsules else None


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
        return open_files(given)
    if isinstance(given, OpenTable):
        return given
    if known := opener_of(given):
        return known(given)
    if isinstance(given, Iterator) or (isinstance(given, list) and all(map(is_table, given))):
        return _open_parts(iter(given))
    raise TableError(
        f"{type(given).__name__} is not a table: give a frame of pandas or Polars, a table of Arrow, a "
        "relation of DuckDB, or a path; for a graph, name options, as in algorithm='afforest'"
    )


def given_table(given: Any, columns: Sequence[str], where: Any = (), **alike: Any) -> Selected:
    """Open a table and return what is wanted of it; parameters and errors as for `selected`."""
    return selected(open_table(given), columns, where, **alike)


# -- tables that come in parts -----------------------------------------------------------------------


@dataclass(frozen=True)
class _Parts(OpenTable):
    """Tables, one after the other. The first with rows says of what kind results are."""

    first: OpenTable | None = None
    others: Iterable[Any] = ()

    def select(self, columns: Sequence[str], conditions: Sequence[Condition], alike: Alike) -> Selected:
        """Return these columns of the rows that meet the conditions."""

        def with_rows() -> Iterator[tuple[int, Selected, pa.RecordBatch]]:
            for number, table in enumerate(chain([self.first], self.others)):
                part = selected(open_table(table), columns, conditions, *alike)
                yield from ((number, part, batch) for batch in part.batches() if len(batch))

        coming = with_rows()
        begin = list(islice(coming, 1))  # empty parts have no types
        which, first = (
            begin[0][:2] if begin else (0, selected(open_table(self.first), columns, conditions, *alike))
        )

        def batches() -> Iterator[pa.RecordBatch]:
            known = which
            for number, part, batch in chain(begin, coming):
                if number != known:
                    _require_same_types(which, first, number, part, alike)
                    known = number
                yield batch

        return replace(first, rows=None, batches=batches)


def _open_parts(tables: Iterator[Any]) -> OpenTable:
    """Open an iterator of tables of any kind, such as record batches that keep coming."""
    given = next(tables, None)
    if given is None:
        raise TableError("the iterator of tables is empty: give at least one table, which may have no rows")
    first = open_table(given)
    return _Parts(first.names, first.schema_of, first.read, hint=first.hint, first=first, others=tables)


def that_have_rows(tables: Iterable[Any]) -> Iterator[Any]:
    """Yield what is not empty or, if nothing is, a last empty one. What is empty may have any type."""
    empty: list[Any] = []
    some = False
    for table in tables:
        if not hasattr(table, "__len__") or len(table):
            some = True
            yield table
        else:
            empty = [table]
    if not some:
        yield from empty


def _require_same_types(which: int, first: Selected, number: int, part: Selected, alike: Alike) -> None:
    """Refuse a part whose ids are compared in another type than the first one's; nulls have any type."""
    types, of_part = _types(first, alike), _types(part, alike)
    for one, other in zip(first.schema, part.schema, strict=True):
        if types[one.name] != of_part[one.name] and str(other.type) != "null":
            raise TableError(
                f"{first.name}: column {one.name!r} holds {one.type} in part {which}, but {other.type} in "
                f"part {number}: cast it to one type"
            )


def _types(given: Selected, alike: Alike) -> dict[str, Any]:
    """Return the type in which each column is compared, and whether it holds lists."""
    types = {field.name: (value_type(field.type), False) for field in given.schema}
    for columns in alike.compared:
        fields = [given.schema.field(column) for column in columns]
        ids = [field.with_type(element_type(field.type)) for field in fields]
        type = common_type(ids, given.name)
        types |= {field.name: (type, element_type(field.type) is not field.type) for field in fields}
    return types
