"""Tables as a tool's users have them: those that pointerjump takes, and those of Splink and its examples."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, cast

from pointerjump.errors import TableError
from pointerjump.formats.files import one_line
from pointerjump.tables.open import given_table, open_table
from pointerjump.tables.select import THE_TABLE, OpenTable, Selected, require_columns

if TYPE_CHECKING:
    import pyarrow as pa


@dataclass(frozen=True)
class Given:
    """Columns of a table that a caller gave, all read.

    Attributes
    ----------
    table : pyarrow Table
    name : str
        What errors call it.
    like_given : callable
        Returns an Arrow table as the kind of table that was given.
    """

    table: pa.Table
    name: str
    like_given: Callable[[pa.Table], Any]

    def select(self, columns: Sequence[str]) -> Selected:
        """Return some of the columns, as functions that number ids take them."""
        return given_table(opened(self.table, self.name), columns)


def opened(given: Any, name: str) -> OpenTable:
    """Open a table of any kind that :func:`pointerjump.components` takes, one of Splink's, or dicts.

    Answers to the last two are Arrow tables. Errors call a table by this name, but files by their paths.

    Raises
    ------
    TableError
        If it is none of these.
    """
    try:
        table = open_table(_as_table(given))
    except TableError as error:
        raise TableError(f"{name}: {error}") from error
    return cast(OpenTable, replace(cast(Any, table), name=name)) if table.name == THE_TABLE else table


def read(given: Any, name: str, columns: Sequence[str] | None = None, ids: Sequence[str] = ()) -> Given:
    """Read some columns of a table, or all; those with ids are compared with one another."""
    import pyarrow as pa

    table = opened(given, name)
    wanted = table.names if columns is None else columns
    require_columns(table.names, wanted, table.name, table.hint)
    # Answers have other columns than those of `components`, so none gets its type back.
    some = given_table(table, wanted, compared=[ids], results=())
    try:
        return Given(pa.Table.from_batches(some.batches(), some.schema), some.name, some.like_given)
    except pa.ArrowException as error:
        raise TableError(f"{some.name}: its parts are no single table: {one_line(error)}") from error


def _as_table(given: Any) -> Any:
    """Return a table of Splink's, or records as its examples have them, as an Arrow table."""
    import pyarrow as pa

    if hasattr(given, "as_pyarrow_table"):
        return given.as_pyarrow_table()
    if not isinstance(given, list | dict):
        return given
    try:
        return pa.Table.from_pylist(given) if isinstance(given, list) else pa.table(given)
    except (pa.ArrowException, AttributeError, OverflowError, TypeError, ValueError) as error:
        what = type(given).__name__
        raise TableError(f"{what} is not a table ({one_line(error)}): give records as dicts") from None
