"""Frames of pandas and Polars, DuckDB's relations and Arrow's own tables, opened: one function for each kind.

Each takes such a table and says how its columns become Arrow batches, and how an Arrow table becomes one of
its kind.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from pointerjump.errors import TableError
from pointerjump.formats.files import one_line
from pointerjump.tables.ids import are_of_one_kind, element_type, value_type, wide_type
from pointerjump.tables.select import ROWS_AT_A_TIME, THE_TABLE, OpenTable, part_of, reading_table
from pointerjump.tables.where import TypedCondition, likely

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    import pyarrow as pa
    import pyarrow.dataset as ds

_FILES_AHEAD = 2
_BATCHES_AHEAD = 4
"""How much pyarrow reads ahead. Its own choice would hold gigabytes."""


# -- Arrow -------------------------------------------------------------------------------------------


def open_arrow(given: Any) -> OpenTable:
    """Open a table, batch, reader, data set or scanner of pyarrow."""
    import pyarrow as pa
    import pyarrow.dataset as ds

    if isinstance(given, ds.Dataset):
        return open_dataset(given)
    if isinstance(given, ds.Scanner):
        return of_batches(given.projected_schema, given.to_batches)
    if isinstance(given, pa.RecordBatch):
        given = pa.Table.from_batches([given])
    if isinstance(given, pa.Table):
        return of_batches(given.schema, lambda: given.to_batches(ROWS_AT_A_TIME), rows=lambda: given.num_rows)
    return of_batches(given.schema, lambda: given)  # a reader, which can be read only once


def of_batches(
    schema: pa.Schema, batches: Callable[[], Iterable[pa.RecordBatch]], **options: Any
) -> OpenTable:
    """Return a table that comes in Arrow batches; options are more attributes of `OpenTable`."""
    return OpenTable(schema.names, lambda columns: part_of(schema, columns), lambda *_: batches(), **options)


def open_capsule(given: Any) -> OpenTable:
    """Open what has a method of the Arrow PyCapsule interface."""
    import pyarrow as pa

    try:
        if hasattr(given, "__arrow_c_stream__"):
            return open_arrow(pa.RecordBatchReader.from_stream(given))
        return open_arrow(pa.record_batch(given))
    except (pa.ArrowException, TypeError, ValueError) as error:
        raise TableError(f"{type(given).__name__}: cannot be read as a table: {one_line(error)}") from None


def open_dataset(
    dataset: ds.Dataset,
    name: str = THE_TABLE,
    hint: str = "",
    mended: Callable[[pa.RecordBatch], pa.RecordBatch] | None = None,
) -> OpenTable:
    """Open a data set of Arrow: files, of which only the columns and row groups that are wanted are read.

    Parameters
    ----------
    mended : callable, optional
        What makes of a batch as it is read one that can be used, for example by looking for damage.
    """
    import pyarrow.compute as pc
    import pyarrow.dataset as ds

    def read(schema: pa.Schema, typed: Sequence[TypedCondition]) -> Iterator[pa.RecordBatch]:
        some = likely([] if mended else typed, schema, pc.field, lambda value: value, _has_statistics)
        batches = _with_one_type(dataset, schema.names, name).to_batches(
            columns=schema.names,
            filter=some,
            batch_size=ROWS_AT_A_TIME,
            batch_readahead=_BATCHES_AHEAD,
            fragment_readahead=_FILES_AHEAD,
        )
        return map(mended, batches) if mended else batches

    def rows() -> int | None:
        format = getattr(dataset, "format", None)
        return dataset.count_rows() if isinstance(format, ds.ParquetFileFormat) else None

    return OpenTable(
        dataset.schema.names,
        lambda columns: part_of(_with_one_type(dataset, columns, name).schema, columns),
        read,
        name=name,
        hint=hint,
        rows=rows,
    )


def _has_statistics(type: pa.DataType) -> bool:
    """Return whether Arrow skips files and row groups by values of a type just as it compares them."""
    import pyarrow as pa

    return pa.types.is_string(type) or pa.types.is_date32(type) or pa.types.is_timestamp(type)


def _with_one_type(dataset: Any, columns: Sequence[str], name: str) -> Any:
    """Return a data set in which these columns have a type that holds the values of all files.

    Left alone, Arrow casts them to the type of the first file, and reads nulls if a file lacks a column.
    """
    import pyarrow as pa
    import pyarrow.dataset as ds

    if len(getattr(dataset, "files", ())) < 2:
        return dataset
    try:
        files = list(dataset.get_fragments())
    except ValueError:  # a filtered one does not say
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
            continue  # all are alike, or the caller of pyarrow chose a type
        told = {type: some for type, some in types.items() if any(file.count_rows() for file in some)}
        lists = {element_type(type) is not type for type in told}
        type = None if len(lists) > 1 else wide_type(value_type(element_type(type)) for type in told)
        if not told:
            continue
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
    """Open a frame of pandas. Its index is no column. Names of columns that are no strings become text."""
    import pandas as pd
    import pyarrow as pa

    names = [str(name) for name in frame.columns]

    def arrow(columns: Sequence[str]) -> pa.Table:
        return pa.table({name: _as_arrow(frame.iloc[:, names.index(name)], name) for name in columns})

    def frame_of(table: pa.Table) -> Any:
        on_arrow = any(isinstance(dtype, pd.ArrowDtype) for dtype in frame.dtypes)
        return table.to_pandas(types_mapper=pd.ArrowDtype if on_arrow else None)

    return OpenTable(
        names,
        lambda columns: arrow(columns).schema,
        lambda schema, _: arrow(schema.names).to_batches(ROWS_AT_A_TIME),
        frame_of,
        rows=lambda: len(frame),
    )


def _as_arrow(column: Any, name: str) -> Any:
    import pyarrow as pa

    try:
        try:
            array = pa.array(column, from_pandas=True)
        except OverflowError:  # Python's integers are taken for signed ones
            return pa.array(column, pa.uint64(), from_pandas=True)
        if column.dtype == object and not are_of_one_kind(column.dropna(), array.type):
            raise TypeError
        return array
    except (pa.ArrowException, OverflowError, TypeError, ValueError):
        raise TableError(f"{THE_TABLE}: column {name!r} {_misfit(column)}") from None


def _misfit(column: Any) -> str:
    """Return why Arrow has no type for a column of Python objects: usually they are of two types."""
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
    """Open a frame of Polars. Of a lazy one, only wanted columns are computed; its results are lazy, too."""
    import polars as pl
    import pyarrow as pa

    lazy = not hasattr(frame, "height")
    errors = (pl.exceptions.PolarsError,)
    with reading_table(THE_TABLE, errors):
        types = dict(frame.collect_schema())

    def schema_of(columns: Sequence[str]) -> pa.Schema:
        fields = []
        for column in columns:
            try:
                if types[column] == pl.Object:  # Polars would hand over addresses
                    raise TypeError
                fields.append(pl.DataFrame(schema={column: types[column]}).to_arrow().schema.field(0))
            except (pa.ArrowException, *errors, TypeError, ValueError):
                raise TableError(
                    f"{THE_TABLE}: column {column!r} holds {types[column]}, which Arrow does not have: "
                    "cast it to integers or strings"
                ) from None
        return pa.schema(fields)

    def read(schema: pa.Schema, typed: Sequence[TypedCondition]) -> Iterator[pa.RecordBatch]:
        some = likely(typed, schema, pl.col, lambda value: value.as_py())
        wanted = frame.select(schema.names)
        wanted = wanted if some is None else wanted.filter(some)
        for part in _collected(wanted) if lazy else [wanted]:
            for piece in part.iter_slices(ROWS_AT_A_TIME):
                yield from piece.to_arrow().to_batches()

    def frame_of(table: pa.Table) -> Any:
        found: Any = pl.from_arrow(table)
        return found.lazy() if lazy else found

    rows = None if lazy else frame.height
    return OpenTable(list(types), schema_of, read, frame_of, rows=lambda: rows, errors=errors)


def _collected(frame: Any) -> Iterator[Any]:
    """Yield the parts of a lazy frame as they come, or the whole where Polars is too old for this."""
    if hasattr(frame, "collect_batches"):
        yield from frame.collect_batches(chunk_size=ROWS_AT_A_TIME, maintain_order=True)
    else:
        yield frame.collect()


# -- DuckDB ------------------------------------------------------------------------------------------


def open_duckdb(relation: Any) -> OpenTable:
    """Open a relation of DuckDB: a query that has not run yet. Results are relations of its connection."""
    import duckdb

    errors = (duckdb.Error,)

    def part(of: Any, columns: Sequence[str]) -> Any:
        return of.select(*map(duckdb.ColumnExpression, columns))

    def read(schema: pa.Schema, typed: Sequence[TypedCondition]) -> Any:
        some = likely(
            typed, schema, duckdb.ColumnExpression, lambda value: duckdb.ConstantExpression(value.as_py())
        )
        return _reader(part(relation if some is None else relation.filter(some), schema.names))

    def relation_of(clusters: pa.Table) -> Any:
        # Only a query of a relation leads to its connection. DuckDB finds the table by the variable's name.
        try:
            return relation.query("pointerjump_given", "select * from clusters")
        except duckdb.Error as error:
            raise TableError(
                f"{THE_TABLE}: {one_line(error)}: keep its connection open, or call arrow()"
            ) from error

    with reading_table(THE_TABLE, errors):
        names = list(relation.columns)
    return OpenTable(
        names,
        lambda columns: _reader(part(relation, columns).limit(0)).schema,
        read,
        relation_of,
        errors=errors,
    )


def _reader(relation: Any) -> Any:
    """Run a query, and return a reader of its rows; the method had another name in older versions."""
    read = getattr(relation, "to_arrow_reader", None) or relation.fetch_record_batch
    return read(ROWS_AT_A_TIME)
