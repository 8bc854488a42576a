"""pandas frames: their columns become Arrow's, and results become frames with a new index."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pointerjump.errors import TableError
from pointerjump.tables.arrow_tables import Stream
from pointerjump.tables.ids import are_of_one_kind
from pointerjump.tables.selected import ROWS_AT_A_TIME, THE_TABLE, Alike, Selected
from pointerjump.tables.where import Condition, columns_needed

if TYPE_CHECKING:
    import pyarrow as pa


@dataclass(frozen=True)
class PandasFrame:
    """A frame of pandas. Its index is no column. Names of columns that are no strings are taken as text."""

    frame: Any
    name: str = THE_TABLE
    hint: str = ""

    @property
    def names(self) -> Sequence[str]:
        """The names of its columns."""
        return [str(name) for name in self.frame.columns]

    def schema_of(self, columns: Sequence[str]) -> pa.Schema:
        """Return the types of some of its columns."""
        return self._arrow(columns).schema

    def select(self, columns: Sequence[str], conditions: Sequence[Condition], alike: Alike) -> Selected:
        """Return these columns of the rows that meet the conditions."""
        table = self._arrow(columns_needed(columns, conditions))
        batches = table.to_batches(ROWS_AT_A_TIME)
        stream = Stream(table.schema, batches, table.num_rows, self.name, self._frame_of)
        return stream.select(columns, conditions, alike)

    def _arrow(self, columns: Sequence[str]) -> pa.Table:
        import pyarrow as pa

        names = self.names
        series = {name: self.frame.iloc[:, names.index(name)] for name in columns}
        return pa.table({name: _as_arrow(column, name, self.name) for name, column in series.items()})

    def _frame_of(self, table: pa.Table) -> Any:
        """Return a result as a frame; its columns are Arrow's if those of the frame that was given are."""
        import pandas as pd

        on_arrow = any(isinstance(dtype, pd.ArrowDtype) for dtype in self.frame.dtypes)
        return table.to_pandas(types_mapper=pd.ArrowDtype if on_arrow else None)


def _as_arrow(column: Any, name: str, table: str) -> Any:
    import pyarrow as pa

    try:
        try:
            array = pa.array(column, from_pandas=True)
        except OverflowError:  # Python's integers are taken for signed ones
            return pa.array(column, pa.uint64(), from_pandas=True)
        if column.dtype == object and not are_of_one_kind(column.dropna(), array.type):
            raise TypeError
        return array
    except (pa.ArrowException, OverflowError, TypeError, ValueError):
        raise TableError(f"{table}: column {name!r} {_misfit(column)}") from None


def _misfit(column: Any) -> str:
    """Return why Arrow has no type for a column of Python objects: usually they are of two types."""
    there = column.notna()
    values = [(row, value) for row, value in enumerate(column) if there.iloc[row]]
    first = type(values[0][1]) if values else type(None)
    for row, value in values:
        if type(value) is not first:
            return (
                f"holds {first.__name__} in row {values[0][0]}, but {type(value).__name__} in row {row}: "
                "cast it to one type"
            )
    for row, value in values:
        if isinstance(value, int) and not -(2**63) <= value < 2**64:
            return f"holds {value} in row {row}, which has more than 64 bits: cast it to strings"
    return f"holds {first.__name__}, which Arrow does not have: cast it to integers or strings"
