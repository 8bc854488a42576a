"""Columns of ids: which types and values may be ids, and what two columns of them have in common."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from pointerjump.errors import TableError
from pointerjump.formats.files import one_line

if TYPE_CHECKING:
    import pyarrow as pa


LEAVES_OUT = {"null": "is not null", "empty": "!= ''"}
"""The conditions that rows with an id do meet."""


def common_type(fields: Sequence[pa.Field[Any]], name: str) -> pa.DataType:
    """Return the type in which the ids of these columns are compared.

    Raises
    ------
    TableError
        If a column holds what cannot be ids, or two columns hold ids that are never equal.
    """
    import pyarrow as pa

    known = [field for field in fields if _kind(field, name) != "nothing"]
    if not known:
        return pa.large_string()
    first = _kind(known[0], name)
    for field in known:
        if _kind(field, name) != first:
            raise TableError(
                f"{name}: column {known[0].name!r} holds {known[0].type}, but column {field.name!r} holds "
                f"{field.type}: cast one of them, so that equal ids are equal values"
            )
    if first == "integers":
        types = [_stored_type(field.type) for field in known]
        return pa.uint64() if any(type == pa.uint64() for type in types) else pa.int64()
    if first == "strings":
        return pa.large_string()
    if first == "bytes":
        return pa.large_binary()
    type: pa.DataType = _stored_type(known[0].type)
    if pa.types.is_date32(type):
        return pa.date64()
    return pa.time64("us") if pa.types.is_time32(type) else type


def checked(
    column: pa.Array[Any], type: pa.DataType, what: str, before: int, rows: Any = None
) -> pa.Array[Any]:
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
    rows : ndarray, optional
        The row of each id, counted from these rows' first one, if a row has a list of ids.

    Raises
    ------
    TableError
        If an id is null or empty, or is an integer that does not fit beside those of the other column.
    """
    ids = in_type(column, type, what)
    if (found := flaw(ids)) is not None:
        flawed, place = found
        condition = LEAVES_OUT[flawed].replace("''", "b''") if is_bytes(ids.type) else LEAVES_OUT[flawed]
        if rows is not None:
            raise TableError(
                f"{what} has {flawed} in the list in row {before + int(rows[place])}: take such ids out of "
                f"the lists, as in [id for id in ids if id {condition.replace('null', 'None')}]"
            )
        raise TableError(
            f"{what} is {flawed} in row {before + place}: every row needs an id; leave such rows out, by the "
            f"condition {condition!r} on it"
        )
    return ids


def in_type(column: pa.Array[Any], type: pa.DataType, what: str) -> pa.Array[Any]:
    """Return a column's values in the type in which they are compared; `what` is what errors call it."""
    import pyarrow as pa

    try:
        return stored(column).cast(type)  # type: ignore[no-any-return]
    except pa.ArrowInvalid:
        raise TableError(
            f"{what} holds integers below 0, and another column integers above 2**63 - 1: cast both columns "
            "to one type"
        ) from None


def has_value(values: Any) -> npt.NDArray[np.bool_]:
    """Return which values are neither null nor empty, given what :func:`in_type` returned."""
    import pyarrow.compute as pc

    there = pc.fill_null(pc.binary_length(values), 0) if _may_be_empty(values.type) else pc.is_valid(values)
    return np.asarray(there).astype(np.bool_)


def _may_be_empty(type: Any) -> bool:
    """Return whether values of a type that :func:`common_type` returned may be empty."""
    import pyarrow as pa

    return type in (pa.large_string(), pa.large_binary(), pa.binary(0))


def flaw(ids: Any) -> tuple[str, int] | None:
    """Return what is wrong with some ids, ``"null"`` or ``"empty"``, and where that is first so; or None.

    The ids have a type that :func:`common_type` returned. So they have no dictionary, which could hold nulls
    that its indices do not count.
    """
    import pyarrow.compute as pc

    if ids.null_count:
        return "null", pc.index(ids.is_null(), True).as_py()
    if _may_be_empty(ids.type):
        lengths = pc.binary_length(ids)
        if len(ids) and pc.min(lengths).as_py() == 0:
            return "empty", pc.index(lengths, 0).as_py()
    return None


def in_given_type(table: pa.Table, given: Sequence[pa.Field[Any]]) -> pa.Table:
    """Return a table of results whose ids have the type that they had when they were given.

    Ids are compared in a type that two columns have in common, so UUIDs may have become bytes, and 32-bit
    integers may have become wider. If the columns did not have the same type, ids stay as they are.

    Parameters
    ----------
    table : pyarrow Table
        A column ``id``, and columns ``root`` or beginning with ``component``, which may hold ids too.
    given : sequence of pyarrow Field
        The columns that the ids come from.
    """
    import pyarrow as pa

    types = {value_type(element_type(field.type)) for field in given} - {pa.null()}
    if len(types) != 1 or "id" not in table.column_names:
        return table
    (wanted,), was = types, table.schema.field("id").type
    for number, name in enumerate(table.column_names):
        holds_ids = name in ("id", "root") or name.startswith("component")
        if holds_ids and was != wanted and table.schema.field(number).type == was:
            with suppress(pa.ArrowInvalid):  # strings of more than 2 GiB stay large ones
                table = table.set_column(number, name, table.column(number).cast(wanted))
    return table


def as_column(ids: Any) -> pa.ChunkedArray[Any]:
    """Return ids that a caller has in some array or sequence as an Arrow column."""
    import pyarrow as pa

    if isinstance(ids, pa.ChunkedArray):
        return ids
    if isinstance(ids, str | bytes):
        raise TableError(f"ids is {type(ids).__name__}, a single id: give a list of ids")
    if hasattr(ids, "__arrow_c_stream__"):
        return pa.chunked_array(ids)
    try:
        column: Any = pa.array(ids)
        if not hasattr(ids, "dtype") and not are_of_one_kind(ids, column.type):
            raise TypeError("they are objects of several types")
    except (pa.ArrowException, OverflowError, TypeError, ValueError) as error:
        raise TableError(f"ids cannot be one column ({one_line(error)}): give ids of one type") from None
    return column if isinstance(column, pa.ChunkedArray) else pa.chunked_array([column])


def are_of_one_kind(objects: Iterable[Any], type_: Any) -> bool:
    """Return whether Python objects that became this Arrow type were of one kind.

    Arrow makes equal values of a string and the same bytes, of a date and a time of that day, and of times
    with and without a time zone.
    """
    import pyarrow as pa

    if not (pa.types.is_binary(type_) or pa.types.is_temporal(type_)):
        return True
    kinds = {(type(each), getattr(each, "tzinfo", None) is None) for each in objects if each is not None}
    return len(kinds) <= 1


def stored(column: Any) -> Any:
    """Return the values that an extension type, such as UUID, is stored as."""
    import pyarrow as pa

    is_extension = isinstance(column.type, pa.BaseExtensionType)
    return column.storage.cast(storage_type(column.type)) if is_extension else column


def storage_type(type: Any) -> Any:
    """Return the type that values of an extension type are stored as. A bool8 is a boolean, not a number."""
    import pyarrow as pa

    return pa.bool_() if type.extension_name == "arrow.bool8" else type.storage_type


def element_type(type: Any) -> Any:
    """Return the type of one id in a column, which may hold lists of them."""
    import pyarrow as pa

    types = pa.types
    lists = types.is_list(type) or types.is_large_list(type) or types.is_fixed_size_list(type)
    return type.value_type if lists else type


def value_type(type: pa.DataType) -> Any:
    """Return the type of a column's values, which a dictionary may hold."""
    import pyarrow as pa

    return type.value_type if pa.types.is_dictionary(type) else type


def wide_type(types: Iterable[Any]) -> Any:
    """Return a type that holds all values of columns of these types; None if two are of different kinds."""
    import pyarrow as pa

    known = [type for type in types if not pa.types.is_null(type)]
    if not known:
        return pa.null()
    signed = any(map(pa.types.is_signed_integer, known))
    for is_one, wide in (
        (pa.types.is_unsigned_integer, pa.uint64()),
        (pa.types.is_integer, pa.int64() if signed and pa.uint64() not in known else None),
        (is_text, pa.large_string()),
        (is_bytes, pa.large_binary()),
    ):
        if all(map(is_one, known)):
            return wide
    return known[0] if len(known) == 1 else None


def is_text(type: Any) -> bool:
    """Return whether a type is of strings."""
    import pyarrow as pa

    return pa.types.is_string(type) or pa.types.is_large_string(type) or pa.types.is_string_view(type)


def is_bytes(type: Any) -> bool:
    """Return whether a type is of bytes of any number."""
    import pyarrow as pa

    return pa.types.is_binary(type) or pa.types.is_large_binary(type) or pa.types.is_binary_view(type)


def _stored_type(type: pa.DataType) -> Any:
    """Return the type of what ids are stored as."""
    import pyarrow as pa

    type = value_type(type)
    if pa.types.is_decimal32(type) or pa.types.is_decimal64(type):  # Arrow cannot number these
        return pa.decimal128(type.precision, type.scale)
    return storage_type(type) if isinstance(type, pa.BaseExtensionType) else type


def _kind(field: pa.Field[Any], name: str) -> object:
    """Return what kind of ids a column holds: ids of two kinds are never equal."""
    import pyarrow as pa

    type, types = _stored_type(field.type), pa.types
    if types.is_null(type):  # a column of nulls, or without rows
        return "nothing"
    if types.is_integer(type):
        return "integers"
    if is_text(type):
        return "strings"
    if is_bytes(type):
        return "bytes"
    if types.is_fixed_size_binary(type) or types.is_decimal(type):
        return type
    if types.is_temporal(type) and not types.is_interval(type):
        return type
    way_out = "name another column"
    if types.is_floating(type):  # what pandas makes of integers with gaps
        way_out = "cast them to integers or strings (pandas: read them with dtype=str, or as Int64)"
    raise TableError(f"{name}: column {field.name!r} holds {type}, which cannot be ids: {way_out}")


def is_dictionary(column: Any) -> bool:
    """Return whether a column is encoded by a dictionary."""
    import pyarrow as pa

    return pa.types.is_dictionary(column.type)


def with_dictionary_of(column: Any, type: Any) -> Any:
    """Return a column whose dictionary has this type; None if it has none, or one with no valid ids."""
    import pyarrow as pa

    if not is_dictionary(column):
        return None
    try:
        values = stored(column.dictionary).cast(type)
    except pa.ArrowInvalid:
        return None
    if column.null_count or flaw(values) is not None:
        return None
    return pa.DictionaryArray.from_arrays(column.indices, values)
