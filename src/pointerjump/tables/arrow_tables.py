"""Arrow's own tables, batches, streams and data sets, and whatever hands over its columns as Arrow's.

All of them give Arrow tables back.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pointerjump.errors import TableError
from pointerjump.formats.files import one_line
from pointerjump.tables.ids import element_type, value_type, wide_type
from pointerjump.tables.selected import (
    ROWS_AT_A_TIME,
    THE_TABLE,
    Alike,
    Selected,
    part_of,
    reading_table,
    selected,
    unchanged,
)
from pointerjump.tables.where import Condition, TypedCondition, columns_needed, likely

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
        return part_of(self.schema, columns)

    def select(self, columns: Sequence[str], conditions: Sequence[Condition], alike: Alike) -> Selected:
        """Return these columns of the rows that meet the conditions."""
        needed = self.schema_of(columns_needed(columns, conditions))
        return selected(
            self, needed, columns, self.rows, lambda _: self.content, conditions, alike, self.give_back
        )


@dataclass(frozen=True)
class Dataset:
    """A data set of Arrow: files, of which only the columns and row groups that are wanted are read.

    Attributes
    ----------
    mended : callable, optional
        What makes of a batch as it is read one that can be used, for example by looking for damage.
    """

    dataset: ds.Dataset
    name: str = THE_TABLE
    hint: str = ""
    mended: Callable[[pa.RecordBatch], pa.RecordBatch] | None = None

    @property
    def names(self) -> Sequence[str]:
        """The names of its columns."""
        return self.dataset.schema.names

    def schema_of(self, columns: Sequence[str]) -> pa.Schema:
        """Return the types of some of its columns."""
        return part_of(self.dataset.schema, columns)

    def select(self, columns: Sequence[str], conditions: Sequence[Condition], alike: Alike) -> Selected:
        """Return these columns of the rows that meet the conditions."""
        import pyarrow.compute as pc

        wanted = columns_needed(columns, conditions)
        with reading_table(self.name):
            dataset = _with_one_type(self.dataset, wanted, self.name)
        needed = part_of(dataset.schema, wanted)

        def read(typed: Sequence[TypedCondition]) -> Iterator[pa.RecordBatch]:
            some = likely(
                [] if self.mended else typed, needed, pc.field, lambda value: value, _has_statistics
            )
            batches = dataset.to_batches(
                columns=needed.names,
                filter=some,
                batch_size=ROWS_AT_A_TIME,
                batch_readahead=_BATCHES_AHEAD,
                fragment_readahead=_FILES_AHEAD,
            )
            return map(self.mended, batches) if self.mended else batches

        return selected(self, needed, columns, self._rows_known(), read, conditions, alike)

    def _rows_known(self) -> int | None:
        """Return how many rows there are, if the files say so."""
        import pyarrow.dataset as ds

        format = getattr(self.dataset, "format", None)
        with reading_table(self.name):
            return self.dataset.count_rows() if isinstance(format, ds.ParquetFileFormat) else None


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
