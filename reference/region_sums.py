"""Statistics of regions: their extreme values, and the sums from which their moments are computed.

Values are summed as *levels*: integers from 0 to 2^44. The level of a value is its distance from the smallest
value of its region, divided by a power of two and rounded. Coordinates are counted from the start of the
region's bounding box. In a periodic image, the box may extend past the end of an axis. Counting then
continues at the start of that axis. Levels and coordinates are integers, so the sums depend on neither the
order of the pixels nor the device.

Input: values, and nonnegative labels of the same shape. Work O(p d^2) for p pixels and d dimensions.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt


def find_extremes(
    labels: npt.NDArray[Any], values: npt.NDArray[Any], count: int
) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
    """Return the smallest and the largest value of each label from 1 to `count`.

    If some of a label's values are NaN, its largest value is NaN, and its smallest value is the smallest of
    the others. If a label has no pixels, its smallest value is the maximum of the dtype, and its largest
    value is the minimum. For floating-point types, these are infinities.

    Examples
    --------
    >>> [each.tolist() for each in find_extremes(np.array([1, 1, 3]), np.array([5, 2, 7], np.uint8), 3)]
    [[2, 255, 7], [5, 0, 7]]
    """
    is_float, is_bool = values.dtype.kind == "f", values.dtype.kind == "b"
    limits: Any = (np.inf, -np.inf) if is_float else (True, False) if is_bool else None
    if limits is None:
        limits = np.iinfo(values.dtype).max, np.iinfo(values.dtype).min
    least, most = np.full(count, limits[0], values.dtype), np.full(count, limits[1], values.dtype)
    for pixel, label in np.ndenumerate(labels):
        if label == 0:
            continue
        region, value = int(label) - 1, values[pixel]
        if value < least[region]:
            least[region] = value
        if value > most[region] or value != value:
            most[region] = value
    return least, most


def add_up(
    labels: npt.NDArray[Any],
    first: npt.NDArray[np.uint32],
    lengths: npt.NDArray[np.uint32],
    values: npt.NDArray[Any] | None,
    least: npt.NDArray[Any] | None,
    scale: npt.NDArray[Any] | None,
    wanted: tuple[bool, bool, bool, bool],
) -> npt.NDArray[np.uint64]:
    """Return sums over the pixels of each label. Each sum is split into its lower and upper 64 bits.

    The flags in `wanted` select the sums: products of coordinates (of each axis with itself and with each
    later axis), levels, squares of levels and products of the level with the coordinate along each axis.
    (Levels are integers: scaled differences from a label's smallest value.) `lengths` contains the lengths of
    the image's axes. Item i of `first` is the position where the bounding box of label i + 1 begins. If
    `labels` is only a chunk of the image, this position is relative to the chunk, modulo 2^32. `least`
    contains the smallest value of each label. For floating-point values, `scale` contains the power of two by
    which each label's values and `least` are multiplied, or 0 if all of the label's levels are 0. For
    integers, `scale` contains the number of bits by which differences from `least` are shifted to the right.

    Examples
    --------
    >>> first, lengths = np.zeros((2, 1), np.uint32), np.array([4], np.uint32)
    >>> add_up(np.array([1, 1, 0, 2]), first, lengths, None, None, None, (True, False, False, False)).tolist()
    [[[1, 0]], [[9, 0]]]
    """
    shapes, levels, squares, weighted = wanted
    axes, around = range(labels.ndim), [*map(int, lengths)]
    zeros = [0] * (shapes * labels.ndim * (labels.ndim + 1) // 2 + levels + squares + weighted * labels.ndim)
    sums = [[*zeros] for _ in first]
    for pixel, label in np.ndenumerate(labels):
        if label == 0:
            continue
        region = int(label) - 1
        at = [(pixel[a] - int(first[region, a])) % 2**32 for a in axes]
        at = [(at[a] + around[a]) % 2**32 if at[a] >= around[a] else at[a] for a in axes]
        found: list[int] = []
        if shapes:
            found += [at[a] * at[b] for a in axes for b in range(a, labels.ndim)]
        if values is not None and least is not None and scale is not None:
            level = _level(values[pixel], least[region], scale[region])
            found += [level] * levels + [level * level] * squares
            found += [level * each for each in at] if weighted else []
        sums[region] = [a + b for a, b in zip(sums[region], found, strict=True)]
    halves = [[(each % 2**64, each >> 64) for each in of_region] for of_region in sums]
    return np.array(halves, np.uint64).reshape(len(first), len(zeros), 2)


def _level(value: Any, least: Any, scale: Any) -> int:
    if value.dtype.kind == "f":
        return int(np.rint(np.float64(value) * scale - np.float64(least) * scale)) if scale else 0
    return (int(value) - int(least)) >> int(scale)
