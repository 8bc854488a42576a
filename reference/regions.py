"""Measure the regions of a labelled image and renumber its labels, one pixel at a time.

All pixels with the same label form a region. Label 0 is the background. Unused labels have empty regions.

Input: nonnegative labels. The results are deterministic. Work O(p d) for p pixels and d dimensions.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

LabelArray = npt.NDArray[Any]


@dataclass
class Measured:
    """The measurements of all regions. Item i of each array belongs to label i + 1.

    `sizes` contains the number of pixels. `sums`, of shape (labels, axes), contains the sums of their
    coordinates. `boxes`, of shape (labels, axes, 2), contains the first position along each axis and one past
    the last, or zeros if there are no pixels.
    """

    sizes: npt.NDArray[np.int64]
    sums: npt.NDArray[np.int64]
    boxes: npt.NDArray[np.int64]


def largest_label(labels: LabelArray) -> int:
    """Return the largest label, or 0 if there are no pixels. Negative labels are taken modulo 2^64."""
    return max((int(label) % 2**64 for label in labels.flat), default=0)


def measure(labels: LabelArray, count: int) -> Measured:
    """Measure the regions of the labels from 1 to `count`.

    Examples
    --------
    >>> measure(np.array([[1, 1, 0], [0, 1, 3]]), 3).sizes.tolist()
    [3, 0, 1]
    """
    axes = range(labels.ndim)
    measured = Measured(
        np.zeros(count, np.int64),
        np.zeros((count, labels.ndim), np.int64),
        np.zeros((count, labels.ndim, 2), np.int64),
    )
    for pixel, label in np.ndenumerate(labels):
        if label == 0:
            continue
        region = int(label) - 1
        box = measured.boxes[region]
        is_first = measured.sizes[region] == 0
        measured.sizes[region] += 1
        for axis in axes:
            at = pixel[axis]
            measured.sums[region, axis] += at
            box[axis] = (at, at + 1) if is_first else (min(box[axis, 0], at), max(box[axis, 1], at + 1))
    return measured


def renumber(labels: LabelArray, measured: Measured, least: int, ties_end: int) -> LabelArray:
    """Renumber the kept labels as 1, 2, ..., in ascending order, and replace all other labels with 0.

    A label is kept if it has more than `least` pixels, or if it has exactly `least` pixels and is at most
    `ties_end`.

    Examples
    --------
    >>> labels = np.array([1, 0, 2, 2, 0, 3, 3, 0, 4, 4, 4])
    >>> renumber(labels, measure(labels, 4), 2, 2).tolist()
    [0, 0, 1, 1, 0, 0, 0, 0, 2, 2, 2]
    """
    number = [0]
    kept = 0
    for label, size in enumerate(measured.sizes.tolist(), start=1):
        is_kept = size > least or (size == least and label <= ties_end)
        kept += is_kept
        number.append(kept if is_kept else 0)
    return replace(labels, number)


def replace(labels: LabelArray, number: Sequence[int]) -> LabelArray:
    """Return an array in which each label is replaced by ``number[label]``.

    Examples
    --------
    >>> replace(np.array([1, 0, 2]), [0, 7, 5]).tolist()
    [7, 0, 5]
    """
    fresh = np.empty_like(labels)
    for pixel, label in np.ndenumerate(labels):
        fresh[pixel] = number[int(label)]
    return fresh
