"""Columns of ids: which types may be ids, what two columns of them have in common, and which values may not."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from pointerjump.errors import TableError

if TYPE_CHECKING:
    import pyarrow as pa


def common_type(fields: Sequence[pa.Field[Any]], name: str) -> pa.DataType:
    """Return the type in which the ids of these columns are compared.

    Raises
    ------
    TableError
        If a column holds what cannot be ids, or two columns hold ids that are never equal.
    """
    import pyarrow as pa

    kinds = [_kind(field, name) for field in fields]
    first = kinds[0]
    for field, kind in zip(fields, kinds, strict=True):
        if kind != first:
            raise TableError(
                f"{name}: column {fields[0].name!r} holds {fields[0].type}, but column {field.name!r} holds "
                f"{field.type}: cast one of them, so that equal ids are equal values"
            )
    if first == "integers":
        types = [_value_type(field.type) for field in fields]
        return pa.uint64() if any(type == pa.uint64() for type in types) else pa.int64()
    if first == "strings":
        return pa.large_string()
    if first == "bytes":
        return pa.large_binary()
    return _value_type(fields[0].type)


def checked(column: pa.Array[Any], type: pa.DataType, what: str, before: int) -> pa.Array[Any]:
    """Return a column's ids in the type in which they are compared.

    Parameters
    ----------
    column : pyarrow Array
    type : pyarrow DataType
        What :func:`common_type` returned.
    what : str
        What errors call the column.
    before : int
        How many rows there are before these.

    Raises
    ------
    TableError
        If an id is null or empty, or is an integer that does not fit beside those of the other column.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    if column.null_count:
        at = before + pc.index(column.is_null(), True).as_py()
        raise TableError(f"{what} is null in row {at}: every row needs an id; leave such rows out")
    try:
        ids = column.cast(type)
    except pa.ArrowInvalid:
        raise TableError(
            f"{what} holds integers below 0, and another column integers above 2**63 - 1: cast both columns "
            "to one type"
        ) from None
    if type in (pa.large_string(), pa.large_binary()):
        lengths = pc.binary_length(ids)
        if len(ids) and pc.min(lengths).as_py() == 0:
            at = before + pc.index(lengths, 0).as_py()
            raise TableError(f"{what} is empty in row {at}: every row needs an id; leave such rows out")
    return ids


def as_column(ids: Any) -> pa.ChunkedArray[Any]:
    """Return ids that a caller has in some array or sequence as an Arrow column."""
    import pyarrow as pa

    if isinstance(ids, pa.ChunkedArray):
        return ids
    if hasattr(ids, "__arrow_c_stream__"):
        return pa.chunked_array(ids)
    try:
        column: Any = pa.array(ids)
    except (pa.ArrowInvalid, pa.ArrowTypeError, pa.ArrowNotImplementedError, TypeError) as error:
        why = str(error).splitlines()[0]
        raise TableError(f"ids cannot be one column ({why}): give ids of one type") from None
    return column if isinstance(column, pa.ChunkedArray) else pa.chunked_array([column])


def _value_type(type: pa.DataType) -> Any:
    import pyarrow as pa

    return type.value_type if pa.types.is_dictionary(type) else type


def _kind(field: pa.Field[Any], name: str) -> object:
    """Return what kind of ids a column holds: ids of two kinds are never equal."""
    import pyarrow as pa

    type, types = _value_type(field.type), pa.types
    if types.is_integer(type):
        return "integers"
    if types.is_string(type) or types.is_large_string(type) or types.is_string_view(type):
        return "strings"
    if types.is_binary(type) or types.is_large_binary(type) or types.is_binary_view(type):
        return "bytes"
    if types.is_fixed_size_binary(type) or types.is_decimal(type) or types.is_temporal(type):
        return type
    way_out = "cast them to integers or strings" if types.is_floating(type) else "name another column"
    raise TableError(f"{name}: column {field.name!r} holds {type}, which cannot be ids: {way_out}")
