"""An image on a device: its pixels where they are, and how they lie there."""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from pointerjump.accel.residents.arrays import DeviceArray
from pointerjump.accel.runtime.session import Session
from pointerjump.errors import DeviceError
from pointerjump.images import MOST_AXES, Image, label_dtype

if TYPE_CHECKING:
    import pyopencl as cl

FEWER = "label the image in chunks (label_chunks), or use a device with more memory"

Strides = tuple[int, ...]


class ResidentImage:
    """An image on a device. It is not copied if it is there already, or the device shares the host's memory.

    Parameters
    ----------
    image : Image
    session : Session

    Attributes
    ----------
    pixels : Buffer
    first_byte : int
        Where the first pixel begins.
    strides : tuple of int
        The distance between neighbors along each axis, in bytes.
    """

    def __init__(self, image: Image, session: Session) -> None:
        self.session, self.image = session, image
        given = image.pixels
        self._host: npt.NDArray[Any] | None = None
        if not isinstance(given, np.ndarray):
            self.pixels, self.first_byte = given.base_data, given.offset
            self.strides: Strides = tuple(given.strides)
            return
        if not given.flags.aligned or (_has_gaps(given) and not session.device.host_memory):
            given = given.copy(order="K")
        self._host, self.first_byte = memory_of(given)
        self.pixels = session.put(self._host, "the image")
        self.strides = given.strides

    @property
    def size(self) -> int:
        """The number of pixels."""
        return self.image.size


def memory_of(array: npt.NDArray[Any]) -> tuple[npt.NDArray[np.uint8], int]:
    """Return the memory that an array lies in as bytes, without a copy, and where its first element begins."""
    if array.size == 0:
        return np.zeros(1, np.uint8), 0
    reaches = [(length - 1) * stride for length, stride in zip(array.shape, array.strides, strict=True)]
    before = -sum(reach for reach in reaches if reach < 0)
    size = before + sum(reach for reach in reaches if reach > 0) + array.itemsize
    return np.asarray(_Memory(array, array.ctypes.data - before, size)), before


class _Memory:
    """The bytes of an array, for NumPy, which keeps this object, and so the array, as long as it uses them."""

    def __init__(self, array: npt.NDArray[Any], address: int, size: int) -> None:
        self._array = array
        self.__array_interface__ = {
            "version": 3, "typestr": "|u1", "shape": (size,), "data": (address, not array.flags.writeable),
        }  # fmt: skip


def _has_gaps(array: npt.NDArray[Any]) -> bool:
    """Return whether the memory that an array spans is more than twice what it needs."""
    return array.size > 0 and len(memory_of(array)[0]) > 2 * array.nbytes
