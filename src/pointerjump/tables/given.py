"""Tables as callers give them, read as Arrow batches of the columns that are wanted."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from pointerjump.errors import TableError

if TYPE_CHECKING:
    import pyarrow as pa

Condition = tuple[str, str, object]
"""A column, an operator such as ``">="``, and a value: rows for which this holds are taken."""

ROWS_AT_A_TIME = 1 << 17
"""How many rows a batch has at most."""


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


def is_table(given: object) -> bool:
    """Return whether something is a table, and not a graph in another form."""
    import pyarrow as pa

    return isinstance(given, pa.Table)


def column_names(given: Any) -> list[str]:
    """Return the names of a table's columns."""
    names: list[str] = given.schema.names
    return names


def given_table(given: Any, columns: Sequence[str], where: Sequence[Condition]) -> GivenTable:
    """Return what is wanted of a table: these columns, of the rows that meet every condition."""
    if where:
        raise TableError("where= is not there yet")
    return _ArrowTable(given.select(list(columns)))


@dataclass(frozen=True)
class _ArrowTable:
    """An Arrow table."""

    table: pa.Table
    name: str = "the table"

    @property
    def schema(self) -> pa.Schema:
        return self.table.schema

    @property
    def rows(self) -> int:
        return self.table.num_rows

    def batches(self) -> Iterator[pa.RecordBatch]:
        yield from self.table.to_batches(ROWS_AT_A_TIME)

    def like_given(self, table: pa.Table) -> Any:
        return table
