"""Measures the regions of a labelled image and renumbers labels on a device."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from pointerjump.accel.residents.arrays import DeviceArray
from pointerjump.accel.residents.labels import ResidentLabels
from pointerjump.accel.runtime.session import Kernels
from pointerjump.accel.shapes import Shape
from pointerjump.base.images import FEWER_LABELS


class MeasuredOnDevice:
    """Measurements of the regions with labels 1 to `count`, stored on a device.

    Item i of each array describes label i + 1. `regions` is the buffer to which kernels write, with `words`
    64-bit words per label.
    """

    def __init__(self, labels: ResidentLabels, count: int) -> None:
        self.count, axes = count, labels.axes
        self._dtype = np.dtype(
            [
                ("size", np.uint64),
                ("sums", np.uint64, (axes,)),
                ("first", np.uint32, (axes,)),
                ("end", np.uint32, (axes,)),
            ]
        )
        self.words = self._dtype.itemsize // 8
        what = f"the regions of {count:,} labels"
        self._array = DeviceArray(labels.session, count * self.words, np.uint64, what, FEWER_LABELS)
        self.regions = self._array.buffer

    @cached_property
    def _taken(self) -> npt.NDArray[Any]:
        return self._array.take(self.count * self.words).view(self._dtype)

    @property
    def sizes(self) -> npt.NDArray[np.int64]:
        """The number of pixels in each region, as an array of shape (count,)."""
        return self._taken["size"].astype(np.int64)

    @property
    def sums(self) -> npt.NDArray[np.int64]:
        """The sums of the pixel coordinates in each region, as an array of shape (count, axes)."""
        return self._taken["sums"].astype(np.int64)

    @property
    def boxes(self) -> npt.NDArray[np.int64]:
        """The bounding box of each region, as an array of shape (count, axes, 2).

        For each axis, it contains the first coordinate and one past the last coordinate.
        """
        found = self._taken
        boxes = np.empty((*found["first"].shape, 2), np.int64)
        boxes[..., 0], boxes[..., 1] = found["first"], found["end"]
        boxes[found["size"] == 0] = 0
        return boxes


def largest_label(labels: ResidentLabels, *, access: str | None = None) -> int:
    """Return the largest label, or 2**32 - 1 if it needs more than 32 bits. Labels count as unsigned."""
    session, strip = labels.session, labels.session.tuning.label_strip
    over = labels.over(strip)
    with session.running():
        largest = session.scratch("the largest labels", over.groups, np.uint32)
        kernel = _kernels(labels, access, strip, over)
        kernel("largest_label", over, *labels.given(strip), largest)()
        return int(session.get(largest, over.groups, np.uint32).max())


def measure(labels: ResidentLabels, count: int, *, access: str | None = None) -> MeasuredOnDevice:
    """Measure the regions of the labels 1 to `count`. There must be no larger labels."""
    session, strip = labels.session, labels.session.tuning.strip
    over = labels.over(strip)
    with session.running():
        measured = MeasuredOnDevice(labels, count)
        kernel = _kernels(labels, access, strip, over)
        kernel("clear", session.shapes.over(count), np.uint32(count), measured.regions)()
        kernel("measure", over, *labels.given(strip), measured.regions)()
        return measured


def renumber(
    labels: ResidentLabels,
    measured: MeasuredOnDevice,
    least: int,
    ties_end: int,
    *,
    access: str | None = None,
) -> Any:
    """Return the image with the kept labels renumbered 1, 2, ... in order, and all other labels set to 0.

    Labels with more than `least` pixels are kept, as are labels up to `ties_end` with exactly `least` pixels.
    """
    with labels.session.running():
        return _replaced(labels, _number_kept(labels, measured, least, ties_end), access)


def replace(labels: ResidentLabels, number: npt.NDArray[np.uint32], *, access: str | None = None) -> Any:
    with labels.session.running():
        return _replaced(labels, labels.session.put_writable(number, "the labels' numbers"), access)


def _replaced(labels: ResidentLabels, number: Any, access: str | None) -> Any:
    strip = labels.session.tuning.label_strip
    over = labels.over(strip)
    kernel = _kernels(labels, access, strip, over)
    kernel("renumber", over, *labels.given(strip), number, labels.label)()
    return labels.read_labels()


def _number_kept(labels: ResidentLabels, measured: MeasuredOnDevice, least: int, ties_end: int) -> Any:
    """Enqueue kernels that number the labels to be kept. Return the buffer with their new numbers."""
    session, count = labels.session, measured.count
    over, in_one_group = session.shapes.over(count), session.shapes.one_group()
    counts = session.scratch("labels that are kept", over.groups + 1, np.uint32)
    number = session.scratch("the labels' numbers", count + 1, np.uint32)
    rule = (
        np.uint32(count),
        np.uint64(least),
        np.uint32(ties_end),
        np.uint32(measured.words),
        measured.regions,
    )
    kernel, add_up = (
        session.kernels("kept_labels.cl", "partitioning", GROUP=shape.local_size[0])
        for shape in (over, in_one_group)
    )
    kernel("count_kept", over, *rule, counts)()
    add_up("add_up", in_one_group, np.uint32(over.groups), counts)()
    kernel("number_kept", over, *rule, counts, number)()
    return number


def _kernels(labels: ResidentLabels, access: str | None, strip: int, over: Shape) -> Kernels:
    return labels.label_kernels("regions.cl", access, strip, AXES=labels.axes, GROUP=over.local_size[0])
