"""Tables of any kind, opened: their columns are known, and some are selected and read as Arrow batches."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any, NamedTuple

from pointerjump.errors import TableError
from pointerjump.formats.files import one_line
from pointerjump.tables.ids import common_type, element_type, in_given_type
from pointerjump.tables.where import (
    Condition,
    TypedCondition,
    as_conditions,
    columns_needed,
    rows_that_meet,
    typed_conditions,
)

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


@dataclass(frozen=True)
class Selected:
    """Some columns of a table, of the rows that meet some conditions.

    Attributes
    ----------
    name : str
        What errors call it: ``"the table"``, or a path.
    schema : pyarrow Schema
        The columns, in the order they are wanted in.
    rows : int or None
        How many rows there are at most, if that is known without reading them.
    batches : callable
        Returns an iterator of the rows, some at a time.
    give_back : callable
        Turns an Arrow table into a table of the kind that was given.
    ids : sequence of str
        The columns whose types the ids of results have.
    """

    name: str
    schema: pa.Schema
    rows: int | None
    batches: Callable[[], Iterator[pa.RecordBatch]]
    give_back: Callable[[pa.Table], Any]
    ids: Sequence[str]

    def like_given(self, table: pa.Table) -> Any:
        """Return an Arrow table as the kind of table that was given, with the types its ids had."""
        return self.give_back(in_given_type(table, [self.schema.field(name) for name in self.ids]))


def unchanged(table: pa.Table) -> pa.Table:
    """Return an Arrow table as it is."""
    return table


@dataclass(frozen=True)
class OpenTable:
    """A table of which nothing has been read yet but the names of its columns.

    Attributes
    ----------
    names : sequence of str
        The names of its columns. A name may occur twice.
    schema_of : callable
        Returns the types of some of its columns.
    read : callable
        Takes a schema of columns, and conditions; it returns batches with at least these columns. It may
        leave out rows that do not meet the conditions.
    give_back : callable
        Turns an Arrow table into a table of this kind.
    name : str
        What errors call it.
    hint : str
        What errors add if a column is not there.
    rows : callable
        Returns how many rows there are, if that is known without reading them, or None.
    errors : tuple of exception types
        What reading may raise besides what Arrow raises.
    """

    names: Sequence[str]
    schema_of: Callable[[Sequence[str]], pa.Schema]
    read: Callable[[pa.Schema, Sequence[TypedCondition]], Iterable[Any]]
    give_back: Callable[[pa.Table], Any] = unchanged
    name: str = THE_TABLE
    hint: str = ""
    rows: Callable[[], int | None] = lambda: None
    errors: tuple[type[Exception], ...] = ()

    def select(self, columns: Sequence[str], conditions: Sequence[Condition], alike: Alike) -> Selected:
        """Return these columns of the rows that meet the conditions. All names are known to be there."""
        with reading_table(self.name, self.errors):
            schema = self.schema_of(columns_needed(columns, conditions))
            rows = self.rows()
        # Without rows, columns may have any types, and conditions are about nothing.
        typed = [] if rows == 0 else typed_conditions(conditions, schema, self.name)

        def batches() -> Iterator[pa.RecordBatch]:
            with reading_table(self.name, self.errors):
                for batch in self.read(schema, typed):
                    for begin in range(0, len(batch), ROWS_AT_A_TIME):
                        yield rows_that_meet(batch.slice(begin, ROWS_AT_A_TIME), typed, columns)

        # Only rows that meet the conditions can be counted, so the name says that rows were left out.
        among = ", ".join(map(str, conditions))
        name = f"{self.name}, where {among}" if among else self.name
        return Selected(name, part_of(schema, columns), rows, batches, self.give_back, alike.results)


def selected(
    opened: OpenTable,
    columns: Sequence[str],
    where: Any = (),
    compared: Sequence[Sequence[str]] | None = None,
    results: Sequence[str] | None = None,
) -> Selected:
    """Return what is wanted of an open table: these columns, of the rows that meet every condition.

    Parameters
    ----------
    opened : OpenTable
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
        If a column is not there or is named twice, or a condition does not fit the table.
    """
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
    return replace(found, schema=no_types, rows=0, batches=lambda: iter(()))


def _may_be_compared(given: Selected, compared: Sequence[Sequence[str]]) -> bool:
    """Return whether columns may hold ids, and ids that can be equal where they are compared."""
    try:
        for columns in compared:
            fields = map(given.schema.field, columns)
            common_type([field.with_type(element_type(field.type)) for field in fields], given.name)
    except TableError:
        return False
    return True


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


def listed(names: Sequence[str]) -> str:
    """Return the names of columns as errors show them."""
    shown = ", ".join(map(repr, names[:20])) + (", ..." if len(names) > 20 else "")
    return shown or "no columns"


@contextmanager
def reading_table(name: str, errors: tuple[type[Exception], ...] = ()) -> Iterator[None]:
    """Turn what the reader of a table raises into a TableError of one line that names it."""
    import pyarrow as pa

    try:
        yield
    except MemoryError:
        raise
    except (pa.ArrowException, OSError) as error:
        raise TableError(f"{name}: cannot be read: {one_line(error)}") from error
    except errors as error:
        raise TableError(f"{name}: {one_line(error)}") from error


def part_of(schema: pa.Schema, columns: Sequence[str]) -> pa.Schema:
    """Return some columns of a schema."""
    import pyarrow as pa

    return pa.schema([schema.field(column) for column in columns])
