"""Copies of pyopencl arrays to the host and back, with any strides.

pyopencl itself copies only arrays without gaps. So here the whole buffer is copied, and NumPy picks out the
elements. pyopencl is not imported before there is such an array.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from pointerjump.accel.runtime.icd import context_of
from pointerjump.base.images import is_on_device
from pointerjump.errors import ImageError, PointerjumpError


def require_queue(array: Any, what: str, error: type[PointerjumpError] = ImageError) -> None:
    """Refuse a pyopencl array without a command queue, or with one that lost its context."""
    if not is_on_device(array):
        return
    if array.queue is None:
        raise error(f"{what} has no command queue: give it one with .with_queue(queue)")
    context_of(array.queue)


def on_host(array: Any) -> Any:
    """Return a copy on the host of a pyopencl array that has a queue. Return other objects as they are."""
    if not is_on_device(array):
        return array
    if array.size == 0:  # there is no buffer
        return np.empty(array.shape, array.dtype)
    return _elements(array, _whole_buffer(array).get())


def write_on_device(out: Any, values: Any) -> None:
    """Write values, which may be on a device themselves, to a pyopencl array that has a queue."""
    if out.size == 0:
        return
    values, whole = on_host(values), _whole_buffer(out)
    contents = whole.get()
    _elements(out, contents)[...] = values
    whole.set(contents)


def _whole_buffer(array: Any) -> Any:
    """Return all bytes of the buffer that a pyopencl array lies in, as a pyopencl array."""
    import pyopencl.array as cl_array

    buffer = array.base_data
    return cl_array.Array(array.queue, (buffer.size,), np.uint8, data=buffer)


def _elements(array: Any, contents: npt.NDArray[np.uint8]) -> npt.NDArray[Any]:
    """Return the elements of a pyopencl array, given its buffer's contents on the host, without a copy."""
    return np.ndarray(array.shape, array.dtype, contents, array.offset, array.strides)
