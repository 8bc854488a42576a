"""Validates integer arrays that users pass, such as vertex ids, successors, labels and ranks."""

from __future__ import annotations

import reprlib
from typing import Any

import numpy as np
import numpy.typing as npt

from pointerjump.base import memory
from pointerjump.base.foreign import to_host
from pointerjump.errors import PointerjumpError


def as_array(values: Any, what: str, error: type[PointerjumpError]) -> npt.NDArray[Any]:
    """Convert `values` to an array, without a copy if possible. Raise `error` if they cannot be converted.

    No element may be masked. `what` is the name of the array in error messages.
    """
    if type(values) is np.ndarray:
        return values
    values = to_host(values)
    try:
        if not isinstance(values, np.ndarray) and hasattr(values, "__len__"):
            memory.require(8 * len(values), f"an array of {what}")
        if isinstance(values, list | tuple) and any(isinstance(part, np.ma.MaskedArray) for part in values):
            values = np.ma.stack(values)  # asarray would drop masks
        array = np.asarray(values)
    except (ValueError, TypeError):  # nested lists of unequal lengths, odd __array__ methods
        raise error(
            f"{what} cannot be made into an array: give numbers, or lists of numbers that are equally long"
        ) from None
    mask = np.ma.getmask(values)
    if mask.dtype == np.bool_ and mask.any():  # structured arrays are refused later
        at = ", ".join(str(i) for i in np.unravel_index(int(np.argmax(mask)), mask.shape))
        raise error(f"{what}[{at}] is masked: remove or fill masked entries first")
    return array


def as_integers(values: Any, what: str, error: type[PointerjumpError]) -> npt.NDArray[Any]:
    """Convert `values` to a one-dimensional array of integers of any width, or raise `error`."""
    # The usual case: an array without a mask, which needs no conversion.
    array = values if type(values) is np.ndarray else as_array(values, what, error)
    if array.ndim != 1:
        raise error(f"{what} has shape {array.shape}: it must be one-dimensional")
    if array.size == 0:
        return np.empty(0, np.int32)
    if array.dtype.kind not in "iu":
        way_out = (
            "give numbers: np.unique(values, return_inverse=True) makes them, of both columns together if "
            "there are two; or give a table with two named columns, such as a DataFrame, in which ids may be "
            "strings"
        )
        if array.dtype.kind == "f":
            way_out = "give integers; .astype(int) converts whole numbers, unless they lost digits already"
        raise error(f"{what} has dtype {array.dtype}, but must hold integers: {way_out}")
    return array


def as_count(value: Any, what: str, error: type[PointerjumpError]) -> int:
    """Convert `value` to a Python integer, or raise `error` if it is not an integer."""
    if isinstance(value, int | np.integer) and not isinstance(value, bool):
        return int(value)
    shown = " ".join(reprlib.repr(value).split())  # a long list or array is shortened to one line
    raise error(f"{what} is {shown}: it must be a whole number")


def largest_of(dtype: np.dtype[Any]) -> int:
    """Return the largest integer of a dtype. ``np.iinfo`` is slower, which matters for small graphs."""
    return (1 << 8 * dtype.itemsize - (dtype.kind == "i")) - 1


def as_unsigned(integers: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Reinterpret integers as unsigned. Negative integers become larger than all others."""
    return integers if integers.dtype.kind == "u" else integers.view(integers.dtype.str.replace("i", "u"))


def first_outside(integers: npt.NDArray[Any], end: int) -> int | None:
    """Return the index of the first integer outside 0 .. end - 1, or None if there is none."""
    if len(integers) == 0:
        return None
    # If no integer is outside, one pass is enough. The limit is at most the dtype's own maximum, because an
    # int8 of -1, read as unsigned, is 255, which may be below `end`.
    bound = min(end - 1, largest_of(integers.dtype))
    if int(as_unsigned(integers).max()) <= bound:
        return None
    return int(np.argmax((integers < 0) | (integers >= end)))


def converted(integers: npt.NDArray[Any], dtype: npt.DTypeLike, what: str) -> npt.NDArray[Any]:
    """Convert integers to a contiguous array of the given dtype, without a copy if possible."""
    if integers.dtype == dtype and integers.flags.c_contiguous:
        return integers
    itemsize = np.dtype(dtype).itemsize  # finding the dtype's name takes longer than converting a small array
    memory.require(integers.size * itemsize, f"{what} in {8 * itemsize} bits")
    return np.ascontiguousarray(integers, dtype)


def concatenated(parts: list[npt.NDArray[Any]], error: type[PointerjumpError]) -> npt.NDArray[Any]:
    """Concatenate arrays of integers in native byte order, without changing any value.

    NumPy would turn a mix of int64 and uint64 into floats. Raise `error` if no integer type holds all values.
    """
    memory.require(8 * sum(len(part) for part in parts), "all ids together")
    native = [part.astype(part.dtype.newbyteorder("="), copy=False) for part in parts]
    if np.result_type(*native).kind != "f":
        return np.concatenate(native)
    if not any(len(part) and int(part.min()) < 0 for part in native):
        return np.concatenate([part.astype(np.uint64) for part in native])
    if any(int(part.max(initial=0)) > largest_of(np.dtype(np.int64)) for part in native):
        raise error(
            "there are negative ids and ids of 2**63 or more, and no integer type holds both: renumber them"
        )
    return np.concatenate([part.astype(np.int64) for part in native])


def distinct(keys: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """Sort non-negative integers in place, and return the distinct ones. ``np.unique`` would take longer."""
    keys.sort()
    return keys[np.diff(keys, prepend=-1) > 0]


def is_one(ids: Any) -> bool:
    """Return whether `ids` is a single id and not an array of ids."""
    return bool(np.isscalar(ids)) or ids is None or (isinstance(ids, np.ndarray) and ids.ndim == 0)


def paired(
    first: npt.NDArray[Any], second: npt.NDArray[Any], us: Any, vs: Any, error: type[PointerjumpError]
) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
    """Return two arrays of ids that form pairs. A single id is paired with each id of the other argument.

    `first` and `second` are arrays of the ids that the caller passed as `us` and `vs`.
    """
    if is_one(us) or is_one(vs):
        first, second = (np.ascontiguousarray(each) for each in np.broadcast_arrays(first, second))
    if len(first) != len(second):
        raise error(f"there are {len(first)} us and {len(second)} vs: give one of each per pair")
    return first, second
