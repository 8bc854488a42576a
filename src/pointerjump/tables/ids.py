"""Validates columns of ids, and finds the type in which several columns are compared."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt

from pointerjump.base.arrow import pa, pc
from pointerjump.base.foreign import to_host
from pointerjump.errors import TableError
from pointerjump.formats.files import one_line

# -- types -----------------------------------------------------------------------------------------


def common_type(fields: Iterable[pa.Field[Any]], name: str, *, of_lists: bool = False) -> pa.DataType:
    """Return the type in which the ids in several columns are compared.

    Raise a TableError if a column cannot contain ids, or if ids in two columns can never be equal.
    """
    known, wide = [], False
    for field in fields:
        holds = stored_type(element_type(field.type) if of_lists else field.type)
        if (type := _id_type(holds)) is None:
            way_out = "name another column"
            if pa.types.is_floating(holds):  # pandas' type for integers with gaps
                way_out = "cast them to integers or strings (pandas: read them with dtype=str, or as Int64)"
            raise TableError(f"{name}: column {field.name!r} holds {holds}, which cannot be ids: {way_out}")
        if not pa.types.is_null(type):
            known.append((type, field))
            wide = wide or holds == pa.uint64()
    if not known:
        return pa.large_string()
    first, one = known[0]
    for type, other in known:
        if type != first:
            raise TableError(
                f"{name}: column {one.name!r} holds {one.type}, but column {other.name!r} holds "
                f"{other.type}: cast one of them, so that equal ids are equal values"
            )
    return pa.uint64() if wide else first


@cache
def _id_type(type: Any) -> Any:
    """Return the type in which ids of a stored type are compared, or None if the type is not valid for ids.

    For integers, the result is int64. The caller uses uint64 instead if a column requires it.
    """
    types = pa.types
    if types.is_integer(type):
        return pa.int64()
    if is_text(type):
        return pa.large_string()
    if is_bytes(type):
        return pa.large_binary()
    if types.is_date32(type):
        return pa.date64()
    if types.is_time32(type):
        return pa.time64("us")
    if types.is_decimal32(type) or types.is_decimal64(type):  # Arrow cannot number such ids
        return pa.decimal128(type.precision, type.scale)
    as_it_is = types.is_null(type) or types.is_fixed_size_binary(type) or types.is_decimal(type)
    return type if as_it_is or (types.is_temporal(type) and not types.is_interval(type)) else None


def wide_type(types: Iterable[Any]) -> Any:
    """Return a type that can hold all values of the given types, or None if there is no such type.

    Types that differ have a common type only if they are all integer types, all text types or all byte types.
    """
    known = {type for type in types if not pa.types.is_null(type)} or {pa.null()}
    if len(known) == 1:
        return known.pop()
    kinds = {_id_type(stored_type(type)) for type in known}
    if kinds == {pa.int64()} and pa.uint64() in known:
        return None if any(map(pa.types.is_signed_integer, known)) else pa.uint64()
    kind = kinds.pop() if len(kinds) == 1 else None
    return kind if kind in (pa.int64(), pa.large_string(), pa.large_binary()) else None


def stored_type(type: Any) -> Any:
    """Return the type in which values are stored. It is never a dictionary type or an extension type."""
    while pa.types.is_dictionary(type) or isinstance(type, pa.BaseExtensionType):
        if pa.types.is_dictionary(type):
            type = type.value_type
        else:  # a bool8 is a boolean, not a number
            type = pa.bool_() if type.extension_name == "arrow.bool8" else type.storage_type
    return type


@cache
def without_view(type: Any) -> Any:
    """Replace string views and binary views in a type, because some Arrow functions do not support views."""
    plain: dict[Any, Any] = {pa.string_view(): pa.large_string(), pa.binary_view(): pa.large_binary()}
    if element_type(type) in plain and element_type(type) is not type:
        return pa.large_list(plain[element_type(type)])
    return plain.get(type, type)


def element_type(type: Any) -> Any:
    """Return the type of a single id, given the type of a column that contains ids or lists of ids."""
    types = pa.types
    lists = types.is_list(type) or types.is_large_list(type) or types.is_fixed_size_list(type)
    return type.value_type if lists else type


def value_type(type: pa.DataType) -> Any:
    """Return the type of a column's values, even if the column is dictionary-encoded."""
    return type.value_type if pa.types.is_dictionary(type) else type


def is_text(type: Any) -> bool:
    return pa.types.is_string(type) or pa.types.is_large_string(type) or pa.types.is_string_view(type)


def is_bytes(type: Any) -> bool:
    return pa.types.is_binary(type) or pa.types.is_large_binary(type) or pa.types.is_binary_view(type)


# -- values ----------------------------------------------------------------------------------------


def checked(
    column: pa.Array[Any], type: pa.DataType, what: str, before: int, rows: Any = None
) -> pa.Array[Any]:
    """Convert a column of ids to the type in which they are compared.

    Raise a TableError if an id is null, empty or otherwise invalid. In error messages, the column is called
    `what`, and `before` is added to row numbers. If the rows contain lists of ids, `rows` contains the row of
    each id.
    """
    ids = in_type(column, type, what)
    there = has_value(ids)
    if not there.all():
        place = int(np.argmin(there))
        flawed = "empty" if ids[place].is_valid else "null"
        empty = "b''" if is_bytes(ids.type) else "''"
        condition = "is not null" if flawed == "null" else f"!= {empty}"
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
    """Convert a column to the type in which its values are compared. Errors call the column `what`."""
    if column.type == type:
        return column
    try:
        return stored(column).cast(type)  # type: ignore[no-any-return]
    except pa.ArrowInvalid:
        raise TableError(
            f"{what} holds integers below 0, and another column integers above 2**63 - 1: cast both columns "
            "to text"
        ) from None


def has_value(values: Any) -> npt.NDArray[np.bool_]:
    """Return a mask of the values that are neither null nor empty.

    `values` must not be dictionary-encoded, because a dictionary could contain nulls that are not counted.
    """
    may_be_empty = values.type in (pa.large_string(), pa.large_binary(), pa.binary(0))
    if not values.null_count and not may_be_empty:
        return np.ones(len(values), np.bool_)  # unpacking Arrow's bits would take time
    there = pc.fill_null(pc.binary_length(values), 0) if may_be_empty else pc.is_valid(values)
    return np.asarray(there).astype(np.bool_)


def stored(column: Any) -> Any:
    """Convert values to the type in which they are stored, without views or extension types such as UUID."""
    if isinstance(column.type, pa.BaseExtensionType):
        column = column.storage.cast(stored_type(column.type))
    wanted = without_view(column.type)
    return column if wanted is column.type else column.cast(wanted)


def with_dictionaries_of(columns: Sequence[Any], type: Any) -> list[Any] | None:
    """Return the columns with their dictionaries converted to a type.

    Return None if a column has no dictionary or contains a null, or if an id in a dictionary is invalid.
    """
    found = []
    for column in columns:
        if not isinstance(column, pa.DictionaryArray) or column.null_count:
            return None
        try:
            values: Any = stored(column.dictionary).cast(type)
        except pa.ArrowInvalid:
            return None
        if not has_value(values).all():
            return None
        found.append(pa.DictionaryArray.from_arrays(column.indices, values))
    return found


def as_column(ids: Any, what: str) -> pa.ChunkedArray[Any]:
    """Convert a caller's array or sequence of ids to an Arrow column. Error messages call the ids `what`."""
    if isinstance(ids, pa.ChunkedArray):
        return ids
    if isinstance(ids, str | bytes):
        raise TableError(f"{what} is {type(ids).__name__}, a single id: give a list of ids")
    if isinstance(ids, set | frozenset):
        raise TableError(f"{what} is a set, which has no order: give a list")
    try:
        if hasattr(ids, "__arrow_c_stream__"):
            return pa.chunked_array(ids)
        ids = to_host(ids)
        if isinstance(ids, np.ndarray):
            ids = ids.astype(ids.dtype.newbyteorder("="), copy=False)  # Arrow takes no other byte order
        has_type = hasattr(ids, "dtype") or isinstance(ids, pa.Array)
        ids = ids if has_type or isinstance(ids, Sequence) else list(ids)
        column: Any = pa.array(ids)
        if not has_type and not are_of_one_kind(ids, column.type):
            raise TypeError("they are objects of several types")
    except (pa.ArrowException, OverflowError, TypeError, ValueError) as error:
        raise TableError(
            f"{what}: {type(ids).__name__} is no column of ids ({one_line(error)}): give ids of one type"
        ) from None
    return column if isinstance(column, pa.ChunkedArray) else pa.chunked_array([column])


def are_of_one_kind(objects: Iterable[Any], type_: Any) -> bool:
    """Return whether Python objects that were converted to an Arrow type are all of the same kind.

    Arrow converts some objects of different kinds to equal values, for example a string and its UTF-8 bytes,
    a date and a time on that day, or times with and without a time zone.
    """
    if not (pa.types.is_binary(type_) or pa.types.is_temporal(type_)):
        return True
    kinds = {(type(each), getattr(each, "tzinfo", None) is None) for each in objects if each is not None}
    return len(kinds) <= 1
