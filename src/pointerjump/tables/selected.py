"""What every kind of table has in common: opened, it has columns; of these, some are selected and read."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from pointerjump.errors import TableError
from pointerjump.formats.files import one_line
from pointerjump.tables.ids import in_given_type
from pointerjump.tables.where import Condition, TypedCondition, rows_that_meet, typed_conditions

if TYPE_CHECKING:
    import pyarrow as pa

ROWS_AT_A_TIME = 1 << 17
"""How many rows a batch has at most."""

THE_TABLE = "the table"
"""What errors call a table that has no path."""


class Alike(NamedTuple):
    """Columns of ids whose types are to be alike.

    Attributes
    ----------
    compared : sequence of sequences of str
        Columns whose ids are compared with one another, such as both ends of pairs.
    results : sequence of str
        Columns that the ids of results come from: these get their type.
    """

    compared: Sequence[Sequence[str]]
    results: Sequence[str]


class GivenTable(Protocol):
    """A table that a caller gave, reduced to the columns and rows that are wanted."""

    @property
    def name(self) -> str:
        """What errors call it: ``"the table"``, or a path."""

    @property
    def schema(self) -> pa.Schema:
        """The columns that are wanted, in the order they are wanted in."""

    @property
    def rows(self) -> int | None:
        """How many rows there are at most, if that is known without reading them."""

    def batches(self) -> Iterator[pa.RecordBatch]:
        """Yield the rows that are wanted, some at a time."""

    def like_given(self, table: pa.Table) -> Any:
        """Return an Arrow table as the kind of table that was given."""


class OpenTable(Protocol):
    """A table of some kind, of which nothing has been read yet but the names of its columns."""

    @property
    def name(self) -> str:
        """What errors call it."""

    @property
    def names(self) -> Sequence[str]:
        """The names of its columns. A name may occur twice."""

    @property
    def hint(self) -> str:
        """What errors add if a column is not there."""

    def schema_of(self, columns: Sequence[str]) -> pa.Schema:
        """Return the types of some of its columns."""

    def select(self, columns: Sequence[str], conditions: Sequence[Condition], alike: Alike) -> Selected:
        """Return these columns of the rows that meet the conditions. All names are known to be there."""


@dataclass(frozen=True)
class Selected:
    """What was selected of a table: a `GivenTable`.

    Attributes
    ----------
    name, schema, rows
        As in `GivenTable`.
    read : callable
        Returns an iterator of the rows, in batches.
    give_back : callable
        Turns an Arrow table into a table of the kind that was given.
    ids : sequence of str
        The columns whose types the ids of results have.
    """

    name: str
    schema: pa.Schema
    rows: int | None
    read: Callable[[], Iterator[pa.RecordBatch]]
    give_back: Callable[[pa.Table], Any]
    ids: Sequence[str]

    def batches(self) -> Iterator[pa.RecordBatch]:
        """Yield the rows that are wanted, some at a time."""
        return self.read()

    def like_given(self, table: pa.Table) -> Any:
        """Return an Arrow table as the kind of table that was given, with the types its ids had."""
        return self.give_back(in_given_type(table, [self.schema.field(name) for name in self.ids]))


def unchanged(table: pa.Table) -> pa.Table:
    """Return an Arrow table as it is."""
    return table


def selected(
    opened: OpenTable,
    schema: pa.Schema,
    columns: Sequence[str],
    rows: int | None,
    read: Callable[[Sequence[TypedCondition]], Iterable[pa.RecordBatch]],
    conditions: Sequence[Condition],
    alike: Alike,
    give_back: Callable[[pa.Table], Any] = unchanged,
) -> Selected:
    """Return what was selected of an open table; by default, results are Arrow tables.

    Only rows that meet the conditions can be counted, so the table's name says that rows were left out.

    Parameters
    ----------
    schema : pyarrow Schema
        Of the columns that are wanted or that conditions need.
    read : callable
        Takes the conditions, and returns batches with at least these columns. It may leave out rows that do
        not meet them.
    """
    # Without rows, columns may have any types, and conditions are about nothing.
    typed = [] if rows == 0 else typed_conditions(conditions, schema, opened.name)
    among = ", ".join(map(str, conditions))
    name = f"{opened.name}, where {among}" if among else opened.name

    def batches() -> Iterator[pa.RecordBatch]:
        with reading_table(opened.name):
            for batch in read(typed):
                for begin in range(0, len(batch), ROWS_AT_A_TIME):
                    yield rows_that_meet(batch.slice(begin, ROWS_AT_A_TIME), typed, columns)

    return Selected(name, part_of(schema, columns), rows, batches, give_back, alike.results)


@contextmanager
def reading_table(name: str) -> Iterator[None]:
    """Turn what pyarrow raises about a table into a TableError of one line that names it."""
    import pyarrow as pa

    try:
        yield
    except MemoryError:
        raise
    except (pa.ArrowException, OSError) as error:
        raise TableError(f"{name}: cannot be read: {one_line(error)}") from error


def part_of(schema: pa.Schema, columns: Sequence[str]) -> pa.Schema:
    """Return some columns of a schema."""
    import pyarrow as pa

    return pa.schema([schema.field(column) for column in columns])
