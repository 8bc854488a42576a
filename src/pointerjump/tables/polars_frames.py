"""Polars frames. A lazy one computes only the columns that are wanted; its results are lazy too."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pointerjump.errors import TableError
from pointerjump.formats.files import one_line
from pointerjump.tables.selected import ROWS_AT_A_TIME, THE_TABLE, Alike, Selected, selected
from pointerjump.tables.where import Condition, TypedCondition, columns_needed, likely

if TYPE_CHECKING:
    import polars as pl
    import pyarrow as pa


@dataclass(frozen=True)
class PolarsFrame:
    """A frame of Polars, lazy or not."""

    frame: Any
    name: str = THE_TABLE
    hint: str = ""

    @property
    def names(self) -> Sequence[str]:
        """The names of its columns."""
        return list(self._types())

    def schema_of(self, columns: Sequence[str]) -> pa.Schema:
        """Return the types of some of its columns."""
        import polars as pl
        import pyarrow as pa

        types = self._types()
        fields = []
        for column in columns:
            try:
                if types[column] == pl.Object:  # Polars would hand over addresses
                    raise TypeError
                fields.append(pl.DataFrame(schema={column: types[column]}).to_arrow().schema.field(0))
            except (pa.ArrowException, pl.exceptions.PolarsError, TypeError, ValueError):
                raise TableError(
                    f"{self.name}: column {column!r} holds {types[column]}, which Arrow does not have: "
                    "cast it to integers or strings"
                ) from None
        return pa.schema(fields)

    def select(self, columns: Sequence[str], conditions: Sequence[Condition], alike: Alike) -> Selected:
        """Return these columns of the rows that meet the conditions."""
        import polars as pl

        needed = self.schema_of(columns_needed(columns, conditions))
        rows = None if self._lazy else self.frame.height

        def read(typed: Sequence[TypedCondition]) -> Iterator[pa.RecordBatch]:
            some = likely(typed, needed, pl.col, lambda value: value.as_py())
            part = self.frame.select(needed.names)
            return self._rows(part if some is None else part.filter(some))

        return selected(self, needed, columns, rows, read, conditions, alike, self._frame_of)

    @property
    def _lazy(self) -> bool:
        return not hasattr(self.frame, "height")

    def _types(self) -> dict[str, Any]:
        import polars as pl

        try:
            return dict(self.frame.collect_schema())
        except (pl.exceptions.PolarsError, OSError) as error:
            raise TableError(f"{self.name}: {one_line(error)}") from error

    def _rows(self, frame: Any) -> Iterator[pa.RecordBatch]:
        import polars as pl

        try:
            for part in _collected(frame) if self._lazy else [frame]:
                for piece in part.iter_slices(ROWS_AT_A_TIME):
                    yield from piece.to_arrow().to_batches()
        except (pl.exceptions.PolarsError, OSError) as error:
            raise TableError(f"{self.name}: {one_line(error)}") from error

    def _frame_of(self, table: pa.Table) -> Any:
        import polars as pl

        frame: Any = pl.from_arrow(table)
        return frame.lazy() if self._lazy else frame


def _collected(frame: Any) -> Iterator[pl.DataFrame]:
    """Yield the parts of a lazy frame as they come, or the whole where Polars is too old for this."""
    if hasattr(frame, "collect_batches"):
        yield from frame.collect_batches(chunk_size=ROWS_AT_A_TIME, maintain_order=True)
    else:
        yield frame.collect()
