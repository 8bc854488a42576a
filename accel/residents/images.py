"""Images on a device: where pixels and labels are, and in which layout."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from types import SimpleNamespace
from typing import Any

import numpy as np
import numpy.typing as npt

from pointerjump.accel.runtime.session import Buffer, Kernels, Session, let_end
from pointerjump.base import memory
from pointerjump.base.images import MOST_AXES, Image, Relabel, axes_in_memory, padded

NARROW_PLACES = 1 << 31
"""In images with fewer pixels, positions have 32 bits."""

MOST_GAPS = 2
"""An image is copied to a device with its gaps if it extends over at most this number times the bytes of its
pixels. Otherwise, the pixels are first copied to an array without gaps."""

_AXES_BY_SPEED = ("SLOWEST", "THIRD", "SECOND", "FASTEST")


class ResidentImage:
    """An image on a device, with room for its labels.

    Pixels and labels are not copied if they are already on the device, or if it shares the host's memory. The
    labels go to `out`, which has the image's shape. If they cannot be written there directly, they first go
    to a new array in the memory order of the pixels. `relabel` takes the labels of all runs and the number
    of components, and returns what is written in place of the labels.

    Attributes
    ----------
    pixels : Buffer
    label : Buffer
    shape : tuple of int
        The number of pixels along each of four axes. For images with fewer axes, it is 1 for the first ones.
    strides, label_strides : tuple of int
        The distances along each of these axes between neighbors, in bytes, and between their labels, in
        labels.
    wide : bool
        Whether positions have 64 bits.
    count_t : type
        The type of a number of rows, words or strips: np.uint32 or np.uint64.
    """

    WAY_OUT = "label the image in chunks (label_chunks), or use a device with more memory"
    """The advice in errors if there is too little memory."""

    def __init__(
        self, image: Image, session: Session, out: Any = None, relabel: Relabel | None = None
    ) -> None:
        self.session, self.image, self.relabel = session, image, relabel
        self.shape = padded(image.shape, 1)
        self.wide = image.size >= NARROW_PLACES
        self.count_t: type[np.uint32 | np.uint64] = np.uint64 if self.wide else np.uint32
        self._place_pixels(image.pixels)
        self._place_labels(out)
        itemsize = np.dtype(image.label_dtype).itemsize
        self.strides = padded(tuple(self._pixels.strides), 0)
        self.label_strides = padded(tuple(np.array(self._labels.strides) // itemsize), 0)

    def __del__(self) -> None:
        """Wait for kernels that use host arrays, which may now be freed."""
        if self.session.device.host_memory:
            let_end(self.session.queue)

    # -- where it is ---------------------------------------------------------------------------------

    def _place_pixels(self, given: Any) -> None:
        if not isinstance(given, np.ndarray):
            self._pixels, self.pixels, self._first_byte = given, given.base_data, given.offset
            return
        whole, first = memory_of(given)
        gaps = not self.session.device.host_memory and whole.size > MOST_GAPS * given.nbytes
        if gaps or not given.flags.aligned:
            memory.require(given.nbytes, "a copy of the image", self.WAY_OUT)
            given = given.copy(order="K")
            whole, first = memory_of(given)
        self._pixels, self._first_byte = given, first
        self.pixels = self.session.put(whole, "the image")

    def _place_labels(self, out: Any) -> None:
        session, dtype = self.session, np.dtype(self.image.label_dtype)
        on_host = isinstance(self._pixels, np.ndarray)
        self._labels, self._whole = out, None
        suits = self._suits if on_host else self._suits_on_device
        if out is None or not suits(out, dtype):
            if on_host:
                memory.require(self.image.size * dtype.itemsize, "the labels", self.WAY_OUT)
            self._labels = _new_array_like(self._pixels, dtype)
        if not on_host:
            self.label, self._first_label = self._labels.base_data, self._labels.offset // dtype.itemsize
        elif session.device.host_memory:
            self._whole, first = memory_of(self._labels)
            self.label, self._first_label = session.put(self._whole, "the labels"), first // dtype.itemsize
        else:
            self.label = session.scratch("labels", self.image.size, dtype)
            self._first_label = 0

    def _suits(self, out: npt.NDArray[Any], dtype: np.dtype[Any]) -> bool:
        """Return whether labels can be written to an array directly, or copied there as a whole."""
        if out.dtype != dtype or not out.flags.aligned or np.may_share_memory(out, self._pixels):
            return False
        dense = memory_of(out)[0].size == out.nbytes and min(out.strides) >= 0
        return dense or self.session.device.host_memory

    def _suits_on_device(self, out: Any, dtype: np.dtype[Any]) -> bool:
        """Return whether kernels, which measure distances in labels, can write labels to an array."""
        counted = all(place % dtype.itemsize == 0 for place in (out.offset, *out.strides))
        return out.dtype == dtype and counted and not _in_the_way(out, self._pixels)

    def read_labels(self) -> Any:
        """Return the labels that kernels have written, in the caller's array or a new one."""
        labels, session = self._labels, self.session
        if not isinstance(labels, np.ndarray):
            return labels
        if self._whole is None:
            session.get_into(_flat(labels), self.label)
        elif not session.read_in_place(self.label, self._whole):
            session.get_into(self._whole, self.label)
        return labels

    # -- how it lies there ---------------------------------------------------------------------------

    def strips(self, pixels: int) -> int:
        """Return the number of strips: parts of rows with this number of pixels, or fewer at the end.

        Rows lie along the last axis. If a word has a bit for each of a strip's pixels, the strip is also
        called a word.
        """
        return prod(self.shape[:3]) * -(-self.shape[3] // pixels)

    def layout(self) -> Buffer:
        wraps = padded(tuple(map(int, self.image.wraps)), 0)
        numbers = (
            *(*self.shape, *self.strides, self._first_byte),
            *(self._first_label, *self.label_strides, *wraps),
        )
        return self.session.put_writable(np.array(numbers, np.int64), "the layout of the image")

    def kernels(
        self, file: str, access: str | None, strip: int, along: Sequence[int] = (), **macros: Any
    ) -> Kernels:
        """Return a file's kernels, built so that a work-item takes one strip at a time.

        A strip is `strip` adjacent pixels of a row, and strips are taken in scan order. If `along` is given,
        they are taken in the memory order of an array with these strides.
        """
        order = axes_in_memory(self.shape, along) if along else tuple(range(MOST_AXES))
        return self.session.kernels(
            file,
            access,
            WORD_BITS=self.session.tuning.word_bits,
            STRIP=strip,
            WIDE_IMAGE=self.wide,
            **dict(zip(_AXES_BY_SPEED, order, strict=True)),
            **macros,
        )


def memory_of(array: npt.NDArray[Any]) -> tuple[npt.NDArray[np.uint8], int]:
    """Return the bytes that hold an array, without a copy, and the position of its first element."""
    if array.size == 0:
        return np.zeros(1, np.uint8), 0
    before, after = _reach(array)
    interface = {
        "version": 3,
        "typestr": "|u1",
        "shape": (before + after,),
        "data": (array.ctypes.data - before, not array.flags.writeable),
    }
    # NumPy keeps this object, and therefore the array, while it uses these bytes.
    return np.asarray(SimpleNamespace(array=array, __array_interface__=interface)), before


def _reach(array: Any) -> tuple[int, int]:
    """Return the number of bytes before an array's first element, and the number from there on."""
    before, after = 0, array.dtype.itemsize
    for length, stride in zip(array.shape, array.strides, strict=True):
        reach = (length - 1) * stride
        before, after = before + max(0, -reach), after + max(0, reach)
    return before, after


def _flat(array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Return the elements of a gap-free array in memory order, without copying."""
    return memory_of(array)[0].view(array.dtype) if array.size else array.reshape(-1)


def _in_the_way(out: Any, pixels: Any) -> bool:
    """Return whether writing to a pyopencl array may overwrite pixels that have not been read.

    A label may replace its own pixel, which is not read again.
    """
    if out.size == 0:
        return False
    (memory_of_out, begin, end), (memory_of_pixels, first, last) = _bytes_of(out), _bytes_of(pixels)
    if memory_of_out != memory_of_pixels or end <= first or last <= begin:
        return False
    return begin != first or out.dtype.itemsize != pixels.dtype.itemsize or _steps(out) != _steps(pixels)


def _bytes_of(array: Any) -> tuple[int, int, int]:
    """Return the memory object of a pyopencl array, its first byte there, and one past its last byte."""
    memory, offset = array.base_data, array.offset
    if (whole := memory.associated_memobject) is not None:  # the buffer is part of another one
        memory, offset = whole, offset + memory.offset
    before, after = _reach(array)
    return memory.int_ptr, offset - before, offset + after


def _steps(array: Any) -> list[int]:
    """Return the distance in bytes between neighbors along each axis with more than one pixel."""
    return [stride for stride, length in zip(array.strides, array.shape, strict=True) if length > 1]


def _new_array_like(pixels: Any, dtype: np.dtype[Any]) -> Any:
    """Return a new array on the pixels' device, with elements in the same order in memory."""
    if isinstance(pixels, np.ndarray):
        return np.empty_like(pixels, dtype, subok=False)
    import pyopencl.array as cl_array

    order = "F" if pixels.flags.f_contiguous and not pixels.flags.c_contiguous else "C"
    return cl_array.empty(pixels.queue, pixels.shape, dtype, order=order)
