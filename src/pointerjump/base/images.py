"""Images to be labelled, and the rules that determine which pixels belong together.

An image has one to four dimensions. Its elements are called pixels, even if it is a volume. Two pixels are
*neighbors* if their positions differ by at most 1 along each axis and differ along at most `connectivity`
axes. Depending on the rule, two neighbors are *alike* if both are in the foreground, if their values are
equal or if their values are close. Pixels belong to the same component if a chain of alike neighbors connects
them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import product
from math import comb, inf
from os import PathLike
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from pointerjump.base.integers import as_array, as_count
from pointerjump.errors import ImageError

MOST_AXES = 4

AlikePixels = Literal["foreground", "equal", "close"]
"""The rule that determines which neighbors are alike: those that are both in the foreground, those with equal
values or those with close values."""

Pixels = npt.NDArray[Any]  # pixels or labels on the host

Relabel = Callable[[Pixels, int], Pixels]
"""A function that takes labels and the number of components, and returns a new array that replaces the
labels."""

FEWER_LABELS = "number the labels anew, by pointerjump.label(labels, connectivity, multilabel=True)"
"""Advice in error messages about labels that are too large."""

Offset = tuple[int, ...]  # the position of a neighbor relative to a pixel


def is_on_device(array: object) -> bool:
    return hasattr(array, "base_data")


@dataclass(frozen=True, eq=False)
class Image:
    """The pixels of an image, and the rule that determines which of them belong together.

    `pixels` is a NumPy or pyopencl array in native byte order, with any strides. Pixels whose value is
    `background` do not belong to any component. Two values are close if they differ by at most `difference`.
    If `wraps` is true for an axis, the last pixels along that axis are neighbors of the first ones.
    """

    pixels: Any
    connectivity: int
    alike: AlikePixels = "foreground"
    background: int | float | None = 0
    difference: int | float | None = None
    wraps: tuple[bool, ...] = ()

    @property
    def shape(self) -> tuple[int, ...]:
        return tuple(self.pixels.shape)

    @property
    def size(self) -> int:
        return int(self.pixels.size)

    @property
    def label_dtype(self) -> type[np.signedinteger[Any]]:
        """The dtype of the labels: int32, or int64 if there are 2**31 or more pixels."""
        return label_dtype(self.size)


def label_dtype(pixels: int) -> type[np.signedinteger[Any]]:
    """Return the dtype of labels for an image with this many pixels: int32 or int64."""
    return np.int32 if pixels < 1 << 31 else np.int64


def stand_in(shape: tuple[int, ...], dtype: np.dtype[Any]) -> Pixels:
    """Return a placeholder for an image of this shape and dtype. It takes up no memory."""
    return np.broadcast_to(np.zeros((), dtype.newbyteorder("=")), shape)


def image_of(
    pixels: Any,
    connectivity: int = 1,
    multilabel: bool = False,
    background: int | float | None = 0,
    delta: int | float | None = None,
    wrap_axes: int | Iterable[int] = (),
) -> Image:
    """Validate the arguments of :func:`pointerjump.label`, but not the values of pixels. Return an image."""
    array = as_pixels(pixels)
    alike: AlikePixels = "foreground" if not multilabel else "equal"
    if delta is not None:
        alike, delta = "close", _as_difference(delta, array.dtype)
    if alike == "equal" and array.dtype.kind == "f":
        raise ImageError(
            f"the image has dtype {array.dtype}, and multilabel=True joins equal integers: give delta=0 to "
            "join equal floating-point numbers"
        )
    return Image(
        array,
        as_connectivity(connectivity, array.ndim),
        alike,
        _as_background(background, array.dtype),
        delta,
        as_wraps(wrap_axes, array.ndim),
    )


def as_pixels(pixels: Any) -> Any:
    """Convert an image to an array in native byte order, without a copy if possible."""
    if isinstance(pixels, str | PathLike):
        raise ImageError(
            f"the image is the path {str(pixels)!r}: give its pixels, as np.load, tifffile.imread or "
            "imageio.v3.imread read them, or run `pointerjump label`"
        )
    array = pixels if is_on_device(pixels) else as_array(pixels, "the image", ImageError)
    if not 1 <= array.ndim <= MOST_AXES:
        raise ImageError(
            f"the image has {array.ndim} dimensions (shape {tuple(array.shape)}): give one with 1 to "
            f"{MOST_AXES}{', such as image[0]' if array.ndim else ''}"
        )
    dtype = array.dtype
    if dtype.kind not in "biuf" or dtype.itemsize > 8:
        raise ImageError(
            f"the image has dtype {dtype}: give bools, integers or floating-point numbers of at most 64 "
            "bits, such as image > threshold"
        )
    if not dtype.isnative:
        array = array.astype(dtype.newbyteorder("="))
    return array


def require_like(out: Any, given: Any, dtype: npt.DTypeLike, exactly: bool = False) -> None:
    """Raise an ImageError unless `out` matches the image `given` and is writable.

    Both must have the same shape and be arrays of the same kind (NumPy or pyopencl). If `exactly` is True,
    `out` must have the dtype `dtype`. Otherwise, any integer dtype is allowed.
    """
    there = is_on_device(given)
    if not (is_on_device(out) if there else isinstance(out, np.ndarray)):
        kind = "a pyopencl array" if there else "an ndarray"
        raise ImageError(f"out is of type {type(out).__name__}, and the image is {kind}: give {kind}")
    if tuple(out.shape) != tuple(given.shape):
        raise ImageError(
            f"out has shape {tuple(out.shape)}, and the image {tuple(given.shape)}: they must be equal"
        )
    if out.dtype.kind not in "iu" or (exactly and out.dtype != dtype):
        raise ImageError(f"out has dtype {out.dtype}: give an array of {np.dtype(dtype)}")
    if not there and not out.flags.writeable:
        raise ImageError("out is read-only: give an array that can be written")
    if there and out.context != given.context:
        raise ImageError("out and the image are in different contexts: give arrays of the same one")


def as_connectivity(connectivity: Any, ndim: int) -> int:
    """Return the number of axes along which the positions of neighbors may differ.

    `connectivity` is either this number or the number of neighbors that a pixel has.
    """
    if np.ndim(connectivity) > 0:
        raise ImageError(
            "connectivity is an array: give along how many axes neighbors may differ, or the number of "
            f"neighbors, such as {ndim} or {neighbors_within(ndim, ndim)} for all of them"
        )
    given = as_count(connectivity, "connectivity", ImageError)
    if 1 <= given <= ndim:
        return given
    by_neighbors = {neighbors_within(c, ndim): c for c in range(1, ndim + 1)}
    if given in by_neighbors:
        return by_neighbors[given]
    known = ", ".join(str(c) for c in [*range(1, ndim + 1), *by_neighbors])
    raise ImageError(
        f"connectivity is {given}, and the image has {ndim} dimension{'s' * (ndim > 1)}: choose from {known}"
    )


def neighbors_within(connectivity: int, ndim: int) -> int:
    """Return how many neighbors a pixel has if they may differ from it along up to `connectivity` axes."""
    return sum(comb(ndim, axes) * 2**axes for axes in range(1, connectivity + 1))


def as_wraps(wrap_axes: int | Iterable[int], ndim: int) -> tuple[bool, ...]:
    """Return for each axis whether it is in `wrap_axes`. Negative axes are counted from the last axis."""
    try:
        axes = [wrap_axes] if isinstance(wrap_axes, int | np.integer) else list(wrap_axes)
    except TypeError:
        raise ImageError(f"wrap_axes is {wrap_axes!r}: give axes, such as (0, 1)") from None
    wraps = [False] * ndim
    for each in axes:
        axis = as_count(each, "an axis in wrap_axes", ImageError)
        if not -ndim <= axis < ndim:
            raise ImageError(f"wrap_axes has {axis}: choose from the image's axes, 0 to {ndim - 1}")
        wraps[axis] = True
    return tuple(wraps)


def earlier_offsets(ndim: int, connectivity: int) -> tuple[Offset, ...]:
    """Return the offsets from a pixel to the neighbors that precede it in C order, sorted in that order."""
    nowhere = (0,) * ndim
    return tuple(
        offset
        for offset in product((-1, 0, 1), repeat=ndim)
        if offset < nowhere and sum(map(abs, offset)) <= connectivity
    )


def axes_in_memory(shape: Sequence[int], strides: Sequence[int]) -> tuple[int, ...]:
    """Return the axes of an array, sorted so that neighbors along the last one are closest in memory."""
    apart = [abs(stride) if length > 1 else inf for length, stride in zip(shape, strides, strict=True)]
    return tuple(sorted(range(len(apart)), key=apart.__getitem__, reverse=True))


def padded(along: tuple[int, ...], missing: int) -> tuple[int, ...]:
    """Extend `along` to four items, one for each possible axis, by prepending copies of `missing`."""
    return (missing,) * (MOST_AXES - len(along)) + along


def _as_background(background: Any, dtype: np.dtype[Any]) -> int | float | None:
    if background is None:
        return None
    if not isinstance(background, int | float | np.number | np.bool_) or isinstance(
        background, np.complexfloating
    ):
        raise ImageError(f"background is {background!r}: give a number, or None if there is no background")
    value = background.item() if isinstance(background, np.generic) else background
    if dtype.kind == "f":
        held = _as_float(value, dtype)
        rounded = type(background) is float and abs(held) != inf  # as NumPy rounds when it compares
        same = held == value or rounded
        return held if same and held == held else None
    if value != value or abs(value) == inf or int(value) != value:
        return None
    low, high = (0, 1) if dtype.kind == "b" else (np.iinfo(dtype).min, np.iinfo(dtype).max)
    return int(value) if low <= value <= high else None


def _as_difference(delta: Any, dtype: np.dtype[Any]) -> int | float:
    number = isinstance(delta, int | float | np.integer | np.floating) and not isinstance(delta, bool)
    if not number or not delta >= 0 or (dtype.kind != "f" and delta == inf):
        raise ImageError(f"delta is {delta!r}: give a difference of at least 0")
    if dtype.kind == "f":
        wanted = _as_float(delta, np.dtype(float))
        if wanted == inf or dtype.itemsize == 8:
            return wanted
        return min(wanted, float(np.finfo(np.float32).max))  # so that it does not become infinite in 32 bits
    largest: int = 2 ** (8 * dtype.itemsize) - 1
    return min(int(delta), largest)  # differences of integers are whole numbers


def _as_float(number: int | float, dtype: np.dtype[Any]) -> float:
    """Round a number to a floating-point dtype. Numbers that are too large become infinite."""
    try:
        with np.errstate(over="ignore"):
            return float(dtype.type(number))
    except OverflowError:  # Python's integers may be larger than any floating-point number
        return inf if number > 0 else -inf
