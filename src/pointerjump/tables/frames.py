"""Defines the class of open tables, and opens data frames and Arrow tables."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from difflib import get_close_matches
from itertools import chain, repeat
from typing import Any, TypeVar

from pointerjump.base.arrow import ds, pa, pc
from pointerjump.errors import TableError
from pointerjump.formats.files import one_line
from pointerjump.formats.pieces import listed
from pointerjump.tables.ids import are_of_one_kind, common_type, element_type, value_type, wide_type
from pointerjump.tables.where import Condition, as_conditions, likely, rows_that_meet, typed_conditions

# Takes typed conditions, and returns record batches. Rows that do not meet the conditions may be left out.
Rows = Callable[[Sequence[Condition]], Iterable[Any]]
ROWS_AT_A_TIME = 1 << 17  # the most rows in a batch
THE_TABLE = "the table"  # what error messages call a table that has no path

_FILES_AHEAD = 2
_BATCHES_AHEAD = 4  # the number of batches that pyarrow reads ahead; its default would take gigabytes


@dataclass(frozen=True)
class Selected:
    """Selected columns of a table, restricted to the rows that meet all conditions.

    `rows` is an upper bound on the number of rows, or None if no bound is known in advance. `like_given`
    converts an Arrow table to the kind of table that the caller passed, with ids in their original types. If
    `grouped` is True, the last column contains members or lists of members, and all other columns contain
    groups. `rows_before` is added to row numbers in error messages.
    """

    name: str
    schema: pa.Schema
    rows: int | None
    batches: Callable[[], Iterable[pa.RecordBatch]]
    like_given: Callable[[pa.Table], Any]
    grouped: bool = False
    rows_before: int = 0

    def table(self) -> pa.Table:
        return pa.Table.from_batches(self.batches(), self.schema)

    def holding(self, table: pa.Table, **more: Any) -> Selected:
        """Return a copy of this selection with the columns and rows of `table`.

        `more` contains new values for other attributes.
        """
        return replace(self, schema=table.schema, rows=len(table), batches=table.to_batches, **more)


@dataclass(frozen=True)
class OpenTable:
    """A table of which only the column names have been read.

    `part` takes the names of columns, and sets of columns whose ids are compared with one another. It returns
    the schema of the columns, the number of rows (None if it is not known in advance) and a function that
    reads the rows. `like_given` converts an Arrow table to the kind of table that the caller passed. Error
    messages contain `name` and, if a column is missing, `hint`. Reading may raise the exceptions in `errors`
    as well as those of Arrow.
    """

    names: Sequence[str]
    part: Callable[[Sequence[str], Sequence[Sequence[str]]], tuple[pa.Schema, int | None, Rows]]
    like_given: Callable[[pa.Table], Any] = lambda table: table
    name: str = THE_TABLE
    hint: str = ""
    errors: tuple[type[Exception], ...] = ()

    def types(self, columns: Sequence[str]) -> pa.Schema:
        """Return the types of the given columns. Raise a TableError if a column is missing."""
        require_columns(self.names, columns, self.name, self.hint)
        with reading_table(self.name, self.errors):
            return self.part(list(dict.fromkeys(columns)), ())[0]

    def select(
        self,
        columns: Sequence[str],
        where: Any = None,
        compared: Sequence[Sequence[str]] | None = None,
        results: Sequence[str] | None = None,
    ) -> Selected:
        """Return the given columns of the rows that meet every condition in `where` (see where.py).

        Each item of `compared` names columns whose ids the caller will compare with one another. By default,
        all columns are compared. `results` names the columns that determine the type of ids in results, and
        defaults to all columns in `compared`.
        """
        columns, conditions = list(columns), [] if where is None else as_conditions(where)
        needed = [*columns, *chain(*compared or []), *(condition.column for condition in conditions)]
        require_columns(self.names, needed, self.name, self.hint)
        if len(set(columns)) < len(columns):
            twice = min(column for column in columns if columns.count(column) > 1)
            raise TableError(f"{self.name}: column {twice!r} is named twice: name different columns")
        compared = [columns] if compared is None else compared
        found = self._selected(columns, list(dict.fromkeys(needed)), conditions, compared)
        try:
            for group in compared:
                common_type(map(found.schema.field, group), found.name, of_lists=True)
        except TableError:  # raised again when ids are compared; without rows, types do not matter
            if found.rows == 0 or not any(map(len, found.batches())):
                no_types = pa.schema([(name, pa.null()) for name in columns])
                found = replace(found, schema=no_types, rows=0, batches=lambda: iter(()))
        fields = list(map(found.schema.field, chain(*compared) if results is None else results))
        like_given = found.like_given
        return replace(found, like_given=lambda table: like_given(in_given_type(table, fields)))

    def _selected(
        self,
        columns: Sequence[str],
        needed: Sequence[str],
        conditions: Sequence[Condition],
        compared: Sequence[Sequence[str]],
    ) -> Selected:
        with reading_table(self.name, self.errors):
            schema, rows, read = self.part(needed, compared)
        # Without rows, columns may have any types, and conditions do not matter.
        typed = typed_conditions(conditions, schema, self.name) if conditions and rows != 0 else []

        def batches() -> Iterator[pa.RecordBatch]:
            with reading_table(self.name, self.errors):
                for batch in read(typed):
                    for begin in range(0, len(batch), ROWS_AT_A_TIME):
                        some = batch.slice(begin, ROWS_AT_A_TIME)
                        yield rows_that_meet(some, typed, columns) if typed else some.select(columns)

        # Errors count only rows that meet the conditions, so the table's name in errors mentions these.
        among = ", ".join(map(str, conditions))
        name = f"{self.name}, where {among}" if among else self.name
        wanted = pa.schema(map(schema.field, columns))
        return Selected(name, wanted, rows, batches, self.like_given)


Named = TypeVar("Named", OpenTable, Selected)


def called(table: Named, name: str) -> Named:
    """Return a copy that error messages call `name`. A table that was opened from a path keeps its name."""
    return replace(table, name=name) if table.name == THE_TABLE else table


def require_columns(names: Sequence[str], wanted: Sequence[str], table: str, hint: str = "") -> None:
    """Raise a TableError unless each of the wanted columns occurs exactly once."""
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


@contextmanager
def reading_table(name: str, errors: tuple[type[Exception], ...] = ()) -> Iterator[None]:
    """Convert errors that occur while a table is read to a one-line TableError that names the table."""
    try:
        yield
    except MemoryError:
        raise
    except (pa.ArrowException, OSError) as error:
        raise TableError(f"{name}: cannot be read: {one_line(error)}") from error
    except errors as error:
        raise TableError(f"{name}: {one_line(error)}") from error


def in_given_type(table: pa.Table, given: Sequence[pa.Field[Any]]) -> pa.Table:
    """Convert the ids in results to their original type, unless the original columns had different types."""
    types = {value_type(element_type(field.type)) for field in given} - {pa.null()}
    if len(types) != 1 or "id" not in table.column_names:
        return table
    (wanted,), was = types, table.schema.field("id").type
    for number, name in enumerate(table.column_names):
        holds_ids = name in ("id", "root", "previous") or name.startswith("component")
        if holds_ids and was != wanted and table.schema.field(number).type == was:
            with suppress(pa.ArrowInvalid):  # strings of more than 2 GiB stay large strings
                table = table.set_column(number, name, table.column(number).cast(wanted))
    return table


# -- Arrow -------------------------------------------------------------------------------------------


def open_arrow(given: Any) -> OpenTable:
    """Open a pyarrow object, or any other object that supports the Arrow PyCapsule interface."""
    if "pyarrow.dataset" in sys.modules:  # if not, `given` is not a data set; importing is slow
        if isinstance(given, ds.Dataset):
            return open_dataset(given)
        if isinstance(given, ds.Scanner):
            return of_batches(given.projected_schema, given.to_batches)
    try:
        if isinstance(given, pa.RecordBatch) or not hasattr(given, "__arrow_c_stream__"):
            given = pa.Table.from_batches([pa.record_batch(given)])
        elif not isinstance(given, pa.Table | pa.RecordBatchReader):
            given = pa.RecordBatchReader.from_stream(given)
    except (pa.ArrowException, TypeError, ValueError) as error:
        raise TableError(f"{type(given).__name__}: cannot be read as a table: {one_line(error)}") from None
    if isinstance(given, pa.Table):
        return of_batches(given.schema, lambda: given.to_batches(ROWS_AT_A_TIME), rows=len(given))
    return of_batches(given.schema, lambda: given)  # a reader, which can be read only once


def of_batches(
    schema: pa.Schema,
    batches: Callable[[], Iterable[pa.RecordBatch]],
    rows: int | None = None,
    name: str = THE_TABLE,
) -> OpenTable:
    def part(columns: Sequence[str], _: Any) -> tuple[pa.Schema, int | None, Rows]:
        return pa.schema(map(schema.field, columns)), rows, lambda _: batches()

    return OpenTable(schema.names, part, name=name)


def open_dataset(
    dataset: ds.Dataset,
    name: str = THE_TABLE,
    mended: Callable[[pa.RecordBatch], pa.RecordBatch] | None = None,
) -> OpenTable:
    """Open an Arrow dataset. Only the required parts are read. `mended` checks or converts each batch."""

    def trusted(type: pa.DataType) -> bool:
        """Return whether Arrow's own comparisons of this type can be used to skip parts of files."""
        return pa.types.is_string(type) or pa.types.is_date32(type) or pa.types.is_timestamp(type)

    def part(columns: Sequence[str], _: Any) -> tuple[pa.Schema, int | None, Rows]:
        alike = _with_one_type(dataset, columns, name)
        schema = pa.schema(map(alike.schema.field, columns))

        def read(typed: Sequence[Condition]) -> Iterable[pa.RecordBatch]:
            batches = alike.to_batches(
                columns=columns,
                filter=None if mended else likely(typed, schema, pc.field, lambda value: value, trusted),
                batch_size=ROWS_AT_A_TIME,
                batch_readahead=_BATCHES_AHEAD,
                fragment_readahead=_FILES_AHEAD,
            )
            return map(mended, batches) if mended else batches

        says = isinstance(getattr(dataset, "format", None), ds.ParquetFileFormat)
        return schema, dataset.count_rows() if says else None, read

    return OpenTable(dataset.schema.names, part, name=name)


def _with_one_type(dataset: Any, columns: Sequence[str], name: str) -> Any:
    """Give each column of a dataset a type that can hold its values in all files.

    By default, Arrow would use the type in the first file, and would fill in nulls if a file lacks a column.
    Here, a missing column is an error.
    """
    if len(getattr(dataset, "files", ())) < 2:
        return dataset
    try:
        files = list(dataset.get_fragments())
    except ValueError:  # a filtered data set does not list its files
        return dataset
    schema = dataset.schema
    for column in columns:
        types: dict[Any, list[Any]] = {}
        for file in files:
            if column not in ds.get_partition_keys(file.partition_expression):
                if column not in file.physical_schema.names:
                    path = getattr(file, "path", "a file")
                    raise TableError(
                        f"{name}: {path} has no column {column!r}, which other files have: give files with "
                        "the same columns"
                    )
                types.setdefault(value_type(file.physical_schema.field(column).type), []).append(file)
        if len(types) < 2 or value_type(schema.field(column).type) != next(iter(types)):
            continue  # all types are equal, or the data set's maker chose one
        told = {type: some for type, some in types.items() if any(file.count_rows() for file in some)}
        if not told:
            continue
        lists = {element_type(type) is not type for type in told}
        type = None if len(lists) > 1 else wide_type(value_type(element_type(type)) for type in told)
        if type is None:
            (one, [file, *_]), (other, [another, *_]), *_ = told.items()
            raise TableError(
                f"{name}: column {column!r} holds {one} in {file.path}, but {other} in {another.path}: "
                "cast it to one type"
            )
        type = pa.large_list(type) if any(lists) else type
        schema = schema.set(schema.get_field_index(column), schema.field(column).with_type(type))
    if schema.equals(dataset.schema):
        return dataset
    return ds.FileSystemDataset(files, schema, dataset.format, dataset.filesystem)


# -- pandas ------------------------------------------------------------------------------------------


def open_pandas(frame: Any) -> OpenTable:
    """Open a pandas data frame without its index. Column names are converted to strings."""
    import pandas as pd

    def part(columns: Sequence[str], _: Any) -> tuple[pa.Schema, int | None, Rows]:
        found = pa.table(list(map(_as_arrow, repeat(frame), columns)), names=list(columns))
        return found.schema, len(frame), lambda _: found.to_batches(ROWS_AT_A_TIME)

    def frame_of(table: pa.Table) -> Any:
        on_arrow = any(isinstance(dtype, pd.ArrowDtype) for dtype in frame.dtypes)
        # Integers must not become floating-point numbers because of nulls in their column.
        return table.to_pandas(types_mapper=pd.ArrowDtype if on_arrow else None, integer_object_nulls=True)

    return OpenTable(list(map(str, frame.columns)), part, frame_of)


def _as_arrow(frame: Any, name: str) -> Any:
    column = frame.iloc[:, list(map(str, frame.columns)).index(name)]
    try:
        try:
            array = pa.array(column, from_pandas=True)
        except OverflowError:  # Python's integers are read as signed
            return pa.array(column, pa.uint64(), from_pandas=True)
        if column.dtype == object and not are_of_one_kind(column.dropna(), array.type):
            raise TypeError
        return array
    except (pa.ArrowException, OverflowError, TypeError, ValueError):
        raise TableError(f"{THE_TABLE}: column {name!r} {_misfit(column)}") from None


def _misfit(column: Any) -> str:
    """Return a message that explains why Arrow has no type for a column of Python objects."""
    there = column.notna()
    values = [(row, value) for row, value in enumerate(column) if there.iloc[row]]
    first = type(values[0][1]) if values else type(None)
    for row, value in values:
        if type(value) is not first:
            return (
                f"holds {first.__name__} in row {values[0][0]}, but {type(value).__name__} in row {row}: "
                "cast it to one type"
            )
    for row, value in values:
        if isinstance(value, int) and not -(2**63) <= value < 2**64:
            return f"holds {value} in row {row}, which has more than 64 bits: cast it to strings"
    return f"holds {first.__name__}, which Arrow does not have: cast it to integers or strings"


# -- Polars ------------------------------------------------------------------------------------------


def open_polars(frame: Any) -> OpenTable:
    """Open a Polars data frame or lazy frame. Only the required columns of a lazy frame are computed."""
    import polars as pl

    rows = getattr(frame, "height", None)
    errors = (pl.exceptions.PolarsError,)
    with reading_table(THE_TABLE, errors):
        types = dict(frame.collect_schema())

    def field(column: str) -> pa.Field[Any]:
        try:
            if types[column] == pl.Object:  # Polars would return addresses
                raise TypeError
            found: pa.Schema = pl.DataFrame(schema={column: types[column]}).to_arrow().schema
            return found.field(0)
        except (pa.ArrowException, *errors, TypeError, ValueError):
            raise TableError(
                f"{THE_TABLE}: column {column!r} holds {types[column]}, which Arrow does not have: "
                "cast it to integers or strings"
            ) from None

    def part(columns: Sequence[str], _: Any) -> tuple[pa.Schema, int | None, Rows]:
        schema = pa.schema(map(field, columns))

        def read(typed: Sequence[Condition]) -> Iterator[pa.RecordBatch]:
            some = likely(typed, schema, pl.col, lambda value: value.as_py())
            wanted = frame.select(columns)
            wanted = wanted if some is None else wanted.filter(some)
            if rows is not None:
                parts = [wanted]
            elif hasattr(wanted, "collect_batches"):
                parts = wanted.collect_batches(chunk_size=ROWS_AT_A_TIME, maintain_order=True)
            else:  # Polars is too old for this
                parts = [wanted.collect()]
            for whole in parts:
                for piece in whole.iter_slices(ROWS_AT_A_TIME):
                    yield from piece.to_arrow().to_batches()

        return schema, rows, read

    def frame_of(table: pa.Table) -> Any:
        found: Any = pl.from_arrow(table)
        return found.lazy() if rows is None else found

    return OpenTable(list(types), part, frame_of, errors=errors)


# -- DuckDB ------------------------------------------------------------------------------------------


def open_duckdb(relation: Any) -> OpenTable:
    """Open a DuckDB relation: a query that has not been run. Results are relations on the same connection."""
    import duckdb
    from duckdb import ColumnExpression, ConstantExpression

    errors = (duckdb.Error,)

    def part(columns: Sequence[str], _: Any) -> tuple[pa.Schema, int | None, Rows]:
        wanted = relation.select(*map(ColumnExpression, columns))
        schema = _reader(wanted.limit(0)).schema

        def read(typed: Sequence[Condition]) -> Any:
            some = likely(typed, schema, ColumnExpression, lambda value: ConstantExpression(value.as_py()))
            return _reader(wanted if some is None else wanted.filter(some))

        return schema, None, read

    def relation_of(clusters: pa.Table) -> Any:
        # A relation's connection can only be reached by a query. DuckDB finds the table by the variable's
        # name.
        try:
            return relation.query("pointerjump_given", "select * from clusters")
        except duckdb.Error as error:
            raise TableError(
                f"{THE_TABLE}: {one_line(error)}: keep its connection open, or call arrow()"
            ) from error

    with reading_table(THE_TABLE, errors):
        names = list(relation.columns)
    return OpenTable(names, part, relation_of, errors=errors)


def _reader(relation: Any) -> Any:
    # In older versions of DuckDB, the method has another name.
    read = getattr(relation, "to_arrow_reader", None) or relation.fetch_record_batch
    return read(ROWS_AT_A_TIME)
