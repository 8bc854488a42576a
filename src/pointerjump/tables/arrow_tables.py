"""Arrow's own tables, batches, streams and data sets, and whatever hands over its columns as Arrow's.

All of them give Arrow tables back.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pointerjump.errors import TableError
from pointerjump.formats.files import one_line
from pointerjump.tables.conditions import Condition, Dialect, columns_needed, expression_of
from pointerjump.tables.ids import element_type
from pointerjump.tables.selected import ROWS_AT_A_TIME, THE_TABLE, Alike, Selected, selected, unchanged

if TYPE_CHECKING:
    import pyarrow as pa
    import pyarrow.dataset as ds

_FILES_AHEAD = 2
_BATCHES_AHEAD = 4
"""How much pyarrow reads ahead. Its own choice would hold gigabytes."""


@dataclass(frozen=True)
class Stream:
    """A table that comes in batches, from memory or from a source that can be read only once."""

    schema: pa.Schema
    content: Iterable[pa.RecordBatch]
    rows: int | None = None
    name: str = THE_TABLE
    give_back: Callable[[pa.Table], Any] = unchanged
    hint: str = ""

    @property
    def names(self) -> Sequence[str]:
        """The names of its columns."""
        return self.schema.names

    def schema_of(self, columns: Sequence[str]) -> pa.Schema:
        """Return the types of some of its columns."""
        return _part_of(self.schema, columns)

    def select(self, columns: Sequence[str], conditions: Sequence[Condition], alike: Alike) -> Selected:
        """Return these columns of the rows that meet the conditions."""
        expression = expression_of(conditions, self.schema, self.name, ARROW)
        return selected(
            self,
            self.schema_of(columns),
            self.rows,
            lambda: _rows(self.content, columns, conditions, expression, self.name),
            conditions,
            alike,
            self.give_back,
        )


@dataclass(frozen=True)
class Dataset:
    """A data set of Arrow: files, of which only the columns and row groups that are wanted are read.

    Attributes
    ----------
    in_place : bool
        Whether its files hold columns as they lie in memory, so that damaged ones must be found before use.
    """

    dataset: ds.Dataset
    name: str = THE_TABLE
    hint: str = ""
    in_place: bool = False

    @property
    def names(self) -> Sequence[str]:
        """The names of its columns."""
        return self.dataset.schema.names

    def schema_of(self, columns: Sequence[str]) -> pa.Schema:
        """Return the types of some of its columns."""
        return _part_of(self.dataset.schema, columns)

    def select(self, columns: Sequence[str], conditions: Sequence[Condition], alike: Alike) -> Selected:
        """Return these columns of the rows that meet the conditions."""
        expression = expression_of(conditions, self.dataset.schema, self.name, ARROW)
        return selected(
            self,
            self.schema_of(columns),
            self._rows_known(),
            lambda: self._scanned(columns, conditions, expression),
            conditions,
            alike,
        )

    def _scanned(
        self, columns: Sequence[str], conditions: Sequence[Condition], expression: Any
    ) -> Iterator[pa.RecordBatch]:
        wanted = columns_needed(columns, conditions)
        _require_in_all_files(self.dataset, wanted, self.name)
        as_it_is = self.in_place or _has_views(self.schema_of(wanted))
        by_scanner = expression is not None and not as_it_is
        batches = self.dataset.to_batches(
            columns=list(columns) if by_scanner else wanted,
            filter=expression if by_scanner else None,
            batch_size=ROWS_AT_A_TIME,
            batch_readahead=_BATCHES_AHEAD,
            fragment_readahead=_FILES_AHEAD,
        )
        sound = map(undamaged, batches) if self.in_place else batches
        return _rows(sound, columns, conditions, None if by_scanner else expression, self.name)

    def _rows_known(self) -> int | None:
        """Return how many rows there are, if the files say so."""
        import pyarrow.dataset as ds

        format = getattr(self.dataset, "format", None)
        return self.dataset.count_rows() if isinstance(format, ds.ParquetFileFormat) else None


def _require_in_all_files(dataset: ds.Dataset, columns: Sequence[str], name: str) -> None:
    """Refuse files of which some lack a column: Arrow would read nulls in its place."""
    import pyarrow.dataset as ds

    if len(getattr(dataset, "files", ())) < 2:
        return
    for file in dataset.get_fragments():
        there = {*file.physical_schema.names, *ds.get_partition_keys(file.partition_expression)}
        for column in columns:
            if column not in there:
                path = getattr(file, "path", "a file")
                raise TableError(
                    f"{name}: {path} has no column {column!r}, which other files have: give files with the "
                    "same columns"
                )


def undamaged(batch: pa.RecordBatch) -> pa.RecordBatch:
    """Return a batch of a file; raise pyarrow's error if a value would lie outside the file's columns."""
    batch.validate(full=True)
    return batch


def open_arrow(given: Any) -> Stream | Dataset:
    """Return a table, batch, reader, data set or scanner of pyarrow as an open table."""
    import pyarrow as pa
    import pyarrow.dataset as ds

    if isinstance(given, ds.Dataset):
        return Dataset(given)
    if isinstance(given, ds.Scanner):
        return Stream(given.projected_schema, Later(given.to_batches))
    if isinstance(given, pa.RecordBatch):
        given = pa.Table.from_batches([given])
    if isinstance(given, pa.Table):
        return Stream(given.schema, Later(lambda: given.to_batches(ROWS_AT_A_TIME)), given.num_rows)
    return Stream(given.schema, given)


def open_capsule(given: Any) -> Stream | Dataset:
    """Return as an open table what has a method of the Arrow PyCapsule interface."""
    import pyarrow as pa

    try:
        if hasattr(given, "__arrow_c_stream__"):
            return open_arrow(pa.RecordBatchReader.from_stream(given))
        return open_arrow(pa.record_batch(given))
    except (pa.ArrowException, TypeError, ValueError) as error:
        raise TableError(f"{type(given).__name__}: cannot be read as a table: {one_line(error)}") from None


class Later:
    """Batches that are made when they are first asked for."""

    def __init__(self, make: Any) -> None:
        self._make = make

    def __iter__(self) -> Iterator[Any]:
        return iter(self._make())


def _part_of(schema: pa.Schema, columns: Sequence[str]) -> pa.Schema:
    import pyarrow as pa

    return pa.schema([schema.field(column) for column in columns])


def _rows(
    batches: Iterable[pa.RecordBatch],
    columns: Sequence[str],
    conditions: Sequence[Condition],
    expression: Any,
    name: str,
) -> Iterator[pa.RecordBatch]:
    """Yield these columns of the rows for which an expression holds, not too many at a time."""
    import pyarrow as pa

    wanted = columns_needed(columns, conditions) if expression is not None else list(columns)
    try:
        for batch in batches:
            table = pa.Table.from_batches([batch]).select(wanted)
            if expression is not None:
                table = _without_views(table).filter(expression).select(list(columns))
            yield from table.to_batches(ROWS_AT_A_TIME)
    except MemoryError:
        raise
    except (pa.ArrowException, OSError) as error:
        raise TableError(f"{name}: cannot be read: {one_line(error)}") from error


def _has_views(schema: pa.Schema) -> bool:
    import pyarrow as pa

    of_one_id = map(element_type, schema.types)
    return any(pa.types.is_string_view(type) or pa.types.is_binary_view(type) for type in of_one_id)


def _without_views(table: pa.Table) -> pa.Table:
    """Return a table with views cast to plain strings, because Arrow cannot filter views."""
    import pyarrow as pa

    if not _has_views(table.schema):
        return table
    return table.cast(pa.schema([field.with_type(_without_view(field.type)) for field in table.schema]))


def _without_view(type: Any) -> Any:
    import pyarrow as pa

    plain: dict[Any, Any] = {pa.string_view(): pa.large_string(), pa.binary_view(): pa.large_binary()}
    if element_type(type) in plain and element_type(type) is not type:
        return pa.large_list(plain[element_type(type)])
    return plain.get(type, type)


def _column(name: str, type: pa.DataType, values: Sequence[Any]) -> Any:
    import pyarrow as pa
    import pyarrow.compute as pc

    column = pc.field(name)
    # To compare integers with a fraction, Arrow casts them. A checked cast fails for large integers.
    fraction = pa.types.is_integer(type) and any(isinstance(value, float) for value in values)
    return column.cast(pa.float64(), safe=False) if fraction else column


def _constant(value: Any, type: pa.DataType) -> Any:
    import pyarrow as pa

    plain = isinstance(value, float) or pa.types.is_decimal(type) or pa.types.is_null(type)
    return pa.scalar(value) if plain else pa.scalar(value, type)


def _among(column: Any, constants: list[Any]) -> Any:
    import pyarrow as pa

    one_type = len({constant.type for constant in constants}) == 1  # each decimal has its own
    type = constants[0].type if one_type else None
    return column.isin(pa.array([constant.as_py() for constant in constants], type))


ARROW = Dialect(
    column=_column,
    value=_constant,
    among=_among,
    missing=lambda column, floats: column.is_null(nan_is_null=floats),
)
"""How Arrow writes conditions."""
