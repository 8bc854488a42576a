"""Labelled images, checked: each pixel has a label, which is a number from 1 on, or 0 in the background."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from pointerjump.device_arrays import is_on_device, on_host, require_queue
from pointerjump.errors import ImageError
from pointerjump.images import MOST_AXES, axes_in_memory
from pointerjump.integers import as_array, largest_of

MOST_LABELS = 2**31 - 1
"""The largest label that there may be: kernels count labels in 32 bits."""

LABELS_OF_FEW_PIXELS = 1 << 22
"""The largest label of an image of fewer pixels, which may be a part of a larger image. Every label up to the
largest takes memory, whether it occurs or not."""

FEWER_LABELS = "number the labels anew, by pointerjump.label(labels, connectivity, multilabel=True)"
"""The way out if labels are too large."""

LONGEST_AXIS = 2**32 - 1
"""How many pixels an axis may have: kernels keep coordinates in 32 bits."""


@dataclass(frozen=True, eq=False)
class LabelImage:
    """The labels of an image, and the same with its axes in another order.

    Whatever is asked about labels has the same answer in any order of axes. It is found fastest if neighbors
    along the last axis are closest in memory.

    Attributes
    ----------
    given : ndarray or pyopencl array of integers, of 1 to 4 dimensions
        In the machine's byte order, but with any strides.
    order : tuple of int
        The axes in the order in which they lie in memory.
    """

    given: Any
    order: tuple[int, ...]

    @classmethod
    def of(cls, labels: Any) -> LabelImage:
        """Return labels, checked. Their values are not looked at.

        Raises
        ------
        ImageError
            If they are no integers of one to four dimensions, or some are masked.
        """
        array = _as_labels(labels)
        return cls(array, axes_in_memory(array.shape, array.strides))

    @property
    def in_order(self) -> Any:
        """The labels, with the axes in the order in which they lie in memory, and without a copy."""
        return self.given.transpose(self.order)

    @property
    def back(self) -> tuple[int, ...]:
        """For each axis that was given, the one in order that it is."""
        return tuple(np.argsort(self.order).tolist())

    def as_given(self, facts: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Return facts about each axis, in an array's second dimension, with the axes as they were given."""
        return facts if self.back == tuple(range(len(self.order))) else facts[:, list(self.back)]

    def for_renumbering(self, out: Any) -> tuple[Any, Any]:
        """Return the labels, and the array where new ones are wanted, in order; as one row if possible."""
        both = [array if array is None else array.transpose(self.order) for array in (self.given, out)]
        if all(array is None or array.flags.c_contiguous for array in both):
            both = [array if array is None else array.reshape(-1) for array in both]
        labels, out = both
        return labels, out

    def require_suitable(self, out: Any) -> None:
        """Refuse an array that new labels cannot be written to.

        Raises
        ------
        ImageError
            If it is not of the labels' kind, shape and dtype, or cannot be written, or has another queue.
        """
        given = self.given
        if not (is_on_device(out) if is_on_device(given) else isinstance(out, np.ndarray)):
            kind = "a pyopencl array" if is_on_device(given) else "an ndarray"
            raise ImageError(f"out is of type {type(out).__name__}, and the labels are {kind}: give {kind}")
        if tuple(out.shape) != tuple(given.shape) or out.dtype != given.dtype:
            raise ImageError(
                f"out has shape {tuple(out.shape)} and dtype {out.dtype}, and the labels have shape "
                f"{tuple(given.shape)} and dtype {given.dtype}: give an array like the labels"
            )
        if not is_on_device(given):
            if not out.flags.writeable:
                raise ImageError("out cannot be written to: give a writable array")
        elif out.queue != given.queue:
            raise ImageError("out has another queue than the labels: give out.with_queue(labels.queue)")

    def require_short_axes(self) -> None:
        """Refuse images that are too long for coordinates of 32 bits.

        Raises
        ------
        ImageError
            Naming the axis.
        """
        for axis, length in enumerate(self.given.shape):
            if length > LONGEST_AXIS:
                raise ImageError(
                    f"axis {axis} of the labels has {length:,} pixels, and at most {LONGEST_AXIS:,} can be "
                    "measured: give a part of the image"
                )

    def require_labels_up_to(self, most: int, largest: int) -> None:
        """Refuse negative labels, and those above `most`.

        Parameters
        ----------
        most : int
        largest : int
            The largest label. With negative ones, it may be any number that the labels' dtype cannot hold.

        Raises
        ------
        ImageError
            Naming the first such label.
        """
        if largest <= min(most, largest_of(self.given.dtype)):
            return
        labels = on_host(self.given)
        negative = labels < 0
        at = int(np.argmax(negative if negative.any() else labels > most))
        place = ", ".join(str(i) for i in np.unravel_index(at, labels.shape))
        label = int(labels.flat[at])
        if label < 0:
            raise ImageError(f"labels[{place}] is {label}: give numbers from 1 on, and 0 for the background")
        raise ImageError(
            f"labels[{place}] is {label:,}, and at most {most:,} in an image of this size: {FEWER_LABELS}"
        )


def most_labels(pixels: int) -> int:
    """Return the largest label that so many pixels may have if there is an item about each label."""
    return min(max(pixels, LABELS_OF_FEW_PIXELS), MOST_LABELS)


def _as_labels(labels: Any) -> Any:
    array: Any = labels if is_on_device(labels) else as_array(labels, "labels", ImageError)
    if not 1 <= array.ndim <= MOST_AXES:
        raise ImageError(
            f"labels have {array.ndim} dimensions (shape {tuple(array.shape)}): give an array with 1 to "
            f"{MOST_AXES}"
        )
    if array.dtype.kind == "b":
        raise ImageError("labels have dtype bool: label the mask first, by pointerjump.label(mask)")
    if array.dtype.kind not in "iu":
        raise ImageError(f"labels have dtype {array.dtype}: give integers, such as pointerjump.label returns")
    require_queue(array, "the array of labels")
    return array if array.dtype.isnative else array.astype(array.dtype.newbyteorder("="))
