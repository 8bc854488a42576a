"""Delimited text, CSV and TSV: which character separates fields, and which columns hold integers.

The first line names the columns, or they are called 0, 1, and so on. Of comma, tab and semicolon, the
separator is the one that this line holds most often. Ids are text, unless all columns whose ids are compared
hold integers in every row, written in the plain way: ``00123`` and ``+5`` are text. To know this, a file
whose first rows hold integers is read twice. Numbers in other columns are floating-point numbers. An empty
field is null.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pointerjump.formats.files import naming
from pointerjump.tables.arrow_tables import Dataset
from pointerjump.tables.files import reading
from pointerjump.tables.selected import Alike, Selected
from pointerjump.tables.where import Condition, columns_needed

if TYPE_CHECKING:
    import pyarrow as pa

_SEPARATORS = (",", "\t", ";")
_LOOKED_AT = 1 << 16
"""Bytes that are read to find the first line."""


@dataclass(frozen=True)
class DelimitedText:
    """Files of delimited text.

    Attributes
    ----------
    dataset_of : callable
        Makes a data set of the files, given their format.
    files : list of str
    name : str
    header : bool
        Whether the first line names the columns.
    """

    dataset_of: Callable[[Any], Any]
    files: Sequence[str]
    name: str
    header: bool = True
    hint: str = " (the first line of delimited text must name its columns; --no-header numbers them)"

    @property
    def names(self) -> Sequence[str]:
        """The names of its columns."""
        return self._inferred.names

    def schema_of(self, columns: Sequence[str]) -> pa.Schema:
        """Return the types of some of its columns, as the first rows suggest them."""
        import pyarrow as pa

        return pa.schema([(column, _widened(self._inferred.field(column).type)) for column in columns])

    def select(self, columns: Sequence[str], conditions: Sequence[Condition], alike: Alike) -> Selected:
        """Return these columns of the rows that meet the conditions."""
        types = {field.name: field.type for field in self.schema_of(columns_needed(columns, conditions))}
        for group in alike.compared:
            types |= dict.fromkeys(group, self._type_of_ids(group))
        dataset = Dataset(self._dataset(types), self.name, self.hint, _without_empty_text)
        return dataset.select(columns, conditions, alike)

    @cached_property
    def _inferred(self) -> pa.Schema:
        schema: pa.Schema = self._dataset({}).schema
        return schema

    @cached_property
    def _first_line(self) -> str:
        """The first line, without what is in quotes."""
        import pyarrow as pa

        with naming(Path(self.files[0])), pa.input_stream(self.files[0]) as stream:
            first = re.match(rb"[^\r\n]*", stream.read(_LOOKED_AT))
        return re.sub(r'"[^"]*"', "", first[0].decode("utf-8", "replace") if first else "")

    def _dataset(self, types: dict[str, pa.DataType]) -> Any:
        """Return the files as a data set, with columns of these types."""
        import pyarrow.csv as csv
        import pyarrow.dataset as ds

        separator = max(_SEPARATORS, key=self._first_line.count)
        numbers = [] if self.header else list(map(str, range(self._first_line.count(separator) + 1)))
        format = ds.CsvFileFormat(
            parse_options=csv.ParseOptions(delimiter=separator, newlines_in_values=True),
            convert_options=csv.ConvertOptions(column_types=types),
            read_options=csv.ReadOptions(column_names=numbers),
        )
        with naming(Path(self.name)), reading():
            return self.dataset_of(format)

    def _type_of_ids(self, columns: Sequence[str]) -> pa.DataType:
        """Return a type of integers that holds all values of these columns, or text if there is none."""
        import pyarrow as pa

        inferred = [self._inferred.field(column).type for column in columns]
        if any(not (pa.types.is_integer(type) or pa.types.is_floating(type)) for type in inferred):
            return pa.string()
        as_text = Dataset(self._dataset(dict.fromkeys(columns, pa.string())), self.name)
        possible: list[pa.DataType] = [pa.int64(), pa.uint64()]
        for batch in as_text.select(columns, (), Alike((), ())).batches():
            possible = [type for type in possible if all(_are_plain(text, type) for text in batch.columns)]
            if not possible:
                return pa.string()
        return possible[0]


def _without_empty_text(batch: Any) -> Any:
    """Return a batch in which empty text is null: nobody can write the one and not the other."""
    import pyarrow as pa
    import pyarrow.compute as pc

    empty: Any = pa.scalar("")
    columns = [
        pc.if_else(pc.equal(column, empty), None, column) if pa.types.is_string(column.type) else column
        for column in batch.columns
    ]
    return pa.record_batch(columns, names=batch.schema.names)


def _are_plain(text: Any, type: pa.DataType) -> bool:
    """Whether all of this text is integers of a type, written without signs and zeros that say nothing."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if not pa.types.is_string(text.type):  # the name of a folder, such as year=2024
        return pa.types.is_integer(text.type)
    zero_first = text.filter(pc.or_(pc.starts_with(text, "0"), pc.starts_with(text, "-0")))
    try:
        text.cast(type)
    except pa.ArrowInvalid:
        return False
    return pc.all(pc.equal(zero_first, pa.scalar("0"))).as_py() is not False


def _widened(type: pa.DataType) -> Any:
    """Return the type to read a column with that holds no ids, if its first rows suggest this one."""
    import pyarrow as pa

    return pa.float64() if pa.types.is_integer(type) or pa.types.is_null(type) else type
