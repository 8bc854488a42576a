"""Columns of ids that are encoded by dictionaries: only the dictionaries' ids need to be looked up."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from pointerjump.tables.ids import flaw, stored

if TYPE_CHECKING:
    import pyarrow as pa


def is_dictionary(column: Any) -> bool:
    """Return whether a column is encoded by a dictionary."""
    import pyarrow as pa

    return pa.types.is_dictionary(column.type)


def with_dictionary_of(column: pa.DictionaryArray[Any, Any], type: Any) -> Any:
    """Return a column whose dictionary has this type; or None if some of its values may not be ids."""
    import pyarrow as pa

    try:
        values = stored(column.dictionary).cast(type)
    except pa.ArrowInvalid:
        return None
    if column.null_count or flaw(values) is not None:
        return None
    return pa.DictionaryArray.from_arrays(column.indices, values)


def without_dictionary(column: Any) -> Any:
    """Return a column without a dictionary."""
    return column.dictionary_decode() if is_dictionary(column) else column


def values_and_places(columns: list[Any]) -> tuple[Any, npt.NDArray[np.int64]]:
    """Return the ids that occur in columns of equal length, and where each row's are among them.

    Returns
    -------
    values : pyarrow Array
        Ids in order of first appearance, row by row. If dictionaries share an id, it is here twice.
    places : ndarray, shape (rows, columns)
    """
    import pyarrow as pa

    sizes = [len(column.dictionary) for column in columns]
    before = np.cumsum([0, *sizes[:-1]])
    codes = np.stack(
        [np.asarray(c.indices).astype(np.int64) + b for c, b in zip(columns, before, strict=True)], axis=1
    )
    order, place = order_of_appearance(codes.ravel(), sum(sizes))
    values = pa.concat_arrays([column.dictionary for column in columns]).take(order)
    return values, place[codes]


def order_of_appearance(
    numbers: npt.NDArray[Any], below: int
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Return which of the numbers 0 .. below - 1 occur, in order of first appearance, and the place of each.

    The place of a number that does not occur is undefined.
    """
    first = np.full(below, len(numbers))
    first[numbers[::-1]] = np.arange(len(numbers))[
        ::-1
    ]  # of a number's places, the first one is written last
    occur = np.flatnonzero(first < len(numbers))
    order = occur[np.argsort(first[occur])]
    place = np.empty(below, np.int64)
    place[order] = np.arange(len(order))
    return order, place
