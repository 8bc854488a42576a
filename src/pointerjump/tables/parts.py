"""A table that comes in parts: an iterator of tables of any kind, such as record batches that keep coming."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain, islice
from typing import TYPE_CHECKING, Any

from pointerjump.errors import TableError
from pointerjump.tables.given import given_table, open_table
from pointerjump.tables.ids import common_type, element_type, value_type
from pointerjump.tables.lists import is_list
from pointerjump.tables.selected import THE_TABLE, Alike, GivenTable, OpenTable, Selected
from pointerjump.tables.where import Condition

if TYPE_CHECKING:
    import pyarrow as pa


@dataclass(frozen=True)
class Parts:
    """Tables, one after the other. The first with rows says of what kind results are."""

    first: OpenTable
    others: Iterator[Any]
    name: str = THE_TABLE
    hint: str = ""

    @property
    def names(self) -> Sequence[str]:
        """The names of its columns."""
        return self.first.names

    def schema_of(self, columns: Sequence[str]) -> pa.Schema:
        """Return the types of some of its columns."""
        return self.first.schema_of(columns)

    def select(self, columns: Sequence[str], conditions: Sequence[Condition], alike: Alike) -> Selected:
        """Return these columns of the rows that meet the conditions."""

        def with_rows() -> Iterator[tuple[int, Selected, pa.RecordBatch]]:
            for number, table in enumerate(chain([self.first], self.others)):
                part = given_table(table, columns, conditions, *alike)
                yield from ((number, part, batch) for batch in part.batches() if len(batch))

        coming = with_rows()
        begin = list(islice(coming, 1))  # empty parts have no types
        which, first = begin[0][:2] if begin else (0, given_table(self.first, columns, conditions, *alike))

        def batches() -> Iterator[pa.RecordBatch]:
            known = which
            for number, part, batch in chain(begin, coming):
                if number != known:
                    _require_same_types(which, first, number, part, alike)
                    known = number
                yield batch

        return replace(first, rows=None, read=batches)


def open_parts(tables: Iterator[Any]) -> Parts:
    """Return an iterator of tables as one open table."""
    first = next(tables, None)
    if first is None:
        raise TableError("the iterator of tables is empty: give at least one table, which may have no rows")
    return Parts(open_table(first), tables)


def that_have_rows(tables: Iterable[Any]) -> Iterator[Any]:
    """Yield what is not empty or, if nothing is, a last empty one. What is empty may have any type."""
    empty: list[Any] = []
    some = False
    for table in tables:
        if not hasattr(table, "__len__") or len(table):
            some = True
            yield table
        else:
            empty = [table]
    if not some:
        yield from empty


def _require_same_types(which: int, first: GivenTable, number: int, part: GivenTable, alike: Alike) -> None:
    """Refuse a part whose ids are compared in another type than the first one's; nulls have any type."""
    types, of_part = _types(first, alike), _types(part, alike)
    for one, other in zip(first.schema, part.schema, strict=True):
        if types[one.name] != of_part[one.name] and str(other.type) != "null":
            raise TableError(
                f"{first.name}: column {one.name!r} holds {one.type} in part {which}, but {other.type} in "
                f"part {number}: cast it to one type"
            )


def _types(given: GivenTable, alike: Alike) -> dict[str, Any]:
    """Return the type in which each column is compared, and whether it holds lists."""
    types = {field.name: (value_type(field.type), False) for field in given.schema}
    for columns in alike.compared:
        fields = [given.schema.field(column) for column in columns]
        ids = [field.with_type(element_type(field.type)) for field in fields]
        type = common_type(ids, given.name)
        types |= {field.name: (type, is_list(field)) for field in fields}
    return types
