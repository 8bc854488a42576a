"""Tables with named columns, Parquet's and Arrow's: which two columns hold the ids."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy.typing as npt

from pointerjump.errors import FormatError, FormatWarning, warn_user
from pointerjump.formats import parsing
from pointerjump.formats.end_names import columns_of_ends
from pointerjump.formats.files import name_of
from pointerjump.formats.sources import Source

if TYPE_CHECKING:
    import pyarrow as pa


def id_columns(schema: pa.Schema, source: Source) -> tuple[int, int]:
    """Return the numbers of the two columns with ids.

    They are those that the caller chose, or whose names the ends of edges usually have, or the first two.
    """
    import pyarrow as pa

    integers = [i for i, field in enumerate(schema) if pa.types.is_integer(field.type)]
    ends = None if source.columns else columns_of_ends(schema.names, integers)
    chosen = source.columns or (ends.columns if ends else (0, 1))
    left, right = (_number(schema, column) for column in chosen)
    if not source.columns and not (ends and ends.sure) and len(schema.names) > 2:
        which = "" if ends else ", the first two"
        warn_user(
            f"{name_of(source.path)}: its ids are read from columns {schema.names[left]!r} and "
            f"{schema.names[right]!r}{which}; name others with columns= (--columns)",
            FormatWarning,
        )
    for number in (left, right):
        field = schema.field(number)
        if schema.names.count(field.name) > 1:
            raise FormatError(f"has several columns called {field.name!r}: rename them")
        _require_integers(field)
    return left, right


def integers(column: pa.Array[Any], name: str, before: int) -> npt.NDArray[Any]:
    """Return the integers of a part of a column, before which there are so many others."""
    import pyarrow as pa

    if column.null_count:
        at = before + column.is_null().index(True).as_py()
        raise FormatError(f"column {name!r} has no value in row {at}: each edge needs two ids")
    return parsing.to_numpy(pa.chunked_array([column]))


def _number(schema: pa.Schema, column: str | int) -> int:
    if isinstance(column, int):
        if column >= len(schema.names):
            raise FormatError(f"has no column {column}: it has {len(schema.names)}, numbered from 0")
        return column
    found = schema.get_all_field_indices(column)
    if len(found) != 1:
        there = ", ".join(map(repr, schema.names[:20])) + (", ..." if len(schema.names) > 20 else "")
        fault = f"{len(found)} columns" if found else "no column"
        raise FormatError(f"has {fault} called {column!r}: it has {there}")
    return found[0]


def _require_integers(field: pa.Field[Any]) -> None:
    import pyarrow as pa

    if pa.types.is_integer(field.type):
        return
    kind = (
        "string ids" if pa.types.is_string(field.type) or pa.types.is_large_string(field.type) else field.type
    )
    raise FormatError(
        f"column {field.name!r} holds {kind}, but a graph's ids are integers: read it as a table with "
        "source= and target= (--source, --target), or name other columns with columns= (--columns)"
    )
