"""Tables as a tool's users have them: read as Arrow, and answered in kind."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pointerjump.errors import TableError

if TYPE_CHECKING:
    import pyarrow as pa


@dataclass(frozen=True)
class Given:
    """A table that a caller gave.

    Attributes
    ----------
    table : pyarrow Table
    name : str
        What errors call it.
    in_kind : callable
        Returns an Arrow table as the kind of table that was given.
    """

    table: pa.Table
    name: str
    in_kind: Callable[[pa.Table], Any]

    def columns(self, names: Sequence[str]) -> list[Any]:
        """Return columns, and refuse a name that the table does not have or has twice."""
        return [self.table.column(self._position(name)) for name in names]

    def _position(self, name: str) -> int:
        there = self.table.column_names
        if there.count(name) == 1:
            return there.index(name)
        if name in there:
            raise TableError(f"{self.name}: has two columns {name!r}: rename one of them")
        raise TableError(f"{self.name}: has no column {name!r}: it has {', '.join(there) or 'none'}")


def as_arrow(given: Any, name: str) -> Given:
    """Take a pyarrow, pandas or Polars table, a DuckDB relation, a table of Splink's, or a list of dicts.

    Answers to the last three are Arrow tables.

    Raises
    ------
    TableError
        If it is none of these.
    """
    import pyarrow as pa

    if isinstance(given, pa.Table):
        return Given(given, name, _same)
    if isinstance(given, list | dict):  # as Splink's own examples have them
        return Given(pa.Table.from_pylist(given) if isinstance(given, list) else pa.table(given), name, _same)
    package = type(given).__module__.partition(".")[0]
    if package == "polars":
        import polars as pl

        frame = given.collect() if isinstance(given, pl.LazyFrame) else given
        return Given(frame.to_arrow(), name, pl.from_arrow)
    if package == "pandas":
        return Given(pa.Table.from_pandas(given, preserve_index=False), name, lambda table: table.to_pandas())
    if hasattr(given, "as_pyarrow_table"):  # Splink's own
        return Given(given.as_pyarrow_table(), name, _same)
    if hasattr(given, "__arrow_c_stream__"):
        return Given(pa.table(given), name, _same)
    raise TableError(
        f"{name}: is of type {type(given).__name__}: give a pyarrow Table, a DataFrame or anything with "
        "__arrow_c_stream__"
    )


def _same(table: pa.Table) -> pa.Table:
    return table
