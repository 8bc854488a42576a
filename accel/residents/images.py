"""Images on a device: where their pixels and labels are stored, and in which layout."""

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
"""Images with at least this number of pixels have 64-bit positions; smaller images have 32-bit positions."""

MOST_GAPS = 2
"""An image is copied to a device with its gaps if it spans at most `MOST_GAPS` times the bytes of its pixels.
Otherwise, its pixels are first copied to an array without gaps."""

_AXES_BY_SPEED = ("SLOWEST", "THIRD", "SECOND", "FASTEST")


class ResidentImage:
    """An image on a device, with room for its labels.

    Pixels and labels are not copied if they are already on the device, or if the device shares the host's
    memory. The labels are written to `out`, which has the shape of the image. If this cannot be done
    directly, they are first written to a new array with the same memory order as the pixels. `relabel` is
    called with the labels of all runs of pixels and the number of components, and returns the labels to write
    instead.

    Attributes
    ----------
    pixels : Buffer
    label : Buffer
    shape : tuple of int
        The number of pixels along each of four axes. If the image has fewer axes, the first numbers are 1.
    strides, label_strides : tuple of int
        The distances in memory between neighbors along each of these axes, measured in bytes for pixels and
        in items for labels.
    wide : bool
        Whether positions have 64 bits.
    count_t : type
        The type for counts of rows, words and strips: np.uint32 or np.uint64.
    """

    WAY_OUT = "label the image in chunks (label_chunks), or use a device with more memory"
    """The remedy that error messages suggest if there is too little memory."""

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
        # Kernels may still be using host arrays, which may now be freed.
        if self.session.device.host_memory:
            let_end(self.session.queue)

    # -- placement -----------------------------------------------------------------------------------

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
        """Return True if labels can either be written to `out` directly or copied to it as a whole."""
        if out.dtype != dtype or not out.flags.aligned or np.may_share_memory(out, self._pixels):
            return False
        dense = memory_of(out)[0].size == out.nbytes and min(out.strides) >= 0
        return dense or self.session.device.host_memory

    def _suits_on_device(self, out: Any, dtype: np.dtype[Any]) -> bool:
        """Return whether kernels can write labels to `out`.

        Kernels address labels, so the offset and strides of `out` must be multiples of a label's size.
        """
        counted = all(place % dtype.itemsize == 0 for place in (out.offset, *out.strides))
        return out.dtype == dtype and counted and not _in_the_way(out, self._pixels)

    def read_labels(self) -> Any:
        """Return the array of labels that kernels have written: the caller's array or a new one."""
        labels, session = self._labels, self.session
        if not isinstance(labels, np.ndarray):
            return labels
        if self._whole is None:
            session.get_into(_flat(labels), self.label)
        elif not session.read_in_place(self.label, self._whole):
            session.get_into(self._whole, self.label)
        return labels

    # -- layout --------------------------------------------------------------------------------------

    def strips(self, pixels: int) -> int:
        """Return the number of strips in the image.

        A strip consists of `pixels` adjacent pixels of a row, or fewer at the end of the row. Rows run along
        the last axis. If a word has one bit for each pixel of a strip, the strip is also called a word.
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
        """Return the kernels of a file, built so that a work-item processes one strip at a time.

        By default, strips of `strip` pixels are processed in scan order. If `along` is given, it contains the
        strides of an array, and strips are processed in that array's memory order.
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
    """Return the bytes that an array spans, without copying them, and the position of its first element."""
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
    """Return how many bytes an array spans before its first element, and how many from that element on."""
    before, after = 0, array.dtype.itemsize
    for length, stride in zip(array.shape, array.strides, strict=True):
        reach = (length - 1) * stride
        before, after = before + max(0, -reach), after + max(0, reach)
    return before, after


def _flat(array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Return a flat view of an array that has no gaps, in memory order."""
    return memory_of(array)[0].view(array.dtype) if array.size else array.reshape(-1)


def _in_the_way(out: Any, pixels: Any) -> bool:
    """Return whether writing labels to a pyopencl array may overwrite pixels that have not been read yet.

    A label may overwrite its own pixel, which is not read again.
    """
    if out.size == 0:
        return False
    (memory_of_out, begin, end), (memory_of_pixels, first, last) = _bytes_of(out), _bytes_of(pixels)
    if memory_of_out != memory_of_pixels or end <= first or last <= begin:
        return False
    return begin != first or out.dtype.itemsize != pixels.dtype.itemsize or _steps(out) != _steps(pixels)


def _bytes_of(array: Any) -> tuple[int, int, int]:
    """Return the address of an array's memory object, and where in it the array's bytes begin and end."""
    memory, offset = array.base_data, array.offset
    if (whole := memory.associated_memobject) is not None:  # the buffer is part of another one
        memory, offset = whole, offset + memory.offset
    before, after = _reach(array)
    return memory.int_ptr, offset - before, offset + after


def _steps(array: Any) -> list[int]:
    return [stride for stride, length in zip(array.strides, array.shape, strict=True) if length > 1]


def _new_array_like(pixels: Any, dtype: np.dtype[Any]) -> Any:
    """Return a new array with the shape and memory order of `pixels`, on the host or on the same device."""
    if isinstance(pixels, np.ndarray):
        return np.empty_like(pixels, dtype, subok=False)
    import pyopencl.array as cl_array

    order = "F" if pixels.flags.f_contiguous and not pixels.flags.c_contiguous else "C"
    return cl_array.empty(pixels.queue, pixels.shape, dtype, order=order)
