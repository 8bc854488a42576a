"""DuckDB's relations: results are relations of the same connection."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pointerjump.errors import TableError
from pointerjump.formats.files import one_line
from pointerjump.tables.selected import ROWS_AT_A_TIME, THE_TABLE, Alike, Selected, selected
from pointerjump.tables.where import Condition, TypedCondition, columns_needed, likely

if TYPE_CHECKING:
    import pyarrow as pa


@dataclass(frozen=True)
class Relation:
    """A relation of DuckDB: a query that has not run yet."""

    relation: Any
    name: str = THE_TABLE
    hint: str = ""

    @property
    def names(self) -> Sequence[str]:
        """The names of its columns."""
        import duckdb

        try:
            return list(self.relation.columns)
        except duckdb.Error as error:
            raise TableError(f"{self.name}: {one_line(error)}") from error

    def schema_of(self, columns: Sequence[str]) -> pa.Schema:
        """Return the types of some of its columns."""
        import duckdb

        try:
            schema: pa.Schema = _reader(_part_of(self.relation, columns).limit(0)).schema
        except duckdb.Error as error:
            raise TableError(f"{self.name}: {one_line(error)}") from error
        return schema

    def select(self, columns: Sequence[str], conditions: Sequence[Condition], alike: Alike) -> Selected:
        """Return these columns of the rows that meet the conditions."""
        import duckdb

        needed = self.schema_of(columns_needed(columns, conditions))

        def read(typed: Sequence[TypedCondition]) -> Iterator[pa.RecordBatch]:
            some = likely(
                typed,
                needed,
                duckdb.ColumnExpression,
                lambda value: duckdb.ConstantExpression(value.as_py()),
            )
            relation = self.relation if some is None else self.relation.filter(some)
            return self._rows(_part_of(relation, needed.names))

        return selected(self, needed, columns, None, read, conditions, alike, self._relation_of)

    def _rows(self, relation: Any) -> Iterator[pa.RecordBatch]:
        import duckdb
        import pyarrow as pa

        try:
            yield from _reader(relation)
        except (duckdb.Error, pa.ArrowException) as error:
            raise TableError(f"{self.name}: {one_line(error)}") from error

    def _relation_of(self, clusters: pa.Table) -> Any:
        """Return a result as a relation of the same connection, to which only a query of a relation leads.

        DuckDB finds the Arrow table by the name of the variable that holds it.
        """
        import duckdb

        try:
            return self.relation.query("pointerjump_given", "select * from clusters")
        except duckdb.Error as error:
            raise TableError(
                f"{self.name}: {one_line(error)}: keep its connection open, or call arrow()"
            ) from error


def _part_of(relation: Any, columns: Sequence[str]) -> Any:
    import duckdb

    return relation.select(*(duckdb.ColumnExpression(column) for column in columns))


def _reader(relation: Any) -> Any:
    """Run a query, and return a reader of its rows; the method had another name in older versions."""
    read = getattr(relation, "to_arrow_reader", None) or relation.fetch_record_batch
    return read(ROWS_AT_A_TIME)
